// Process groups: who belongs to one, ending one for good (TERM, then KILL, then seen gone), and ending what a dead run left.
import { readdirSync, readFileSync, readlinkSync, realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Clock } from './clock.ts';
import { liveness, originOf, type ProcessIdentity, pidExists } from './identity.ts';
import { ifPossible } from './store.ts';

const POLL_MS = 20;
const AFTER_KILL_MS = 5000;

/** Processes of group `pgid` that still run, zombies not counted. */
export function groupMembers(pgid: number): number[] {
  if (!pidExists(-pgid)) return [];
  const members = processes()?.flatMap((p) => (p.pgid === pgid ? [p.pid] : []));
  // Without a readable /proc only the group's existence is known.
  return members === undefined || (members.length === 0 && readProc(1, 'stat') === undefined) ? [pgid] : members;
}

/** Running processes that carry every one of `marks` (NAME=value) in their environment: what a stage started, also in a session of its own. */
export function marked(marks: readonly string[]): number[] {
  return (carriers(marks) ?? []).map(({ pid }) => pid);
}

/** The same, this process not counted, with their environments; undefined where nobody can look. */
export function carriers(marks: readonly string[]): { pid: number; environment: readonly string[] }[] | undefined {
  return processes()?.flatMap(({ pid }) => {
    const environment = readProc(pid, 'environ')?.split('\0') ?? [];
    const isOne = pid !== process.pid && marks.every((mark) => environment.includes(mark));
    return isOne ? [{ pid, environment }] : [];
  });
}

/** Ends what `members` names until it names nothing. False when something survived even KILL. */
export async function endAll(members: () => number[], graceMs: number, clock: Clock): Promise<boolean> {
  for (const pid of members()) send(pid, 'SIGTERM');
  await goneWithin(members, graceMs, clock);
  const killed = () => {
    const alive = members();
    for (const pid of alive) send(pid, 'SIGKILL');
    return alive;
  };
  return goneWithin(killed, AFTER_KILL_MS, clock);
}

async function goneWithin(members: () => number[], limitMs: number, clock: Clock): Promise<boolean> {
  const until = clock.monotonic() + limitMs;
  while (members().length > 0) {
    if (clock.monotonic() >= until) return false;
    await clock.sleep(POLL_MS);
  }
  return true;
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    // Gone meanwhile, or not ours; the caller checks again.
    if (!['ESRCH', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
}

/** Every process of the machine but zombies, or undefined where there is no /proc. */
export function processes(): { pid: number; pgid: number; name: string }[] | undefined {
  const pids = ifPossible(() => readdirSync('/proc'))?.filter((name) => /^\d+$/.test(name)) ?? [];
  if (!pids.includes(String(process.pid))) return undefined;
  return pids.map(Number).flatMap((pid) => {
    const stat = readProc(pid, 'stat');
    const [state, , pgid] = stat?.slice(stat.lastIndexOf(')') + 2).split(' ') ?? [];
    const name = stat?.slice(stat.indexOf('(') + 1, stat.lastIndexOf(')')) ?? '';
    return state === undefined || /[ZX]/.test(state) ? [] : [{ pid, pgid: Number(pgid), name }];
  });
}

const readProc = (pid: number, file: string): string | undefined =>
  ifPossible(() => readFileSync(`/proc/${pid}/${file}`, 'utf8'));

/** The processes but this one that have `file` open, also one that was removed since; undefined where nobody can tell. */
export function openedBy(file: string): number[] | undefined {
  const all = processes();
  const folder = ifPossible(() => realpathSync(dirname(file)));
  if (all === undefined || folder === undefined) return undefined;
  const path = join(folder, basename(file));
  const isFile = (link: string | undefined) => link === path || link === `${path} (deleted)`;
  const opened = (pid: number) => {
    const fds = ifPossible(() => readdirSync(`/proc/${pid}/fd`)) ?? [];
    return fds.some((fd) => isFile(ifPossible(() => readlinkSync(`/proc/${pid}/fd/${fd}`))));
  };
  return all.flatMap(({ pid }) => (pid !== process.pid && opened(pid) ? [pid] : []));
}

/** The processes of a group, and those that carry `marks`. */
export const groupAndMarked = (pgid: number, marks: readonly string[]): number[] => [
  ...new Set([...groupMembers(pgid), ...marked(marks)]),
];

/**
 * Ends what is left of the group that `leader` led, and whatever else carries `marks`. `unproven`: something may still run
 * that cannot be shown to be ours, belongs to another host or pid namespace, or would not end.
 */
export async function endLeftovers(
  leader: ProcessIdentity | undefined,
  marks: readonly string[],
  graceMs: number,
  clock: Clock,
): Promise<'none' | 'ended' | 'unproven'> {
  const origin = leader ? originOf(leader) : 'here';
  if (origin !== 'here') return origin === 'before' ? 'none' : 'unproven';
  // A pid that was reused proves the group gone: the kernel reuses no pid of a living group.
  const numberReused = (of: ProcessIdentity) => liveness(of) === 'dead' && pidExists(of.pid);
  const group = () => (leader && !numberReused(leader) ? groupMembers(leader.pid) : []);
  const strangers = leader && liveness(leader) === 'alive' ? [] : group().filter((pid) => !marked(marks).includes(pid));
  if (strangers.length > 0) return 'unproven';
  const mine = () => [...new Set([...group(), ...marked(marks)])];
  if (mine().length === 0) return 'none';
  return (await endAll(mine, graceMs, clock)) ? 'ended' : 'unproven';
}
