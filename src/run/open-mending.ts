// What a run needs to mend its stages, put together: facts from the journal, the barrier, the branch, the workshop.
import { join } from 'node:path';
import type { Stage } from '../config/context-map.ts';
import { INSTRUCTIONS_FILE, MAX_BYTES, MEMO_FILE } from '../config/files.ts';
import type { Happening, LoopEvent } from '../events.ts';
import type { Layout } from '../io/layout.ts';
import { PACKAGE_ROOT } from '../io/package.ts';
import { readText } from '../io/store.ts';
import { readJournal } from '../journal/event-file.ts';
import type { Recorder } from '../journal/journal.ts';
import type { LedgerStore } from '../journal/ledger-file.ts';
import { listRuns } from '../journal/runs.ts';
import { recordOf } from '../journal/stages.ts';
import { openBarrier } from '../mend/barrier.ts';
import { openBreaker } from '../mend/breaker.ts';
import { closeCases } from '../mend/close-cases.ts';
import type { Mender } from '../mend/failed-attempt.ts';
import { openFixes } from '../mend/fix-store.ts';
import { type MendingTools, stageMender } from '../mend/mender.ts';
import { mendingFacts } from '../mend/mending-facts.ts';
import { missedNotices, recoveredNotices } from '../mend/notice-of.ts';
import { openNotices } from '../mend/notices.ts';
import type { OutgoingScope } from '../mend/outgoing.ts';
import type { Recognised } from '../mend/recognise.ts';
import { recoverFixes } from '../mend/recover-fixes.ts';
import { readSafeMode, setSafeMode } from '../mend/safe-mode.ts';
import { nobody } from '../mend/suggestion.ts';
import { turnedRedBy } from '../mend/turned-red.ts';
import type { Diagnostic } from '../outbound/context.ts';
import { cellsOf, stepNameOf } from '../plan/matrix.ts';
import type { AskedDiagnostics } from '../stage/diagnose.ts';
import { stageEnv, stagePath } from '../stage/stage-env.ts';
import type { MovableTree } from '../stage/stage-tree.ts';
import { toolConfigs } from '../stage/tool-config.ts';
import { usedOn } from '../triage/ledger.ts';
import { readAt } from '../worktree/read.ts';
import { isPackage, PACKAGE_PATHS } from './own-plugins.ts';
import type { Prepared } from './prepare.ts';
import { projectRules } from './project-rules.ts';
import type { RunPorts, RunRequest } from './request.ts';

export interface Mending {
  mender: Mender;
  /** Before the run's own end: closes the cases of these stages, which are green, and sees that people are told. */
  finish(green: readonly string[]): Promise<void>;
  /** Whatever happened: nobody is told anything more, and nothing more is recorded of it. */
  hush(): Promise<void>;
  /** Runs an attempt when the tree is not just being written. */
  attempt<T>(work: () => Promise<T>): Promise<T>;
  /** Records what happens to stages, and what the ledger must know of it. */
  record(...happenings: Happening[]): void;
}

/** How long the end of a run waits for people to be told. */
const NOTICE_MS = 10_000;

/** Sets right first what an earlier process left of its fixes. Throws MendError when that cannot be. */
export async function openMending(
  prepared: Prepared,
  request: RunRequest,
  { recorder, ledger, tree }: { recorder: Recorder; ledger: LedgerStore; tree: MovableTree },
  ports: RunPorts,
): Promise<Mending> {
  const { layout, config, worktree, open, plugins, lab } = prepared;
  const { run, record, stages } = recorder;
  const barrier = openBarrier();
  const { hooks, sign } = config.loop.git;
  const fixes = openFixes({
    ...{ run, layout, barrier, record, tree: worktree, commit: { hooks, sign } },
    moved: tree.moved,
    ledger: ledger.record,
    mayWrite: () => readSafeMode(layout) === undefined,
  });
  const head = () => tree.head;
  const base = worktree.base.commit;
  const events = lastWork(layout);
  const recovered = await recoverFixes({
    ...{ run, tree: worktree, base, head, fixes, events, ledger: ledger.ledger, record: ledger.record },
    open: mendingFacts(events).open(),
  });
  record(...recovered.notices.map((text): Happening => ({ type: 'notice', data: { text } })), ...recovered.untold);
  const facts = mendingFacts(open ? readJournal(layout.journal(run)).events : []);
  let opened: Promise<MendingTools> | undefined;
  const tools = () => {
    opened ??= openTools();
    return opened;
  };
  const notices = openNotices({
    ...{ run, ledger, record, notifiers: plugins.notifiers },
    redactor: async () => (await import('../mend/outgoing.ts')).redactorFor(await outgoingScope(prepared, ports.env)),
  });
  const rules = [...projectRules(config.loop), ...plugins.rules];
  // Asked for by hand after giving up: once, as it is.
  const asked = request.forced ? request.stages : [];
  const givenUp = new Set(asked.filter((stage) => stages.stages[stage]?.status === 'give_up'));
  const mender = stageMender({
    ...{
      run,
      layout,
      stages,
      ledger,
      rules,
      record,
      config,
      fixes,
      tools,
      notices,
      facts,
      clock: ports.clock,
      signal: ports.signal,
    },
    givenUp,
    safeMode: {
      isOn: () => readSafeMode(layout) !== undefined,
      turnOn: (why) => {
        setSafeMode(layout, { since: new Date(ports.clock.now()).toISOString(), by: 'loop', why, run });
      },
      async blame({ stage, step }) {
        const of = config.map.stages[stage] as Stage;
        const now = { tree: worktree, head: tree.head, files: await tree.files() };
        const fix = await turnedRedBy(step, of, recordOf(stages, step), now);
        return fix && `the fix ${fix.commit.slice(0, 12)} of ${fix.trailers.get('Stage')}: ${fix.note.fix}`;
      },
    },
    ai: (stage) => request.ai && !givenUp.has(stage),
  });
  return {
    mender,
    async finish(green) {
      const untold = [...recoveredNotices(ledger.ledger, green), ...missedNotices(ledger.ledger, prepared.head.stages)];
      record(...closeCases(green, 'the stage is green', { layout, ledger, run, now: ports.clock.now() }));
      for (const { about, ...notice } of untold) notices.tell(notice, about);
      await notices.settled(NOTICE_MS, ports.signal);
    },
    hush: () => notices.settled(0, ports.signal),
    attempt: barrier.attempt,
    record(...happenings) {
      for (const { type, stage } of happenings) {
        if (type === 'stage.recovered' && stage) ledger.record({ type: 'recovered', stage, run, data: {} });
      }
      record(...happenings);
    },
  };

  async function diagnose(
    subject: Recognised,
    asked: AskedDiagnostics,
    signal: AbortSignal = ports.signal,
  ): Promise<Diagnostic[]> {
    const { runDiagnostics } = await import('../stage/diagnose.ts');
    const { stage: name, step, attempt } = subject;
    const stage = config.map.stages[name] as Stage;
    const cell = cellsOf(stage).find((one) => stepNameOf(name, one) === step) ?? {};
    const { clock, graceMs, env: inherited, labTools } = ports;
    const root = worktree.path;
    const own = stageEnv({ name, stage, cell, run, attempt }, { layout, root, lab, labTools, inherited });
    // The owner's know where the cluster is, as their stages do; a model's words are only the tool's own.
    const env = 'model' in asked ? { ...toolConfigs(config.map, layout), ...own } : own;
    // Commands of the owner's may look at files that a fix is just changing.
    return barrier.attempt(() => runDiagnostics(asked, { root, env, signal, clock, graceMs }));
  }

  /** Opened when the first failure comes: most runs have none, and need nothing of what it loads. */
  async function openTools(): Promise<MendingTools> {
    const [{ openWorkshop }, { factsFrom }, { offerFixes }, { openEscalation }, { openCaseDesk }] = await Promise.all([
      import('../mend/workshop.ts'),
      import('../mend/fix-facts.ts'),
      import('../mend/offer-fix.ts'),
      import('../mend/escalation.ts'),
      import('../mend/case-desk.ts'),
    ]);
    const { signal, live } = ports;
    const surroundings = {
      path: stagePath({ inherited: ports.env, lab, labTools: ports.labTools }),
      variables: Object.keys(ports.env),
    };
    const own = (await isPackage(layout.home)) ? PACKAGE_PATHS : [];
    const tellFacts = factsFrom({ config, ledger, fixes, tree: worktree, head, base, own, surroundings });
    const sent = await outgoingScope(prepared, ports.env);
    const { day_tokens, day_dollars } = config.loop.limits;
    const mayAsk = () => {
      const { tokens, dollars = 0 } = usedOn(ledger.ledger.day, ports.clock.now());
      return tokens < day_tokens && dollars < (day_dollars ?? Number.POSITIVE_INFINITY);
    };
    const shared = { mayAsk, run, ledger, fixes, record, signal, live, facts: tellFacts, outgoing: sent };
    const cases = openCaseDesk({
      ...{ ...shared, layout, limits: config.loop.limits, now: ports.clock.now },
      attempts: (step) => recordOf(stages, step)?.attempts,
      diagnose,
    });
    const person = config.loop.mode === 'suggest' ? (ports.person ?? nobody) : undefined;
    const offers = offerFixes({ ...shared, person, leave: cases.leave, mask: prepared.mask });
    const asking = { ...shared, offers, cases, breaker: openBreaker(ports.clock) };
    return {
      cases,
      workshop: openWorkshop({ ...asking, executors: plugins.executors }),
      escalation: openEscalation({
        ...{ ...asking, escalations: plugins.escalations },
        mostCalls: config.loop.limits.escalation_calls,
      }),
    };
  }
}

/** The newest journal that tells of work on a step. One without was written before anything could be set right. */
function lastWork(layout: Layout): LoopEvent[] {
  for (const run of listRuns(layout).reverse()) {
    const { events } = readJournal(layout.journal(run));
    if (events.some(({ type }) => type.startsWith('step.'))) return events;
  }
  return [];
}

/** What is read from the base once, for everyone who is asked: no instructions of the owner's own means the shipped ones. */
async function outgoingScope({ layout, config, worktree }: Prepared, env: RunPorts['env']): Promise<OutgoingScope> {
  const { home } = layout;
  const committed = async (path: string) => {
    const text = await readAt(worktree.objects, worktree.base.commit, path, MAX_BYTES);
    return typeof text === 'string' ? text : undefined;
  };
  const instructions = (await committed(INSTRUCTIONS_FILE)) ?? readText(join(PACKAGE_ROOT, INSTRUCTIONS_FILE)) ?? '';
  return { home, map: config.map, env, instructions, memo: await committed(MEMO_FILE), patterns: config.loop.redact };
}
