// Explains a failure to somebody who does not know how mendloop works: its log, its history in the ledger, and what would come next.
import type { AttemptEnd } from '../events.ts';
import { endOf, type Failure, masksOf } from '../failure/fingerprint.ts';
import { caseCommands } from '../outbound/case-summary.ts';
import { cellNames } from '../plan/matrix.ts';
import type { Decision } from '../triage/decide.ts';
import type { LedgerEntry } from '../triage/ledger.ts';
import { authorOf, counted } from '../triage/words.ts';
import { familiarity, kind } from './failure-lines.ts';
import { outcomeText, repairLines } from './fix-outcome.ts';
import { countCells } from './rows.ts';
import { ago, since, spell } from './words.ts';

interface Explained {
  readonly entry: LedgerEntry;
  readonly failure: Failure | undefined;
  readonly cells: readonly { readonly step: string; readonly status: string }[];
  readonly stands: { readonly since: string; readonly fingerprint?: string | undefined } | undefined;
  readonly next: Decision | { unknown: string };
  readonly where?: {
    readonly places: readonly {
      path: string;
      lines: readonly number[];
      reasons: readonly string[];
      editable: boolean;
    }[];
    readonly left_out: readonly string[];
    readonly definitions: readonly string[];
    readonly unread: number;
  };
  /** What of a fix would run before its owner has seen it. */
  readonly unattended?: string;
}

/** Everything, in paragraphs that begin with what they are about. */
export function explanationLines(
  { entry, failure, cells, stands, next, where, unattended }: Explained,
  now: number,
): string[] {
  const { stage, log, fingerprint } = entry;
  const gone = [
    `fingerprint ${fingerprint}`,
    '',
    `its log ${log ?? ''} is gone; this is what was kept of it`,
    ...entry.excerpt.split('\n').map((line) => `  | ${line}`),
  ];
  const moved = `recorded as ${fingerprint}: its log reads differently now (another version, or another last green log)`;
  const steps = cells.map(({ step }) => step);
  const about = `${kind(entry)}; ${familiarity(entry, now)}, last ${ago(entry.last_seen, now)} in run ${entry.run ?? '?'}`;
  return [
    ...(stands ? [overLine(stage, stands, now), `it was ${about}`] : [`${stage} failed: ${about}`]),
    ...(cells.length > 0 ? [`last on ${cellNames(steps)} of ${stage}; now ${countCells(cells)}`] : []),
    '',
    ...(failure ? failureReport(failure, entry) : gone),
    ...(failure && failure.fingerprint !== fingerprint ? ['', moved] : []),
    ...(where ? whereLines(where) : []),
    '',
    ...ledgerLines(entry, now),
    '',
    ...nextLines(next, stands ? 'if it comes back' : 'next time'),
    ...(unattended && 'tier' in next && /executor|escalation/.test(next.tier) ? [`  ${unattended}`] : []),
  ];
}

/** What a prompt would have of the repository, and why. */
function whereLines({ places, left_out, definitions, unread }: NonNullable<Explained['where']>): string[] {
  const rows = places.map(({ path, lines, reasons, editable }) => {
    const at = lines.length > 0 ? `:${lines.join(',')}` : '';
    return `  ${path}${at}${editable ? '' : ' (only read)'}  ${reasons.join('; ')}`;
  });
  const [first] = left_out;
  if (rows.length + definitions.length + left_out.length + unread === 0) return [];
  return [
    '',
    `where it points: what a prompt has${rows.length === 0 ? ', nothing' : ''}`,
    ...rows,
    ...definitions.map((line) => `  ${line}`),
    ...(first
      ? [`  left out, for little points at them: ${counted(left_out.length, 'file')}, the likeliest ${first}`]
      : []),
    ...(unread > 0 ? [`  not searched, too many or too large: ${counted(unread, 'file')}`] : []),
  ];
}

/** Says of a failure that the stage does not have now how the stage stands. */
const overLine = (
  stage: string,
  { since: from, fingerprint }: NonNullable<Explained['stands']>,
  now: number,
): string =>
  fingerprint === undefined
    ? `${stage} is green since ${since(from, now)}: this failure is over`
    : `${stage} fails otherwise now (mendloop explain ${fingerprint.slice(0, 8)}): this is an earlier failure`;

/** Sections of lines; `log` names where the text was read from. */
export function failureReport(
  failure: Failure,
  { stage, ended, log }: { stage: string; ended: AttemptEnd; log?: string | undefined },
): string[] {
  const from = [...(stage === '' ? [] : [`stage ${stage}`]), endOf(ended)].join(', ');
  return [
    `fingerprint ${failure.fingerprint}  (from ${from}, and the templates below)`,
    '',
    `error lines${log ? ` in ${log}` : ''}${SURE[failure.grade] ?? ''}`,
    ...(failure.silence ? [`  none: ${SILENCE[failure.silence]}`] : []),
    ...failure.errors.flatMap(({ lines }) => lines.map((line) => `  | ${line}`)),
    ...(failure.errors.length > 0 ? ['', 'templates: the same lines with what changes from run to run masked'] : []),
    ...failure.errors.map(({ template }) => `  ${template}`),
    ...masked(failure),
    '',
    `class ${kind(failure)}`,
    ...(failure.rules.length === 0 ? ['  no rule matched'] : []),
    ...failure.rules.map((name, i) => `  ${i === 0 ? 'by the rule' : 'and'} "${name}"`),
    ...(failure.advice ? [`  to do: ${failure.advice}`] : []),
  ];
}

/** Only when the choice of error lines was not clear. */
const SURE: Readonly<Record<string, string>> = {
  weak: ' (no clear error line; these come closest)',
  warning: ' (no error line; a warning)',
  wrapper: ' (no error line; what was said last)',
  plain: ' (no error line; what was said last)',
  info: ' (no error line; what was said last)',
};

const SILENCE = {
  'no log': 'there is no log',
  'empty log': 'the log is empty',
  'no text': 'the log holds no readable text',
  'only progress': 'the log holds nothing but progress',
} as const;

function masked(failure: Failure): string[] {
  const masks = masksOf(failure);
  if (failure.errors.length === 0) return [];
  if (masks.length === 0) return ['', 'masked: nothing'];
  const width = Math.min(40, Math.max(...masks.map(({ text }) => text.length)));
  return ['', 'masked', ...masks.map(({ text, mask, why }) => `  ${text.padEnd(width)}  ${mask}: ${why}`)];
}

export function ledgerLines(entry: LedgerEntry, now: number): string[] {
  const { kept_at, gave_up_at } = entry;
  const seen = entry.times_seen === 1 ? 'once' : `${entry.times_seen} times`;
  return [
    'ledger',
    `  seen ${seen}: first ${ago(entry.first_seen, now)} (${entry.first_seen}), last ${ago(entry.last_seen, now)} (${entry.last_seen})`,
    `  since it last started anew: ${counted(entry.executor_tries, 'executor try', 'executor tries')}, ${counted(entry.escalation_calls, 'escalation call')}`,
    ...triedLines(entry),
    ...(kept_at ? [`  a fix was kept ${ago(kept_at, now)}`] : []),
    ...(gave_up_at ? [`  given up ${ago(gave_up_at, now)}`] : []),
    ...(entry.case ? caseLines(entry.case, entry.suggestion) : []),
    ...(entry.escalated && !entry.case ? [`  escalated as case ${entry.escalated}`] : []),
    ...(entry.last_reason ? [`  last decision: ${entry.last_tier}, ${entry.last_reason}`] : []),
  ];
}

/** Every change that was tried, and every answer that was not taken, and why. */
export const triedLines = ({ patches, refused = [] }: LedgerEntry): string[] => [
  ...(patches.length === 0 ? ['  no fix was tried'] : patches.flatMap(patchLines)),
  ...counts(
    refused
      .filter(({ code, hash }) => code !== 'ask' || !patches.some((patch) => patch.hash === hash))
      .flatMap((one) => Array<string>(one.times ?? 1).fill(refusedLine(one))),
  ),
];

const refusedLine = ({ plugin, tier, code, reason }: NonNullable<LedgerEntry['refused']>[number]): string =>
  code === 'pass'
    ? `  no fix: ${plugin} (${tier}): ${reason}`
    : code === 'ask'
      ? `  its owner was asked: a change of ${plugin} (${tier}): ${reason}`
      : `  refused: an answer of ${plugin} (${tier}): ${code}: ${reason}`;

/** Each line once, with how often it came. */
function counts(lines: readonly string[]): string[] {
  const times = new Map<string, number>();
  for (const line of lines) times.set(line, (times.get(line) ?? 0) + 1);
  return [...times].map(([line, n]) => (n > 1 ? `${line}  (${n} times)` : line));
}

function caseLines(name: string, suggestion: LedgerEntry['suggestion']): string[] {
  const [show, ...more] = caseCommands(name, suggestion !== undefined);
  const { hash, ask } = suggestion ?? {};
  return [
    `  open case ${name}: ${show}`,
    ...(hash
      ? [`    fix ${hash.slice(0, 12)} waits for your word${ask ? ` (${ask.code}): ${ask.reasons.join('; ')}` : ''}`]
      : []),
    ...more.map((line) => `    ${line}`),
  ];
}

function patchLines(patch: LedgerEntry['patches'][number]): string[] {
  const { hash, outcome, tier, note, why, unchecked, shapes } = patch;
  const how = unchecked ? outcomeText({ outcome, unchecked: true }) : `${outcome}${why ? `, ${why}` : ''}`;
  const head = `  fix ${hash.slice(0, 12)} by ${authorOf(patch, tier)}: ${how}`;
  return [head, ...(note ? [`    ${note.fix}`] : []), ...repairLines(shapes, '    ')];
}

export function nextLines(next: Decision | { unknown: string }, title: string): string[] {
  if ('unknown' in next) return [title, `  cannot be told while the configuration is not sound: ${next.unknown}`];
  return [title, `  ${what(next)}`, `  because: ${next.reason}`];
}

const WHAT = {
  executor: 'the executors are asked for a fix',
  escalation: 'it is escalated',
  give_up: 'the loop gives up and hands over',
  none: 'the stage ends failed (exit 1), and the next run tries it once more',
} as const;

function what(next: Decision): string {
  if (next.tier === 'wait') return `the loop waits ${spell(next.pause_ms)} and runs the stage again`;
  if (next.tier === 'executor' && next.scope === 'first') return 'a change that is there already is applied first';
  if (next.tier === 'none' && next.exit === 3) return 'the stage ends failed and waits for you (exit 3)';
  return WHAT[next.tier];
}
