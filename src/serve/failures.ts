// The failures of all runs, by fingerprint, and one of them with all that `explain` says.
import { explanationLines } from '../console/failure-report.ts';
import { explainFailure } from '../inspect/explain.ts';
import { failureGroups } from '../inspect/failure-groups.ts';
import { readHistory } from '../journal/history.ts';
import { readLedger } from '../journal/ledger-file.ts';
import { type Html, html } from '../page/html.ts';
import { stateHtml } from '../page/states.ts';
import { entryOf } from '../triage/ledger.ts';
import { counted } from '../triage/words.ts';
import {
  facts,
  href,
  link,
  live,
  missing,
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
import { runRow } from './runs.ts';
import type { Site } from './site.ts';

const GROUPS_A_PAGE = 50;
const RUNS_LISTED = 10;

export function failuresView(site: Site, _: Params, query: Query): View {
  const now = site.now();
  const { ledger } = readLedger(site.layout);
  const groups = failureGroups(readHistory(site.layout), ledger);
  const { from, to, pager } = pages(groups.length, GROUPS_A_PAGE, query.get('page'), (page) =>
    withQuery('/failures', { page }),
  );
  const rows = groups.slice(from, to).map((group) => {
    const mended = group.fixes.filter(({ outcome }) => outcome === 'kept').length;
    const facts = [
      counted(group.times, 'time'),
      counted(group.runs.length, 'run'),
      mended > 0 && counted(mended, 'fix', 'fixes'),
    ];
    return row(
      link(href('failures', group.stage, group.fingerprint), `${group.stage}: ${group.class}`),
      stateHtml('failure', group.state),
      html`${group.excerpt}<br>${facts.filter(Boolean).join(', ')}`,
      timeHtml(group.last, now),
    );
  });
  return {
    title: 'Failures',
    body: html`<h1>Failures</h1><p class="lead">One row for each failure that runs have seen, the most frequent first.</p>
<div data-live="list">${rowsHtml(rows, 'no failure yet')}${pager}</div>`,
  };
}

export async function failureView(site: Site, { stage = '', fingerprint = '' }: Params): Promise<View> {
  const { layout } = site;
  const now = site.now();
  const { ledger } = readLedger(layout);
  const entry = entryOf(ledger, stage, fingerprint);
  if (!entry) return missing('Nothing is known of such a failure', link('/failures', 'The failures that there were'));
  const explanation = await explainFailure(entry, ledger, layout, { now, ai: true, env: process.env });
  const [title = '', ...paragraphs] = explanationLines(explanation, now).join('\n').split('\n\n');
  const log = entry.log === undefined ? undefined : logHref(entry.log);
  const runs = readHistory(layout)
    .filter(({ failures }) => failures.some((one) => one.stage === stage && one.fingerprint === fingerprint))
    .reverse();
  return {
    title: `${stage}: ${entry.class}`,
    menu: 'Failures',
    body: html`<p class="crumbs">${link('/failures', 'Failures')}</p>
<h1>${stage}: ${entry.class}</h1>
<p class="lead">${title.replaceAll('\n', '; ')}</p>
${facts([
  entry.case !== undefined && ['Case', link(href('cases', entry.case), entry.case)],
  log !== undefined && ['Log', link(log, 'of its last time')],
  ['Stage', link(href('stages', stage), stage)],
])}
${paragraphs.map(paragraphHtml)}
${live(
  'runs',
  'Runs that had it',
  html`${rowsHtml(
    runs.slice(0, RUNS_LISTED).map((run) => runRow(run, now)),
    'they are forgotten',
  )}${runs.length > RUNS_LISTED && html`<p>${link(withQuery('/runs', { stage, fingerprint }), `All ${runs.length} of them`)}</p>`}`,
)}`,
  };
}

/** The first line is the heading of the others. */
function paragraphHtml(paragraph: string): Html {
  const [title = '', ...lines] = paragraph.split('\n');
  if (lines.length === 0) return html`<p class="small muted">${title}</p>`;
  const indent = Math.min(...lines.map((line) => line.search(/\S|$/)));
  const text = lines.map((line) => line.slice(indent)).join('\n');
  return html`<section><h2>${title[0]?.toUpperCase()}${title.slice(1)}</h2><pre class="wrapped" tabindex="0">${text}</pre></section>`;
}
