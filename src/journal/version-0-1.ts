// What version 0.1 wrote, in today's words: events with less data, and the records of its ledger, which had a
// vocabulary of their own. Only read; nothing writes them any more.
import { isEvent, type LoopEvent } from '../events.ts';
import { type Checked, count, name, optional, shaped, text, time } from '../shape.ts';
import { isStory, type StoryEvent } from '../triage/fold.ts';
import { isLedger, type Ledger } from '../triage/ledger.ts';

/** What today's events tell and those of 0.1 did not. */
const UNTOLD = {
  fingerprint: '',
  tier: 'executor',
  tried: false,
  created: [],
  base: { name: '', branch: '', commit: '' },
  timeout_ms: 0,
  deadline_ms: null,
  note: { fix: '', reason: '' },
  times_seen: 0,
  first_seen: new Date(0).toISOString(),
};

/** An event of 0.1 with today's data; anything else as it is. */
export function upgradedEvent(value: unknown): unknown {
  if (!shaped({ type: text, data: shaped({}) })(value)) return value;
  return { ...value, data: { ...UNTOLD, ...value.data } };
}

const isRecord = shaped({
  seq: count,
  time,
  type: name,
  run: optional(text),
  stage: optional(text),
  fingerprint: optional(text),
  data: shaped({}),
});

export type OldRecord = Checked<typeof isRecord>;

const START = { run: '', seq: 0 };

const isOldPlace = shaped({ as_of: shaped({ seq: count, at: count }) });
export type OldLedger = Omit<Ledger, 'as_of' | 'last_line'> & Checked<typeof isOldPlace>;

/** Whether a value is a ledger as 0.1 kept it: its place in the journal was a number and a byte. */
export const isOldLedger = (value: unknown): value is OldLedger =>
  isOldPlace(value) && isLedger({ ...value, as_of: START, last_line: START });

type Data = Record<string, unknown>;

/** Type of 0.1 → today's events, each as type and data. */
const TRANSLATIONS: Readonly<Record<string, (data: Data, time: string) => [type: string, data: Data][]>> = {
  snapshot: (data) => [['ledger.snapshot', { ledger: { ...(data.ledger as object), as_of: START, last_line: START } }]],
  seen: (data, at) => [['failure.seen', { ...data, times_seen: 0, first_seen: at }]],
  decided: (data) => [['failure.decided', data]],
  tried: ({ hash, refused }) => [...refusals(refused), ['try.ended', { hash }]],
  refused: ({ refused }) => refusals(refused),
  called: (data) => [['escalation.called', data]],
  uncalled: () => [['escalation.refunded', {}]],
  patch: (data) => [patch(data)],
  gave_up: () => [['failure.given_up', { reason: '' }]],
  recovered: () => [['stage.recovered', { reason: '' }]],
  'case.opened': (data) => [['case.opened', { path: '', why: '', ...data }]],
  'case.closed': () => [['case.closed', { case: '', reason: '' }]],
  reset: () => [['stage.reset', {}]],
  notified: (data) => [['person.notified', data]],
  used: (data) => [['model.used', { fingerprint: '', ...data }]],
};

function refusals(refused: unknown): [string, Data][] {
  const answers = Array.isArray(refused) ? (refused as Data[]) : [];
  return answers.map(({ reason, ...rest }) =>
    rest.code === 'pass'
      ? ['plugin.passed', { ...rest, reason }]
      : ['fix.refused', { ...rest, round: 1, reasons: [reason] }],
  );
}

function patch({ outcome, why = '', note = UNTOLD.note, ...rest }: Data): [string, Data] {
  const data = { ...rest, note, commit: '', reason: why };
  if (outcome === 'refused') {
    const [code, ...reasons] = String(why).split(': ');
    return ['fix.refused', { ...data, round: 1, code, reasons: reasons.length > 0 ? [reasons.join(': ')] : [] }];
  }
  if (outcome === 'applied') return ['fix.committed', { ...data, class: '', paths: [], tried: false }];
  if (outcome === 'provisional' || outcome === 'verified') return ['fix.judged', { ...data, outcome }];
  return ['fix.reverted', { ...data, outcome, reverts: '' }];
}

/** The events of a line of 0.1's ledger; undefined when it is none. `seq` is the record's, not an event's. */
export function eventsOfRecord(value: unknown): StoryEvent[] | undefined {
  if (!isRecord(value) || !Object.hasOwn(TRANSLATIONS, value.type)) return undefined;
  const { type, seq, run = '', stage = '', fingerprint } = value;
  // Today's lines of the same name have none there: one of these that rotted is no record.
  if (type.startsWith('case.') && fingerprint === undefined) return undefined;
  const events = TRANSLATIONS[type]?.(value.data, value.time) ?? [];
  return events.flatMap(([as, data]): StoryEvent[] => {
    const event = { v: 1, seq, time: value.time, run, type: as, stage, data: { ...data } };
    if (fingerprint !== undefined) Object.assign(event.data, { fingerprint });
    return isEvent(event) && isStory(event as LoopEvent) ? [event as StoryEvent] : [];
  });
}
