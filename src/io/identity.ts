// The identity of a process, so that it is not confused with a later one of the same pid.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { ifPossible } from './if-possible.ts';

export interface ProcessIdentity {
  readonly pid: number;
  /** Opaque; equal for the same process, different for a later one with the same pid. Null when the system does not tell. */
  readonly start: string | null;
  readonly boot: string | null;
  readonly host: string;
  /** The pid namespace that its number belongs to: a container has its own. Absent where nobody wrote it down. */
  readonly ns?: string | null | undefined;
}

let boot: string | null | undefined;
let ns: string | null | undefined;

/** This boot of the machine, or null when the system does not tell. */
function bootId(): string | null {
  // Not kern.boottime, which changes with the clock.
  boot ??= readLine('/proc/sys/kernel/random/boot_id') ?? ask('sysctl', ['-n', 'kern.bootsessionuuid']);
  return boot;
}

/** The pid namespace of this process, or null when the system does not tell. */
function pidNamespace(): string | null {
  ns ??= ifPossible(() => readlinkSync('/proc/self/ns/pid')) ?? null;
  return ns;
}

let origin: string | undefined;

/** Eight letters for this host, boot and pid namespace: within them a number means one process at a time. */
export function originTag(): string {
  const { host, boot, ns } = identify(process.pid);
  origin ??= createHash('sha256').update(`${host} ${boot} ${ns}`).digest('hex').slice(0, 8);
  return origin;
}

/** The identity of `pid`, which may be gone: then `start` is null. */
export function identify(pid: number): ProcessIdentity {
  return { pid, start: statOf(pid).start, boot: bootId(), host: hostname(), ns: pidNamespace() };
}

/**
 * Where a process was started, as far as its number says anything here: `elsewhere` on another host or in another pid
 * namespace, where numbers mean other processes; `before` an earlier boot, of which nothing lives.
 */
export function originOf({ host, boot, ns }: ProcessIdentity): 'here' | 'before' | 'elsewhere' {
  if (host !== hostname()) return 'elsewhere';
  if (boot !== null && bootId() !== null && boot !== bootId()) return 'before';
  return ns != null && ns !== pidNamespace() ? 'elsewhere' : 'here';
}

/** Whether the process of `identity` still lives; unknown when it is from elsewhere or cannot be told apart. */
export function liveness(identity: ProcessIdentity): 'alive' | 'dead' | 'unknown' {
  const origin = originOf(identity);
  if (origin !== 'here') return origin === 'before' ? 'dead' : 'unknown';
  if (!pidExists(identity.pid)) return 'dead';
  const { start, ended } = statOf(identity.pid);
  if (ended) return 'dead';
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

/** When a process started, and whether it only waits for its parent to take note of its end. */
function statOf(pid: number): { start: string | null; ended: boolean } {
  const stat = readLine(`/proc/${pid}/stat`);
  // The command in field 2 may hold spaces and brackets, so count from the last bracket: state is field 3, start time 22.
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
  if (fields) return { start: fields[19] ?? null, ended: fields[0] === 'Z' || fields[0] === 'X' };
  return { start: ask('ps', ['-o', 'lstart=', '-p', String(pid)]), ended: false };
}

const readLine = (path: string): string | null => ifPossible(() => readFileSync(path, 'utf8').trim()) ?? null;

/** The output of a program, in the C locale. */
function ask(command: string, args: string[]): string | null {
  const env = { ...process.env, LC_ALL: 'C', TZ: 'UTC' };
  const run = () => execFileSync(command, args, { encoding: 'utf8', env, stdio: ['ignore', 'pipe', 'ignore'] });
  return ifPossible(run)?.trim() || null;
}
