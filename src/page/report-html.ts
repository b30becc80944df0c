// A report as one file of HTML: no script, no request to anywhere, the same sections as everywhere, with pictures and changes.
import { spell } from '../console/words.ts';
import type { DayMark, Report } from '../inspect/report.ts';
import { authorOf, counted } from '../triage/words.ts';
import { diffHtml } from './diff.ts';
import { Html, html, type Part, percent } from './html.ts';
import {
  aboutRun,
  glanceOf,
  repeated,
  reportTitle,
  type Section,
  sectionsOf,
  slowestFirst,
  trendWord,
  when,
} from './report-sections.ts';
import { shippedText } from './shipped.ts';
import { stateHtml, stateOf } from './states.ts';
import { timelineSvg } from './timeline.ts';

/** The whole file. `diffs`: commit → its change; `now` is when it is made. Throws only when the package lacks its style. */
export function reportHtml(report: Report, diffs: ReadonlyMap<string, string>, now: string): string {
  const sections = new Map(sectionsOf(report).map((section) => [section.id, section]));
  const sectionHtml = (id: Section['id'], body: (section: Section) => Part): Part => {
    const section = sections.get(id);
    if (!section) return undefined;
    const hasRows = section.rows.length > 0;
    return html`<section aria-labelledby="${id}"><h2 id="${id}">${section.title}</h2>
${hasRows ? body(section) : html`<p class="muted">${section.none}</p>`}
${hasRows && section.more && html`<p class="muted small">${section.more}</p>`}</section>`;
  };
  const title = reportTitle(report);
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="referrer" content="no-referrer">
<title>${title}: mendloop report</title>
<style>${new Html(shippedText('src/page/style.css'))}</style>
</head>
<body class="report">
<main>
<h1>${title}</h1>
<p class="lead">mendloop report, made ${when(now)}. Times are UTC.</p>
${report.notices.map((text) => html`<p class="notice warn">${text}</p>`)}
<ul class="tiles">${glanceOf(report).map(
    ({ label, figure, text }) =>
      html`<li><span class="muted small">${label}</span><span class="figure">${figure}</span><span class="small">${text}</span></li>`,
  )}</ul>
${sectionHtml('waits', () => html`<ul class="rows">${report.waits.map(waitRow)}</ul>`)}
${picture(report)}
${sectionHtml('failures', () => html`<ul class="rows">${report.failures.map((one) => failureRow(one, report.days))}</ul>`)}
${sectionHtml('fixes', () => report.fixes.map((fix) => fixHtml(fix, diffs, report.fixes.length <= MAX_OPENED)))}
${sectionHtml('drift', () => html`<ul class="rows">${report.drift.map(driftRow)}</ul>`)}
${sectionHtml('stages', (one) => (report.run === undefined ? stagesTable(report, one.head) : plainTable(one)))}
${sectionHtml('items', () => html`<ul class="rows">${report.items.map(itemRow)}</ul>`)}
${sectionHtml('runs', () => html`<ul class="rows">${report.runs.latest.map(runRow)}</ul>`)}
</main>
</body>
</html>
`.toString();
}

/** With more changes than these, each is folded. */
const MAX_OPENED = 3;

const time = (iso: string): Html => html`<time class="when" datetime="${iso}">${when(iso)}</time>`;

const waitRow = ({ what, text, since, command }: Report['waits'][number]): Html =>
  html`<li>${stateHtml('failure', 'waits', what)}<code class="what">${command}</code><span class="about">${text}</span>${since ? time(since) : html`<span></span>`}</li>`;

function failureRow(one: Report['failures'][number], days: Report['days']): Html {
  const first = one.first === one.last ? '' : `, first ${one.first.slice(0, 10)}`;
  return html`<li>${stateHtml('failure', one.state)}
<span class="what">${one.stage}</span>
<span class="about">${one.class}, ${counted(one.times, 'time')} in ${counted(one.runs.length, 'run')}${first}</span>${time(one.last)}
<div class="more"><code class="excerpt">${one.excerpt}</code>
${days.length > 1 && bars(one.counts, 'bad', (n, i) => `${days[i]?.from}: ${counted(n, 'time')}`)}
<span class="muted small"><code>mendloop explain ${one.fingerprint}</code></span></div></li>`;
}

type Fix = Report['fixes'][number];

function fixHtml(fix: Fix, diffs: ReadonlyMap<string, string>, isOpen: boolean): Html {
  const diff = fix.commit === undefined ? undefined : diffs.get(fix.commit);
  const gone = fix.commit === undefined ? 'It was never committed.' : 'Its commit is not in this repository any more.';
  const words = [fix.reason, fix.why && `${stateOf('fix', fix.outcome).word}: ${fix.why}`].filter(Boolean).join('; ');
  const made = fix.commit === undefined ? undefined : html`, commit <code>${fix.commit.slice(0, 12)}</code>`;
  return html`<details class="change"${isOpen && html` open`}>
<summary>${stateHtml('fix', fix.outcome)} <strong>${fix.stage}</strong> ${fix.fix || 'a change'}${repeated(fix)} <span class="muted small">${when(fix.time)}</span></summary>
${words !== '' && html`<p>${words}</p>`}
<p class="muted small">for ${fix.class} <code>${fix.fingerprint}</code>, by ${authorOf(fix)}, run <code>${fix.run}</code>${made}</p>
${diff === undefined ? html`<p class="muted">${gone}</p>` : diffHtml(diff)}
</details>`;
}

const driftRow = ({ times, last, stage, text }: Report['drift'][number]): Html =>
  html`<li>${stateHtml('run', 'partial', counted(times, 'time'))}<span class="what">${stage}</span><span class="about">${text}</span>${time(last)}</li>`;

const itemRow = ({ number, title, state, note }: Report['items'][number]): Html =>
  html`<li>${stateHtml('item', state)}<span class="what">${number}</span><span class="about">${title}${note && `: ${note}`}</span><span></span></li>`;

function runRow(one: Report['runs']['latest'][number]): Html {
  const took = one.duration_ms === null ? '' : spell(one.duration_ms);
  return html`<li>${stateHtml('run', one.outcome)}<code class="what">${one.run}</code><span class="about">${[took, one.asked, aboutRun(one)].filter(Boolean).join(', ')}</span>${time(one.began)}</li>`;
}

function stagesTable({ stages, days }: Report, head: readonly string[]): Html {
  const isSeries = days.length > 1;
  const rows = slowestFirst(stages).map(
    (one) => html`<tr><th scope="row">${one.stage}</th><td>${stateHtml('stage', one.status)}</td>
<td class="number">${one.green_ms !== null && spell(one.green_ms)}</td>
<td>${isSeries && one.green_ms !== null && bars(one.paces, 'busy', (ms, i) => `${days[i]?.from}: ${spell(ms)}`)}${trendWord(one)}</td>
<td class="number">${one.worked_on}</td><td class="number">${one.attempts}</td><td class="number">${one.failed}</td></tr>`,
  );
  return tableHtml('stages', head, rows);
}

const plainTable = ({ title, head, rows }: Section): Html =>
  tableHtml(
    title,
    head,
    rows.map((row) => html`<tr>${row.map((cell) => html`<td>${cell}</td>`)}</tr>`),
  );

const tableHtml = (label: string, head: readonly string[], rows: readonly Html[]): Html =>
  html`<div class="scroll" role="region" aria-label="${label}" tabindex="0"><table>
<thead><tr>${head.map((name) => html`<th scope="col">${name}</th>`)}</tr></thead>
<tbody>${rows}</tbody></table></div>`;

/** A small bar chart, hidden from screen readers: the numbers are beside it. */
function bars(values: readonly (number | null)[], look: string, say: (value: number, i: number) => string): Html {
  const most = Math.max(1, ...values.map((value) => value ?? 0));
  const wide = 100 / values.length;
  const drawn = values.map((value, i) => {
    if (!value) return undefined;
    const height = Math.max(2, (value / most) * SPARK_HEIGHT);
    return html`<rect x="${percent(i * wide)}" width="${percent(wide * 0.8)}" y="${SPARK_HEIGHT - height}" height="${height}"><title>${say(value, i)}</title></rect>`;
  });
  return html`<svg class="spark" width="100%" height="${SPARK_HEIGHT}" aria-hidden="true" focusable="false"><g class="${look}">${drawn}</g></svg>`;
}

const SPARK_HEIGHT = 24;

/** How each mark is drawn: the worse, the taller, so that it can be told without colour. */
const MARKS: Readonly<Record<NonNullable<DayMark>, { look: string; height: number; word: string }>> = {
  failed: { look: 'bad', height: 18, word: 'left failed' },
  mended: { look: 'warn', height: 12, word: 'failed or drifted, and green again' },
  green: { look: 'good', height: 5, word: 'green all day' },
  skipped: { look: 'idle', height: 2, word: 'was not made' },
};
const ROW = 38;
const AXIS = 22;

/** The run as it went, or the stages day by day. */
function picture(report: Report): Part {
  const { timeline, days, stages } = report;
  if (timeline)
    return html`<section aria-labelledby="timeline"><h2 id="timeline">As it went</h2>${timelineSvg(timeline)}</section>`;
  if (days.length < 2 || stages.length === 0) return undefined;
  const wide = 100 / days.length;
  const rows = stages.map(({ stage, status, marks }, row) => {
    const base = row * ROW + 34;
    const cells = marks.map((mark, i) => {
      if (mark === null) return undefined;
      const { look, height, word } = MARKS[mark];
      return html`<rect class="${look}" x="${percent(i * wide)}" width="${percent(wide * 0.84)}" y="${base - height}" height="${height}" rx="1"><title>${stage}, ${days[i]?.from}: ${word}</title></rect>`;
    });
    return html`<text class="label" x="0" y="${base - 21}">${stage}<tspan class="muted" dx="6">${status}</tspan></text><line class="grid" x1="0" x2="100%" y1="${base + 0.5}" y2="${base + 0.5}"/>${cells}`;
  });
  const height = stages.length * ROW + AXIS;
  const ticks = [0, 0.25, 0.5, 0.75].map((share) => {
    const i = Math.round(share * days.length);
    return html`<text class="tick" x="${percent(i * wide)}" y="${height - 4}">${days[i]?.from.slice(5)}</text>`;
  });
  const legend = Object.values(MARKS).map(
    ({ look, height, word }) =>
      html`<li><svg width="14" height="18" aria-hidden="true" focusable="false"><rect class="${look}" x="1" width="10" y="${18 - height}" height="${height}" rx="1"/></svg> ${word}</li>`,
  );
  const [first = '', second = ''] = days.map(({ from }) => from);
  const step = Math.round((Date.parse(second) - Date.parse(first)) / 86_400_000);
  return html`<section aria-labelledby="timeline"><h2 id="timeline">Stages, ${step === 1 ? 'day by day' : `${step} days at a time`}</h2>
<svg class="timeline" width="100%" height="${height}" aria-hidden="true" focusable="false">${rows}${ticks}</svg>
<ul class="legend small muted">${legend}</ul></section>`;
}
