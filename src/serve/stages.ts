// One stage: how it stands, what it needs and who needs it, its cells, its failures and its last runs.
import { stageWords } from '../console/status-lines.ts';
import { spell } from '../console/words.ts';
import { readHistory } from '../journal/history.ts';
import type { StepRecord } from '../journal/stages.ts';
import { type Html, html, type Part } from '../page/html.ts';
import { stateHtml } from '../page/states.ts';
import { entriesOf } from '../triage/ledger.ts';
import { counted } from '../triage/words.ts';
import { stageShown } from './acts.ts';
import { aliveHtml, aliveSteps } from './alive.ts';
import {
  button,
  facts,
  href,
  link,
  live,
  liveRows,
  missing,
  type Params,
  row,
  rowsHtml,
  timeHtml,
  type View,
  withQuery,
} from './frame.ts';
import { logHref } from './logs.ts';
import { readState, type Site } from './site.ts';

const RUNS_LISTED = 10;

export function stageView(site: Site, { stage = '' }: Params): View {
  const { loaded, ledger, names, atWork } = readState(site);
  if (!names.includes(stage)) return missing('There is no such stage', link('/', 'The stages that there are'));
  const now = site.now();
  const map = site.map();
  const alive = aliveSteps(site).filter(({ step }) => step === stage || step.startsWith(`${stage}[`));
  const record = loaded.state.stages[stage];
  const mapped = map[stage];
  const neededBy = Object.entries(map).flatMap(([name, { needs }]) => (needs.includes(stage) ? [name] : []));
  const { state, about } = stageWords(stage, record, atWork);
  const stageLinks = (all: readonly string[]): Part =>
    all.map((name, i) => [i > 0 && ', ', link(href('stages', name), name)]);
  const cells = Object.entries(record?.cells ?? {}).map(([cell, one]) => {
    const words = stageWords(`${stage}[${cell}]`, one, atWork);
    return row(
      cell,
      stateHtml('stage', words.state),
      html`${words.about}${one.reason && !words.about.includes(one.reason) && html`<br>${one.reason}`}${logLink(one)}`,
      timeHtml(one.since, now),
    );
  });
  const failures = entriesOf(ledger, stage)
    .sort((a, b) => (a.last_seen < b.last_seen ? 1 : -1))
    .map((entry) =>
      row(
        link(href('failures', stage, entry.fingerprint), entry.class),
        html`<span class="state idle">${counted(entry.times_seen, 'time')}</span>`,
        entry.excerpt.split('\n')[0],
        timeHtml(entry.last_seen, now),
      ),
    );
  const runs = readHistory(site.layout)
    .flatMap((run) => run.stages.flatMap((one) => (one.stage === stage ? [{ run, one }] : [])))
    .slice(-RUNS_LISTED)
    .reverse()
    .map(({ run, one }) =>
      row(
        link(href('runs', run.run), timeHtml(run.began, now)),
        stateHtml('stage', one.end),
        [one.attempts > 0 && spell(one.spent_ms), one.attempts > 1 && `${one.attempts} attempts`, one.drift, one.reason]
          .filter(Boolean)
          .join(' · '),
        html`<span class="mono">${run.run}</span>`,
      ),
    );
  return {
    title: stage,
    menu: 'Now',
    body: html`<p class="crumbs">${link('/', 'Now')}</p>
<div data-live="head"><h1>${stage}</h1>
${facts([
  [
    'State',
    html`${stateHtml('stage', state)}${record && html` <span class="muted">since ${timeHtml(record.since, now)}</span>`}`,
  ],
  about !== '' && ['', about],
  record?.reason !== undefined && !about.includes(record.reason) && ['Why', record.reason],
  mapped !== undefined && mapped.needs.length > 0 && ['Needs', stageLinks(mapped.needs)],
  neededBy.length > 0 && ['Needed by', stageLinks(neededBy)],
  mapped !== undefined && ['Command', html`<code>${[mapped.command].flat().join(' ')}</code>`],
  record?.last?.log !== undefined && ['Log', logLink(record)],
  alive.length > 0 && ['Now', alive.map(aliveHtml)],
])}</div>
${
  mapped &&
  site.once &&
  html`<div class="acts" data-live="acts">${!atWork && button(site, { to: `${href('stages', stage)}/run`, label: 'Run it now', shown: stageShown(record) })}${!atWork && state !== 'green' && button(site, { to: `${href('stages', stage)}/retry`, label: 'Retry', shown: stageShown(record) })}</div>`
}
${liveRows('cells', 'Cells', cells)}
${liveRows('failures', 'Failures that it had', failures)}
${live('runs', 'Last runs', html`${rowsHtml(runs, 'no run had to do with it yet')}${runs.length === RUNS_LISTED && html`<p>${link(withQuery('/runs', { stage }), 'All runs of it')}</p>`}`)}`,
  };
}

function logLink({ last }: StepRecord): Html | false {
  const to = last?.log === undefined ? undefined : logHref(last.log);
  return to !== undefined && html` ${link(to, 'latest log')}`;
}
