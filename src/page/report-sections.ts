// A report in words: the same sections, in the same order, for every form it is shown in.
import { moneyText, runWords, spell } from '../console/words.ts';
import type { Report } from '../inspect/report.ts';
import { RUN_OUTCOMES } from '../journal/summary.ts';
import { authorOf, counted } from '../triage/words.ts';
import { stateOf } from './states.ts';

export interface Section {
  readonly id: 'waits' | 'failures' | 'fixes' | 'drift' | 'stages' | 'items' | 'runs';
  readonly title: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** What is said where there are no rows. */
  readonly none: string;
  /** What else there is to know, or where to look next. */
  readonly more?: string | undefined;
}

/** `2026-11-17 09:30`, in UTC. */
export const when = (time: string): string => time.slice(0, 16).replace('T', ' ');
const number = (value: number): string => value.toLocaleString('en-GB');

/** What is reported on, in a few words. */
export function reportTitle({ home, run, from, to }: Report): string {
  if (run !== undefined) return `${home}, run ${run}`;
  if (from.slice(0, 10) === to.slice(0, 10)) return `${home}, ${dayText(to, true)}`;
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
  const verified = byOutcome('kept');
  const back = byOutcome('no_effect', 'broke', 'undone', 'superseded', 'declined');
  const passed = failures.filter(({ state }) => state === 'passed').length;
  const newest = runs.newest && `the newest began ${when(runs.newest.began)}: mendloop report ${runs.newest.run}`;
  const notGreen = report.stages.filter(({ status }) => status !== 'green');
  const isGreen = report.stages.length > 0 && notGreen.length === 0;
  const stuck = report.items.filter(({ state }) => state === 'stuck').map((item) => `item ${item.number} stuck`);
  const green =
    report.stages.length === 0
      ? 'nothing yet'
      : `${report.stages.length - notGreen.length} of ${report.stages.length} green`;
  return [
    {
      label: 'now',
      figure: isGreen && stuck.length === 0 ? 'all green' : green,
      text: [...notGreen.map(({ stage, status }) => `${stage} ${status.replace('_', ' ')}`), ...stuck].join(', '),
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

/** A section with one row for each item; `columns` has their titles, and what they show of an item. */
function section<T>(
  about: Pick<Section, 'id' | 'title' | 'none' | 'more'>,
  items: readonly T[],
  columns: Readonly<Record<string, (item: T) => string>>,
): Section {
  const cells = Object.values(columns);
  return { ...about, head: Object.keys(columns), rows: items.map((item) => cells.map((cell) => cell(item))) };
}

export function sectionsOf(report: Report): Section[] {
  const { waits, failures, fixes, drift, stages, items, runs, cost, run } = report;
  const proposals = counted(cost.refused, 'proposal was', 'proposals were');
  const refused = cost.refused > 0 ? `${proposals} refused by the gate, and nothing of them was applied` : undefined;
  const done = report.items_done.length > 0 ? `done in this time: ${report.items_done.join(', ')}` : undefined;
  const ofRuns =
    run === undefined
      ? { title: 'The latest runs', more: 'one of them as it went: mendloop show <run>' }
      : { title: 'The run', more: `as it went: mendloop show ${run}` };
  return [
    section({ id: 'waits', title: 'Waits for you', none: 'nothing' }, waits, {
      what: ({ what }) => what,
      since: ({ since }) => (since ? when(since) : ''),
      about: ({ text }) => text,
      'to look': ({ command }) => command,
    }),
    section({ id: 'failures', title: 'What broke', none: 'no failure was seen', more: HOW_TO_EXPLAIN }, failures, {
      times: ({ times }) => number(times),
      stage: ({ stage }) => stage,
      class: (failure) => failure.class,
      'last seen': ({ last }) => when(last),
      now: ({ state }) => stateOf('failure', state).word,
      'what the log says': ({ excerpt }) => excerpt,
      fingerprint: ({ fingerprint }) => fingerprint,
    }),
    section({ id: 'fixes', title: 'Fixes', none: 'none was tried', more: refused }, fixes, {
      now: ({ outcome }) => stateOf('fix', outcome).word,
      stage: ({ stage }) => stage,
      'last tried': ({ time }) => when(time),
      'what it does': (fix) => `${fix.fix}${repeated(fix)}`,
      by: authorOf,
      commit: ({ commit }) => commit?.slice(0, 12) ?? '',
    }),
    section({ id: 'drift', title: 'Drift', none: 'no run found any' }, drift, {
      times: ({ times }) => number(times),
      stage: ({ stage }) => stage,
      last: ({ last }) => when(last),
      'what no longer held': ({ text }) => text,
    }),
    run === undefined ? paceSection(stages) : endSection(stages),
    section({ id: 'items', title: 'Work queue', none: done ?? '', more: done }, items, {
      item: (item) => item.number,
      state: ({ state }) => state,
      title: ({ title }) => title,
      note: ({ note = '' }) => note,
    }),
    section({ id: 'runs', none: 'none', ...ofRuns }, runs.latest, {
      run: (one) => one.run,
      began: ({ began }) => when(began),
      ended: ({ outcome }) => stateOf('run', outcome).word,
      took: ({ duration_ms }) => (duration_ms === null ? '' : spell(duration_ms)),
      asked: ({ asked }) => asked,
      about: aboutRun,
    }),
  ].filter(({ id, rows }) => id !== 'items' || rows.length > 0 || done !== undefined);
}

const HOW_TO_EXPLAIN = 'everything about one: mendloop explain <fingerprint>';

/** A fix that comes again with its failure and never lands: how many runs had to apply it. */
export const repeated = ({ applied }: Report['fixes'][number]): string =>
  applied > 1 ? ` (applied again in each of ${applied} runs)` : '';

function paceSection(stages: Report['stages']): Section {
  const more = stages.some(({ green_ms }) => green_ms !== null)
    ? 'takes: the median of attempts that ended green; trend: the later half of them against the earlier'
    : undefined;
  const title = 'Stages, the slowest first';
  return section({ id: 'stages', title, none: 'none was looked at', more }, slowestFirst(stages), {
    stage: ({ stage }) => stage,
    now: ({ status }) => status,
    takes: ({ green_ms }) => (green_ms === null ? '' : spell(green_ms)),
    trend: trendWord,
    made: ({ worked_on }) => number(worked_on),
    attempts: ({ attempts }) => number(attempts),
    'runs that left it failed': ({ failed }) => number(failed),
  });
}

/** Of one run: how it left each stage. */
const endSection = (stages: Report['stages']): Section =>
  section({ id: 'stages', title: 'Stages', none: 'none was looked at' }, stages, {
    stage: ({ stage }) => stage,
    ended: ({ end = '' }) => end.replace('_', ' '),
    now: ({ status }) => status,
    took: ({ spent_ms }) => (spent_ms > 0 ? spell(spent_ms) : ''),
    attempts: ({ attempts }) => number(attempts),
    why: ({ reason = '' }) => reason,
  });

export const aboutRun = (run: Report['runs']['latest'][number]): string =>
  [...runWords(run), ...(run.why === undefined ? [] : [run.why])].join(', ');
