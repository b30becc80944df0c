// The timeline of a run as SVG. All positions are percentages, so that the text keeps its size on a phone.
import { STEP_STATUS } from '../console/tally.ts';
import { spell } from '../console/words.ts';
import type { Bar, Timeline, TimelineRow } from '../inspect/timeline.ts';
import { type Html, html, percent } from './html.ts';
import { stateOf } from './states.ts';

/** How an attempt ended → its state; every other one failed. */
const OUTCOMES: Readonly<Record<string, string>> = {
  done: 'green',
  open: 'running',
  interrupted: 'interrupted',
  halted: 'interrupted',
};

export const barState = ({ outcome }: Pick<Bar, 'outcome'>): string => OUTCOMES[outcome] ?? 'failed';

/** The state that the last event of a row leaves its step in, and why. */
export function rowState({ bars, marks }: TimelineRow): { state: string; reason?: string } {
  const end = marks.findLast(({ type }) => type !== 'step.started' && Object.hasOwn(STEP_STATUS, type));
  const bar = bars.at(-1);
  if (bar?.outcome === 'open' || !end) return { state: bar ? barState(bar) : 'waiting' };
  const state = end.status === 'give_up' ? 'give_up' : (STEP_STATUS[end.type] as string);
  return 'reason' in end.data && end.data.reason ? { state, reason: end.data.reason } : { state };
}

const ROW_HEIGHT = 38;
const AXIS_HEIGHT = 24;

/** Hidden from screen readers: the page has a table with the same. */
export function timelineSvg(timeline: Timeline): Html {
  const from = Date.parse(timeline.from);
  const length = Math.max(1, Date.parse(timeline.to) - from);
  // Leave room at the end for the sign behind a bar.
  const x = (time: string) => percent(((Date.parse(time) - from) / length) * 96);
  const wide = (a: string, b: string) => percent(((Date.parse(b) - Date.parse(a)) / length) * 96);
  // Steps without attempts have no bars.
  const rows = timeline.rows.filter(({ bars }) => bars.length > 0);
  const height = rows.length * ROW_HEIGHT + AXIS_HEIGHT;
  const ticks = ticksOf(length).map((ms) => {
    const at = percent((ms / length) * 96);
    return html`<line class="grid" x1="${at}" x2="${at}" y1="0" y2="${height - AXIS_HEIGHT}"/>
<text class="tick" x="${at}" y="${height - 6}">${ms === 0 ? '0' : shortSpan(ms)}</text>`;
  });
  const drawn = rows.map((row, i) => {
    const { step, bars, marks } = row;
    const top = i * ROW_HEIGHT;
    const { sign, look } = stateOf('stage', rowState(row).state);
    const [first] = bars;
    const end = marks.at(-1)?.time ?? bars.at(-1)?.to;
    const fixes = marks.flatMap((mark) => (mark.type === 'fix.committed' ? [mark] : []));
    return html`<text class="label" x="0" y="${top + 15}"><tspan class="${look}">${sign}</tspan> ${step}<tspan class="muted" dx="6">${factsOf(row)}</tspan></text>
${first && end && html`<rect class="span" x="${x(first.from)}" width="${wide(first.from, end)}" y="${top + 25}" height="2"/>`}
${bars.map((bar) => barSvg(bar, x(bar.from), wide(bar.from, bar.to), x(bar.to), top + 21))}
${fixes.map(({ time, data }) => html`<text class="fix" x="${x(time)}" y="${top + 30}"><title>${`fix: ${data.note.fix}`}</title>◆</text>`)}`;
  });
  return html`<svg class="timeline" width="100%" height="${height}" aria-hidden="true" focusable="false">${ticks}${drawn}</svg>`;
}

const lengthOf = ({ from, to }: Bar): number => Date.parse(to) - Date.parse(from);

function factsOf({ bars }: TimelineRow): string {
  const took = spell(bars.reduce((sum, bar) => sum + lengthOf(bar), 0));
  return bars.length > 1 ? `${took}, ${bars.length} attempts` : took;
}

function barSvg(bar: Bar, left: string, width: string, right: string, y: number): Html {
  const state = barState(bar);
  const { sign, look } = stateOf('stage', state);
  const end = look === 'good' ? '' : html`<text class="end" x="${right}" dx="4" y="${y + 10}">${sign}</text>`;
  const title = `attempt ${bar.attempt}: ${state}, ${spell(lengthOf(bar))}`;
  return html`<g class="${look}"><title>${title}</title><rect class="bar" x="${left}" width="${width}" y="${y}" height="10" rx="2"/>${end}</g>`;
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const STEPS = [
  ...[100, 200, 500, 1000, 2000, 5000, 10_000, 15_000, 30_000],
  ...[1, 2, 5, 10, 15, 30].map((n) => n * MINUTE),
  ...[1, 2, 3, 6, 12, 24, 48, 120, 240].map((n) => n * HOUR),
];

/** Round times from 0 on, so few that their labels do not overlap. */
function ticksOf(length: number): number[] {
  const step = STEPS.find((ms) => length / ms <= 4) ?? length;
  return Array.from({ length: Math.floor(length / step) + 1 }, (_, i) => i * step);
}

/** `0.5 s`, `30 s`, `5 min`, `2 h`: of round times. */
function shortSpan(ms: number): string {
  if (ms >= HOUR) return `${Math.round((ms / HOUR) * 10) / 10} h`;
  return ms >= MINUTE ? `${Math.round((ms / MINUTE) * 10) / 10} min` : `${ms / 1000} s`;
}
