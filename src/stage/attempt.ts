// One attempt of a stage: what it requires, its command, what it did besides, its checks.
import { isBuiltInCheck, type Stage } from '../config/context-map.ts';
import { whyStricter } from '../config/strict-shell.ts';
import type { Inputs } from '../events.ts';
import type { CommandEnd } from '../io/command.ts';
import { recordOf } from '../journal/stages.ts';
import type { Outcome } from '../plan/action.ts';
import { stopReason } from '../plan/stop.ts';
import { someIgnored } from '../worktree/read.ts';
import { treeGit } from '../worktree/tree.ts';
import { type AttemptCall, haltFor, howItEnded, inputsNow, inspectTree, openCall, type StageCall } from './call.ts';
import { besideAtStart, carriedMarks } from './carried.ts';
import { checkFileNames, runAloneNext, type Watch, watchCheckFiles } from './check-files.ts';
import { hasChecks, NOTHING_TO_CHECK } from './checks.ts';
import { stagePath } from './env.ts';
import { addableFiles, missingRequirements } from './requires.ts';
import type { StageRun } from './run.ts';
import { scriptHint } from './script-hint.ts';

/** How an attempt ended, with the other data of its event. */
interface AttemptResult {
  as: 'done' | 'failed' | 'unverified' | 'requires' | 'timeout' | 'interrupted' | 'halted';
  outcome: Outcome;
  problems?: string[];
  ran?: CommandEnd;
}

/** Runs the stage once and records it. Throws only for bugs and a disk that refuses. */
export async function attemptStage(action: AttemptCall, run: StageRun): Promise<Outcome> {
  await besideAtStart(run);
  const before = carriedMarks(run);
  const call = openCall(action, run, 'attempt');
  const began = run.clock.monotonic();
  const watched = watchCheckFiles(run, call.step, 'attempt', (watch) => attempt(action, call, run, watch));
  const { as, ran, problems, outcome } = await watched.finally(() => call.log.close());
  const after = carriedMarks(run);
  const wrote = [...before.keys()].filter((path) => before.get(path) !== after.get(path));
  const data = {
    outcome: as,
    duration_ms: Math.round(run.clock.monotonic() - began),
    log: call.logPath,
    ...(ran ? { exit_code: ran.exitCode, signal: ran.signal } : {}),
    ...(problems ? { problems } : {}),
    ...(wrote.length > 0 ? { wrote } : {}),
  };
  run.journal.append({ type: 'attempt.ended', stage: call.name, step: call.step, attempt: call.attempt, data });
  return outcome;
}

async function attempt(action: AttemptCall, call: StageCall, run: StageRun, watch: Watch): Promise<AttemptResult> {
  if (watch.halted) return { as: 'halted', outcome: haltFor(watch.halted) };
  const where = { root: run.tree.path, path: stagePath(run), env: run.env };
  const missing = missingRequirements(call.stage, where);
  if (missing.length > 0) {
    for (const line of missing) call.log.say(`requires: ${line}`);
    const facts = { phase: 'requires', problems: missing, log: call.logPath };
    const outcome = await failed(`requires: ${missing.join('; ')}`, facts);
    const addable = addableFiles(call.stage, where);
    // Files that are never committed are for the owner to provide.
    const isMendable = addable.length > 0 && !(await someIgnored(treeGit(run.tree), addable));
    return { as: 'requires', outcome: isMendable ? outcome : { ...outcome, again: false }, problems: missing };
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
  const halt = await lookAfter(call, run, ran);
  if (halt) return { as: 'halted', outcome: halt, ran };
  if (ran.stopped) return { ...stopped(call), ran };
  if (watch.changed.size > 0) return changedCheckFiles('command');
  if (ran.exitCode !== 0) {
    const { message, ...facts } = await commandFailed(call, run, ran);
    return { as: 'failed', outcome: await failed(message, facts, 'command'), ran };
  }
  const problems = await call.verify();
  const moved = await inspectTree(call, run);
  if (moved) return { as: 'halted', outcome: moved, ran };
  if (call.signal.aborted) return { ...stopped(call), ran };
  if (watch.changed.size > 0) return changedCheckFiles('verify');
  if (problems.length > 0) {
    const facts = { phase: 'verify', problems, log: call.logPath };
    const outcome = await failed(`verify: ${problems.join('; ')}`, facts, 'verify');
    return { as: 'unverified', outcome, problems, ran };
  }
  const unchecked = hasChecks(call.stage) ? {} : { unchecked: NOTHING_TO_CHECK };
  const result = { inputs: await inputsNow(action, run, 'now'), head: run.tree.head, ...unchecked };
  return { as: 'done', outcome: { kind: 'done', result }, ran };

  /** An attempt that changed what checks run has failed; where others ran too, each of them runs again alone, once. */
  async function changedCheckFiles(phase: string): Promise<AttemptResult> {
    const files = [...watch.changed];
    const what = `changed ${await checkFileNames(run, files)}; put back as committed`;
    call.log.say(`${ran.exitCode === 0 ? 'verify: ' : ''}check files: ${what}`);
    const { exitCode: exit_code, signal } = ran;
    const facts = {
      phase,
      changed_judges: files,
      log: call.logPath,
      ...(exit_code === 0 ? {} : { exit_code, signal }),
    };
    if (!watch.shared) return { as: 'failed', outcome: await failed(what, facts), ran };
    if (call.stage.rerun) {
      runAloneNext(run, call.step);
      const message = `another stage or this one ${what}: once more, alone`;
      return { as: 'failed', outcome: { kind: 'failed', message, context: { run_alone: true } }, ran };
    }
    const context = { ...facts, human: true, next: `look at its log, then: mendloop retry ${call.name}` };
    return {
      as: 'failed',
      outcome: { ...(await failed(`this or another stage ${what}`, context)), again: false },
      ran,
    };
  }

  /** With what it was made from: a stage that is given up may run again once that is something else. */
  async function failed(
    message: string,
    facts: object,
    ran?: 'command' | 'verify',
  ): Promise<Extract<Outcome, { kind: 'failed' }>> {
    const inputs = await inputsNow(action, run, 'now');
    const before = recordOf(run.journal.stages, call.step)?.lenient;
    const stricter = ran && stricterSince(call.stage, ran, before, inputs);
    // At the end of the log, where plugins read it.
    if (stricter) call.log.say(`note: ${stricter}`);
    return { kind: 'failed', message: [message, stricter].filter(Boolean).join('; '), context: { ...facts, inputs } };
  }
}

/** A hint for a command that was green in 0.1.0 and that bash -e ends earlier now. */
function stricterSince(stage: Stage, part: 'command' | 'verify', before: Inputs | undefined, now: Inputs) {
  if (before?.[part] !== now[part]) return undefined;
  const checks = stage.verify.flatMap((entry) => (isBuiltInCheck(entry) ? [] : (whyStricter(entry, 'check') ?? [])));
  const why = part === 'command' ? whyStricter(stage.command, 'command') : checks[0];
  return why && `0.1.0 had this green: any part that fails ends it now, not only the last (${why})`;
}

function stopped(call: StageCall): AttemptResult {
  const late = stopReason(call.signal)?.code === 'STEP_TIMEOUT';
  if (late) return { as: 'timeout', outcome: { kind: 'stopped', late } };
  return { as: 'interrupted', outcome: { kind: 'stopped' } };
}

async function commandFailed({ stage, logPath }: StageCall, run: StageRun, ran: CommandEnd) {
  const how = howItEnded(ran, stage.command) as string;
  const facts = { phase: 'command', exit_code: ran.exitCode, signal: ran.signal, log: logPath };
  const hint = scriptHint(stage.command, ran.exitCode, await run.tree.files());
  if (!hint) return { message: how, ...facts };
  return { message: `${hint.error} ${how}: ${hint.what}`, ...facts, error: hint.error, next: hint.next };
}

/** What the command left behind; a halt when the run must not go on. */
async function lookAfter(call: StageCall, run: StageRun, ran: CommandEnd): Promise<Outcome | undefined> {
  if (!ran.gone) {
    const context = { human: true, next: `ps -eo pid,pgid,args; end what ${call.step} left, then: mendloop` };
    return { kind: 'halt', message: 'something it started could not be ended', context };
  }
  if (ran.leftBehind > 0) {
    call.log.say(`ended ${ran.leftBehind} process(es) that the stage had left running`);
    const text = `ended what ${call.step} had left running; what is to stay: setsid <command> &`;
    // Of a stage that may turn green: what it started is not there.
    if (ran.exitCode === 0) run.journal.append({ type: 'notice', stage: call.name, step: call.step, data: { text } });
  }
  return inspectTree(call, run);
}
