// Who a process is, so that it can be recognised after its number was given to another.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { ifPossible } from './store.ts';

export interface ProcessIdentity {
  readonly pid: number;
  /** Opaque; equal for the same process, different for a later one with the same pid. Null when the system does not tell. */
  readonly start: string | null;
  readonly boot: string | null;
  readonly host: string;
}

let boot: string | null | undefined;

/** This boot of the machine, or null when the system does not tell. */
export function bootId(): string | null {
  boot ??= readLine('/proc/sys/kernel/random/boot_id') ?? ask('sysctl', ['-n', 'kern.boottime']);
  return boot;
}

/** The identity of `pid`, which may be gone: then `start` is null. */
export function identify(pid: number): ProcessIdentity {
  return { pid, start: startTime(pid), boot: bootId(), host: hostname() };
}

/** Whether the very process of `identity` still lives. Another host's, or one that cannot be told apart, is unknown. */
export function liveness(identity: ProcessIdentity): 'alive' | 'dead' | 'unknown' {
  if (identity.host !== hostname()) return 'unknown';
  if (identity.boot !== null && bootId() !== null && identity.boot !== bootId()) return 'dead';
  if (!pidExists(identity.pid)) return 'dead';
  const start = startTime(identity.pid);
  if (start === null || identity.start === null) return pidExists(identity.pid) ? 'unknown' : 'dead';
  return start === identity.start ? 'alive' : 'dead';
}

/** Whether any process has this number now; of a negative one, any process of that group. */
export function pidExists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function startTime(pid: number): string | null {
  const stat = readLine(`/proc/${pid}/stat`);
  // The command in field 2 may hold spaces and brackets, so count from the last bracket: start time is field 22.
  if (stat) return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null;
  return process.platform === 'linux' ? null : ask('ps', ['-o', 'lstart=', '-p', String(pid)]);
}

const readLine = (path: string): string | null => ifPossible(() => readFileSync(path, 'utf8').trim()) ?? null;

const ask = (command: string, args: string[]): string | null =>
  ifPossible(() => execFileSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()) ||
  null;
