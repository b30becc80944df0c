// Notifying people: through every notifier, in the background, once for each failure and state, of an open case once a week.
// The text is masked like everything that leaves. When nobody could be reached, a later run tries again.
import { limited } from '../io/signals.ts';
import { callHook, faultLine } from '../plugin/call.ts';
import type { Notice } from '../plugin/contract.ts';
import { perRun, type Run } from '../stage/run.ts';
import { entryOf, type LedgerEntry } from '../triage/ledger.ts';
import { noticeAsk } from './notice-ask.ts';

/** A notice, and the failure it is about. */
type NewNotice = Omit<Notice, 'run' | 'ask'> & { fingerprint?: string; case?: string | undefined };
type About = { stage: string; fingerprint: string } | undefined;

/** How long the end of a run waits for people to be notified. */
const NOTICE_MS = 10_000;

/** As much of a run as notifying needs. */
export type NotifyingRun = Omit<Run, 'tree'>;

/** Notices that are being sent, and those that were begun in this run. */
const underWay = perRun((_run: NotifyingRun) => ({
  open: new Set<Promise<void>>(),
  begun: new Set<string>(),
  stopped: new AbortController(),
}));

/** Notifies people, unless this was the last thing they were notified of. Returns at once; never throws. */
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

/** How long an open case waits before people are notified of it again. */
const REMIND_MS = 7 * 86_400_000;

/** Whether people were not notified of this yet, or of an open case not lately. */
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

async function send(
  run: NotifyingRun,
  { case: name, ...notice }: Omit<NewNotice, 'fingerprint'> & { run: string },
  about: About,
): Promise<void> {
  const { outgoingRedactor } = await import('./documents.ts');
  const redactor = await outgoingRedactor(run);
  const ask = name === undefined ? undefined : noticeAsk(run, name, redactor.redact);
  const words = { title: redactor.redact(notice.title), text: redactor.redact(notice.text) };
  const masked: Notice = { ...notice, ...words, ...(ask && { ask }) };
  const { signal } = underWay(run).stopped;
  const reached = await Promise.all(
    run.plugins.notifiers.map(async (plugin) => {
      const called = await callHook(plugin, 'notify', masked, { signal });
      if ('answer' in called) return true;
      failed(run, `not told: ${redactor.redact(faultLine(called))}`, about);
      return false;
    }),
  );
  // One notifier that worked is enough: repeating it for the others would flood the first.
  if (!about || !reached.some(Boolean)) return;
  const { stage, fingerprint } = about;
  run.journal.append({ type: 'person.notified', stage, data: { fingerprint, state: notice.reason } });
}

function failed(run: NotifyingRun, text: string, about: About): void {
  run.journal.append({ type: 'notice', ...(about ? { stage: about.stage } : {}), data: { text } });
}
