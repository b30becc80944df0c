// The part of the terminal that is drawn over and over.
import { createLogUpdate } from 'log-update';
import { plainText } from './plain-text.ts';

export function openScreen() {
  const { stdout } = process;
  const update = createLogUpdate(stdout, { showCursor: false });
  let drawn = '';

  // Replaces what was drawn before. Always drawn whole: log-update's own difference overwrites the rows below one that was
  // put in between. One write, so that nobody sees the empty moment.
  function draw(text: string): void {
    if (text === drawn) return;
    stdout.cork();
    clear();
    update(plainText(text));
    stdout.uncork();
    drawn = text;
  }

  /** Takes the drawing away, so that lines can be printed where it was. */
  function clear(): void {
    if (drawn !== '') update.clear();
    drawn = '';
  }

  // `done` leaves the last drawing where it is and gives the cursor back.
  return { draw, clear, done: () => update.done() };
}

/** The size of the terminal, or a usual one where it does not tell. */
export function screenSize(): { columns: number; rows: number } {
  return { columns: process.stdout.columns || 80, rows: process.stdout.rows || 24 };
}
