// Search/replace blocks, fenced or not, each under the path of its file.
import { type Change, type OrRefusal, refuse } from '../edit.ts';
import { pathOfInfo, pathOfLine, withPath } from './fences.ts';

const SEARCH = /^[ \t]*<{5,9}(?:[ \t]+(?:SEARCH|ORIGINAL|HEAD|[A-Za-z][\w-]*)\b[ \t]*(.*)|[ \t]*)$/;
const DIVIDER = /^[ \t]*={5,9}[ \t]*$/;
const BASE = /^[ \t]*\|{5,9}(?:[ \t].*)?$/;
const REPLACE = /^[ \t]*>{5,9}(?:[ \t].*)?$/;
const FENCE = /^\s*(?:`{3,}|~{3,})(.*)$/;

/** Whether the answer is in this form. */
export const hasSearchReplace = (lines: readonly string[]): boolean => lines.some((line) => SEARCH.test(line));

/**
 * All blocks, grouped by file in the order they stand; a block without a path is for the file of the one before it. `files` are
 * those that may be named without a folder or an ending.
 */
export function readSearchReplace(
  lines: readonly string[],
  files: ReadonlySet<string>,
): OrRefusal<{ changes: Change[] }> {
  const changes: Extract<Change, { form: 'search-replace' }>[] = [];
  let path: string | undefined;
  let count = 0;
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i] as string;
    const opening = SEARCH.exec(line);
    if (!opening) {
      path = pathOfFence(line) ?? (isBeforeBlock(lines, i) ? pathOfLine(withPath(line, files)) : undefined) ?? path;
      continue;
    }
    count++;
    path = pathOfLine(withPath(opening[1] ?? '', files)) ?? path;
    let end = i + 1;
    while (end < lines.length && !REPLACE.test(lines[end] as string) && !SEARCH.test(lines[end] as string)) end++;
    if (!REPLACE.test(lines[end] ?? '')) return refuse('unreadable', `block ${count} has no line ">>>>>>> REPLACE"`);
    const body = lines.slice(i + 1, end);
    const dividers = body.flatMap((l, at) => (DIVIDER.test(l) ? [at] : []));
    if (dividers.length !== 1) {
      const why = dividers.length === 0 ? 'no line "======="' : 'more than one line "======="';
      return refuse('unreadable', `block ${count} has ${why} between its two halves`);
    }
    const at = dividers[0] as number;
    const base = body.findIndex((l) => BASE.test(l));
    const block = {
      search: half(body.slice(0, base < 0 ? at : Math.min(base, at))),
      replace: half(body.slice(at + 1)),
    };
    const last = changes.at(-1);
    if (last && last.path === path) last.blocks.push(block);
    else changes.push({ form: 'search-replace', path, blocks: [block] });
    i = end;
  }
  return { ok: true, changes };
}

/** The lines that are in no block. */
export function outsideBlocks(lines: readonly string[]): string[] {
  let inside = false;
  return lines.filter((line) => {
    if (SEARCH.test(line)) inside = true;
    const outside = !inside;
    if (REPLACE.test(line)) inside = false;
    return outside;
  });
}

function pathOfFence(line: string): string | undefined {
  const fence = FENCE.exec(line);
  return fence ? pathOfInfo(fence[1] as string) : undefined;
}

/** Whether only blank lines and a fence stand between this line and a block. */
function isBeforeBlock(lines: readonly string[], at: number): boolean {
  if (FENCE.test(lines[at] as string)) return false;
  for (let i = at + 1; i <= at + 3 && i < lines.length; i++) {
    const line = lines[i] as string;
    if (SEARCH.test(line)) return true;
    if (line.trim() !== '' && !FENCE.test(line)) return false;
  }
  return false;
}

const half = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('');
