// The runs there have been, and one of them: its timeline, attempts with their logs, failures, fixes, and how it was told.
import { plainWatcher } from '../console/plain.ts';
import { moneyText, runWords, spell } from '../console/words.ts';
import type { LoopEvent } from '../events.ts';
import { type TimelineRow, timelineOf } from '../inspect/timeline.ts';
import { damageOf, readEvents } from '../journal/event-file.ts';
import { readHistory, summaryOf } from '../journal/history.ts';
import { readLedger } from '../journal/ledger-file.ts';
import { listRuns } from '../journal/runs.ts';
import { concerns, RUN_OUTCOMES, type RunFilter, type RunSummary, runFacts } from '../journal/summary.ts';
import { type Html, html } from '../page/html.ts';
import { stateHtml, stateOf } from '../page/states.ts';
import { barState, rowState, timelineSvg } from '../page/timeline.ts';
import { patchIn } from '../triage/ledger.ts';
import { authorOf, counted } from '../triage/words.ts';
import {
  dateText,
  facts,
  href,
  link,
  live,
  liveRows,
  missing,
  notice,
  type Params,
  pages,
  type Query,
  row,
  rowsHtml,
  timeHtml,
  type View,
  withQuery,
} from './frame.ts';
import { logHref } from './logs.ts';
import type { Site } from './site.ts';

const RUNS_A_PAGE = 50;

export function runsView(site: Site, _: Params, query: Query): View {
  const wanted = (key: string) => query.get(key) || undefined;
  const filter: RunFilter = { stage: wanted('stage'), outcome: wanted('outcome'), fingerprint: wanted('fingerprint') };
  const fitting = readHistory(site.layout)
    .filter((run) => concerns(run, filter))
    .reverse();
  const { from, to, pager } = pages(fitting.length, RUNS_A_PAGE, query.get('page'), (page) =>
    withQuery('/runs', { ...filter, page }),
  );
  const stages = Object.keys(site.map());
  return {
    title: 'Runs',
    body: html`<h1>Runs</h1>
<form class="filter" action="/runs">
${choice('stage', 'Stage', stages, filter.stage)}
${choice('outcome', 'Outcome', RUN_OUTCOMES, filter.outcome, (outcome) => stateOf('run', outcome).word)}
${filter.fingerprint !== undefined && html`<p><label for="fingerprint">Failure</label><input id="fingerprint" name="fingerprint" value="${filter.fingerprint}"></p>`}
<p><button>Show</button></p>
</form>
<div data-live="list">${rowsHtml(
      fitting.slice(from, to).map((run) => runRow(run, site.now())),
      'no run fits',
    )}${pager}</div>`,
  };
}

const choice = (
  name: string,
  title: string,
  values: readonly string[],
  chosen: string | undefined,
  wordFor = (value: string) => value,
): Html =>
  html`<p><label for="${name}">${title}</label><select id="${name}" name="${name}"><option value="">any</option>${values.map(
    (value) => html`<option value="${value}"${value === chosen && html` selected`}>${wordFor(value)}</option>`,
  )}</select></p>`;

/** A run as a row of a list. */
export function runRow(run: RunSummary, now: number): Html {
  const parts = [
    run.duration_ms !== undefined && spell(run.duration_ms),
    ...runWords(runFacts(run)),
    run.tokens > 0 && counted(run.tokens, 'token'),
    run.damage !== undefined && 'its journal is damaged',
  ];
  return row(
    link(href('runs', run.run), timeHtml(run.began, now)),
    stateHtml('run', run.outcome),
    [run.asked, ...parts].filter(Boolean).join(' · '),
    html`<span class="mono">${run.run}</span>`,
  );
}

const EXITS: Readonly<Record<number, string>> = {
  0: 'all that was asked for is green',
  1: 'failed; the next run tries again',
  3: 'a human is needed',
  130: 'interrupted',
};

export function runView(site: Site, { run = '' }: Params): View {
  const { layout } = site;
  if (!listRuns(layout).includes(run))
    return missing(
      'There is no such run',
      html`It was never there, or gc has forgotten it since. ${link('/runs', 'The runs that there are')}`,
    );
  const file = readEvents(layout.journal(run));
  const { events } = file;
  const summary = summaryOf(layout, run);
  const damage = damageOf(file);
  const { ledger } = readLedger(layout);
  const now = site.now();
  const { duration_ms, exit, tokens, dollars } = summary;
  return {
    title: `Run ${run}`,
    menu: 'Runs',
    body: html`<p class="crumbs">${link('/runs', 'Runs')}</p>
<div data-live="head"><h1>Run <span class="mono">${run}</span></h1>
${damage && notice('warn', html`<p>The journal of this run ${damage}.</p>`)}
${facts([
  [
    'Outcome',
    html`${stateHtml('run', summary.outcome)}${exit !== undefined && html` <span class="muted">${EXITS[exit] ?? `exit ${exit}`}</span>`}`,
  ],
  ['Asked for', summary.asked || 'all'],
  ['Began', html`${timeHtml(summary.began, now)} <span class="muted">${dateText(summary.began)}</span>`],
  duration_ms !== undefined && ['Took', spell(duration_ms)],
  ['Lab', summary.lab || 'unknown'],
  tokens > 0 && [
    'Models',
    `${counted(summary.prompts, 'prompt')}, ${counted(tokens, 'token')}${dollars > 0 ? `, ${moneyText(dollars)}` : ''}`,
  ],
])}</div>
${timelineSection(run, events)}
${liveRows('failures', 'Failures', summary.failures.map(failureRow))}
${liveRows(
  'fixes',
  'Fixes',
  summary.fixes.map((fix) => fixRow(fix, authorOf({ ...patchIn(ledger, fix), ...fix }))),
)}
${live('told', 'As it was told', html`<pre class="wrapped" tabindex="0" aria-label="What the run printed">${runLines(events, layout.home).join('\n')}</pre>`)}`,
  };
}

const failureRow = ({ stage, fingerprint, class: kind, excerpt, times }: RunSummary['failures'][number]): Html =>
  row(
    link(href('failures', stage, fingerprint), kind),
    stateHtml('stage', 'failed', stage),
    excerpt,
    times > 1 && `${times} times`,
  );

const fixRow = ({ commit, stage, outcome, fix, why }: RunSummary['fixes'][number], author: string): Html =>
  row(
    commit ? link(href('fixes', commit), stage) : stage,
    stateHtml('fix', outcome),
    html`${fix}${why && html`<br>${why}`}`,
    author,
  );

function timelineSection(run: string, events: readonly LoopEvent[]): Html | false {
  const timeline = timelineOf(events);
  const rows = timeline?.rows.filter(({ step }) => step !== '') ?? [];
  if (!timeline || rows.length === 0) return false;
  const attempts = rows.flatMap(({ step, bars }) =>
    bars.map((bar) => {
      const log = bar.log === undefined ? undefined : logHref(bar.log);
      return html`<tr><th scope="row">${step}</th><td class="number">${bar.attempt}</td><td>${stateHtml('stage', barState(bar))}</td>
<td class="number">${spell(Date.parse(bar.to) - Date.parse(bar.from))}</td>
<td>${log && link(log, html`log<span class="unseen"> of ${step}, attempt ${bar.attempt}</span>`)}</td></tr>`;
    }),
  );
  return live(
    'timeline',
    'Timeline',
    html`${attempts.length > 0 && timelineSvg(timeline)}
${
  attempts.length > 0 &&
  html`<div class="scroll" role="region" aria-label="Attempts of run ${run}" tabindex="0"><table>
<thead><tr><th scope="col">Step</th><th scope="col" class="number">Attempt</th><th scope="col">Ended</th>
<th scope="col" class="number">Took</th><th scope="col">Log</th></tr></thead>
<tbody>${attempts}</tbody></table></div>`
}
${idleRows(rows)}`,
  );
}

/** Steps that had no attempt, together with those that had none for the same reason. */
function idleRows(rows: readonly TimelineRow[]): Html {
  const groups = new Map<string, { state: string; steps: string[] }>();
  for (const row of rows.filter(({ bars }) => bars.length === 0)) {
    const { state, reason = '' } = rowState(row);
    const group = groups.get(`${state} ${reason}`) ?? { state, steps: [] };
    groups.set(`${state} ${reason}`, {
      ...group,
      steps: [...group.steps, reason === '' ? row.step : `${row.step} (${reason})`],
    });
  }
  return html`${[...groups.values()].map(({ state, steps }) => html`<p class="small">${stateHtml('stage', state)} <span class="muted">${steps.join(', ')}</span></p>`)}`;
}

/** The lines that a run printed, from its events. */
function runLines(events: readonly LoopEvent[], home: string): string[] {
  const lines: string[] = [];
  const line = (text: string) => void lines.push(text);
  const { event: watch } = plainWatcher({ line, errorLine: line, quiet: false }, home);
  for (const event of events) watch(event);
  return lines;
}
