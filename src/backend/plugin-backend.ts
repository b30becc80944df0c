// A backend of the owner's own: a plugin that runs one command to its end, wherever it likes. The command makes the attempt and
// leaves its result on the shared folder, so the plugin need not know what an attempt is.
import { dirname, join, relative } from 'node:path';
import { fail, mendError } from '../errors.ts';
import type { LoopEvent } from '../events.ts';
import { haltFor, stopEnd } from '../plan/stage-end.ts';
import { callHook } from '../plugin/call.ts';
import type { Backend as Runner } from '../plugin/contract.ts';
import type { LoadedPlugin } from '../plugin/examine.ts';
import type { Backend, Task, TaskEnd } from '../stage/backend.ts';
import type { Run } from '../stage/run.ts';
import { openJobs } from './jobs.ts';
import { attemptArgv, endOf, hasBegun, jobWriter, openTasks, readResult } from './task-file.ts';

/** What the plugin runs commands with. Throws E_PLUGIN when it has none to give. */
export async function askPlugin(plugin: LoadedPlugin, run: string): Promise<Runner> {
  const called = await callHook(plugin, 'backend', { run });
  return 'answer' in called ? called.answer : fail('E_PLUGIN', { count: 1 }, [called.failed]);
}

export function pluginBackend(run: Run, name: string, runner: Runner, earlier: readonly LoopEvent[]): Backend {
  const { layout } = run;
  const openBefore = openTasks(layout, run.id, earlier);
  const write = jobWriter(run, name, openJobs(earlier).count);

  return { keepsTime: true, attempt, close };

  async function close(): Promise<boolean> {
    await runner.close?.();
    return true;
  }

  async function attempt(task: Task, signal: AbortSignal): Promise<TaskEnd> {
    const before = openBefore.find((open) => open.task.step === task.step && open.task.attempt === task.attempt);
    if (before) return endOfEarlier(task, before.file);
    const { file } = write([task]);
    const env = Object.fromEntries(Object.entries(run.env).flatMap(([key, value]) => (value ? [[key, value]] : [])));
    const log = join(dirname(file), '0.out');
    const asked = {
      step: task.step,
      command: attemptArgv(file, 0),
      folder: layout.worktree,
      env,
      log,
      timeout_ms: task.timeout_ms,
    };
    const failure = await runner.run(asked, signal).then(howItEnded, String);
    const left = result(file, task);
    if (left) return left;
    if (signal.aborted) return { end: stopEnd(signal) };
    const message = `${name} ran the attempt, which left no result: ${failure}; its output: ${relative(layout.home, log)}`;
    const next = 'see that home and mendloop are at the same paths where it runs';
    const loss = { code: 'NO_RESULT', next, transient: true, began: hasBegun(file, 0) };
    return { end: { kind: 'lost', message, loss } };
  }

  /** An attempt that an earlier process of this run began and that cannot be followed: its result, or a halt for a person. */
  function endOfEarlier(task: Task, file: string): TaskEnd {
    const halt = haltFor(mendError('E_LEFTOVER', { step: task.step, pid: 0, host: `the backend ${name}` }));
    return result(file, task) ?? { end: halt };
  }

  /** What the attempt left, if that is a result. Throws what it died of. */
  function result(file: string, task: Task): TaskEnd | undefined {
    const stored = readResult(file, 0, task);
    return stored === undefined || stored === 'broken' ? undefined : endOf(stored, task, run.tree.head);
  }
}

const howItEnded = (end: Awaited<ReturnType<Runner['run']>>): string =>
  end.timed_out ? 'it ran out of time' : end.signal ? `ended by ${end.signal}` : `exit code ${end.exit_code}`;
