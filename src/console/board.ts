// A run on a terminal: one calm line per step that updates: state, time, last line of its log. Notes stay above as lines.
import type { LoopEvent } from '../events.ts';
import { readTail } from '../io/files.ts';
import type { Output } from '../io/output.ts';
import { openScreen, screenSize } from '../io/screen.ts';
import type { Quiet } from './ask-person.ts';
import { closingLines } from './closing.ts';
import { failureLines } from './failure-lines.ts';
import { fixLine } from './fix-lines.ts';
import { SIMULATED_LINE } from './plain.ts';
import { newTally, note, type StepView } from './tally.ts';
import type { Watcher } from './watcher.ts';
import { lastLine, spell } from './words.ts';

const REFRESH_MS = 120;
const MARKS: Record<StepView['status'], string> = {
  waiting: '·',
  running: '▸',
  green: '✓',
  fresh: '✓',
  failed: '✗',
  skipped: '-',
  interrupted: '!',
};

/** Draws until the run ends. `home` is where log paths start. */
export function boardWatcher(out: Output, home: string): Watcher & Quiet {
  const tally = newTally();
  const { colour } = out;
  const screen = openScreen();
  let timer: NodeJS.Timeout | undefined;
  let held = false;
  const untold: string[] = [];

  return {
    event,
    live(step, text) {
      const view = tally.steps.get(step);
      if (view) view.busy = text;
    },
    hold() {
      screen.clear();
      held = true;
    },
    release() {
      held = false;
      for (const text of untold.splice(0)) tell(text);
      if (timer) draw();
    },
  };

  function event(event: LoopEvent): void {
    note(tally, event);
    if (event.type === 'run.started' || event.type === 'run.resumed') begin(event.type === 'run.resumed');
    if (event.type === 'notice') tell(String(event.data.text));
    if (event.type === 'step.drift') tell(`${event.step} drifted: ${(event.data.problems as string[]).join('; ')}`);
    if (event.type === 'attempt.changed') {
      tell(`${event.step} changed ${(event.data.files as string[]).join(', ')} (saved: ${event.data.patch})`);
    }
    const fix = fixLine(event.type, event.data);
    if (fix) tell(`${event.step ?? 'mendloop'}: ${fix[0]}: ${fix[1]}`);
    if (event.type === 'run.ended') end();
  }

  function begin(again: boolean): void {
    if (tally.lab === 'simulated') out.line(colour.yellow.bold(SIMULATED_LINE));
    out.line(colour.dim(`run ${tally.run}${again ? ', taken up where it was cut off' : ''}`));
    // A run that cannot record its end must not be kept alive by its picture.
    timer = setInterval(draw, REFRESH_MS).unref();
    draw();
  }

  // The drawing only ever holds the rows: one that also grew at its top would be drawn over wrongly.
  function tell(text: string): void {
    if (held) return void untold.push(text);
    screen.clear();
    out.line(colour.dim(`  note: ${text}`));
    if (timer) draw();
  }

  function end(): void {
    clearInterval(timer);
    draw();
    screen.done();
    const [verdict = '', ...rest] = closingLines(tally);
    out.line((tally.ended?.exit === 0 ? colour.green : colour.red)(verdict));
    for (const line of rest) out.line(line);
  }

  function draw(): void {
    if (held) return;
    const { columns, rows: height } = screenSize();
    const room = Math.max(6, height - 4);
    const views = [...tally.steps.values()];
    const width = Math.max(...views.map((v) => v.step.length));
    const shown = fitting(views, room);
    const rows = shown.flatMap((view) => rowOf(view, width, columns));
    const hidden = views.length - shown.length;
    const more = hidden > 0 ? [colour.dim(`  … and ${hidden} more`)] : [];
    screen.draw([...rows, ...more].join('\n'));
  }

  function rowOf(view: StepView, width: number, columns: number): string[] {
    const took = view.status === 'running' ? Date.now() - view.since : view.took;
    const time = took ? spell(took) : '';
    const state = view.status === 'fresh' ? 'green' : view.status;
    const left = `${MARKS[view.status]} ${view.step.padEnd(width)}  ${state.padEnd(11)} ${time.padStart(9)}`;
    const about = lastLine(detail(view), columns - left.length - 3);
    const paint = painter(view.status);
    return [`${paint(left)}  ${colour.dim(about)}`.trimEnd(), ...evidence(view, columns)];
  }

  function evidence(view: StepView, columns: number): string[] {
    if (view.status !== 'failed') return [];
    const told = view.failure ? failureLines(view.failure, Date.now()) : view.log ? [`log: ${view.log}`] : [];
    return told.map((line) => colour.dim(`    ${lastLine(line, columns - 5)}`));
  }

  function detail(view: StepView): string {
    if (view.busy) return view.busy;
    if (view.pause) return view.pause;
    if (view.status === 'running') return view.log ? (readTail(`${home}/${view.log}`, 2048)?.text ?? '') : '';
    return view.status === 'fresh' ? 'still holds' : (view.reason ?? '');
  }

  function painter(status: StepView['status']): (text: string) => string {
    if (status === 'green' || status === 'fresh') return colour.green;
    if (status === 'failed') return colour.red;
    if (status === 'running') return colour.cyan;
    return status === 'interrupted' ? colour.yellow : colour.dim;
  }
}

/** When not all fit: what runs and what failed first, then the latest of the rest. */
function fitting(views: StepView[], room: number): StepView[] {
  if (views.length <= room) return views;
  const weight = (v: StepView) =>
    v.status === 'running' ? 0 : v.status === 'failed' ? 1 : v.status === 'waiting' ? 3 : 2;
  const kept = new Set([...views].sort((a, b) => weight(a) - weight(b) || b.since - a.since).slice(0, room));
  return views.filter((v) => kept.has(v));
}
