// A run that cannot begin: a person has to mend something on the AI branch, or to ask for something else.
import { EXIT, MendError } from '../errors.ts';
import type { LoopEvent } from '../events.ts';
import { recordEnd } from '../journal/history.ts';
import { finishNotifying, type NotifyingRun, notify } from '../mend/notify.ts';
import type { Base } from '../worktree/base.ts';

/** What a person has to mend on the AI branch before a stage can run: they are notified of it. */
const CONFLICTS: ReadonlySet<string> = new Set([
  'E_BASE_CONFLICT',
  'E_NO_COMMON_BASE',
  'E_WORKTREE_IN_THE_WAY',
  'E_HEAD_MOVED',
]);

export const isConflict = (error: unknown): error is MendError =>
  error instanceof MendError && CONFLICTS.has(error.code);

/** Whether no stage can run until a person did something; else a later start may go on. */
export const isRefusal = (error: unknown): error is MendError =>
  error instanceof MendError && (error.exit === EXIT.usage || error.exit === EXIT.human);

/**
 * Records that a run cannot go on, and its end. Of what stands in the way on the AI branch people are notified
 * once.
 */
export async function recordRefusal(
  run: NotifyingRun,
  base: Base,
  error: MendError,
  earlier: readonly LoopEvent[] = [],
): Promise<void> {
  const { journal, layout, lab, id } = run;
  const { code, exit, message, problems, next } = error;
  if (isConflict(error)) {
    const data = { code, message, problems: [...problems], next, base: base.name, commit: base.commit };
    const isReported = earlier.some(
      (event) => event.type === 'tree.conflict' && event.data.next === next && event.data.commit === base.commit,
    );
    journal.append({ type: 'tree.conflict', data });
    const text = [message, ...problems.map((problem) => `- ${problem}`), `next: ${next}`].join('\n');
    const title =
      code === 'E_HEAD_MOVED'
        ? `${base.branch} is not as the loop left it`
        : `${base.branch} cannot be put onto ${base.name}`;
    if (!isReported) notify(run, { reason: 'conflict', title, text });
    await finishNotifying(run);
  }
  journal.append({
    type: 'run.ended',
    status: 'failure',
    data: { exit, lab, error: { error_code: code, message } },
  });
  recordEnd(layout, id);
}
