// One log: shown from its end in windows of bytes, with a search backwards, and followed while it is written.
import { join, relative } from 'node:path';
import { sizeText } from '../console/words.ts';
import { blockAbove } from '../io/links.ts';
import { runAtWork } from '../io/lock.ts';
import { type Found, type LogWindow, linesBefore, readWindow, searchLog, WINDOW_BYTES } from '../io/log-window.ts';
import { readEvents } from '../journal/event-file.ts';
import { readLedger } from '../journal/ledger-file.ts';
import { loadStages } from '../journal/load-stages.ts';
import { listRuns } from '../journal/runs.ts';
import { stepRecords } from '../journal/stages.ts';
import { type Html, html } from '../page/html.ts';
import { splitStepName } from '../plan/matrix.ts';
import { counted } from '../triage/words.ts';
import { href, link, missing, type Params, type Query, rowsHtml, type View, withQuery } from './frame.ts';
import type { Site } from './site.ts';

const LOG = /^ai\/logs\/([^/]+)\/(?:([^/]+)\/)?(\d{8}-\d{6}-[0-9a-f]{4})-(\w+)\.log$/;

/** Where the page of a log is; undefined for what is no path of one. `path` is from home, as journals name it. */
export function logHref(path: string): string | undefined {
  const [, stage, cell, run, name] = LOG.exec(path) ?? [];
  if (stage === undefined || run === undefined || name === undefined) return undefined;
  return href('runs', run, 'logs', cell === undefined ? stage : `${stage}[${cell}]`, name);
}

/** The file of a log that a journal, a stage or a failure names; undefined for any other, or one that leads out of ai/logs. */
export async function findLog(
  { layout }: Site,
  { run = '', step = '', name = '' }: Params,
): Promise<string | undefined> {
  const { stage, cell } = splitStepName(step);
  const path = relative(layout.home, layout.log(stage, cell, run, name as 'verify'));
  if (!listedLogs().has(path)) return undefined;
  const below = relative(layout.logs, join(layout.home, path));
  return below.startsWith('..') || (await blockAbove(layout.logs, below)) !== undefined
    ? undefined
    : join(layout.home, path);

  function listedLogs(): Set<string | undefined> {
    const events = listRuns(layout).includes(run) ? readEvents(layout.journal(run)).events : [];
    const { state } = loadStages(layout, { look: true });
    return new Set([
      ...events.map(({ data }) => ('log' in data ? data.log : undefined)),
      ...stepRecords(state).flatMap(({ record }) => [record.last?.log, record.green_log]),
      ...Object.values(readLedger(layout).ledger.entries).map(({ log }) => log),
    ]);
  }
}

const GONE = html`It was never written, or gc has forgotten it since. ${link('/runs', 'The runs that there are')}`;

export async function logView(site: Site, params: Params, query: Query): Promise<View> {
  const path = await findLog(site, params);
  if (path === undefined) return missing('There is no such log', GONE);
  const { run = '', step = '', name = '' } = params;
  const here = href('runs', run, 'logs', step, name);
  const text = (query.get('q') ?? '').slice(0, MAX_SEARCHED);
  const at = byteOf(query.get('at'));
  const isSearch = text !== '' && at === undefined;
  const matches = isSearch ? await searchLog(path, text, { before: byteOf(query.get('before')) }) : undefined;
  const marked = at !== undefined && { around: { at, length: Buffer.byteLength(text) } };
  const window =
    matches ?? readWindow(path, marked || { from: byteOf(query.get('from')), before: byteOf(query.get('before')) });
  if (!window) return missing('This log is gone', GONE);
  return {
    title: `Log of ${step}`,
    menu: 'Runs',
    body: html`<p class="crumbs">${link('/runs', 'Runs')} / ${link(href('runs', run), run)}</p>
<h1>Log of ${step}</h1>
<p class="lead">attempt ${name}, ${sizeText(window.size)}, <a href="${here}/raw" download>download it</a></p>
<form class="filter" role="search" action="${here}">
<p><label for="q">Search, from the end</label><input type="search" id="q" name="q" value="${text}" maxlength="${MAX_SEARCHED}"></p>
<p><button>Search</button></p>
</form>
${'hits' in window ? foundHtml(window, here, text) : windowHtml(window, { here, text, isNow: isWrittenNow(site, path), errors: errorsIn(site, path, run), before: (await linesBefore(path, window.from)) ?? 0 })}`,
  };
}

/** Whether a step that runs now writes it. */
function isWrittenNow({ layout }: Site, path: string): boolean {
  if (!runAtWork(layout)?.isRun) return false;
  const { state } = loadStages(layout, { look: true });
  return stepRecords(state).some(
    ({ record: { status, last } }) => status === 'running' && last?.log === relative(layout.home, path),
  );
}

const MAX_SEARCHED = 200;

const byteOf = (text: string | null): number | undefined => (/^\d{1,15}$/.test(text ?? '') ? Number(text) : undefined);

/** The lines by which the failure of this attempt was identified. */
function errorsIn({ layout }: Site, path: string, run: string): ReadonlySet<string> {
  const log = relative(layout.home, path);
  const events = listRuns(layout).includes(run) ? readEvents(layout.journal(run)).events : [];
  const seen = events.flatMap((event) =>
    event.type === 'failure.seen' && event.data.log === log ? [event.data.excerpt] : [],
  );
  return new Set(seen.flatMap((excerpt) => excerpt.split('\n').map((line) => line.trim())));
}

interface Shown {
  readonly here: string;
  /** What was looked for. */
  readonly text: string;
  readonly isNow: boolean;
  readonly errors: ReadonlySet<string>;
  /** How many lines are before the window. */
  readonly before: number;
}

function windowHtml({ from, to, size, parts }: LogWindow, { here, text, isNow, errors, before }: Shown): Html {
  const isEnd = to >= size;
  const where = size <= to - from ? 'all of it' : `${sizeText(from)} to ${sizeText(to)} of ${sizeText(size)}`;
  const lines = linesHtml(parts, before, errors);
  const moves = html`<nav class="pager" aria-label="Parts of the log">
${from > 0 && html`${link(withQuery(here, { from: 0 }), 'Beginning')} <a href="${withQuery(here, { before: from })}" rel="prev">Earlier</a>`}
<span class="muted">${where}</span>
${!isEnd && html`<a href="${withQuery(here, { from: to })}" rel="next">Later</a> ${link(here, 'End')}`}
${text !== '' && link(withQuery(here, { q: text }), 'All places')}
${lines.hasError && html`<a href="#error">To the error</a>`}
</nav>`;
  return html`${moves}
<pre class="log wrapped" tabindex="0" role="log" aria-live="off" aria-label="What was written"${isEnd && html` data-follow="${withQuery(`${here}/follow`, { from: to })}"`}${isEnd && isNow && html` data-now`}>${lines.all}</pre>
${size > WINDOW_BYTES && moves}`;
}

/** Each line with its number, error lines marked, and in one of them what was looked for. */
function linesHtml(
  [head = '', marked = '', tail = '']: readonly string[],
  before: number,
  errors: ReadonlySet<string>,
) {
  const text = head + marked + tail;
  const [from, to] = [head.length, head.length + marked.length];
  let [at, number, hasError] = [0, before, false];
  const all = text.split(/(?<=\n)/).map((line) => {
    const [left, right] = [Math.max(0, from - at), Math.min(line.length, to - at)];
    const isHit = marked !== '' && left < right;
    at += line.length;
    number++;
    const isError = errors.has(line.trim());
    const isFirst = isError && !hasError;
    hasError ||= isError;
    const words = isHit
      ? html`${line.slice(0, left)}<mark${from >= at - line.length && html` id="hit"`}>${line.slice(left, right)}</mark>${line.slice(right)}`
      : line;
    return html`<span class="${isError ? 'l error' : 'l'}" data-n="${number}"${isFirst && html` id="error"`}>${words}</span>`;
  });
  return { all, hasError };
}

function foundHtml({ hits, reached, size }: Found, here: string, text: string): Html {
  const rows = hits.map(
    ({ at, parts: [before, word, behind] }) =>
      html`<span class="when">at ${sizeText(at)}</span><a class="hit mono" href="${withQuery(here, { q: text, at })}#hit">${before}<mark>${word}</mark>${behind}</a>`,
  );
  const looked =
    reached === 0 ? 'all of it was looked at' : `looked at from ${sizeText(reached)} to the end at ${sizeText(size)}`;
  return html`<p class="muted">${hits.length === 0 ? 'no line has it' : `${counted(hits.length, 'line')} with it, the last first`}; ${looked}</p>
<div class="hits">${rowsHtml(rows, '')}</div>
<nav class="pager" aria-label="More places">${reached > 0 && html`<a href="${withQuery(here, { q: text, before: reached })}" rel="next">Look further back</a>`} ${link(here, 'Back to the end')}</nav>`;
}
