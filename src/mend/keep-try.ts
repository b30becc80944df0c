// What was asked of a model, what it answered and what the gate said: kept for people, masked, one file a round.
import { join } from 'node:path';
import type { Redactor } from '../case/redact/redactor.ts';
import type { Refusal } from '../fix/edit.ts';
import { folderOf, writeAtomic } from '../io/store.ts';
import type { Proposal } from '../plugin/contract.ts';
import type { SoundFix } from './judge-proposal.ts';

type Keep = (plugin: string, round: number, answer: Proposal, judged: SoundFix | Refusal) => void;

/** Writes to `ai/logs/executor/`. Throws MendError when the disk refuses. */
export function keepTry(
  home: string,
  { run, step, attempt }: { run: string; step: string; attempt: number },
  prompt: string,
  redactor: Redactor,
): Keep {
  return (plugin, round, answer, judged) => {
    const path = join(home, 'ai/logs/executor', `${run}-${step}-${attempt}-${plugin}-${round}.md`);
    const said = 'answer' in answer ? answer.answer : JSON.stringify(answer, null, 2);
    const verdict = judged.ok ? `accepted\n\n${judged.diff}` : `${judged.code}\n\n${judged.reasons.join('\n')}`;
    folderOf(path);
    const text = ['# Prompt', prompt, '# Answer', redactor.redact(said), '# Verdict', redactor.redact(verdict), ''];
    writeAtomic(path, text.join('\n\n'));
  };
}
