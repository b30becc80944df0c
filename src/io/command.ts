// Runs one command of a stage in a process group of its own, both outputs to one descriptor, and leaves nothing of the group
// behind. A process that moved to a session of its own is ended by a stop, but stays after a normal end.
import { type ChildProcess, spawn } from 'node:child_process';
import type { Clock } from './clock.ts';
import { identify, type ProcessIdentity } from './identity.ts';
import { endAll, groupAndMarked, groupMembers } from './process-group.ts';

/** A string is run by bash; a list is argv, with no shell. */
export type Command = string | readonly string[];

/** What a stage runs, or what only looks: a check or a diagnostic. */
export type CommandKind = 'command' | 'check';

// Not pipefail for checks: a long output piped into `grep -q` would fail at random.
const SHELLS = { command: ['bash', '-eo', 'pipefail', '-c'], check: ['bash', '-e', '-c'] };

const argvOf = (command: Command, kind: CommandKind): readonly string[] =>
  typeof command === 'string' ? [...SHELLS[kind], command] : command;

export interface CommandRequest {
  command: Command;
  kind: CommandKind;
  cwd: string;
  env: Readonly<Record<string, string>>;
  /** Where stdout and stderr go, in the order they come. */
  outputFd: number;
  /** NAME=value pairs in `env` that only this attempt's processes carry. */
  marks: readonly string[];
  /** Called when the group exists and before the command starts: what must be on disk first. */
  beforeStart?: ((leader: ProcessIdentity) => void) | undefined;
  signal: AbortSignal;
  graceMs: number;
}

export interface CommandEnd {
  exitCode: number | null;
  signal: NodeJS.Signals | null;
  /** The signal told it to stop before it ended by itself. */
  stopped: boolean;
  /** Processes the command had left running in its group, ended here. */
  leftBehind: number;
  /** False: something of it could not be ended. */
  gone: boolean;
}

/**
 * For `sh -c`, before a command: the group waits for a line on fd 3; a parent that died before writing it means end of file,
 * and the command never starts.
 */
export const GATE = 'read -r _ <&3 || exit 125; exec "$@" 3<&-';

/** How long the news of an exit may take to arrive. */
const EXIT_SEEN_MS = 100;

/** Runs a command to its end. Throws only when it could not be started at all, or when `beforeStart` throws. */
export async function runCommand(request: CommandRequest, clock: Clock): Promise<CommandEnd> {
  const child = spawn('/bin/sh', ['-c', GATE, 'mendloop', ...argvOf(request.command, request.kind)], {
    cwd: request.cwd,
    env: request.env,
    detached: true,
    stdio: ['ignore', request.outputFd, request.outputFd, 'pipe'],
  });
  // Wait for the leader's exit, not for the end of its output: a grandchild may hold that open for ever.
  const ended = new Promise<Exit>((resolve) => child.once('exit', (exitCode, signal) => resolve({ exitCode, signal })));
  const pgid = await pidOf(child);
  try {
    request.beforeStart?.(identify(pgid));
  } catch (error) {
    child.stdio[3]?.destroy();
    await ended;
    throw error;
  }
  const gate = child.stdio[3] as NodeJS.WritableStream | null | undefined;
  // EPIPE when the group is dead already; its exit is seen below.
  gate?.on('error', () => {});
  gate?.end('go\n');
  const stopped = await firstOf(ended, request.signal);
  // A stop also ends processes that moved to their own session: they still have the marks in their environment.
  const mine = () => groupAndMarked(pgid, request.marks);
  const allEnded = !stopped || (await endAll(mine, request.graceMs, clock));
  const exit = allEnded ? await ended : await Promise.race([ended, clock.sleep(EXIT_SEEN_MS)]);
  const left = groupMembers(pgid);
  if (!exit) {
    // The leader survived KILL: do not wait for it.
    child.unref();
    return { exitCode: null, signal: null, stopped, leftBehind: left.length, gone: false };
  }
  const groupEnded = left.length === 0 || (await endAll(() => groupMembers(pgid), request.graceMs, clock));
  return { ...exit, stopped, leftBehind: left.length, gone: allEnded && groupEnded };
}

/** True when the signal came before the end. */
async function firstOf(ended: Promise<Exit>, signal: AbortSignal): Promise<boolean> {
  const over = new AbortController();
  const aborted = new Promise<true>((resolve) => {
    if (signal.aborted) resolve(true);
    signal.addEventListener('abort', () => resolve(true), { signal: over.signal });
  });
  return Promise.race([ended.then(() => false), aborted]).finally(() => over.abort('over'));
}

type Exit = Pick<CommandEnd, 'exitCode' | 'signal'>;

function pidOf(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    if (child.pid !== undefined) resolve(child.pid);
  });
}

/** Runs a stage's command. Resolves to the exit code, 128 when a signal ended it. Rejects when it cannot be started. */
export function runInGroup(command: Command, cwd: string, env: NodeJS.ProcessEnv): Promise<number> {
  const [program = '', ...args] = argvOf(command, 'command');
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd, env, stdio: ['ignore', 2, 2] });
    child.once('error', reject);
    child.once('exit', (code) => resolve(code ?? 128));
  });
}
