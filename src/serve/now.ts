// The first page: how things stand at one look. What waits for its owner with its change and buttons, every stage, the failed ones
// first, the last runs.
import { kind } from '../console/failure-lines.ts';
import { headline, safeModeLines, stageWords, usedLines } from '../console/status-lines.ts';
import { type Waiting, waitingCases, waitingText, waitsNow } from '../inspect/waiting.ts';
import { readHistory } from '../journal/history.ts';
import { listRuns } from '../journal/runs.ts';
import type { StageRecord } from '../journal/stages.ts';
import type { RunSummary } from '../journal/summary.ts';
import type { CaseSummary } from '../outbound/case-summary.ts';
import { graphHtml } from '../page/graph.ts';
import { type Html, html } from '../page/html.ts';
import { runStrip } from '../page/run-strip.ts';
import { stateHtml, stateOf } from '../page/states.ts';
import { uptimeStrip } from '../page/uptime-strip.ts';
import { entryOf, type Ledger, usedOn } from '../triage/ledger.ts';
import { counted } from '../triage/words.ts';
import { runsShown, safeModeShown } from './acts.ts';
import { aliveHtml, aliveSteps } from './alive.ts';
import { offered, proposal } from './case-parts.ts';
import { button, commandHtml, href, link, live, notice, row, rowsHtml, timeHtml, type View } from './frame.ts';
import { runRow } from './runs.ts';
import { readState, type Site } from './site.ts';

const RUNS_DRAWN = 40;
const RUNS_LISTED = 5;

export async function nowView(site: Site): Promise<View> {
  const { layout } = site;
  const now = site.now();
  const { loaded, ledger, names, atWork, safeMode, notices } = readState(site);
  const freshness = await site.freshness();
  const waits = waitsNow(layout, { loaded, ledger });
  const map = site.map();
  const stages = names.map((name): Row => {
    const record = loaded.state.stages[name];
    const { state, about } = stageWords(name, record, atWork);
    // Nobody looked lately: it was green then.
    return {
      name,
      record,
      needs: map[name]?.needs ?? [],
      about,
      state: freshness.isOld && state === 'green' ? 'old' : state,
    };
  });
  const runs = readHistory(layout, listRuns(layout).at(-RUNS_DRAWN));
  const conflict = loaded.latest?.events.findLast((event) => event.type === 'tree.conflict')?.data;
  return {
    title: 'Now',
    body: html`<div data-live="head"><h1>${verdict(stages, waits, atWork !== undefined, freshness.text)}</h1>
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
<div data-live="waits">${waitsHtml(site, waits, ledger)}</div>
${site.once && html`<div class="acts" data-live="acts">${!atWork && button(site, { to: '/run', label: 'Run all now', shown: runsShown(site) })}${button(site, { to: safeMode ? '/safe-mode/off' : '/safe-mode/on', label: safeMode ? 'Leave safe mode' : 'Safe mode', shown: safeModeShown(site) })}</div>`}
${live('stages', 'Stages', stagesHtml(site, stages, ledger, runs))}
${live('runs', 'Last runs', runsHtml(runs, now))}`,
  };
}

interface Row {
  readonly name: string;
  readonly record: StageRecord | undefined;
  readonly needs: readonly string[];
  readonly state: string;
  readonly about: string;
}

function verdict(stages: readonly Row[], waits: readonly Waiting[], isAtWork: boolean, overdue: string): string {
  const count = (...states: string[]) => stages.filter(({ state }) => states.includes(state)).length;
  const green = count('green');
  const failed = count('failed', 'give_up');
  if (isAtWork) return `A run is at work: ${green} of ${counted(stages.length, 'stage')} green`;
  const urgent = waits.filter(({ what }) => what !== 'promote');
  if (urgent.length > 0 && urgent.every(({ what }) => what === 'case'))
    return `${counted(urgent.length, 'case')} ${urgent.length === 1 ? 'waits' : 'wait'} for you`;
  if (urgent.length > 0) return `Waits for you: ${waitingText(urgent)}`;
  if (failed > 0) return `${counted(failed, 'stage')} of ${stages.length} failed`;
  if (stages.length === 0) return 'No stage yet';
  if (overdue !== '') return `${overdue[0]?.toUpperCase()}${overdue.slice(1)}: what was green then may not be now`;
  return green === stages.length
    ? `All ${counted(green, 'stage')} are green`
    : `${green} of ${counted(stages.length, 'stage')} are green`;
}

/** So many cases are shown with their change. */
const CASES_OPEN = 3;

function waitsHtml(site: Site, waits: readonly Waiting[], ledger: Ledger): Html | false {
  const cases = waitingCases(site.layout);
  const rest = waits.filter(({ what }) => what !== 'case' && what !== 'safe mode' && what !== 'conflict');
  const open = cases.filter(({ state }) => state === 'open');
  const others = rest.filter(
    (one) => !cases.some((each) => each.stage === one.stage && each.fingerprint === one.fingerprint),
  );
  const folded = [...open.slice(CASES_OPEN), ...cases.filter(({ state }) => state !== 'open')];
  if (waits.length === 0 && cases.length === 0) return false;
  if (open.length + folded.length + others.length === 0) return false;
  return html`<section aria-labelledby="waits"><h2 id="waits">Waits for you</h2>
${open.slice(0, CASES_OPEN).map((one) => caseCard(site, one, ledger))}
${
  folded.length > 0 &&
  rowsHtml(
    folded.map((one) => caseRow(one, site.now())),
    '',
  )
}
${others.map((one) => (one.what === 'promote' ? html`<p>${link('/promote', one.text)}</p>` : commandHtml({ what: one.text, command: one.command })))}
</section>`;
}

/** All that a person needs to answer: what failed, the change, why they are asked, and the buttons. */
function caseCard(site: Site, summary: CaseSummary, ledger: Ledger): Html {
  const { case: name, stage, fingerprint, opened } = summary;
  const entry = entryOf(ledger, stage, fingerprint);
  return html`<article class="card" aria-labelledby="case-${name}"><h3 id="case-${name}">${link(href('cases', name), html`${stage} failed: ${summary.class}`)} <span class="when">${timeHtml(opened, site.now())}</span></h3>
${entry && html`<pre class="wrapped excerpt" tabindex="0">${entry.excerpt}</pre>`}
${proposal(summary)}
${offered(site, summary, false)}</article>`;
}

/** Failed stages come first, then those that run. */
const RANK: Readonly<Record<string, number>> = { give_up: 0, failed: 0, running: 1, unclear: 1, 'cut off': 2 };
const OTHER = 3;

function stagesHtml(site: Site, stages: readonly Row[], ledger: Ledger, runs: readonly RunSummary[]): Html {
  const now = site.now();
  const alive = aliveSteps(site);
  const sorted = stages.toSorted((a, b) => (RANK[a.state] ?? OTHER) - (RANK[b.state] ?? OTHER));
  const rows = sorted.map(({ name, record, state, about, needs }) => {
    const entry = record?.fingerprint ? entryOf(ledger, name, record.fingerprint) : undefined;
    const needed = needs.length > 0 && !about.startsWith('needs ') && html`${about && ', '}needs ${needs.join(', ')}`;
    const why = record?.reason && !/^(?:green|old)$/.test(state) && !about.includes(record.reason);
    const isFailed = /^(?:failed|give_up)$/.test(state);
    return row(
      link(href('stages', name), name),
      stateHtml('stage', state),
      html`${about}${needed}${why && html`<br>${record.reason}`}${
        entry &&
        isFailed &&
        html`<br>${link(href('failures', name, entry.fingerprint), kind(entry))}: <span class="mono">${entry.excerpt.split('\n')[0]}</span>`
      }${alive.filter(({ step }) => step === name || step.startsWith(`${name}[`)).map(aliveHtml)}${uptimeStrip(name, runs)}`,
      record && timeHtml(record.since, now),
    );
  });
  const graph = stages.map(({ name, needs, state, record }) => ({
    name,
    needs,
    state,
    href: href('stages', name),
    word: record ? stateOf('stage', state).word : 'never run',
  }));
  return html`${stages.some(({ needs }) => needs.length > 0) && graphHtml(graph)}${rowsHtml(rows, 'no stage is known yet: mendloop validate says what is missing')}`;
}

function runsHtml(runs: readonly RunSummary[], now: number): Html {
  const latest = runs.slice(-RUNS_LISTED).reverse();
  return html`${runs.length > 1 && runStrip(runs, (run) => href('runs', run))}
<div class="byTime">${rowsHtml(
    latest.map((run) => runRow(run, now)),
    'no run yet',
  )}</div>
${runs.length > RUNS_LISTED && html`<p>${link('/runs', 'All runs')}</p>`}`;
}

export function caseRow({ case: name, state, stage, class: kindOf, why, opened }: CaseSummary, now: number): Html {
  return row(
    link(href('cases', name), name),
    stateHtml('case', state),
    html`${stage}: ${kindOf}${why && `; ${why}`}`,
    timeHtml(opened, now),
  );
}
