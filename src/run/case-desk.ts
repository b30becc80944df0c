// Cases: what is known of a failure, written for whoever can do more than the loop, and what they answered.
import { join } from 'node:path';
import type { Redactor } from '../case/redact/redactor.ts';
import type { Happening } from '../events.ts';
import type { Layout } from '../io/layout.ts';
import { folderOf, ownFolder, writeAtomic } from '../io/store.ts';
import { type OutgoingScope, outgoing } from '../mend/outgoing.ts';
import type { Suggestion } from '../mend/suggestion.ts';
import type { Escalation } from '../plugin/contract.ts';
import type { TellFacts, Told } from './fix-facts.ts';
import type { LedgerStore } from './ledger-store.ts';
import { knownOf, type Recognised } from './recognise.ts';

export interface WrittenCase {
  name: string;
  version: 1 | 2;
  /** Masked, as it goes out. */
  text: string;
  redactor: Redactor;
}

export interface CaseDesk {
  /** The owner's diagnostics, once for each failure in a run. Never throws for what they do. */
  look(subject: Recognised): Promise<void>;
  /** Writes the case; version 2 with the diagnostics that were asked for. Throws RedactionError, and MendError. */
  write(subject: Recognised, told: Told, asked?: readonly (readonly string[])[]): Promise<WrittenCase>;
  /** Keeps what was answered. */
  answered(name: string, plugin: string, answer: Escalation): void;
  /** Keeps the patch that came of it. */
  patched(name: string, diff: string): void;
  /** Hands over: from now on a person is waited for. */
  open(subject: Recognised, name: string, why: { by: string; text: string; patch?: string }): void;
  /** Keeps a fix that a person was to be asked about. */
  leave(subject: Recognised, suggestion: Suggestion): Promise<void>;
  /** The evidence, when the loop is at its end. */
  giveUp(subject: Recognised, reason: string): Promise<void>;
}

export interface CaseScope {
  run: string;
  layout: Layout;
  ledger: LedgerStore;
  facts: TellFacts;
  outgoing: OutgoingScope;
  record(...happenings: Happening[]): void;
}

export function openCaseDesk(scope: CaseScope): CaseDesk {
  const { layout, ledger, run } = scope;
  const file = (name: string, what: string) => join(layout.escalations, name, what);
  const keep = (name: string, what: string, text: string) => {
    ownFolder(layout.escalations);
    folderOf(file(name, what));
    writeAtomic(file(name, what), text);
  };

  return {
    async look() {},
    write,
    answered: (name, _plugin, answer) => keep(name, 'response.json', `${JSON.stringify(answer)}\n`),
    patched: (name, diff) => keep(name, 'patch.diff', diff),
    open,
    async leave(subject, { note, plugin, diff }) {
      const { name } = await write(subject, await scope.facts(subject, 'executor'));
      open(subject, name, { by: plugin, text: `a fix waits for your word: ${note.fix}`, patch: diff });
    },
    async giveUp(subject) {
      await write(subject, await scope.facts(subject, 'executor'));
    },
  };

  async function write(subject: Recognised, told: Told): Promise<WrittenCase> {
    const { stage, failure } = subject;
    const entry = knownOf(ledger, stage, failure.fingerprint);
    const name = entry.case ?? entry.escalated ?? `${stage}-${failure.fingerprint.slice(0, 8)}`;
    const { prompt, redactor } = await outgoing(told.facts, subject.how, scope.outgoing);
    keep(name, 'case_v1.md', prompt);
    return { name, version: 1, text: prompt, redactor };
  }

  function open(
    { stage, step, attempt, failure }: Recognised,
    name: string,
    why: { by: string; text: string; patch?: string },
  ): void {
    if (why.patch !== undefined) keep(name, 'patch.diff', why.patch);
    ledger.record({ type: 'case.opened', stage, fingerprint: failure.fingerprint, run, data: { case: name } });
    const path = `ai/escalations/${name}`;
    scope.record({ type: 'case.opened', stage, step, attempt, data: { case: name, path, why: why.text } });
  }
}
