// Cases: what is known of a failure, written for whoever can do more than the loop, and what they answered. Everything in
// them is masked.

import type { Stage } from '../config/context-map.ts';
import type { Happening } from '../events.ts';
import { buildCase } from '../outbound/case.ts';
import type { ANSWER_KINDS, CaseSummary } from '../outbound/case-summary.ts';
import { caseName } from '../outbound/case-summary.ts';
import type { Diagnostic } from '../outbound/context.ts';
import type { Redactor } from '../outbound/redact/redactor.ts';
import { maskedLeaves } from '../outbound/redact/redactor.ts';
import { RedactionError } from '../outbound/redact/secret.ts';
import type { Escalation } from '../plugin/contract.ts';
import type { AskedDiagnostics } from '../stage/diagnose.ts';
import { type CaseFactsScope, caseFacts } from './case-facts.ts';
import { type CaseStore, openCaseStore } from './case-store.ts';
import type { TellFacts, Told } from './fix-facts.ts';
import { redactorFor } from './outgoing.ts';
import { knownOf, type Recognised } from './recognise.ts';
import type { Suggestion } from './suggestion.ts';

export interface WrittenCase {
  name: string;
  version: 1 | 2;
  /** Masked, as it goes out. */
  text: string;
  redactor: Redactor;
}

/** What a case tells besides. */
export interface More {
  /** Ends diagnostics that take too long for this run. */
  signal?: AbortSignal;
  asked?: readonly (readonly string[])[];
  notes?: readonly string[];
  /** In place of the newest version there is. */
  newest?: boolean;
}

/** Why a person is wanted, by whose word, and what was proposed. */
export interface HandOver {
  by: string;
  text: string;
  /** The text of a patch. */
  patch?: string;
  /** The hash of one that is sound and only waits for a word. */
  hash?: string;
}

export interface CaseDesk {
  /** The owner's diagnostics, once for each failure in a run. Never throws for what they do. */
  look(subject: Recognised, signal: AbortSignal): Promise<void>;
  /** Writes the case; version 2 with the diagnostics that were asked for. Throws RedactionError, and MendError. */
  write(subject: Recognised, told: Told, more?: More): Promise<WrittenCase>;
  /** Keeps what was answered. */
  answered(written: WrittenCase, plugin: string, answer: Escalation): void;
  /** Keeps the patch that came of it. */
  patched(written: WrittenCase, diff: string): void;
  /** Hands over: from now on a person is waited for. */
  open(subject: Recognised, written: WrittenCase, why: HandOver): void;
  /** Keeps a fix that a person was to be asked about. */
  leave(subject: Recognised, suggestion: Suggestion): Promise<void>;
  /** The evidence, when the loop is at its end. */
  giveUp(subject: Recognised, reason: string): Promise<void>;
}

export interface CaseScope extends CaseFactsScope {
  /** Where cases are. */
  layout: { home: string; escalations: string };
  facts: TellFacts;
  diagnose(subject: Recognised, asked: AskedDiagnostics, signal: AbortSignal | undefined): Promise<Diagnostic[]>;
  now(): number;
  record(...happenings: Happening[]): void;
}

export function openCaseDesk(scope: CaseScope): CaseDesk {
  const { ledger, run, layout } = scope;
  const store = openCaseStore(layout);
  /** Step and failure → what the owner's diagnostics said. */
  const looked = new Map<string, Promise<Diagnostic[]>>();
  return {
    look: async (subject, signal) => void (await owners(subject, signal)),
    write,
    answered,
    patched,
    open,
    leave,
    giveUp,
  };

  function owners(subject: Recognised, signal: AbortSignal | undefined): Promise<Diagnostic[]> {
    const key = `${subject.step}/${subject.failure.fingerprint}`;
    const found = looked.get(key) ?? scope.diagnose(subject, ownersOf(subject), signal);
    looked.set(key, found);
    return found;
  }

  async function write(subject: Recognised, told: Told, more: More = {}): Promise<WrittenCase> {
    const { asked, notes = [], signal } = more;
    const redactor = redactorFor(scope.outgoing);
    const name = nameOf(subject);
    // What is written last is what is shown.
    const version = asked || more.newest ? latest(name, asked !== undefined) : 1;
    const diagnostics = [
      ...(asked ? await scope.diagnose(subject, ownersOf(subject), signal) : await owners(subject, signal)),
      ...(asked ? await scope.diagnose(subject, { model: asked }, signal) : []),
    ];
    const { context, options } = await caseFacts(subject, told, { case: name, version, diagnostics, notes }, scope);
    const { text } = buildCase(context, options, redactor.redact);
    store.write(name, version, text);
    note(subject, name, ({ versions, state }) => ({
      versions: [...new Set([...versions, version])],
      state: state === 'open' ? state : 'asked',
    }));
    return { name, version, text, redactor };
  }

  function latest(name: string, asked: boolean): 1 | 2 {
    return asked || summaryOf(store, name)?.versions.includes(2) ? 2 : 1;
  }

  function ownersOf({ stage }: Recognised): AskedDiagnostics {
    return { owner: (scope.outgoing.map.stages[stage] as Stage).diagnostics };
  }

  /** The one that is open or went out before; a new one otherwise. */
  function nameOf({ stage, failure }: Recognised): string {
    const entry = knownOf(ledger, stage, failure.fingerprint);
    const known = entry.case ?? entry.escalated;
    return known ?? caseName(stage, failure.fingerprint, (name) => isTaken(store, name, failure.fingerprint));
  }

  function answered({ name, redactor }: WrittenCase, plugin: string, answer: Escalation): void {
    store.writeResponse(name, { plugin, answer: maskedLeaves(answer, redactor.redact) });
    update(name, ({ calls, answers }) => ({ calls: calls + 1, answers: [...answers, kindOf(answer)] }));
  }

  function patched({ name, redactor }: WrittenCase, diff: string): void {
    store.writePatch(name, redactor.redact(diff));
  }

  function open(subject: Recognised, written: WrittenCase, { by, text, patch, hash }: HandOver): void {
    if (patch !== undefined) patched(written, patch);
    else store.dropPatch(written.name);
    wait(subject, written.name, written.redactor.redact(`${by}: ${text}`), hash);
  }

  /** From now on a person is waited for. `why` is masked. */
  function wait(
    { stage, step, attempt, failure }: Recognised,
    name: string,
    why: string,
    hash: string | undefined,
  ): void {
    const { patch: _, ...known } = summaryOf(store, name) as CaseSummary;
    store.writeSummary({ ...known, state: 'open', why, ...(hash === undefined ? {} : { patch: hash }) });
    ledger.record({ type: 'case.opened', stage, fingerprint: failure.fingerprint, run, data: { case: name } });
    const data = { case: name, path: `ai/escalations/${name}`, why };
    scope.record({ type: 'case.opened', stage, step, attempt, data });
  }

  async function leave(subject: Recognised, { note: { fix }, plugin, diff, hash }: Suggestion): Promise<void> {
    const told = await scope.facts(subject, 'executor');
    const notes = [`${plugin} suggests a fix that waits for your word: ${fix}. It is in patch.diff beside this file.`];
    const written = await write(subject, told, { notes }).catch((error: unknown) => {
      if (error instanceof RedactionError) return error;
      throw error;
    });
    if (!(written instanceof RedactionError)) {
      return open(subject, written, { by: plugin, text: `a fix waits for your word: ${fix}`, patch: diff, hash });
    }
    const name = nameOf(subject);
    note(subject, name, () => ({}));
    wait(subject, name, `${plugin}: a fix waits for your word; no more is written: ${written.message}`, hash);
  }

  async function giveUp(subject: Recognised, reason: string): Promise<void> {
    const { stage, step, attempt } = subject;
    try {
      const { name } = await write(subject, await scope.facts(subject, 'escalation'), {
        newest: true,
        notes: [`The loop gave up: ${reason}. It tries nothing more until: mendloop reset ${stage}`],
      });
      update(name, () => ({ state: 'given_up', why: reason }));
      const data = { case: name, path: `ai/escalations/${name}`, why: `given up: ${reason}` };
      scope.record({ type: 'case.opened', stage, step, attempt, data });
    } catch (error) {
      if (!(error instanceof RedactionError)) throw error;
      const text = `no case was written for ${stage}: ${error.message}`;
      scope.record({ type: 'notice', stage, step, attempt, data: { text } });
    }
  }

  function note(subject: Recognised, name: string, change: Change): void {
    const { stage, failure } = subject;
    const opened = new Date(scope.now()).toISOString();
    const fresh: CaseSummary = {
      ...{ version: 1, case: name, stage, fingerprint: failure.fingerprint, class: failure.class, run, opened },
      ...{ state: 'asked', versions: [], calls: 0, answers: [] },
    };
    const known = summaryOf(store, name);
    const { closed: _, ...before } = known ?? fresh;
    store.writeSummary({ ...before, ...change(before) });
  }

  function update(name: string, change: Change): void {
    const known = summaryOf(store, name);
    if (known) store.writeSummary({ ...known, ...change(known) });
  }
}

type Change = (summary: CaseSummary) => Partial<CaseSummary>;

function summaryOf(store: CaseStore, name: string): CaseSummary | undefined {
  const found = store.read(name);
  return found && 'summary' in found ? found.summary : undefined;
}

/** A case of the same failure that nobody closed or answered goes on; all others are history. */
function isTaken(store: CaseStore, name: string, fingerprint: string): boolean {
  if (!store.has(name)) return false;
  const known = summaryOf(store, name);
  return known?.fingerprint !== fingerprint || known.state === 'closed' || known.state === 'answered';
}

function kindOf(answer: Escalation): (typeof ANSWER_KINDS)[number] {
  if ('pass' in answer) return 'pass';
  if ('diagnostics' in answer) return 'diagnostics';
  return 'hand_over' in answer ? 'hand_over' : 'patch';
}
