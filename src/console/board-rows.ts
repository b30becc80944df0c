// The board as rows of text: one for each stage, below a failed one what is known of its failure. Pure. Every row is narrower than
// the terminal, and all of them together are fewer than its lines.
import { cutText, displayWidth, fitText } from '../io/fit-text.ts';
import type { Colours } from '../io/plain-text.ts';
import { failureLines } from './failure-lines.ts';
import { otherReasons, type Row, shownStatus } from './rows.ts';
import type { StepView } from './tally.ts';
import { lastLine, readableLines, spell } from './words.ts';

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

export interface BoardView {
  readonly columns: number;
  /** How many rows there may be. */
  readonly room: number;
  readonly now: number;
  readonly colour: Colours;
  /** The end of the log of a stage that runs. */
  readonly tail: (row: Row) => string;
}

/** The width from which on status and time are spelled out: `failed  12 min 3 s`; below it the mark tells, and `12m 3s`. */
const WORD_COLUMNS = 60;

export function boardRows(rows: readonly Row[], view: BoardView): string[] {
  const { room, colour } = view;
  const shown = fitting(rows, room);
  const hidden = rows.length - shown.length;
  const widest = Math.max(0, ...rows.map(({ step }) => displayWidth(step)));
  const name = Math.min(widest, Math.max(12, Math.floor(view.columns * 0.3)));
  const evidence = evidenceOf(shown, room - shown.length - (hidden > 0 ? 1 : 0), view);
  const lines = shown.flatMap((row) => [rowText(row, name, view), ...(evidence.get(row) ?? [])]);
  return hidden > 0 ? [...lines, colour.dim(`  … and ${hidden} more`)] : lines;
}

/** When not all fit: what runs and what failed first, then the latest of the rest. */
function fitting(rows: readonly Row[], room: number): readonly Row[] {
  if (rows.length <= room) return rows;
  const weight = ({ status }: StepView) => LOOKS[status].weight;
  const first = rows.toSorted((a, b) => weight(a) - weight(b) || b.since - a.since).slice(0, Math.max(1, room - 1));
  return rows.filter((row) => first.includes(row));
}

function rowText(row: Row, nameColumns: number, { columns, now, colour, tail }: BoardView): string {
  const { mark, colour: paint } = LOOKS[row.status];
  const name = cutText(row.step, nameColumns);
  const padding = ' '.repeat(nameColumns - displayWidth(name));
  const time = timeText(row, now);
  const rest =
    columns >= WORD_COLUMNS
      ? ` ${shownStatus(row).padEnd(11)} ${time.padStart(11)}`
      : time.replaceAll(/(\d) (h|m|s)(?:in)?\b/g, '$1$2').padStart(7);
  const left = `${mark} ${name}${padding} ${rest}`;
  const about = detail(row, columns - displayWidth(left) - 3, tail);
  return about === '' ? colour[paint](left.trimEnd()) : `${colour[paint](left)}  ${colour.dim(about)}`;
}

/** In whole seconds while it runs, so that the row does not flicker. */
function timeText({ status, since, took }: Row, now: number): string {
  if (status === 'running') return spell(Math.max(0, now - since)).replace(/\.\d s$/, ' s');
  return took ? spell(took) : '';
}

function detail(row: Row, width: number, tail: BoardView['tail']): string {
  const { busy, pause, status, cells, reason = '' } = row;
  if (width < 1) return '';
  if (busy || pause) return lastLine(busy || (pause as string), width);
  if (cells.length > 0 && displayWidth(reason) > width) return cutText(shortCounts(cells), width);
  return lastLine(status === 'running' && cells.length === 0 ? tail(row) : reason, width);
}

/** `✓37 ✗3`. */
function shortCounts(cells: readonly StepView[]): string {
  const marks = cells.map((cell) => LOOKS[cell.status].mark);
  return [...new Set(Object.values(LOOKS).map(({ mark }) => mark))]
    .map((mark) => [mark, marks.filter((one) => one === mark).length] as const)
    .flatMap(([mark, count]) => (count > 0 ? [`${mark}${count}`] : []))
    .join(' ');
}

const INDENT = '    ';
/** Of a path fewer columns than these are not worth a line. */
const MIN_PART = 8;

/** In lines of at most `width` columns, nothing cut: a path goes on behind one of its slashes. */
function wrapped(text: string, width: number): string[] {
  const plain = readableLines(text).join(' ');
  return fitText(plain, width)
    .split('\n')
    .flatMap((line) => {
      const parts: string[] = [];
      for (let rest = line; ; ) {
        if (displayWidth(rest) <= width) return [...parts, rest];
        if (width <= MIN_PART) return [...parts, cutText(rest, width)];
        const slash = rest.lastIndexOf('/', width - 1) + 1;
        let at = slash > MIN_PART ? slash : width;
        // Wide characters take two columns.
        while (at > 1 && displayWidth(rest.slice(0, at)) > width) at--;
        parts.push(rest.slice(0, at));
        rest = (text.startsWith('| ') ? '| ' : '  ') + rest.slice(at);
      }
    });
}

/** What is known of failures, the latest first as long as there is room. */
function evidenceOf(rows: readonly Row[], room: number, { columns, now, colour }: BoardView): Map<Row, string[]> {
  const evidence = new Map<Row, string[]>();
  let left = room;
  for (const row of rows.filter(({ status }) => status === 'failed').toSorted((a, b) => b.since - a.since)) {
    const reasons = [...row.failures.flatMap((failure) => failureLines(failure, now)), ...otherReasons(row)];
    const texts = reasons.length === 0 && row.log ? [`log: ${row.log}`] : reasons;
    const lines = texts.flatMap((text) => wrapped(text, columns - INDENT.length - 1));
    if (lines.length > left) continue;
    left -= lines.length;
    evidence.set(
      row,
      lines.map((line) => colour.dim(INDENT + line)),
    );
  }
  return evidence;
}
