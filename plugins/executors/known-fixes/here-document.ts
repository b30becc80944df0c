// A here-document whose last line is indented or mistyped, so that it swallows the rest of the script.
import { errorLines, fileNamed, lastComplaintInFile } from './complaints.ts';
import { slips } from './near.ts';
import { type Repair, type RepairFacts, rewritten } from './repair.ts';
import { lineAt, textOf, withLine } from './source-text.ts';

const UNENDED = /^(\S+): line \d+: warning: here-document at line (\d+) delimited by end-of-file \(wanted `(.+)'\)$/;

/** The text with the end of the here-document at line `opened` as the shell wants it; undefined when no one line is that end. */
export function withEnd(text: string, opened: number, end: string): string | undefined {
  const opening = lineAt(text, opened) ?? '';
  const opens = opening.match(/<<-?\s*(["'\\]?)[\w.-]+\1/g) ?? [];
  if (opens.length !== 1 || !opening.includes(end)) return undefined;
  const isOpened = (word: string) => new RegExp(`<<-?\\s*["'\\\\]?${word}\\b`).test(text);
  const ends = text.split('\n').flatMap((line, i) => {
    const word = line.trim().replace(/;$/, '');
    return i >= opened && isMeantAs(end, word) && (word === end || !isOpened(word)) ? [i + 1] : [];
  });
  const [at] = ends;
  // Another one that wants the same end would have to share it.
  const others = text
    .split('\n')
    .filter((line, i) => i >= opened && new RegExp(`<<-?\\s*["'\\\\]?${end}\\b`).test(line));
  return at !== undefined && ends.length === 1 && others.length === 0 ? withLine(text, at, end) : undefined;
}

/** The same word, or one slip away. */
function isMeantAs(end: string, word: string): boolean {
  if (word === end) return true;
  return /^\w{3,}$/.test(word) && sameCase(word, end) && slips(word, end, 1) === 1;
}

const sameCase = (one: string, other: string): boolean =>
  (one === one.toUpperCase()) === (other === other.toUpperCase());

const OPENS = /(?<!<)<<-?\s*(["'\\]?)([A-Za-z_]\w*)\1/;

/** The first here-document that a script opens and does not end: it hides all after it. */
export function unended(text: string): { opened: number; end: string } | undefined {
  const lines = text.split('\n');
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i] as string;
    const end = /^\s*#|\(\(/.test(line) ? undefined : OPENS.exec(line)?.[2];
    if (end === undefined) continue;
    const tabs = /<<-/.test(line);
    const at = lines.findIndex((one, j) => j > i && (tabs ? one.replace(/^\t+/, '') : one) === end);
    if (at === -1) return { opened: i + 1, end };
    i = at;
  }
  return undefined;
}

export const hereDocument: Repair = {
  name: 'here-document',
  async find(facts) {
    const open = (await namedByShell(facts)) ?? (await cutShort(facts));
    if (!open) return undefined;
    const { path, text, opened, end } = open;
    const mended = withEnd(text, opened, end);
    if (mended === undefined || !(await facts.shell.parses(mended))) return undefined;
    return rewritten(path, text, mended, {
      fix: `Write ${end} alone at the start of its line in ${path}`,
      reason: `The here-document of line ${opened} takes only that for its end, and swallowed the rest of the script`,
    });
  },
};

interface OpenDocument {
  path: string;
  text: string;
  opened: number;
  end: string;
}

/** The shell says which one has no end. */
async function namedByShell(facts: RepairFacts): Promise<OpenDocument | undefined> {
  const [warning, ...more] = errorLines(facts).flatMap((line) => {
    const match = UNENDED.exec(line);
    return match ? [match] : [];
  });
  const [, name, opened = '', end = ''] = warning ?? [];
  const path = more.length === 0 ? fileNamed(name, facts) : undefined;
  const text = await textOf(facts, path);
  return path === undefined || text === undefined ? undefined : { path, text, opened: Number(opened), end };
}

/** It swallowed the end of a block too, and the error lines hold only that; then the shell must agree to the repair. */
async function cutShort(facts: RepairFacts): Promise<OpenDocument | undefined> {
  const last = await lastComplaintInFile(facts, /^syntax error: unexpected end of file/);
  const open = last && unended(last.text);
  return open && { path: last.path, text: last.text, ...open };
}
