// When the steps of a run were at work: folded from its events, and drawn. The drawing has no width of its own, so that text
// stays readable on a phone; everything in it stands in percent.
import { spell } from '../console/words.ts';
import type { LoopEvent } from '../events.ts';
import { type Html, html, stateLook } from './html.ts';

/** One attempt; open ones reach to `now`. */
export interface TimelineBar {
  readonly attempt: number;
  readonly from: number;
  to: number;
  /** green, failed, running, or interrupted. */
  state: string;
  /** From home. */
  log?: string | undefined;
}

export interface TimelineRow {
  readonly step: string;
  /** As its last event has it: running, green, fresh, failed, give_up, skipped, interrupted. */
  state: string;
  reason?: string | undefined;
  /** While it was worked on, waits and mending included. */
  readonly spans: { from: number; to: number }[];
  readonly bars: TimelineBar[];
  /** When a fix of it was committed, and what it did. */
  readonly fixes: { at: number; fix: string }[];
}

export interface Timeline {
  readonly from: number;
  readonly to: number;
  readonly rows: TimelineRow[];
}

const ENDS: Readonly<Record<string, string>> = {
  'step.done': 'green',
  'step.fresh': 'fresh',
  'step.failed': 'failed',
  'step.skipped': 'skipped',
  'step.interrupted': 'interrupted',
};

const isStopped = (outcome: string): boolean => outcome === 'interrupted' || outcome === 'halted';

/** The steps that did something, in the order in which they began. `now` ends what has not ended. */
export function timelineOf(events: readonly LoopEvent[], now: number): Timeline {
  const rows = new Map<string, TimelineRow>();
  const last = events.at(-1);
  const times = events.map(({ time }) => Date.parse(time));
  const from = times[0] ?? now;
  const to = last && last.type !== 'run.ended' ? Math.max(now, ...times.slice(-1)) : (times.at(-1) ?? now);
  for (const [i, event] of events.entries()) {
    const at = times[i] as number;
    // A run that was cut off was not at work until it was resumed.
    if (event.type === 'run.resumed') for (const row of rows.values()) close(row, times[i - 1] ?? at, 'interrupted');
    const { step } = event;
    if (step === undefined) continue;
    const row = rows.get(step) ?? { step, state: 'waiting', spans: [], bars: [], fixes: [] };
    rows.set(step, row);
    if (event.type === 'step.started') row.spans.push({ from: at, to: Number.NaN });
    if (event.type === 'step.started') row.state = 'running';
    if (event.type === 'attempt.started') {
      const { log } = event.data;
      row.bars.push({ attempt: event.attempt ?? row.bars.length + 1, from: at, to: Number.NaN, state: 'running', log });
    }
    const bar = row.bars.at(-1);
    if (event.type === 'attempt.ended' && bar && Number.isNaN(bar.to)) {
      const { outcome, log } = event.data;
      const state = outcome === 'done' ? 'green' : isStopped(outcome) ? 'interrupted' : 'failed';
      Object.assign(bar, { to: at, state, log: log ?? bar.log });
    }
    if (event.type === 'fix.committed') row.fixes.push({ at, fix: event.data.note.fix });
    const state = ENDS[event.type];
    if (state === undefined) continue;
    close(row, at, state === 'green' ? 'green' : 'interrupted');
    row.state = event.status === 'give_up' ? 'give_up' : state;
    row.reason = 'reason' in event.data ? event.data.reason : undefined;
  }
  for (const row of rows.values()) close(row, to, last?.type === 'run.ended' ? 'interrupted' : 'running');
  return { from, to, rows: [...rows.values()] };
}

/** Ends what is open of a row. */
function close({ spans, bars }: TimelineRow, at: number, state: string): void {
  for (const one of [...spans, ...bars]) if (Number.isNaN(one.to)) one.to = at;
  for (const bar of bars) if (bar.state === 'running') bar.state = state;
}

const ROW_HEIGHT = 38;
const AXIS_HEIGHT = 24;

/** The drawing, for eyes alone: who shows it tells the same in words beside it. */
export function timelineSvg({ from, to, rows }: Timeline): Html {
  const length = Math.max(1, to - from);
  // Signs behind a bar need a little room at the end.
  const x = (at: number) => `${percent(((at - from) / length) * 96)}%`;
  const wide = (a: number, b: number) => `${percent(((b - a) / length) * 96)}%`;
  const height = rows.length * ROW_HEIGHT + AXIS_HEIGHT;
  const ticks = ticksOf(length).map((ms) => {
    const at = x(from + ms);
    return html`<line class="grid" x1="${at}" x2="${at}" y1="0" y2="${height - AXIS_HEIGHT}"/>
<text class="tick" x="${at}" y="${height - 6}">${ms === 0 ? '0' : shortSpan(ms)}</text>`;
  });
  const drawn = rows.map(({ step, state, spans, bars, fixes }, i) => {
    const top = i * ROW_HEIGHT;
    const { sign, look } = stateLook(state);
    const took = bars.reduce((sum, bar) => sum + bar.to - bar.from, 0);
    const facts =
      bars.length > 0 ? ` ${spell(took)}${bars.length > 1 ? `, ${bars.length} attempts` : ''}` : ` ${state}`;
    return html`<text class="label" x="0" y="${top + 15}"><tspan class="${look}">${sign}</tspan> ${step}<tspan class="muted" dx="6">${facts}</tspan></text>
${spans.map((one) => html`<rect class="span" x="${x(one.from)}" width="${wide(one.from, one.to)}" y="${top + 25}" height="2"/>`)}
${bars.map((bar) => barSvg(bar, x(bar.from), wide(bar.from, bar.to), x(bar.to), top + 21))}
${fixes.map(({ at, fix }) => html`<text class="fix" x="${x(at)}" y="${top + 30}"><title>${`fix: ${fix}`}</title>◆</text>`)}`;
  });
  return html`<svg class="timeline" width="100%" height="${height}" aria-hidden="true" focusable="false">${ticks}${drawn}</svg>`;
}

function barSvg(bar: TimelineBar, left: string, width: string, right: string, y: number): Html {
  const { sign, look } = stateLook(bar.state);
  const title = `attempt ${bar.attempt}: ${bar.state}, ${spell(bar.to - bar.from)}`;
  return html`<g class="${look}"><title>${title}</title><rect class="bar" x="${left}" width="${width}" y="${y}" height="10" rx="2"/>${
    look === 'good' ? '' : html`<text class="end" x="${right}" dx="4" y="${y + 10}">${sign}</text>`
  }</g>`;
}

const percent = (value: number): string => String(Math.round(value * 1000) / 1000);

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const STEPS = [
  ...[100, 200, 500, 1000, 2000, 5000, 10_000, 15_000, 30_000],
  ...[1, 2, 5, 10, 15, 30].map((n) => n * MINUTE),
  ...[1, 2, 3, 6, 12, 24, 48, 120, 240].map((n) => n * HOUR),
];

/** Round times from 0 on, so few that their words never touch each other. */
function ticksOf(length: number): number[] {
  const step = STEPS.find((ms) => length / ms <= 4) ?? length;
  return Array.from({ length: Math.floor(length / step) + 1 }, (_, i) => i * step);
}

/** `0.5 s`, `30 s`, `5 min`, `2 h`: of round times. */
function shortSpan(ms: number): string {
  if (ms >= HOUR) return `${Math.round((ms / HOUR) * 10) / 10} h`;
  return ms >= MINUTE ? `${Math.round((ms / MINUTE) * 10) / 10} min` : `${ms / 1000} s`;
}
