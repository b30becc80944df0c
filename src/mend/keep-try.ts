// What was asked of a model, what it answered and what the gate said: kept for people, masked, one file a round.
import { join } from 'node:path';
import type { Refusal } from '../fix/edit.ts';
import { folderOf, writeAtomic } from '../io/store.ts';
import type { Redactor } from '../outbound/redact/redactor.ts';
import type { Proposal } from '../plugin/contract.ts';
import type { SoundFix } from './judge-proposal.ts';

/** `judged` is undefined for who has no fix to propose. */
export type Keep = (plugin: string, round: number, answer: Proposal, judged?: SoundFix | Refusal) => void;

interface Place {
  run: string;
  step: string;
  attempt: number;
}

const fileOf = ({ run, step, attempt }: Place, ending: string): string =>
  join('ai/logs/executor', `${run}-${step}-${attempt}-${ending}.md`);

/** Keeps a question that nobody could be asked. Returns its path from home. Throws MendError when the disk refuses. */
export function keepPrompt(home: string, place: Place, prompt: string): string {
  const path = fileOf(place, 'prompt');
  write(join(home, path), prompt);
  return path;
}

function write(path: string, text: string): void {
  folderOf(path);
  writeAtomic(path, text);
}

/** Writes to `ai/logs/executor/`. Throws MendError when the disk refuses. */
export function keepTry(home: string, place: Place, prompt: string, redactor: Redactor): Keep {
  return (plugin, round, answer, judged) => {
    const said = 'answer' in answer ? answer.answer : 'pass' in answer ? answer.pass : JSON.stringify(answer, null, 2);
    const verdict = judged ? verdictOf(judged) : 'no fix was proposed';
    const text = ['# Prompt', prompt, '# Answer', redactor.redact(said), '# Verdict', redactor.redact(verdict), ''];
    write(join(home, fileOf(place, `${plugin}-${round}`)), text.join('\n\n'));
  };
}

const verdictOf = (judged: SoundFix | Refusal): string =>
  judged.ok ? `accepted\n\n${judged.diff}` : `${judged.code}\n\n${judged.reasons.join('\n')}`;
