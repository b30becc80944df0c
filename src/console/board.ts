// A run on a terminal: one calm line per stage that updates: state, time, last line of its log, or how many of its cells are
// where. Notes stay above as lines.
import type { LoopEvent, Subscriber } from '../events.ts';
import { readTail } from '../io/files.ts';
import type { Output } from '../io/output.ts';
import { openScreen, screenSize } from '../io/screen.ts';
import type { AskPerson } from '../stage/run.ts';
import type { Quiet } from './ask-person.ts';
import { failureLines } from './failure-lines.ts';
import { otherReasons, type Row, rowsOf, shownStatus } from './rows.ts';
import { closingLines, fixNews, SIMULATED_LINE } from './run-lines.ts';
import { newTally, note, type StepView } from './tally.ts';
import { lastLine, spell } from './words.ts';

/** Somebody who watches a run: gets every event, is shown what goes on in between, and may be there to be asked. */
export interface Watcher {
  event: Subscriber;
  /** What a step is busy with just now. */
  live?(step: string, text: string): void;
  person?: AskPerson;
}

const REFRESH_MS = 120;

/** How a status looks; `weight` says which rows are dropped last when not all fit. */
const LOOKS = {
  running: { mark: '▸', colour: 'cyan', weight: 0 },
  failed: { mark: '✗', colour: 'red', weight: 1 },
  green: { mark: '✓', colour: 'green', weight: 2 },
  fresh: { mark: '✓', colour: 'green', weight: 2 },
  skipped: { mark: '-', colour: 'dim', weight: 2 },
  interrupted: { mark: '!', colour: 'yellow', weight: 2 },
  waiting: { mark: '·', colour: 'dim', weight: 3 },
} as const satisfies Record<StepView['status'], object>;

/** Draws until the run ends. `home` is where log paths start. */
export function boardWatcher(out: Output, home: string): Watcher & Quiet {
  const tally = newTally();
  const { colour } = out;
  const screen = openScreen();
  let timer: NodeJS.Timeout | undefined;
  let held = false;
  const pending: string[] = [];

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
      for (const text of pending.splice(0)) printNote(text);
      if (timer) draw();
    },
  };

  function event(event: LoopEvent): void {
    const { type, step, data } = event;
    note(tally, event);
    if (type === 'run.started' || type === 'run.resumed') begin(type === 'run.resumed');
    if (type === 'notice') printNote(data.text);
    if (type === 'step.drift') printNote(`${step} drifted: ${data.problems.join('; ')}`);
    if (type === 'attempt.changed') printNote(`${step} changed ${data.files.join(', ')} (saved: ${data.patch})`);
    const news = fixNews(event, tally);
    if (news) printNote(`${event.stage ?? 'mendloop'}: ${news.join(': ')}`);
    if (type === 'run.ended') end();
  }

  function begin(again: boolean): void {
    if (tally.lab === 'simulated') out.line(colour.yellow(colour.bold(SIMULATED_LINE)));
    out.line(colour.dim(`run ${tally.run}${again ? ', taken up where it was cut off' : ''}`));
    // A run that cannot record its end must not be kept alive by its picture.
    timer = setInterval(draw, REFRESH_MS).unref();
    draw();
  }

  // The drawing only ever holds the rows: one that also grew at its top would be drawn over wrongly.
  function printNote(text: string): void {
    if (held) return void pending.push(text);
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
    const views = rowsOf(tally);
    const width = Math.max(...views.map((v) => v.step.length));
    const shown = fitting(views, Math.max(6, height - 4));
    const lines = shown.flatMap((view) => rowOf(view, width, columns));
    const hidden = views.length - shown.length;
    if (hidden > 0) lines.push(colour.dim(`  … and ${hidden} more`));
    screen.draw(lines.join('\n'));
  }

  function rowOf(view: Row, width: number, columns: number): string[] {
    const took = view.status === 'running' ? Date.now() - view.since : view.took;
    const time = took ? spell(took) : '';
    const { mark, colour: name } = LOOKS[view.status];
    const left = `${mark} ${view.step.padEnd(width)}  ${shownStatus(view).padEnd(11)} ${time.padStart(9)}`;
    const about = lastLine(detail(view), columns - left.length - 3);
    return [`${colour[name](left)}  ${colour.dim(about)}`.trimEnd(), ...evidence(view, columns)];
  }

  function evidence(view: Row, columns: number): string[] {
    if (view.status !== 'failed') return [];
    const told = [...view.failures.flatMap((failure) => failureLines(failure, Date.now())), ...otherReasons(view)];
    const lines = told.length === 0 && view.log ? [`log: ${view.log}`] : told;
    return lines.map((line) => colour.dim(`    ${lastLine(line, columns - 5)}`));
  }

  function detail({ busy, pause, status, log, reason, cells }: Row): string {
    if (busy || pause) return busy || (pause as string);
    if (status === 'running' && cells.length === 0) return log ? (readTail(`${home}/${log}`, 2048)?.text ?? '') : '';
    return reason ?? '';
  }
}

/** When not all fit: what runs and what failed first, then the latest of the rest. */
function fitting(views: Row[], room: number): Row[] {
  if (views.length <= room) return views;
  const weight = ({ status }: StepView) => LOOKS[status].weight;
  const first = views.toSorted((a, b) => weight(a) - weight(b) || b.since - a.since).slice(0, room);
  return views.filter((view) => first.includes(view));
}
