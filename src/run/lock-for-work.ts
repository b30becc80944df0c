// The lock, for work: what a command that was killed left open is brought to an end first, whichever command comes next.
import type { Clock } from '../io/clock.ts';
import { fileFacts } from '../io/files.ts';
import type { Layout } from '../io/layout.ts';
import { withLock } from '../io/lock.ts';
import { newActionId, recordAction } from '../journal/journal.ts';
import { loadStages } from '../journal/load-stages.ts';
import { settleLanding } from '../worktree/landing.ts';
import { short } from '../worktree/messages.ts';

/** As `withLock`, and an open landing is closed before `work`. Throws E_LANDING_HELD besides. */
export const withLockForWork = <T>(
  layout: Layout,
  clock: Clock,
  command: string,
  work: (notices: readonly string[]) => Promise<T>,
  kind?: Parameters<typeof withLock>[3],
): Promise<T> =>
  withLock(layout, command, async (notices) => work([...notices, ...(await closeLanding(layout, clock))]), kind);

/** Finishes or drops a landing that was cut off; what there is to say of it. The lock must be held. */
async function closeLanding(layout: Layout, clock: Clock): Promise<string[]> {
  if (!fileFacts(layout.state) || !loadStages(layout, { look: true }).state.landing) return [];
  const { state, notices } = loadStages(layout);
  const { landing } = state;
  if (!landing) return notices;
  const { base, to, checkout } = landing;
  const scope = { layout, stages: state, clock };
  const id = newActionId(scope);
  const { isDone, why, left } = await settleLanding(layout.home, landing, 'to', (data) =>
    recordAction({ ...scope, id }, { type: 'landing.intended', data }),
  );
  if (isDone) {
    recordAction({ ...scope, id }, { type: 'landing.done', data: { base, to } });
    return [...notices, `a landing that was cut off is finished: ${base} has ${short(to)}`];
  }
  recordAction({ ...scope, id }, { type: 'landing.dropped', data: { base, reason: why } });
  const rest = left.length > 0 ? [`some of it is left in ${checkout}; to take that away: ${left.join(' && ')}`] : [];
  return [...notices, `a landing on ${base} was cut off and is dropped, for ${why}`, ...rest];
}

/** The landing that is open, for who only looks; undefined when there is none. */
export function openLandingLine({ landing }: ReturnType<typeof loadStages>['state']): string | undefined {
  if (!landing) return undefined;
  const { base, to } = landing;
  return `the landing of ${short(to)} on ${base} was cut off; the next command that works finishes it, such as: mendloop promote --accept ${to}`;
}
