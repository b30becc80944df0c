// An edit by line numbers, as a JSON object that the host holds to a schema: only files and lines that the model was shown.
import * as z from 'zod';
import { readNumbered } from '../outbound/shown-files.ts';
import type { Proposal } from '../plugin/contract.ts';
import { objectIn } from './choose.ts';
import type { SeenFile } from './guard-answer.ts';

const MAX_FILES = 20;

/** The schema of the answer: paths and line numbers are those of `files`. */
export function editSchema(files: readonly SeenFile[]): object {
  const variants = editable(files).map(({ path, lines }) => {
    const line = { type: 'integer', minimum: Math.min(...lines), maximum: Math.max(...lines) };
    const properties = {
      fix: { type: 'string' },
      reason: { type: 'string' },
      path: { type: 'string', enum: [path] },
      start: line,
      end: line,
      replacement: { type: 'string' },
    };
    return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false };
  });
  return variants.length === 1 ? (variants[0] as object) : { anyOf: variants };
}

const editable = (files: readonly SeenFile[]): SeenFile[] =>
  files.filter(({ lines }) => lines.size > 0).slice(0, MAX_FILES);

const editShape = z.object({
  fix: z.string().default(''),
  reason: z.string().default(''),
  path: z.string(),
  start: z.int(),
  end: z.int(),
  replacement: z.string(),
});

const MAX_WORDS = 600;

/** The whole new text of the file, or what is wrong with the answer, for the model. */
export function readEdit(answer: string, files: readonly SeenFile[], maxLines: number): Proposal | { wrong: string } {
  const edit = objectIn(answer, editShape);
  if (!edit) return { wrong: 'the answer is not a JSON object with path, start, end and replacement' };
  const { path, start, end, replacement, fix, reason } = edit;
  const file = editable(files).find((one) => one.path === path);
  if (!file) return { wrong: `${path} is not one of the files that are shown` };
  if (start > end) return { wrong: `start ${start} is behind end ${end}` };
  if (end - start >= maxLines) return { wrong: `at most ${maxLines} lines may change, not ${end - start + 1}` };
  for (let line = start; line <= end; line++) {
    if (!file.lines.has(line))
      return { wrong: `line ${line} of ${path} is not shown as it is, so it cannot be replaced` };
  }
  const words = (text: string, otherwise: string) => text.trim().slice(0, MAX_WORDS) || otherwise;
  const note = { fix: words(fix, `change ${path}`), reason: words(reason, 'not given') };
  return { files: { [path]: replaced(file.text, start, end, replacement) }, note };
}

/** Line ends stay those of the file. */
function replaced(text: string, start: number, end: number, replacement: string): string {
  const lines = text.split(/(?<=\n)/);
  const crlf = text.includes('\r\n') ? '\r\n' : '\n';
  const added = replacement === '' ? [] : unnumbered(replacement.replace(/\r?\n$/, '').split(/\r?\n/));
  const last = lines[end - 1]?.endsWith('\n') ?? false;
  const middle = added.map((line, i) => (i < added.length - 1 || last ? `${line}${crlf}` : line));
  return [...lines.slice(0, start - 1), ...middle, ...lines.slice(end)].join('');
}

/** Without line numbers that the model copied. */
function unnumbered(lines: string[]): string[] {
  const read = lines.map(readNumbered);
  return read.every((line) => line !== undefined) ? read.map((line) => line.text) : lines;
}
