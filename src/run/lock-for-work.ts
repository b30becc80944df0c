// The lock, for work: what a command that was killed left open is brought to an end first, whichever command comes next.
import { MendError } from '../errors.ts';
import type { Landing } from '../events.ts';
import type { Clock } from '../io/clock.ts';
import { fileFacts } from '../io/files.ts';
import type { Layout } from '../io/layout.ts';
import { withLock } from '../io/lock.ts';
import { newActionId, recordAction } from '../journal/journal.ts';
import { loadStages } from '../journal/load-stages.ts';
import { settleLanding } from '../worktree/landing.ts';
import { short } from '../worktree/messages.ts';

/** What was brought to an end, for people, and the landing that came about by it. */
interface Closed {
  readonly notices: string[];
  readonly landed?: Landing;
}

/** As `withLock`, and an open landing is closed before `work`. Throws E_LANDING_HELD besides. */
export const withLockForWork = <T>(
  layout: Layout,
  clock: Clock,
  command: string,
  work: (notices: readonly string[], landed?: Landing) => Promise<T>,
  kind?: Parameters<typeof withLock>[3],
): Promise<T> =>
  withLock(
    layout,
    command,
    async (notices) => {
      const closed = await closeLanding(layout, clock);
      return work([...notices, ...closed.notices], closed.landed).catch((error) => {
        if (!(error instanceof MendError) || closed.notices.length === 0) throw error;
        // These notices are shown once, also when the work fails.
        const { code, exit, message, next, problems } = error;
        throw new MendError(code, exit, message, next, [...problems, ...closed.notices]);
      });
    },
    kind,
  );

/** Finishes or drops a landing that was cut off. The lock must be held. */
async function closeLanding(layout: Layout, clock: Clock): Promise<Closed> {
  if (!fileFacts(layout.state) || !loadStages(layout, { look: true }).state.landing) return { notices: [] };
  const { state, notices } = loadStages(layout);
  const { landing } = state;
  if (!landing) return { notices };
  const { base, to, checkout } = landing;
  const actions = { layout, stages: state, clock };
  const scope = { ...actions, id: newActionId(actions) };
  const { isDone, why, left } = await settleLanding(layout.home, landing, 'to', (data) =>
    recordAction(scope, { type: 'landing.intended', data }),
  );
  if (isDone) {
    recordAction(scope, { type: 'landing.done', data: { base, to } });
    const finished = `a landing that was cut off is finished: ${base} has ${short(to)}`;
    return { notices: [...notices, finished], landed: landing };
  }
  recordAction(scope, { type: 'landing.dropped', data: { base, reason: why } });
  const rest = left.length > 0 ? [`some of it is left in ${checkout}; to take that away: ${left.join(' && ')}`] : [];
  return { notices: [...notices, `a landing on ${base} was cut off and is dropped: ${why}`, ...rest] };
}
