// What the loop writes into the files of the queue once commands accepted an item: ticks, and an entry of the log. Nothing else
// changes, not a byte.
import { CHECKBOX, sectionOf } from './item.ts';
import { readIndex } from './queue.ts';

/** The index with the entry of `file` ticked, or not. */
export function tickEntry(index: string, file: string, done: boolean): string {
  const entry = readIndex(index).find((one) => one.file === file);
  return entry === undefined ? index : withBox(index, entry.line, done);
}

/** An item with all its steps ticked, and `entry` at the end of its log. */
export const acceptItem = (text: string, entry: string): string => withEntry(tickSteps(text), entry);

function tickSteps(text: string): string {
  let inSteps = false;
  let ticked = text;
  for (const [line, row] of text.split(/\r?\n/).entries()) {
    const heading = /^#{2,6}\s+(.*)$/.exec(row)?.[1];
    if (heading !== undefined) inSteps = sectionOf(heading) === 'steps';
    else if (inSteps && CHECKBOX.test(row)) ticked = withBox(ticked, line, true);
  }
  return ticked;
}

/** With an entry behind the last of the log; once, however often it is asked for. */
export function withEntry(text: string, entry: string): string {
  const end = /\r\n/.test(text) ? '\r\n' : '\n';
  const rows = text.split(/\r?\n/);
  if (rows.some((row) => row.trim() === `- ${entry}`)) return text;
  const at = rows.findIndex((row) => sectionOf(/^#{2,6}\s+(.*)$/.exec(row)?.[1] ?? '') === 'log');
  if (at === -1) return `${text.replace(/\s*$/, '')}${end}${end}## Progress log${end}${end}- ${entry}${end}`;
  const next = rows.findIndex((row, line) => line > at && /^#{1,6}\s/.test(row));
  let last = next === -1 ? rows.length : next;
  while (last > at + 1 && rows[last - 1]?.trim() === '') last -= 1;
  const offset = lineStarts(text)[last] ?? text.length;
  const isFirst = last === at + 1;
  const before = text.slice(0, offset);
  const gap = before.endsWith('\n') ? '' : end;
  return `${before}${gap}${isFirst ? end : ''}- ${entry}${end}${text.slice(offset)}`;
}

function withBox(text: string, line: number, done: boolean): string {
  const starts = lineStarts(text);
  const start = starts[line] as number;
  const stop = starts[line + 1] ?? text.length;
  const row = text.slice(start, stop);
  return text.slice(0, start) + row.replace(/\[[ xX]\]/, done ? '[x]' : '[ ]') + text.slice(stop);
}

/**
 * The owner's text of a file of the queue with what the loop has written into its own, which was `before`: ticks of the same entries
 * and steps, and entries of the log. By line; nothing of the owner's is changed.
 */
export function mergeTicks(owners: string, ours: string, before = ''): string {
  const added = (read: (text: string) => string[]) => {
    const earlier = new Set(read(before));
    return read(ours).filter((each) => !earlier.has(each));
  };
  const ticked = new Set(added((text) => text.split(/\r?\n/).flatMap((row) => tickedText(row) ?? [])));
  const done = added((text) => readIndex(text).flatMap((entry) => (entry.done ? [entry.file] : [])));
  let merged = done.reduce((text, file) => tickEntry(text, file, true), owners);
  for (const [line, row] of merged.split(/\r?\n/).entries())
    if (ticked.has(CHECKBOX.exec(row)?.[4]?.trim() ?? '')) merged = withBox(merged, line, true);
  return added(logOf).reduce(withEntry, merged);
}

function tickedText(row: string): string | undefined {
  const [, , mark = ' ', , text = ''] = CHECKBOX.exec(row) ?? [];
  return mark === ' ' || text.trim() === '' ? undefined : text.trim();
}

/** The entries of an item's log, without their bullets. */
export function logOf(text: string): string[] {
  let isLog = false;
  return text.split(/\r?\n/).flatMap((row) => {
    const heading = /^#{1,6}\s+(.*)$/.exec(row)?.[1];
    if (heading !== undefined) isLog = sectionOf(heading) === 'log';
    const entry = isLog ? /^- (.*\S)\s*$/.exec(row)?.[1] : undefined;
    return entry === undefined ? [] : [entry];
  });
}

const lineStarts = (text: string): number[] => [0, ...[...text.matchAll(/\n/g)].map(({ index }) => index + 1)];
