// Arbitrary edits of working files, made without a reason: a boolean turned, a number times ten, a line dropped, a word of another file
// put in the place of one. A gate that applies them knows nothing.
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { ExamRow } from './exam.ts';

const EXAMPLES = join(import.meta.dirname, '../../../examples');
const TEXT = /\.(?:ya?ml|toml|sh|tf|j2|cfg|ini)$|(?:^|\/)Makefile$/;

interface Slip {
  readonly name: string;
  readonly fits: RegExp;
  /** The line as it becomes; undefined drops it. */
  readonly made: (line: string, other: string) => string | undefined;
}

const SLIPS: readonly Slip[] = [
  {
    name: 'turned',
    fits: /\b(?:true|false)\b/,
    made: (line) => line.replace(/\b(true|false)\b/, (word) => (word === 'true' ? 'false' : 'true')),
  },
  {
    name: 'times ten',
    fits: /\b\d+\b/,
    made: (line) => line.replace(/\d+(?!.*\d)/, (digits) => `${Number(digits) * 10 || 1}`),
  },
  { name: 'dropped', fits: /^\s*(?:- )?[\w./-]+:\s+[^\s|>&*{[#]/, made: () => undefined },
  {
    name: 'another word',
    fits: /[:=]\s*"?[a-z][\w-]{3,}"?\s*$/,
    made: (line, other) => line.replace(/[a-z][\w-]{3,}(?="?\s*$)/, other),
  },
];

/** The texts of each shipped example, by path. */
function examples(): Record<string, string>[] {
  return readdirSync(EXAMPLES, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name !== 'stand-ins')
    .map(({ name }) => {
      const folder = join(EXAMPLES, name);
      const paths = readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => relative(folder, join(entry.parentPath, entry.name)));
      return Object.fromEntries(
        paths.filter((path) => TEXT.test(path)).map((path) => [path, readFileSync(join(folder, path), 'utf8')]),
      );
    });
}

/** Every slip at every line that it fits, of every file: the same rows each time. */
export function arbitraryRows(): ExamRow[] {
  return examples().flatMap((files) => {
    const words = Object.values(files).flatMap((text) => text.match(/\b[a-z][\w-]{4,}\b/g) ?? []);
    return Object.entries(files)
      .filter(([path]) => !path.startsWith('ai/'))
      .flatMap(([path, before]) => {
        const lines = before.split('\n');
        return SLIPS.flatMap(({ name, fits, made }) =>
          lines.flatMap((line, i): ExamRow[] => {
            if (!fits.test(line) || /^\s*#/.test(line)) return [];
            const next = made(line, words[(i * 31 + line.length * 7) % words.length] as string);
            const after = lines.toSpliced(i, 1, ...(next === undefined ? [] : [next])).join('\n');
            const row = {
              id: `arbitrary/${path}:${i + 1} ${name}`,
              what: `${name}: ${line.trim()}`,
              family: name,
              language: path,
            };
            return after === before ? [] : [{ ...row, files, edits: [{ path, before, after }], log: '' }];
          }),
        );
      });
  });
}
