// What an answer asks for → the files as they would be, all of them or none. In memory; paths are judged elsewhere.
import { type Change, type EditedFile, type Hunk, type HunkLine, type Refusal, refuse } from './edit.ts';
import { placeHunks } from './place/place-hunks.ts';
import { sourceOf } from './place/source.ts';
import { wholeFile } from './place/whole-file.ts';

/** Reads a file of the repository by its path; undefined when there is none. */
export type ReadFile = (path: string) => string | undefined;

export type Applied = { ok: true; files: EditedFile[] } | Refusal;

/** First parts of a path that stand for a side of the diff, not for a folder. */
const SIDES = /^(?:a|b|c|i|o|w|old|new|orig|original|before|after|modified)\//;

/** Never throws unless `read` does. `hint.path` is the file of a change that names none. */
export function applyChanges(
  changes: readonly Change[],
  read: ReadFile,
  hint: { path?: string | undefined } = {},
): Applied {
  const byPath = new Map<string, Change[]>();
  for (const change of changes) {
    const written = change.path ?? hint.path;
    if (written === undefined) return refuse('no_path', 'write the path of the file above the change');
    const path = isNew(change) ? written.replace(/^b\//, '') : existing(written, read);
    byPath.set(path, [...(byPath.get(path) ?? []), change]);
  }
  const files: EditedFile[] = [];
  for (const [path, wanted] of byPath) {
    const edited = editFile(path, wanted, read(path));
    if (!edited.ok) return edited;
    files.push(edited.file);
  }
  if (files.length === 0) return refuse('no_change', 'the answer changes no file');
  return { ok: true, files };
}

/** The paths that a change may mean: as written, and without what a diff may have put before it. */
export function spellings(path: string): string[] {
  const bare = path.replace(/^(?:\.\/)+/, '');
  return [...new Set([path, bare, bare.replace(/^[^/]+\//, '').replace(/^(?:\.\/)+/, '')])];
}

/** A diff that makes a file names it after git's prefix of the new side. */
const isNew = (change: Change): boolean => change.form === 'diff' && change.creates === true;

/** The path without the prefix of a diff, when only that is a file; otherwise as it was written. */
function existing(written: string, read: ReadFile): string {
  if (read(written) !== undefined || /(?:^|[/\\])\.\.(?:[/\\]|$)/.test(written)) return written;
  const short = written
    .replace(/^(?:\.\/)+/, '')
    .replace(SIDES, '')
    .replace(/^(?:\.\/)+/, '');
  return short !== written && !short.startsWith('/') && read(short) !== undefined ? short : written;
}

type Edited = { ok: true; file: EditedFile } | Refusal;

function editFile(path: string, changes: readonly Change[], before: string | undefined): Edited {
  const [first] = changes as [Change];
  if (changes.some(({ form }) => form !== first.form)) {
    return refuse('unreadable', `${path}: one file is changed in two forms; use one of them`);
  }
  if (before === undefined) return newFile(path, changes);
  if (changes.some((change) => change.form === 'diff' && change.creates)) {
    return refuse('not_found', `${path}: the diff makes a new file, but it is there already`);
  }
  const made =
    first.form === 'whole-file'
      ? changes.length === 1
        ? wholeFile(path, first.text, before)
        : refuse('unreadable', `${path}: the answer holds this file more than once`)
      : placeHunks(path, changes.flatMap(hunksOf), sourceOf(before), first.form === 'diff' ? 'hunk' : 'block');
  if (!made.ok) return made;
  if (made.text === before) return refuse('no_change', `${path}: the file would stay as it is`);
  return { ok: true, file: { path, before, after: made.text } };
}

function hunksOf(change: Change): Hunk[] {
  if (change.form === 'diff') return change.hunks;
  if (change.form === 'whole-file') return [];
  const lines = (text: string, op: HunkLine['op']): HunkLine[] =>
    text === ''
      ? []
      : text
          .replace(/\n$/, '')
          .split('\n')
          .map((line) => ({ op, text: line }));
  return change.blocks.map(({ search, replace }) => ({ lines: [...lines(search, '-'), ...lines(replace, '+')] }));
}

/** A file that is not there can only be made of added lines. */
function newFile(path: string, changes: readonly Change[]): Edited {
  const [first, ...more] = changes as [Change];
  if (more.length > 0) return refuse('missing_file', `${path} does not exist`);
  if (first.form === 'whole-file') return { ok: true, file: { path, before: null, after: first.text } };
  const hunks = hunksOf(first);
  const lines = hunks.flatMap((hunk) => hunk.lines);
  if (lines.length === 0 || lines.some(({ op }) => op !== '+')) return refuse('missing_file', `${path} does not exist`);
  const text = lines.map((line) => `${line.text}\n`).join('');
  const after = hunks.at(-1)?.noFinalNewline ? text.slice(0, -1) : text;
  return { ok: true, file: { path, before: null, after } };
}
