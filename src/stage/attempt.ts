// One attempt of a stage: what it requires, its command, what it did besides, its checks.
import type { CommandEnd } from '../io/command.ts';
import { type EndOf, haltFor, type StageEnd, stopEnd } from '../plan/stage-end.ts';
import { someIgnored } from '../worktree/read.ts';
import { treeGit } from '../worktree/tree.ts';
import { type AttemptCall, howItEnded, inputsNow, inspectTree, openCall, type StageCall } from './call.ts';
import { besideAtStart, carriedMarks } from './carried.ts';
import { checkFileNames, onceMoreAlone, type Watch, watchCheckFiles } from './check-files.ts';
import { hasChecks, NOTHING_TO_CHECK } from './checks.ts';
import { stagePath } from './env.ts';
import { addableFiles, missingRequirements } from './requires.ts';
import type { StageRun } from './run.ts';
import { scriptHint } from './script-hint.ts';

/** How an attempt ended, and how its command did, if that ran. */
interface AttemptResult {
  end: StageEnd;
  ran?: CommandEnd;
}

/** Runs the stage once and records it. Throws only for bugs and a disk that refuses. */
export async function attemptStage(action: AttemptCall, run: StageRun): Promise<StageEnd> {
  await besideAtStart(run);
  const before = carriedMarks(run);
  const call = openCall(action, run, 'attempt');
  const began = run.clock.monotonic();
  const watched = watchCheckFiles(run, call.step, 'attempt', (watch) => attempt(action, call, run, watch));
  const { end, ran } = await watched.finally(() => call.log.close());
  const after = carriedMarks(run);
  const wrote = [...before.keys()].filter((path) => before.get(path) !== after.get(path));
  const data = {
    ...recorded(end),
    duration_ms: Math.round(run.clock.monotonic() - began),
    log: call.logPath,
    ...(ran ? { exit_code: ran.exitCode, signal: ran.signal } : {}),
    ...(wrote.length > 0 ? { wrote } : {}),
  };
  run.journal.append({ type: 'attempt.ended', stage: call.name, step: call.step, attempt: call.attempt, data });
  return end;
}

const OUTCOMES = { green: 'done', stopped: 'interrupted', halted: 'halted', lost: 'lost', unbegun: 'unbegun' } as const;

/** The end in the words of `attempt.ended`. */
function recorded(end: StageEnd): { outcome: string; problems?: string[] } {
  if (end.kind !== 'failed') return { outcome: OUTCOMES[end.kind] };
  const { phase, problems } = (end.context ?? {}) as { phase?: string; problems?: string[] };
  if (problems) return { outcome: phase === 'requires' ? 'requires' : 'unverified', problems };
  return { outcome: end.code === 'STEP_TIMEOUT' ? 'timeout' : 'failed' };
}

async function attempt(action: AttemptCall, call: StageCall, run: StageRun, watch: Watch): Promise<AttemptResult> {
  if (watch.halted) return { end: haltFor(watch.halted) };
  const where = { root: run.tree.path, path: stagePath(run), env: run.env };
  const missing = missingRequirements(call.stage, where);
  if (missing.length > 0) {
    for (const line of missing) call.log.say(`requires: ${line}`);
    const facts = { phase: 'requires', problems: missing, log: call.logPath };
    const addable = addableFiles(call.stage, where);
    // Files that are never committed are for the owner to provide.
    const isMendable = addable.length > 0 && !(await someIgnored(treeGit(run.tree), addable));
    return { end: { ...(await failed(`requires: ${missing.join('; ')}`, facts)), again: isMendable } };
  }
  const ran = await call.run((leader) =>
    run.journal.append({
      type: 'attempt.started',
      stage: call.name,
      step: call.step,
      attempt: call.attempt,
      data: { leader, log: call.logPath, head: run.tree.head },
    }),
  );
  return { end: await endAfter(ran), ran };

  async function endAfter(ran: CommandEnd): Promise<StageEnd> {
    const halt = await lookAfter(call, run, ran);
    if (halt) return halt;
    if (ran.stopped) return stopEnd(call.signal);
    if (watch.changed.size > 0) return changedCheckFiles(ran, 'command');
    if (ran.exitCode !== 0) {
      const { message, ...facts } = await commandFailed(call, run, ran);
      return failed(message, facts);
    }
    const problems = await call.verify();
    const moved = await inspectTree(call, run);
    if (moved) return moved;
    if (call.signal.aborted) return stopEnd(call.signal);
    if (watch.changed.size > 0) return changedCheckFiles(ran, 'verify');
    if (problems.length > 0)
      return failed(`verify: ${problems.join('; ')}`, { phase: 'verify', problems, log: call.logPath });
    const unchecked = hasChecks(call.stage) ? {} : { unchecked: NOTHING_TO_CHECK };
    return {
      kind: 'green',
      result: { inputs: await inputsNow(action, run, 'now'), head: run.tree.head, ...unchecked },
    };
  }

  /** An attempt that changed what checks run has failed; where others ran too, each of them runs again alone, once. */
  async function changedCheckFiles({ exitCode, signal }: CommandEnd, phase: string): Promise<StageEnd> {
    const files = [...watch.changed];
    const what = `changed ${await checkFileNames(run, files)}; put back as committed`;
    call.log.say(`${exitCode === 0 ? 'verify: ' : ''}check files: ${what}`);
    const how = exitCode === 0 ? {} : { exit_code: exitCode, signal };
    const facts = { phase, changed_judges: files, log: call.logPath, ...how };
    if (!watch.shared) return failed(what, facts);
    if (call.stage.rerun) return onceMoreAlone(run, watch);
    const context = { ...facts, human: true, next: `look at its log, then: mendloop retry ${call.name}` };
    return { ...(await failed(`this or another stage ${what}`, context)), again: false };
  }

  /** With what it was made from: a stage that is given up may run again once that is something else. */
  async function failed(message: string, facts: object): Promise<EndOf<'failed'>> {
    return { kind: 'failed', message, context: { ...facts, inputs: await inputsNow(action, run, 'now') } };
  }
}

async function commandFailed({ stage, logPath }: StageCall, run: StageRun, ran: CommandEnd) {
  const how = howItEnded(ran, stage.command) as string;
  const facts = { phase: 'command', exit_code: ran.exitCode, signal: ran.signal, log: logPath };
  const hint = scriptHint(stage.command, ran.exitCode, await run.tree.files());
  if (!hint) return { message: how, ...facts };
  return { message: `${hint.error} ${how}: ${hint.what}`, ...facts, error: hint.error, next: hint.next };
}

/** What the command left behind; a halt when the run must not go on. */
async function lookAfter(call: StageCall, run: StageRun, ran: CommandEnd): Promise<EndOf<'halted'> | undefined> {
  if (!ran.gone) {
    const context = { human: true, next: `ps -eo pid,pgid,args; end what ${call.step} left, then: mendloop` };
    return { kind: 'halted', message: 'something it started could not be ended', context };
  }
  if (ran.leftBehind > 0) {
    call.log.say(`ended ${ran.leftBehind} process(es) that the stage had left running`);
    const text = `ended what ${call.step} had left running; what is to stay: setsid <command> &`;
    // Of a stage that may turn green: what it started is not there.
    if (ran.exitCode === 0) run.journal.append({ type: 'notice', stage: call.name, step: call.step, data: { text } });
  }
  return inspectTree(call, run);
}
