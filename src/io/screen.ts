// The part of the terminal that is drawn over and over.
import { createLogUpdate } from 'log-update';

export interface Screen {
  /** Replaces what was drawn before. */
  draw(text: string): void;
  /** Takes the drawing away, so that lines can be printed where it was. */
  clear(): void;
  /** Leaves the last drawing where it is and gives the cursor back. */
  done(): void;
}

export function openScreen(): Screen {
  const update = createLogUpdate(process.stdout, { showCursor: false });
  return { draw: (text) => update(text), clear: () => update.clear(), done: () => update.done() };
}

/** The size of the terminal, or a usual one where it does not tell. */
export function screenSize(): { columns: number; rows: number } {
  return { columns: process.stdout.columns || 80, rows: process.stdout.rows || 24 };
}
