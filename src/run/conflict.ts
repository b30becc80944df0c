// A run that ended before its first stage because the base cannot be merged: recorded, and people are notified.
import { MendError } from '../errors.ts';
import type { LoopEvent, NewEvent } from '../events.ts';
import { recordEnd } from '../journal/history.ts';
import { finishNotifying, type NotifyingRun, notify } from '../mend/notify.ts';
import type { Base } from '../worktree/base.ts';

const CODES: ReadonlySet<string> = new Set(['E_MERGE_CONFLICT', 'E_BASE_REWRITTEN', 'E_WORKTREE_IN_THE_WAY']);

/** Whether a person has to settle something before the base can be merged. */
export const isConflict = (error: unknown): error is MendError => error instanceof MendError && CODES.has(error.code);

/** Records the run, from `began` to its end, and closes its journal. People are notified of the same conflict once. */
export async function recordConflict(
  run: NotifyingRun,
  base: Base,
  began: NewEvent,
  { code, exit, message, problems, next }: MendError,
  latest: { events: readonly LoopEvent[] } | undefined,
): Promise<void> {
  const { journal, layout, lab, id } = run;
  const data = { code, message, problems: [...problems], next, base: base.name, commit: base.commit };
  const isReported = latest?.events.some(
    (event) => event.type === 'tree.conflict' && event.data.next === next && event.data.commit === base.commit,
  );
  try {
    journal.append(began, { type: 'tree.conflict', data });
    const text = [message, ...problems.map((problem) => `- ${problem}`), `next: ${next}`].join('\n');
    if (!isReported) notify(run, { reason: 'conflict', title: `${base.name} cannot be brought in`, text });
    await finishNotifying(run);
    const error = { error_code: code, message };
    journal.append({ type: 'run.ended', status: 'failure', data: { exit, lab, error } });
  } finally {
    journal.close();
  }
  recordEnd(layout, id);
}
