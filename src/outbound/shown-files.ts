// How files are shown with line numbers, and how that is read back: what a model was shown masked or in parts, it must not
// write as a whole, and numbers that it copied are taken out of its answer.
import { nonceOf, textLines } from './text.ts';

/** A file in a prompt: its lines by number, from 1, and how many it has in all. */
export interface ShownFile {
  readonly path: string;
  readonly lines: ReadonlyMap<number, string>;
  readonly count: number;
}

/** The files that `prompt` shows, the most likely culprit, which stands last, first; none when it is not one of ours. */
export function shownFiles(prompt: string): ShownFile[] {
  const nonce = nonceOf(prompt);
  if (nonce === undefined) return [];
  const files: ShownFile[] = [];
  const opening = `[data ${nonce}: file `;
  for (let at = prompt.indexOf(`\n${opening}`); at >= 0; at = prompt.indexOf(`\n${opening}`, at + 1)) {
    const end = prompt.indexOf(`\n[end of data ${nonce}]`, at + 1);
    if (end < 0) break;
    const [head = '', ...body] = prompt.slice(at + 1, end).split('\n');
    const [, path, count] = /^(.*), (\d+) lines?(?:, line ends CRLF)?\]$/.exec(head.slice(opening.length)) ?? [];
    if (path === undefined) continue;
    const lines = body.flatMap((line) => readNumbered(line) ?? []).map(({ number, text }) => [number, text] as const);
    files.unshift({ path, lines: new Map(lines), count: Number(count) });
  }
  return files;
}

/** The numbers of the lines that are shown exactly as they are in `text`. */
export function shownAsIs({ lines }: ShownFile, text: string): Set<number> {
  const actual = textLines(text);
  return new Set([...lines].filter(([number, line]) => actual[number - 1] === line).map(([number]) => number));
}

/** Whether every line of `text` is shown exactly as it is. */
export const shownWhole = (file: ShownFile, text: string): boolean => {
  const { length } = textLines(text);
  return length === file.lines.size && shownAsIs(file, text).size === length;
};

const NUMBERED = /^ *(\d{1,7}) \|(?: (.*))?$/s;
// In an answer a marker of a diff may stand before or behind the number.
const COPIED = /^([+\- ]?) {0,6}\d{1,7} \|(?: (.*))?$/s;

const COPIED_NUMBER = /^[+\- ]? {0,6}(\d{1,7}) \|/;
const IN_DIFF = /^(?:@@|--- |\+\+\+ |[+-] {0,6}\d{1,7} \|)/;

/** `12 | text`, numbers right-aligned to `width`. */
export const numbered = (line: string, number: number, width: number): string =>
  `${String(number).padStart(width)} |${line === '' ? '' : ` ${line}`}`;

/** What a numbered line says; undefined when it is none. */
export function readNumbered(line: string): { number: number; text: string } | undefined {
  const [, number, text = ''] = NUMBERED.exec(line) ?? [];
  return number === undefined ? undefined : { number: Number(number), text };
}

/** Nearly all lines with text in a block have them, or they are the file's own. */
const NEARLY_ALL = 0.8;

/** `answer` without line numbers that were copied into its fenced blocks. */
export function withoutLineNumbers(answer: string): string {
  const parts = answer.split(/^(`{3,}.*|~{3,}.*)$/m);
  return parts.map((part, i) => (i % 4 === 2 ? unnumbered(part) : part)).join('');
}

/** Whether the numbers go up as those of shown lines do; a removed and an added line may share one. */
function counts(lines: readonly string[]): boolean {
  const numbers = lines.flatMap((line) => COPIED_NUMBER.exec(line)?.[1] ?? []).map(Number);
  return (
    numbers.every((n, i) => i === 0 || n >= (numbers[i - 1] as number) - lines.length) && numbers.some((n) => n > 0)
  );
}

function unnumbered(block: string): string {
  const lines = block.split('\n');
  const telling = lines.filter(
    (line) => line.trim() !== '' && !/^(?:@@|---|\+\+\+|diff |[<=>]{5,9}(?: |$))/.test(line),
  );
  const copied = telling.filter((line) => COPIED.test(line)).length;
  if (telling.length === 0 || copied < telling.length * NEARLY_ALL || !counts(telling)) return block;
  // Elsewhere a blank before the number only pads it.
  const marked = lines.some((line) => IN_DIFF.test(line));
  return lines
    .map((line) => line.replace(COPIED, (_, marker: string, text = '') => `${marked ? marker : ''}${text}`))
    .join('\n');
}
