// What a person is told of a failure's end, where only they can do something. Pure.
import type { Notice } from '../plugin/contract.ts';
import { entriesOf, type Ledger } from '../triage/ledger.ts';
import type { Decision } from '../triage/situation.ts';
import type { Triaged } from './failed-attempt.ts';
import type { About } from './notices.ts';
import type { Recognised } from './recognise.ts';

/** undefined: the next run tries again by itself, and nobody need know. */
export function noticeOf({ stage, failure, log }: Recognised, decision: Decision, ended: Triaged): Told | undefined {
  const reason = reasonOf(decision, ended);
  if (!reason) return undefined;
  const { title, does } = WORDS[reason];
  return {
    ...{ reason, stage },
    title: `${stage}: ${title}`,
    text: [
      `${stage} failed (${failure.class}, ${failure.fingerprint}) and ${does}: ${decision.reason}`,
      ...failure.errors.flatMap(({ lines }) => lines).slice(0, MOST_LINES),
      `log: ${log}`,
      ...(ended.context.next ? [`next: ${ended.context.next}`] : []),
    ].join('\n'),
  };
}

/** For whoever was told of a failure of a stage that is green again. */
export function recoveredNotices(ledger: Ledger, green: readonly string[]): (Told & { about: About })[] {
  return green.flatMap((stage) =>
    entriesOf(ledger, stage)
      .filter(({ notified }) => notified !== undefined && notified !== 'recovered')
      .map(({ fingerprint, class: found }) => ({
        ...{ reason: 'recovered' as const, stage, about: { stage, fingerprint } },
        ...{
          title: `${stage}: green again`,
          text: `${stage} is green again; it had failed (${found}, ${fingerprint})`,
        },
      })),
  );
}

/** Of what a person should know of since an earlier run, when nobody could be told. */
export function missedNotices(ledger: Ledger, stages: readonly string[]): (Told & { about: About })[] {
  return stages.flatMap((stage) =>
    entriesOf(ledger, stage)
      .filter(({ gave_up_at, notified }) => gave_up_at !== undefined && notified !== 'give_up')
      .map(({ fingerprint, class: found, last_reason = '' }) => ({
        ...{ reason: 'give_up' as const, stage, about: { stage, fingerprint } },
        title: `${stage}: ${WORDS.give_up.title}`,
        text: `${stage} failed (${found}, ${fingerprint}) and ${WORDS.give_up.does}: ${last_reason}\nnext: see mendloop explain ${fingerprint}; mend it, then: mendloop reset ${stage}`,
      })),
  );
}

type Told = Omit<Notice, 'run'>;
type Wanted = 'give_up' | 'hand_over' | 'external';

const MOST_LINES = 3;

const WORDS: Readonly<Record<Wanted, { title: string; does: string }>> = {
  give_up: { title: 'given up', does: 'the loop gave up' },
  hand_over: { title: 'a case waits for you', does: 'is handed over to you' },
  external: { title: 'needs you', does: 'nothing in the repository can fix it' },
};

function reasonOf(decision: Decision, { context }: Triaged): Wanted | undefined {
  if (context.gave_up !== undefined) return 'give_up';
  const why = 'why' in decision ? decision.why : undefined;
  if (why === 'open_case') return 'hand_over';
  return why === 'external' ? 'external' : undefined;
}
