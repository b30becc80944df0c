// A run on a terminal: one calm line per stage that updates: state, time, last line of its log, or how many of its cells are
// where. Notes stay above as lines.
import type { LoopEvent, Subscriber } from '../events.ts';
import { readTail } from '../io/files.ts';
import type { Output } from '../io/output.ts';
import { openScreen, screenSize } from '../io/screen.ts';
import type { AskPerson } from '../stage/run.ts';
import type { Quiet } from './ask-person.ts';
import { boardRows } from './board-rows.ts';
import { type Row, rowsOf } from './rows.ts';
import { closingLines, fixNews, SIMULATED_LINE } from './run-lines.ts';
import { newTally, note } from './tally.ts';

/** Somebody who watches a run: gets every event, is shown what goes on in between, and may be there to be asked. */
export interface Watcher {
  event: Subscriber;
  /** What a step is busy with just now. */
  live?(step: string, text: string): void;
  person?: AskPerson;
}

const REFRESH_MS = 250;
const TAIL_BYTES = 2048;

/** Draws until the run ends. `home` is where log paths start. */
export function boardWatcher(out: Output, home: string): Watcher & Quiet {
  const tally = newTally();
  const { colour } = out;
  const screen = openScreen(draw);
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
      screen.done();
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
    if (type === 'run.ended' || type === 'run.left') end();
  }

  function begin(again: boolean): void {
    if (tally.lab === 'simulated') out.line(colour.yellow(colour.bold(SIMULATED_LINE)));
    out.line(colour.dim(`run ${tally.run}${again ? ', taken up where it was cut off' : ''}`));
    // The timer must not keep a run alive that could not record its end.
    timer = setInterval(draw, REFRESH_MS).unref();
    draw();
  }

  // Only rows are redrawn; lines above them are printed once.
  function printNote(text: string): void {
    if (held) return void pending.push(text);
    screen.above(() => out.line(colour.dim(`  note: ${text}`)), timer ? rows() : []);
  }

  function end(): void {
    clearInterval(timer);
    timer = undefined;
    // The last drawing has all rows, however many.
    screen.above(() => {
      for (const row of rows(Number.POSITIVE_INFINITY)) out.line(row);
    }, []);
    screen.done();
    const [verdict = '', ...rest] = closingLines(tally);
    out.line((tally.ended?.exit === 0 ? colour.green : colour.red)(verdict));
    for (const line of rest) out.line(line);
  }

  function draw(): void {
    if (!held) screen.draw(rows());
  }

  function rows(room?: number): string[] {
    const { columns, rows: height } = screenSize();
    // One line for the cursor, and one of what was printed above.
    return boardRows(rowsOf(tally), { columns, room: room ?? Math.max(1, height - 2), now: Date.now(), colour, tail });
  }

  function tail({ log }: Row): string {
    return log ? (readTail(`${home}/${log}`, TAIL_BYTES)?.text ?? '') : '';
  }
}
