// Notifying people: every notifier, in the background, once for each failure and state, of an open case once a week. What they
// hear is masked like everything that leaves. When nobody could be reached, a later run tries again.
import { limited } from '../io/signals.ts';
import { caseCommands } from '../outbound/case-summary.ts';
import { callHook } from '../plugin/call.ts';
import type { Notice } from '../plugin/contract.ts';
import { perRun, type Run } from '../stage/run.ts';
import type { Decision } from '../triage/decide.ts';
import type { Incident } from '../triage/incident.ts';
import { entriesOf, entryOf, type LedgerEntry } from '../triage/ledger.ts';

/** A notice, and the failure it is about. */
type NewNotice = Omit<Notice, 'run'> & { fingerprint?: string };
type About = { stage: string; fingerprint: string } | undefined;

/** How long the end of a run waits for people to be notified. */
const NOTICE_MS = 10_000;

/** As much of a run as notifying needs. */
export type NotifyingRun = Omit<Run, 'tree'>;

const newNotices = () => ({
  open: new Set<Promise<void>>(),
  begun: new Set<string>(),
  stopped: new AbortController(),
});
const underWay = perRun<ReturnType<typeof newNotices>, NotifyingRun>(newNotices);

/** Notifies of a failure, unless this was the last thing people heard of it. Returns at once; never throws. */
export function notify(run: NotifyingRun, { fingerprint, ...notice }: NewNotice): void {
  const about = fingerprint === undefined ? undefined : { stage: notice.stage ?? '', fingerprint };
  const entry = about && entryOf(run.journal.ledger, about.stage, about.fingerprint);
  if (run.plugins.notifiers.length === 0 || !isDue(entry, notice.reason, run.clock.now())) return;
  const { open, begun } = underWay(run);
  const key = `${about?.stage}/${about?.fingerprint}/${notice.reason}`;
  if (begun.has(key)) return;
  begun.add(key);
  const sending = send(run, { ...notice, run: run.id }, about)
    .catch((error: unknown) => failed(run, `nobody was told: ${(error as Error).message}`, about))
    .finally(() => open.delete(sending));
  open.add(sending);
}

/** How long an open case waits before a person hears of it again. */
const REMIND_MS = 7 * 86_400_000;

/** Whether people have not heard of this yet, or of an open case not lately. */
function isDue(entry: LedgerEntry | undefined, reason: Notice['reason'], now: number): boolean {
  if (entry?.notified !== reason) return true;
  if (reason !== 'hand_over') return false;
  return entry.notified_at === undefined || now - Date.parse(entry.notified_at) >= REMIND_MS;
}

/** Resolves when everybody is notified, after `limitMs`, or when the run stops. */
export async function finishNotifying(run: NotifyingRun, limitMs = NOTICE_MS): Promise<void> {
  const { open, stopped } = underWay(run);
  if (open.size === 0) return;
  const limit = limited(limitMs, run.signal);
  limit.signal.addEventListener('abort', () => stopped.abort());
  if (limit.signal.aborted) stopped.abort();
  await Promise.all(open);
  limit.end();
}

async function send(run: NotifyingRun, notice: Notice, about: About): Promise<void> {
  const { outgoingRedactor } = await import('./context.ts');
  const { redact } = await outgoingRedactor(run);
  const masked = { ...notice, title: redact(notice.title), text: redact(notice.text) };
  const { signal } = underWay(run).stopped;
  const reached = await Promise.all(
    run.plugins.notifiers.map(async (plugin) => {
      const called = await callHook(plugin, 'notify', masked, { signal });
      if ('answer' in called) return true;
      failed(run, `not told: ${redact(called.failed.replace(': notify threw: ', ': '))}`, about);
      return false;
    }),
  );
  // One who heard is enough: the others would make a storm of it.
  if (!about || !reached.some(Boolean)) return;
  const { stage, fingerprint } = about;
  run.journal.append({ type: 'person.notified', stage, data: { fingerprint, state: notice.reason } });
}

function failed(run: NotifyingRun, text: string, about: About): void {
  run.journal.append({ type: 'notice', ...(about ? { stage: about.stage } : {}), data: { text } });
}

type Wanted = 'give_up' | 'hand_over' | 'external';

const WORDS: Readonly<Record<Wanted, { title: string; does: string }>> = {
  give_up: { title: 'given up', does: 'the loop gave up' },
  hand_over: { title: 'a case waits for you', does: 'is handed over to you' },
  external: { title: 'needs you', does: 'nothing in the repository can fix it' },
};

const MAX_LINES = 3;

/** Notifies of a failure's end where only a person can do something; of others the next run takes care by itself. */
export function notifyOfFailure(
  run: Run,
  { stage, failure, log }: Incident,
  decision: Decision,
  end: { gaveUp: boolean; next: string | undefined },
): void {
  const why = 'why' in decision ? decision.why : undefined;
  const reason = end.gaveUp
    ? 'give_up'
    : why === 'open_case' || why === 'out_of_reach' || why === 'no_progress'
      ? 'hand_over'
      : why === 'external'
        ? why
        : undefined;
  if (!reason) return;
  const { title, does } = WORDS[reason];
  const { fingerprint, class: failureClass } = failure;
  notify(run, {
    reason,
    stage,
    fingerprint,
    title: `${stage}: ${title}`,
    text: [
      `${stage} failed (${failureClass}, ${fingerprint}) and ${does}: ${decision.reason}`,
      ...failure.errors.flatMap(({ lines }) => lines).slice(0, MAX_LINES),
      `log: ${log}`,
      ...(end.next ? [`next: ${end.next}`] : []),
    ].join('\n'),
  });
}

/** Notifies that stages are green again, and of what still waits for a person though this run did not come to it. */
export function notifyOfStages(run: Run, green: readonly string[]): void {
  const failuresOf = (names: readonly string[]) => names.flatMap((stage) => entriesOf(run.journal.ledger, stage));
  for (const { stage, fingerprint, class: failureClass, notified } of failuresOf(green)) {
    if (notified === undefined) continue;
    const text = `${stage} is green again; it had failed (${failureClass}, ${fingerprint})`;
    notify(run, { reason: 'recovered', stage, fingerprint, title: `${stage}: green again`, text });
  }
  const { stages } = run.journal.stages;
  const red = Object.keys(run.config.map.stages).filter((name) => stages[name]?.status !== 'green');
  for (const entry of failuresOf(red)) {
    const { stage, fingerprint, class: failureClass, last_reason = '', gave_up_at, case: open, suggestion } = entry;
    const reason = gave_up_at !== undefined ? 'give_up' : open !== undefined ? 'hand_over' : undefined;
    if (!reason) continue;
    const { title, does } = WORDS[reason];
    const next =
      open !== undefined && reason === 'hand_over'
        ? caseCommands(open, suggestion !== undefined).join('\n')
        : `see mendloop explain ${fingerprint}; mend it, then: mendloop reset ${stage}`;
    const text = `${stage} failed (${failureClass}, ${fingerprint}) and ${does}: ${last_reason}\nnext: ${next}`;
    notify(run, { reason, stage, fingerprint, title: `${stage}: ${title}`, text });
  }
}
