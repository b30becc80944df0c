// Our own unified diff of what would change, with right numbers, whatever the model's looked like.
import { createHash } from 'node:crypto';
import { createTwoFilesPatch, FILE_HEADERS_ONLY } from 'diff';
import type { Edit } from './edit.ts';

/** Beyond this a file is shown as replaced as a whole. */
const MAX_DIFFERING_LINES = 1000;

/** The diff of all files, in their order; '' when nothing differs. Ends with a newline. Never throws. */
export const cleanDiff = (files: readonly Edit[]): string => files.map(diffOf).join('');

function diffOf({ path, before, after }: Edit): string {
  if (before === after) return '';
  const from = before === null ? '/dev/null' : `a/${path}`;
  const to = `b/${path}`;
  const options = { context: 3, maxEditLength: MAX_DIFFERING_LINES, headerOptions: FILE_HEADERS_ONLY };
  const diff = createTwoFilesPatch(from, to, before ?? '', after, undefined, undefined, options);
  return diff ?? replaced(from, to, before ?? '', after);
}

function replaced(from: string, to: string, before: string, after: string): string {
  const [old, made] = [marked(before, '-'), marked(after, '+')];
  const range = ({ count }: typeof old): string => `${count === 0 ? 0 : 1},${count}`;
  return `--- ${from}\n+++ ${to}\n@@ -${range(old)} +${range(made)} @@\n${old.text}${made.text}`;
}

function marked(text: string, marker: string): { text: string; count: number } {
  if (text === '') return { text: '', count: 0 };
  const whole = text.endsWith('\n');
  const lines = (whole ? text.slice(0, -1) : text).split('\n');
  const ending = whole ? '' : '\\ No newline at end of file\n';
  return { text: lines.map((line) => `${marker}${line}\n`).join('') + ending, count: lines.length };
}

/**
 * What a patch is known by: the same lines on the same files are the same patch, wherever they stand. `diff` is our own clean
 * diff; line numbers, context and spaces at line ends do not count.
 */
export function patchHash(diff: string, executable: readonly string[] = []): string {
  const telling = diff.split('\n').filter((line) => /^(?:[-+]|--- |\+\+\+ )/.test(line));
  const parts = [...telling.map((line) => line.trimEnd()), ...executable.map((path) => `+x ${path}`)];
  return createHash('sha256').update(parts.join('\n')).digest('hex').slice(0, 16);
}
