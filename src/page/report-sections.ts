// A report in words: the same sections, in the same order, for every form it is shown in.
import { moneyText, runWords, spell } from '../console/words.ts';
import type { Report } from '../inspect/report.ts';
import { RUN_OUTCOMES } from '../journal/summary.ts';
import { counted } from '../triage/words.ts';
import { stateOf } from './states.ts';

export interface Section {
  readonly id: 'waits' | 'failures' | 'fixes' | 'drift' | 'stages' | 'items' | 'runs';
  readonly title: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** What is said where there are no rows. */
  readonly none: string;
  /** What else there is to know, or where to look next. */
  readonly more?: string;
}

/** `2026-11-17 09:30`, in UTC. */
export const when = (time: string): string => time.slice(0, 16).replace('T', ' ');
const number = (value: number): string => value.toLocaleString('en-GB');

/** What is reported on, in a few words. */
export function reportTitle({ home, run, from, to }: Report): string {
  if (run !== undefined) return `${home}, run ${run}`;
  const isOneYear = from.slice(0, 4) === to.slice(0, 4);
  return `${home}, ${dayText(from, !isOneYear)} to ${dayText(to, true)}`;
}

/** `19 October 2026`. */
function dayText(time: string, withYear: boolean): string {
  const year = withYear ? ({ year: 'numeric' } as const) : {};
  return new Date(time).toLocaleDateString('en-GB', { day: 'numeric', month: 'long', timeZone: 'UTC', ...year });
}

/** What a reader wants to know first, each in one line. */
export function glanceOf(report: Report): { label: string; figure: string; text: string }[] {
  const { runs, failures, fixes, cost, waits } = report;
  const outcomes = RUN_OUTCOMES.flatMap((key) =>
    runs.outcomes[key] ? [`${runs.outcomes[key]} ${stateOf('run', key).word}`] : [],
  );
  const [worst] = failures;
  const byOutcome = (...wanted: string[]) => fixes.filter(({ outcome }) => wanted.includes(outcome)).length;
  const verified = byOutcome('verified', 'holds');
  const back = byOutcome('no_effect', 'broke', 'withdrawn', 'superseded', 'declined');
  const passed = failures.filter(({ state }) => state === 'passed').length;
  const newest = runs.newest && `the newest began ${when(runs.newest.began)}: mendloop report ${runs.newest.run}`;
  const notGreen = report.stages.filter(({ status }) => status !== 'green');
  const isGreen = report.stages.length > 0 && notGreen.length === 0;
  return [
    {
      label: 'now',
      figure: isGreen ? 'all green' : `${report.stages.length - notGreen.length} of ${report.stages.length} green`,
      text: notGreen.map(({ stage, status }) => `${stage} ${status.replace('_', ' ')}`).join(', '),
    },
    {
      label: 'ran',
      figure: counted(runs.total, 'run'),
      text: runs.total > 0 ? outcomes.join(', ') : (newest ?? 'there has been none'),
    },
    {
      label: 'broke most',
      figure: worst ? worst.stage : 'nothing',
      text: worst
        ? `${worst.class}, ${counted(worst.times, 'time')}, last ${when(worst.last)}; ${stateOf('failure', worst.state).word}`
        : 'no failure was seen',
    },
    {
      label: 'mended',
      figure: counted(verified, 'fix', 'fixes'),
      text: [
        verified > 0 ? 'verified by a green attempt' : 'none verified',
        ...(back > 0 ? [`${back} taken back`] : []),
        ...(passed > 0 ? [`${counted(passed, 'failure')} passed without one`] : []),
      ].join(', '),
    },
    {
      label: 'waits for you',
      figure: waits.length === 0 ? 'nothing' : number(waits.length),
      text: waits[0]?.text ?? '',
    },
    {
      label: 'cost',
      figure:
        cost.dollars > 0 ? moneyText(cost.dollars) : counted(cost.tokens, 'token').replace(/^\d+/, number(cost.tokens)),
      text: [
        `${number(cost.prompts)} ${cost.prompts === 1 ? 'prompt' : 'prompts'}`,
        `${number(cost.tokens)} tokens`,
        `${spell(cost.spent_ms)} in ${number(cost.attempts)} ${cost.attempts === 1 ? 'attempt' : 'attempts'}`,
      ].join(', '),
    },
  ];
}

/** Says that a stage grew slower by a quarter, or faster by a fifth, and by a second at least. */
export function trendWord({ earlier_ms, later_ms }: Report['stages'][number]): string {
  if (earlier_ms === null || later_ms === null || Math.abs(later_ms - earlier_ms) < 1000) return '';
  const share = Math.round((later_ms / Math.max(1, earlier_ms) - 1) * 100);
  const change = `(from ${spell(earlier_ms)} to ${spell(later_ms)})`;
  if (share >= 25) return `slower by ${share} % ${change}`;
  return share <= -20 ? `faster by ${-share} % ${change}` : '';
}

export const slowestFirst = (stages: Report['stages']): Report['stages'] =>
  stages.toSorted((a, b) => (b.green_ms ?? -1) - (a.green_ms ?? -1));

export function sectionsOf(report: Report): Section[] {
  const { waits, failures, fixes, drift, stages, items, runs, cost, run } = report;
  return [
    {
      ...{ id: 'waits', title: 'Waits for you', none: 'nothing' },
      head: ['what', 'since', 'about', 'to look'],
      rows: waits.map(({ what, since, text, command }) => [what, since ? when(since) : '', text, command]),
    },
    {
      ...{ id: 'failures', title: 'What broke', none: 'no failure was seen' },
      head: ['times', 'stage', 'class', 'last seen', 'now', 'what the log says', 'fingerprint'],
      rows: failures.map((one) => [
        ...[number(one.times), one.stage, one.class, when(one.last), stateOf('failure', one.state).word, one.excerpt],
        one.fingerprint,
      ]),
      ...(failures.length > 0 && { more: 'everything about one: mendloop explain <fingerprint>' }),
    },
    {
      ...{ id: 'fixes', title: 'Fixes', none: 'none was tried' },
      head: ['now', 'stage', 'last tried', 'what it does', 'by', 'commit'],
      rows: fixes.map((one) => [
        ...[stateOf('fix', one.outcome).word, one.stage, when(one.time), `${one.fix}${repeated(one)}`, one.plugin],
        one.commit?.slice(0, 12) ?? '',
      ]),
      ...(cost.refused > 0 && {
        more: `${counted(cost.refused, 'proposal was', 'proposals were')} refused by the gate, and nothing of them was applied`,
      }),
    },
    {
      ...{ id: 'drift', title: 'Drift', none: 'what was green stayed so' },
      head: ['times', 'stage', 'last', 'what no longer held'],
      rows: drift.map(({ times, stage, last, text }) => [number(times), stage, when(last), text]),
    },
    run === undefined ? paceSection(stages) : endSection(stages),
    ...(items.length > 0 || report.items_done.length > 0
      ? [
          {
            ...{
              id: 'items' as const,
              title: 'Work queue',
              none: `done in this time: ${report.items_done.join(', ')}`,
            },
            head: ['item', 'state', 'title', 'note'],
            rows: items.map(({ number: item, state, title, note = '' }) => [item, state, title, note]),
            ...(report.items_done.length > 0 && { more: `done in this time: ${report.items_done.join(', ')}` }),
          },
        ]
      : []),
    {
      ...{ id: 'runs', title: run === undefined ? 'The latest runs' : 'The run', none: 'none' },
      head: ['run', 'began', 'ended', 'took', 'asked', 'about'],
      rows: runs.latest.map((one) => [
        ...[one.run, when(one.began), stateOf('run', one.outcome).word],
        ...[one.duration_ms === null ? '' : spell(one.duration_ms), one.asked, aboutRun(one)],
      ]),
      more: run === undefined ? 'one of them as it went: mendloop show <run>' : `as it went: mendloop show ${run}`,
    },
  ];
}

/** A fix that comes again with its failure and never lands: how many runs had to apply it. */
export const repeated = ({ applied }: Report['fixes'][number]): string =>
  applied > 1 ? ` (applied again in each of ${applied} runs)` : '';

function paceSection(stages: Report['stages']): Section {
  return {
    ...{ id: 'stages', title: 'Stages, the slowest first', none: 'none was looked at' },
    head: ['stage', 'now', 'takes', 'trend', 'made', 'attempts', 'runs that left it failed'],
    rows: slowestFirst(stages).map((one) => [
      ...[one.stage, one.status, one.green_ms === null ? '' : spell(one.green_ms), trendWord(one)],
      ...[number(one.worked_on), number(one.attempts), number(one.failed)],
    ]),
    ...(stages.some(({ green_ms }) => green_ms !== null) && {
      more: 'takes: the median of attempts that ended green; trend: the later half of them against the earlier',
    }),
  };
}

/** Of one run: how it left each stage. */
function endSection(stages: Report['stages']): Section {
  return {
    ...{ id: 'stages', title: 'Stages', none: 'none was looked at' },
    head: ['stage', 'ended', 'now', 'took', 'attempts', 'why'],
    rows: stages.map((one) => [
      ...[one.stage, (one.end ?? '').replace('_', ' '), one.status, one.spent_ms > 0 ? spell(one.spent_ms) : ''],
      ...[number(one.attempts), one.reason ?? ''],
    ]),
  };
}

export const aboutRun = (run: Report['runs']['latest'][number]): string =>
  [...runWords(run), ...(run.why === undefined ? [] : [run.why])].join(', ');
