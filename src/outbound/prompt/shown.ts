// Reads back what a prompt shows of files. What a model was shown masked or in parts, it must not write as a whole.
import { nonceOf } from './fence.ts';
import { readNumbered } from './line-numbers.ts';

/** A file in a prompt: its lines by number, from 1. */
export interface ShownFile {
  readonly path: string;
  readonly lines: ReadonlyMap<number, string>;
}

/** The files that `prompt` shows, in its order; none when it is not one of ours. */
export function shownFiles(prompt: string): ShownFile[] {
  const nonce = nonceOf(prompt);
  if (nonce === undefined) return [];
  const found: ShownFile[] = [];
  const opening = `[data ${nonce}: file `;
  for (let at = prompt.indexOf(`\n${opening}`); at >= 0; at = prompt.indexOf(`\n${opening}`, at + 1)) {
    const end = prompt.indexOf(`\n[end of data ${nonce}]`, at + 1);
    if (end < 0) break;
    const [head = '', ...body] = prompt.slice(at + 1, end).split('\n');
    const path = /^(.*), \d+ lines?(?:, line ends CRLF)?\]$/.exec(head.slice(opening.length))?.[1];
    if (path === undefined) continue;
    const lines = body.flatMap((line) => readNumbered(line) ?? []).map(({ number, text }) => [number, text] as const);
    found.push({ path, lines: new Map(lines) });
  }
  return found;
}

/** The numbers of the lines that are shown exactly as they are in `text`. */
export function shownAsIs({ lines }: ShownFile, text: string): Set<number> {
  const own = linesOf(text);
  return new Set([...lines].filter(([number, line]) => own[number - 1] === line).map(([number]) => number));
}

/** Whether every line of `text` is shown exactly as it is. */
export const shownWhole = (file: ShownFile, text: string): boolean => {
  const own = linesOf(text);
  return own.length === file.lines.size && shownAsIs(file, text).size === own.length;
};

function linesOf(text: string): string[] {
  const lines = text.split(/\r?\n/);
  if (lines.at(-1) === '') lines.pop();
  return lines;
}
