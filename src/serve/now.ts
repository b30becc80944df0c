// The first page: how things stand at one look. What waits for its owner, every stage with what it needs, the last runs.
import { kind } from '../console/failure-lines.ts';
import { headline, safeModeLines, stageWords, usedLines } from '../console/status-lines.ts';
import { readHistory } from '../journal/history.ts';
import { listRuns } from '../journal/runs.ts';
import type { CaseSummary } from '../outbound/case-summary.ts';
import { graphHtml } from '../page/graph.ts';
import { type Html, html } from '../page/html.ts';
import { runStrip } from '../page/run-strip.ts';
import { stateHtml } from '../page/states.ts';
import { entryOf, usedOn } from '../triage/ledger.ts';
import { counted } from '../triage/words.ts';
import { href, link, live, liveRows, notice, row, rowsHtml, timeHtml, type View } from './frame.ts';
import { runRow } from './runs.ts';
import { readState, type Site, waitingCases } from './site.ts';

const RUNS_DRAWN = 40;
const RUNS_LISTED = 5;

export function nowView(site: Site): View {
  const { layout } = site;
  const now = site.now();
  const { loaded, ledger, names, atWork, safeMode, notices } = readState(site);
  const map = site.map();
  const cases = waitingCases(site);
  const stages = names.map((name) => {
    const record = loaded.state.stages[name];
    return { name, record, needs: map[name]?.needs ?? [], ...stageWords(name, record, atWork) };
  });
  const runs = readHistory(layout, listRuns(layout).at(-RUNS_DRAWN));
  const conflict = loaded.latest?.events.findLast((event) => event.type === 'tree.conflict')?.data;
  const rows = stages.map(({ name, record, state, about, needs }) => {
    const entry = record?.fingerprint ? entryOf(ledger, name, record.fingerprint) : undefined;
    const needed = needs.length > 0 && html`${about && ', '}needs ${needs.join(', ')}`;
    const why = record?.reason && state !== 'green' && !about.includes(record.reason) && html`<br>${record.reason}`;
    return row(
      link(href('stages', name), name),
      stateHtml('stage', state),
      html`${about}${needed}${why}${
        entry &&
        html`<br>${link(href('failures', name, entry.fingerprint), kind(entry))}: ${entry.excerpt.split('\n')[0]}`
      }`,
      record && timeHtml(record.since, now),
    );
  });
  const graph = stages.map(({ name, needs, state, record }) => ({
    name,
    needs,
    state,
    href: href('stages', name),
    word: record ? state.replaceAll('_', ' ') : 'never run',
  }));
  return {
    title: 'Now',
    body: html`<div data-live="head"><h1>${verdict(stages, cases.length, atWork !== undefined)}</h1>
<p class="lead">${headline(loaded, names.length, atWork, now)}</p>
${conflict && notice('bad', html`<p>${conflict.message}</p><pre>${conflict.next}</pre>`)}
${
  safeMode &&
  notice(
    'warn',
    safeModeLines(safeMode, now).map((line) => html`<p>${line}</p>`),
  )
}
${notices.map((text) => notice('warn', html`<p>${text}</p>`))}
${usedLines(usedOn(ledger.day, now)).map((line) => html`<p class="small muted">${line}</p>`)}</div>
${liveRows(
  'waits',
  'Waits for you',
  cases.map((one) => caseRow(one, now)),
)}
${live('stages', 'Stages', html`${Object.keys(map).length > 1 && graphHtml(graph)}${rowsHtml(rows, 'no stage is known yet: mendloop validate says what is missing')}`)}
${live(
  'runs',
  'Last runs',
  html`${runs.length > 1 && runStrip(runs, (run) => href('runs', run))}
${rowsHtml(
  runs
    .slice(-RUNS_LISTED)
    .reverse()
    .map((run) => runRow(run, now)),
  'no run yet',
)}
${runs.length > RUNS_LISTED && html`<p>${link('/runs', 'All runs')}</p>`}`,
)}`,
  };
}

type Standing = readonly { readonly state: string }[];

function verdict(stages: Standing, cases: number, isAtWork: boolean): string {
  const count = (...states: string[]) => stages.filter(({ state }) => states.includes(state)).length;
  const green = count('green');
  const failed = count('failed', 'give_up');
  if (isAtWork) return `A run is at work: ${green} of ${counted(stages.length, 'stage')} green`;
  if (cases > 0) return `${counted(cases, 'case')} ${cases === 1 ? 'waits' : 'wait'} for you`;
  if (failed > 0) return `${counted(failed, 'stage')} of ${stages.length} failed`;
  if (stages.length === 0) return 'No stage yet';
  return green === stages.length
    ? `All ${counted(green, 'stage')} are green`
    : `${green} of ${counted(stages.length, 'stage')} are green`;
}

export function caseRow({ case: name, state, stage, class: kindOf, why, opened }: CaseSummary, now: number): Html {
  return row(
    link(href('cases', name), name),
    stateHtml('case', state),
    html`${stage}: ${kindOf}${why && `; ${why}`}`,
    timeHtml(opened, now),
  );
}
