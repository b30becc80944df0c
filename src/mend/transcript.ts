// One conversation with a plugin, and what ai/logs/executor keeps of it for people: prompt, answer, verdict, masked.
import { join } from 'node:path';
import type { FixTier } from '../events.ts';
import type { Refusal } from '../fix/edit.ts';
import { fileFacts } from '../io/files.ts';
import { folderOf, writeAtomic } from '../io/store.ts';
import type { Choice } from '../outbound/context.ts';
import { maskedLeaves, type Redactor } from '../outbound/redact/redactor.ts';
import type { Escalation, Proposal } from '../plugin/contract.ts';
import type { LoadedPlugin } from '../plugin/examine.ts';
import type { Run } from '../stage/run.ts';
import type { Incident } from '../triage/incident.ts';
import type { WrittenCase } from './cases.ts';
import type { FixContext } from './context.ts';
import { record } from './identify.ts';
import type { SoundFix } from './proposal.ts';

/** What goes out, masked: the prompt, or the case. */
export interface Document {
  text: string;
  redactor: Redactor;
  /** Changes that the prompt offers. */
  choices?: readonly Choice[];
  case?: WrittenCase;
}

/** One conversation with one plugin; without a document when it needs no model. */
export interface Conversation {
  run: Run;
  incident: Incident;
  tier: FixTier;
  plugin: LoadedPlugin;
  context: FixContext;
  document: Document | undefined;
  signal: AbortSignal;
}

/** One file a call; `judged` is undefined for who has no fix to propose. */
export function keepTranscript(
  { run, incident, plugin, document }: Conversation,
  answer: Proposal | Escalation,
  judged?: SoundFix | Refusal,
): void {
  const redact = (text: string) => document?.redactor.redact(text) ?? text;
  // Masked before it is written as JSON: a value with quotes in it is spelt otherwise there.
  const whole = () => JSON.stringify(maskedLeaves(answer, redact), null, 2);
  const reply = 'answer' in answer ? redact(answer.answer) : 'pass' in answer ? redact(answer.pass) : whole();
  const parts = ['# Prompt', document?.text, '# Answer', reply, '# Verdict', redact(verdictOf(judged)), ''];
  write(run, incident, (n) => `${plugin.name}-${n}`, parts.join('\n\n'));
}

function verdictOf(judged: SoundFix | Refusal | undefined): string {
  if (!judged) return 'no fix was proposed';
  if (!judged.ok) return `${judged.code}\n\n${judged.reasons.join('\n')}`;
  const { ask, diff } = judged;
  return `${ask ? `the owner is to be asked: ${ask.code}\n\n${ask.reasons.join('\n')}` : 'accepted'}\n\n${diff}`;
}

/** Keeps a question that nobody could be asked. Returns its path from home. */
export function savePrompt(run: Run, incident: Incident, prompt: string): string {
  const path = write(run, incident, (n) => (n === 1 ? 'prompt' : `prompt-${n}`), prompt);
  record(run, incident, 'prompt.saved', { path });
  return path;
}

/** Writes under the first name that is free: what was kept of an earlier call stays. Throws MendError when the disk refuses. */
function write({ id, layout }: Run, { step, attempt }: Incident, ending: (n: number) => string, text: string): string {
  const nameOf = (n: number) => join('ai/logs/executor', `${id}-${step}-${attempt}-${ending(n)}.md`);
  let n = 1;
  while (fileFacts(join(layout.home, nameOf(n)))) n++;
  const path = nameOf(n);
  folderOf(join(layout.home, path));
  writeAtomic(join(layout.home, path), text);
  return path;
}
