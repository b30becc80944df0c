// What ai/logs/executor keeps for people: each call of a plugin (prompt, answer, verdict), and prompts that nobody could be
// sent. All masked.
import { join } from 'node:path';
import type { Refusal } from '../fix/edit.ts';
import { fileFacts } from '../io/files.ts';
import { makeFolderOf, writeAtomic } from '../io/store.ts';
import { maskedLeaves } from '../outbound/redact/redactor.ts';
import type { Escalation, Proposal } from '../plugin/contract.ts';
import type { Run } from '../stage/run.ts';
import type { Incident } from '../triage/incident.ts';
import type { Document } from './documents.ts';
import { record } from './identify.ts';
import type { SoundFix } from './proposal.ts';

/** Writes the transcript of one call; `judged` is undefined when no fix was proposed. */
export function keepTranscript(
  run: Run,
  incident: Incident,
  plugin: string,
  { text, redactor }: Document,
  answer: Proposal | Escalation,
  judged?: SoundFix | Refusal,
): void {
  const mask = redactor.redact;
  // Masked before it is written as JSON: a value with quotes in it is spelt otherwise there.
  const whole = () => JSON.stringify(maskedLeaves(answer, mask), null, 2);
  const reply = 'answer' in answer ? mask(answer.answer) : 'pass' in answer ? mask(answer.pass) : whole();
  const parts = ['# Prompt', text, '# Answer', reply, '# Verdict', mask(verdictOf(judged)), ''];
  write(run, incident, (n) => `${plugin}-${n}`, parts.join('\n\n'));
}

function verdictOf(judged: SoundFix | Refusal | undefined): string {
  if (!judged) return 'no fix was proposed';
  if (!judged.ok) return `${judged.code}\n\n${judged.reasons.join('\n')}`;
  const { ask, diff } = judged;
  return `${ask ? `the owner is to be asked: ${ask.code}\n\n${ask.reasons.join('\n')}` : 'accepted'}\n\n${diff}`;
}

/** Saves a prompt that no plugin could be sent. Returns its path from home. */
export function savePrompt(run: Run, incident: Incident, prompt: string): string {
  const path = write(run, incident, (n) => (n === 1 ? 'prompt' : `prompt-${n}`), prompt);
  record(run, incident, 'prompt.saved', { path });
  return path;
}

/** Writes under the first free name, so that no earlier transcript is lost. Throws MendError when the disk refuses. */
function write({ id, layout }: Run, { step, attempt }: Incident, ending: (n: number) => string, text: string): string {
  const nameOf = (n: number) => join('ai/logs/executor', `${id}-${step}-${attempt}-${ending(n)}.md`);
  let n = 1;
  while (fileFacts(join(layout.home, nameOf(n)))) n++;
  const path = nameOf(n);
  makeFolderOf(join(layout.home, path));
  writeAtomic(join(layout.home, path), text);
  return path;
}
