// `mendloop report [<run>]`: what ran, broke, was mended, waits and cost, for a terminal, a mail, a program or a browser.
import { basename, join, resolve } from 'node:path';
import { INDEX_FILE } from '../backlog/queue.ts';
import { failUsage, MendError } from '../errors.ts';
import { listBacklog } from '../inspect/backlog.ts';
import { readFreshness } from '../inspect/freshness.ts';
import { type Report, type ReportFacts, reportOf } from '../inspect/report.ts';
import { timelineOf } from '../inspect/timeline.ts';
import { openGit } from '../io/git.ts';
import type { Layout } from '../io/layout.ts';
import { plainText } from '../io/plain-text.ts';
import { readText, writeNamedFile } from '../io/store.ts';
import { readEvents } from '../journal/event-file.ts';
import { readHistory, summaryOf } from '../journal/history.ts';
import { readLedger } from '../journal/ledger-file.ts';
import { loadStages } from '../journal/load-stages.ts';
import { type Mask, maskedData, openMask } from '../journal/mask.ts';
import { listRuns, stamp } from '../journal/runs.ts';
import { readSafeMode } from '../mend/safe-mode.ts';
import { reportHtml } from '../page/report-html.ts';
import { reportLines, reportMarkdown } from '../page/report-text.ts';
import { configurationNow } from '../stage/configuration.ts';
import { checkoutFiles } from '../worktree/read.ts';
import type { Answer, CommandInput } from './command.ts';
import { runCalled } from './runs.ts';

const DEFAULT_DAYS = 30;
const DAY_MS = 86_400_000;
const NEXT = 'mendloop report, or mendloop report --days 7, or mendloop report last';

export async function run({ words, options, dry, layout: findLayout, out }: CommandInput): Promise<Answer> {
  const [name, ...more] = words;
  if (more.length > 0) failUsage('report takes one run, or none', NEXT);
  const { markdown, html } = options;
  if (markdown && html !== undefined) failUsage('--markdown and --html are two reports', NEXT);
  const layout = findLayout();
  const now = new Date();
  const from = periodStart(options, name, now);
  const { ledger, notices } = readLedger(layout);
  const context = await lookAround(layout);
  const freshness = await readFreshness(layout, now.getTime());
  const facts: ReportFacts = {
    home: basename(layout.home),
    ...(name === undefined ? aboutTime(layout, from, now) : aboutRun(layout, runCalled(layout, name), now)),
    ledger,
    stages: loadStages(layout, { look: true }).state.stages,
    safeMode: readSafeMode(layout)?.why,
    items: context.items,
    freshness: freshness.isOld ? `${freshness.text}: what is green was so then` : undefined,
    notices: [...notices, ...context.notices],
  };
  const report = maskedData(reportOf(facts), context.mask);
  const isText = !markdown && html === undefined && !out.json;
  const diffs =
    isText || !context.isSound ? new Map<string, string>() : await diffsOf(layout.home, report, context.mask);
  const json = { ...report, fixes: report.fixes.map((fix) => ({ ...fix, diff: diffs.get(fix.commit ?? '') ?? null })) };
  if (markdown) return { text: plainText(reportMarkdown(report, diffs)), json, forScripts: true };
  if (typeof html !== 'string') return { text: reportLines(report), json };
  const path = resolve(html);
  if (dry) return { text: `would write ${path}`, json: { would_write: path } };
  writeNamedFile(path, reportHtml(report, diffs, now.toISOString()));
  return { text: `wrote ${path}`, json: { path } };
}

/** The start of the reported period: --since, or midnight of the first of --days days, today included. */
function periodStart({ days, since }: CommandInput['options'], name: string | undefined, now: Date): string {
  if (days !== undefined && since !== undefined) failUsage('--days and --since are two times', NEXT);
  if (name !== undefined && (days ?? since) !== undefined)
    failUsage(`a run, or a time: ${name} is a run, and --${days === undefined ? 'since' : 'days'} a time`, NEXT);
  if (since !== undefined) return dayCalled(String(since), now);
  if (days !== undefined && !/^[1-9]\d{0,3}$/.test(String(days)))
    failUsage(`--days ${days} is not a number of days from 1 to 9999`, 'for example: --days 7');
  const first = now.getTime() - ((days === undefined ? DEFAULT_DAYS : Number(days)) - 1) * DAY_MS;
  return `${new Date(first).toISOString().slice(0, 10)}T00:00:00.000Z`;
}

/** The time that --since names. Throws E_USAGE for what is no date, or is still to come. */
function dayCalled(text: string, now: Date): string {
  const time = timeOf(text);
  if (time === undefined) {
    const meant = dateMeant(text);
    const hint = meant === undefined ? '' : `; did you mean ${meant}?`;
    return failUsage(`--since ${JSON.stringify(text)} is no date${hint}`, 'for example: --since 2026-11-01');
  }
  if (time > now.getTime())
    failUsage(`--since ${text} is still to come`, `it is ${now.toISOString().slice(0, 16)}Z now`);
  return new Date(time).toISOString();
}

/** A date, or a date and time, in UTC unless it says otherwise, in epoch milliseconds; undefined for what is none. */
function timeOf(text: string): number | undefined {
  const [, day = '', clock = '', zone = 'Z'] =
    /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(Z|[+-]\d\d:\d\d)?)?$/.exec(text) ?? [];
  const time = Date.parse(`${day}T${clock || '00:00'}${zone}`);
  // Date.parse reads 31 February as 3 March.
  const isReal = !Number.isNaN(time) && new Date(`${day}T00:00Z`).toISOString().startsWith(day);
  return isReal ? time : undefined;
}

/** The ISO form of a date such as 17.11.2026 or 20261117; undefined for what is no date. */
function dateMeant(text: string): string | undefined {
  const [, y, m, d] = /^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})$/.exec(text) ?? [];
  const [, d2, m2, y2] = /^(\d{1,2})[-/.](\d{1,2})[-/.](\d{4})$/.exec(text) ?? [];
  const [, y3, m3, d3] = /^(\d{4})(\d\d)(\d\d)$/.exec(text) ?? [];
  const two = (part = '') => part.padStart(2, '0');
  const date = `${y ?? y2 ?? y3}-${two(m ?? m2 ?? m3)}-${two(d ?? d2 ?? d3)}`;
  return timeOf(date) !== undefined && date !== text ? date : undefined;
}

type About = Pick<ReportFacts, 'from' | 'to' | 'run' | 'runs' | 'newest' | 'timeline'>;

function aboutTime(layout: Layout, from: string, now: Date): About {
  const runs = readHistory(layout, stamp(Date.parse(from)));
  const newest = listRuns(layout).at(-1);
  return {
    from,
    to: now.toISOString(),
    runs,
    newest: runs.at(-1) ?? (newest === undefined ? undefined : summaryOf(layout, newest)),
  };
}

function aboutRun(layout: Layout, run: string, now: Date): About {
  const summary = summaryOf(layout, run);
  const timeline = timelineOf(readEvents(layout.journal(run)).events);
  return {
    from: summary.began,
    to: summary.ended ?? now.toISOString(),
    run,
    runs: [summary],
    newest: summary,
    timeline,
  };
}

/** Facts from the configuration and the branches; `isSound`: it could be read, so all secrets are known. Else a notice says why. */
async function lookAround(layout: Layout) {
  const { home } = layout;
  const tracked = (await checkoutFiles(home))?.files.keys() ?? [];
  try {
    const { config } = await configurationNow(home);
    const hasQueue = readText(join(home, INDEX_FILE)) !== undefined;
    const { items } = hasQueue ? await listBacklog(layout) : { items: [] };
    return {
      mask: openMask(home, config, process.env, tracked),
      items: items.map(({ number, title, state, note }) => ({ number, title, state, ...(note && { note }) })),
      notices: [],
      isSound: true,
    };
  } catch (error) {
    if (!(error instanceof MendError)) throw error;
    return {
      mask: openMask(home, { map: { carry: [] }, loop: { redact: [] } }, process.env, tracked),
      items: [],
      isSound: false,
      notices: [`changes, work queue and what is to be promoted are not shown: ${error.code}: ${error.message}`],
    };
  }
}

const MAX_DIFFS = 50;

/** The changes of the newest fixes by their commits, as far as git still has them. */
async function diffsOf(home: string, { fixes }: Pick<Report, 'fixes'>, mask: Mask): Promise<Map<string, string>> {
  const commits = [...new Set(fixes.flatMap(({ commit }) => commit ?? []))].slice(0, MAX_DIFFS);
  if (commits.length === 0) return new Map();
  const which = ['--no-walk=unsorted', '--ignore-missing', '--end-of-options', ...commits];
  const form = ['--format=%x00%H%x00', '--patch', '--no-color', '--no-ext-diff', '--no-textconv'];
  const log = await openGit(home).run(['log', ...form, ...which]);
  const [, ...parts] = log.split('\0');
  return new Map(
    commits.flatMap((commit) => {
      const at = parts.indexOf(commit);
      return at === -1 ? [] : [[commit, mask((parts[at + 1] ?? '').trimStart())] as const];
    }),
  );
}
