// A file as placement sees it: its lines with their own ends, where each text stands, and where a run of lines does.
import type { OldLine } from './pattern.ts';

export interface Source {
  lines: string[];
  /** The line ends, each as it is; '' only for a last line without one. */
  ends: string[];
  trimmed: string[];
  /** Trimmed text → the lines that have it, ascending. Blank lines are not in it. */
  at: Map<string, number[]>;
}

/** Splits a text into a `Source`; joining lines and ends gives the text again. */
export function sourceOf(text: string): Source {
  const lines = text.split('\n');
  const ends = new Array<string>(lines.length).fill('\n');
  if (lines.at(-1) === '') {
    lines.pop();
    ends.pop();
  } else ends[ends.length - 1] = '';
  const trimmed = new Array<string>(lines.length);
  const at = new Map<string, number[]>();
  for (let i = 0; i < lines.length; i++) {
    let line = lines[i] as string;
    if (line.endsWith('\r') && ends[i] !== '') {
      line = line.slice(0, -1);
      lines[i] = line;
      ends[i] = '\r\n';
    }
    const key = line.trim();
    trimmed[i] = key;
    if (key === '') continue;
    const places = at.get(key);
    if (places) places.push(i);
    else at.set(key, [i]);
  }
  return { lines, ends, trimmed, at };
}

/** The line end that new lines get: the one most of the file has. */
export function lineEnd({ ends }: Source): string {
  let crlf = 0;
  for (const end of ends) if (end === '\r\n') crlf++;
  return crlf * 2 > ends.length ? '\r\n' : '\n';
}

/** The white space a line begins with. */
export const indentOf = (line: string): string => line.slice(0, line.length - line.trimStart().length);

/** Beyond this a file is too repetitive to place anything in it. */
const MAX_COMPARISONS = 3_000_000;
/** More places than anyone could be asked about, fewer for a long hunk. */
const maxPlaces = (lines: number): number => Math.max(2, Math.min(64, Math.floor(200_000 / lines)));

/**
 * The first lines of every place where the old lines stand as one piece, outer white space apart; `full` false when there
 * may be more than were looked for. `likely` is looked at first.
 */
export function contiguous(old: readonly OldLine[], source: Source, likely?: number) {
  const rarest = rarestLine(old, source);
  if (!rarest) return { starts: [], full: true };
  const starts = likely !== undefined && equalAt(likely, old, source) === old.length ? [likely] : [];
  const max = maxPlaces(old.length);
  let budget = MAX_COMPARISONS;
  for (const position of rarest.positions) {
    const start = position - rarest.k;
    if (start === starts[0] || start + old.length > source.lines.length) continue;
    const equal = equalAt(start, old, source);
    budget -= equal + 1;
    if (equal === old.length) starts.push(start);
    if (budget < 0 || starts.length >= max) return { starts, full: false };
  }
  return { starts, full: true };
}

/** How many old lines, from the first on, are the file's lines from `start` on. */
export function equalAt(start: number, old: readonly OldLine[], source: Source): number {
  let k = 0;
  while (k < old.length && source.trimmed[start + k] === (old[k] as OldLine).trimmed) k++;
  return k;
}

/** The old line that stands in the fewest places; undefined when one stands nowhere, or all are blank. */
function rarestLine(old: readonly OldLine[], source: Source): { k: number; positions: number[] } | undefined {
  let best: { k: number; positions: number[] } | undefined;
  for (let k = 0; k < old.length; k++) {
    const { trimmed } = old[k] as OldLine;
    if (trimmed === '') continue;
    const positions = source.at.get(trimmed);
    if (!positions) return undefined;
    if (!best || positions.length < best.positions.length) best = { k, positions };
  }
  return best;
}
