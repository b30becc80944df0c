// The part of the terminal that is redrawn. Only changed rows are written, in one write and narrower than the terminal, so that
// nothing flickers or wraps. Handles resizes and Ctrl-Z; draws nothing in the background.
import { readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { displayWidth } from './fit-text.ts';
import { plainText } from './plain-text.ts';
import { ifPossible } from './store.ts';

const [HIDE, SHOW] = ['\u001b[?25l', '\u001b[?25h'];
/** Synchronized output: terminals that know these show the whole update at once. */
const [BEGIN, END] = ['\u001b[?2026h', '\u001b[?2026l'];
const [ERASE_LINE_END, ERASE_BELOW] = ['\u001b[K', '\u001b[J'];

/** `redraw` is called after a resize. */
export function openScreen(redraw: () => void = () => {}) {
  const { stdout } = process;
  /** As printed, and how large the terminal was then. */
  let drawn: readonly string[] = [];
  let size = screenSize();
  let isOpen = false;
  let isHidden = false;

  /** Replaces what was drawn before; the rows must be narrower than the terminal and fewer than its lines. */
  function draw(rows: readonly string[]): void {
    if (!isForeground()) {
      forget();
      isHidden = false;
      return;
    }
    if (!isOpen) open();
    const next = rows.map(plainText);
    const isResized = !isDeepStrictEqual(size, screenSize());
    const isKept = (row: string | undefined, i: number) => !isResized && row === drawn[i];
    if (next.length === drawn.length && next.every(isKept)) return;
    const text = next.map((row, i) => (isKept(row, i) ? '\n' : `${row}${ERASE_LINE_END}\n`)).join('');
    // Not from the top of the screen: tmux would copy what is erased into its history.
    const below = isResized || next.length < drawn.length ? ERASE_BELOW : '';
    stdout.write(`${BEGIN}${isHidden ? '' : HIDE}${toTop()}${text}${below}${END}`);
    isHidden = true;
    drawn = next;
    size = screenSize();
  }

  /** Moves to where the drawing begins: after a resize a row may take more than one line. */
  function toTop(): string {
    const { columns } = screenSize();
    const broken = (row: string) => (columns < size.columns ? Math.ceil(displayWidth(row) / columns) : 1);
    const lines = drawn.reduce((sum, row) => sum + Math.max(1, broken(row)), 0);
    return lines > 0 ? `\r\u001b[${lines}A` : '\r';
  }

  /** Prints above the drawing, in one write with what follows. */
  function above(print: () => void, rows: readonly string[]): void {
    stdout.cork();
    clear();
    print();
    if (rows.length > 0) draw(rows);
    stdout.uncork();
  }

  /** Takes the drawing away, so that lines can be printed where it was. */
  function clear(): void {
    if (drawn.length > 0) stdout.write(toTop() + ERASE_BELOW);
    forget();
  }

  /** Starts the next drawing below what is on the screen. */
  function forget(): void {
    drawn = [];
  }

  function open(): void {
    isOpen = true;
    stdout.on('resize', redraw);
    process.on('exit', showCursor).on('SIGTSTP', stop);
  }

  /** Leaves the last drawing where it is and gives the cursor back. */
  function done(): void {
    forget();
    showCursor();
    if (!isOpen) return;
    isOpen = false;
    stdout.off('resize', redraw);
    process.off('exit', showCursor).off('SIGTSTP', stop);
  }

  function showCursor(): void {
    if (isHidden) stdout.write(SHOW);
    isHidden = false;
  }

  /** After Ctrl-Z and fg: the shell has printed meanwhile. */
  function stop(): void {
    showCursor();
    forget();
    process.kill(process.pid, 'SIGSTOP');
  }

  return { draw, above, clear, done };
}

/** Whether this process is in the terminal's foreground group; true where the system does not tell. */
function isForeground(): boolean {
  if (!process.stdout.isTTY) return true;
  const stat = ifPossible(() => readFileSync('/proc/self/stat', 'latin1'));
  const [, , group, , , foreground] = stat?.slice(stat.lastIndexOf(')') + 2).split(' ') ?? [];
  return foreground === undefined || foreground === '-1' || foreground === group;
}

/** The size of the terminal, or a usual one where it does not tell. */
export function screenSize(): { columns: number; rows: number } {
  const { stdout } = process;
  // Query the size now: SIGWINCH may still be pending, and rows of the old width would wrap.
  (stdout as { _refreshSize?(): void })._refreshSize?.();
  return { columns: stdout.columns || 80, rows: stdout.rows || 24 };
}
