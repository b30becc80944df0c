// A hunk as placement sees it: the old lines to be found, and what goes in between them.
import { diffArrays } from 'diff';
import type { Hunk, HunkLine } from '../edit.ts';

export interface OldLine {
  text: string;
  trimmed: string;
  removed: boolean;
  /** The text is the whole line, its marker was lost. */
  bare: boolean;
}

export interface Pattern {
  old: OldLine[];
  /** `added[k]` goes in before `old[k]`; the last one after all of them. */
  added: string[][];
}

/**
 * Lines that a change takes out and puts back just so are context, whatever marker they carry; but for the last one where
 * only the newline behind it changes.
 */
export function patternOf({ lines, noFinalNewline }: Hunk): Pattern {
  const pattern: Pattern = { old: [], added: [[]] };
  let group: HunkLine[] = [];
  for (const line of lines) {
    if (line.op !== ' ') {
      group.push(line);
      continue;
    }
    pushGroup(pattern, group);
    group = [];
    pushOld(pattern, line, false);
  }
  pushGroup(pattern, group);
  const last = pattern.old.at(-1);
  if (last && noFinalNewline !== undefined && !changes(pattern) && lines.some(({ op }) => op !== ' ')) {
    last.removed = true;
    pattern.added.at(-1)?.push(last.text);
  }
  return pattern;
}

function pushGroup(pattern: Pattern, group: readonly HunkLine[]): void {
  const removed = group.filter(({ op }) => op === '-');
  const added = group.filter(({ op }) => op === '+').map(({ text }) => text);
  const gone = removed.map(({ text }) => text);
  const goneTexts = new Set(gone);
  const parts = added.some((text) => goneTexts.has(text)) && diffArrays(gone, added, { maxEditLength: 400 });
  if (!parts) {
    for (const line of group) {
      if (line.op === '+') pattern.added.at(-1)?.push(line.text);
      else pushOld(pattern, line, true);
    }
    return;
  }
  let at = 0;
  for (const part of parts) {
    for (const text of part.value) {
      if (part.added) pattern.added.at(-1)?.push(text);
      else pushOld(pattern, removed[at++] as HunkLine, part.removed === true);
    }
  }
}

function pushOld(pattern: Pattern, { text, bare }: HunkLine, removed: boolean): void {
  pattern.old.push({ text, trimmed: text.trim(), removed, bare: bare === true });
  pattern.added.push([]);
}

/** How much it tells that a line is where it should be: a lone brace stands everywhere. */
export const weightOf = (trimmed: string): number => (trimmed === '' ? 0 : /\w.*\w.*\w/.test(trimmed) ? 1 : 0.25);

/** Whether anything would change. */
export const changes = ({ old, added }: Pattern): boolean =>
  old.some(({ removed }) => removed) || added.some((lines) => lines.length > 0);

/** The lines as they would be afterwards, the added ones as those that must be there: to recognise a change that is. */
export function newLines({ old, added }: Pattern): OldLine[] {
  const asOld = (text: string): OldLine => ({ text, trimmed: text.trim(), removed: true, bare: true });
  return [...old, undefined].flatMap((line, k) => [
    ...(added[k] as string[]).map(asOld),
    ...(line && !line.removed ? [line] : []),
  ]);
}
