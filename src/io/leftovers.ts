// What a dead run left running: found by its journalled identity, proven to be ours, ended before anything is tried again.
import { hostname } from 'node:os';
import type { Clock } from './clock.ts';
import { bootId, liveness, type ProcessIdentity, pidExists } from './identity.ts';
import { endAll, groupMembers, marked } from './process-group.ts';

export type LeftoverEnd = 'none' | 'ended' | 'unproven';

/**
 * Ends what is left of the group that `leader` led, and whatever else carries `marks`. `unproven`: something may still run
 * that cannot be shown to be ours, belongs to another host, or would not end.
 */
export async function endLeftovers(
  leader: ProcessIdentity | undefined,
  marks: readonly string[],
  graceMs: number,
  clock: Clock,
): Promise<LeftoverEnd> {
  if (leader && leader.host !== hostname()) return 'unproven';
  if (leader && leader.boot !== null && bootId() !== null && leader.boot !== bootId()) return 'none';
  const group = () => (leader && !numberReused(leader) ? groupMembers(leader.pid) : []);
  const strangers = leader && liveness(leader) === 'alive' ? [] : group().filter((pid) => !marked(marks).includes(pid));
  if (strangers.length > 0) return 'unproven';
  const mine = () => [...new Set([...group(), ...marked(marks)])];
  if (mine().length === 0) return 'none';
  return (await endAll(mine, graceMs, clock)) ? 'ended' : 'unproven';
}

/** A leader whose number now belongs to someone else proves the group is gone: a group's number is never given away while it lives. */
function numberReused(leader: ProcessIdentity): boolean {
  return liveness(leader) === 'dead' && pidExists(leader.pid);
}
