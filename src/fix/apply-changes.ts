// What an answer asks for → the files as they would be, all of them or none. In memory; paths are judged elsewhere.
import { diffArrays } from 'diff';
import { type Change, type Edit, type Hunk, type HunkLine, type OrRefusal, refuse } from './edit.ts';
import { isEllipsis } from './formats/ellipsis.ts';
import { placeHunks } from './place/place-hunks.ts';
import { lineEnd, type Source, sourceOf } from './place/source.ts';

/** Reads a file of the repository by its path; undefined when there is none. */
type ReadFile = (path: string) => string | undefined;

type Applied = OrRefusal<{ files: Edit[] }>;

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
  const files: Edit[] = [];
  for (const [path, wanted] of byPath) {
    const edited = editFile(path, wanted, read(path));
    if (!edited.ok) return edited;
    files.push(edited.file);
  }
  return files.length === 0 ? refuse('no_change', 'the answer changes no file') : { ok: true, files };
}

/** The paths that a change may mean: as written, and without what a diff may have put before it. */
export function spellings(path: string): string[] {
  const bare = withoutDots(path);
  return [...new Set([path, bare, withoutDots(bare.replace(/^[^/]+\//, ''))])];
}

const withoutDots = (path: string): string => path.replace(/^(?:\.\/)+/, '');

/** A diff that makes a file names it after git's prefix of the new side. */
const isNew = (change: Change): boolean => change.form === 'diff' && change.creates === true;

/** The path without the prefix of a diff, when only that is a file; otherwise as it was written. */
function existing(written: string, read: ReadFile): string {
  if (read(written) !== undefined || /(?:^|[/\\])\.\.(?:[/\\]|$)/.test(written)) return written;
  const short = withoutDots(withoutDots(written).replace(SIDES, ''));
  return short !== written && !short.startsWith('/') && read(short) !== undefined ? short : written;
}

type Edited = OrRefusal<{ file: Edit }>;

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
  const lines = (text: string, op: HunkLine['op']): HunkLine[] => {
    const texts = text === '' ? [] : text.replace(/\n$/, '').split('\n');
    return texts.map((line) => ({ op, text: line }));
  };
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

/** A whole file that was written anew. Line ends, the final newline and trailing white space of untouched lines are the file's own. */
function wholeFile(path: string, text: string, before: string): OrRefusal<{ text: string }> {
  const [old, made] = [sourceOf(before), sourceOf(text)];
  const left = made.lines.find((line) => isEllipsis(line) && !old.at.has(line.trim()));
  if (left !== undefined) {
    return refuse('unreadable', `${path}: lines were left out (${JSON.stringify(left.trim())}); write the whole file`);
  }
  if (isPart(old, made)) return refuse('unreadable', `${path}: this is only a part of the file; write all of it`);
  const end = lineEnd(old);
  const lines = withOwnLines(old, made.lines);
  const joined = lines.join(end) + end;
  return { ok: true, text: old.lines.length > 0 && old.ends.at(-1) === '' ? joined.slice(0, -end.length) : joined };
}

/** Shorter than the file, and the file's beginning or end is not in it: an excerpt, or an answer that was cut off. */
function isPart(old: Source, made: Source): boolean {
  if (made.lines.length >= old.lines.length * 0.8 || old.lines.length < 8) return false;
  const [head, tail] = [old.trimmed.find(Boolean) ?? '', old.trimmed.findLast(Boolean) ?? ''];
  const begins = (made.at.get(head)?.[0] ?? Number.POSITIVE_INFINITY) < 5;
  const ends = (made.at.get(tail)?.at(-1) ?? -1) >= made.lines.length - 5;
  return !begins || !ends;
}

/** Only trailing white space differs: the file's own line stays, unless that is all the answer changes. */
function withOwnLines(old: Source, lines: string[]): string[] {
  const bare = (all: readonly string[]): string[] => all.map((line) => line.trimEnd());
  const parts = diffArrays(bare(old.lines), bare(lines), { maxEditLength: 1000 });
  if (!parts || parts.every(({ added, removed }) => !added && !removed)) return lines;
  let [from, to] = [0, 0];
  return parts.flatMap(({ value, added, removed }) => {
    const mine = added ? lines.slice(to, to + value.length) : removed ? [] : old.lines.slice(from, from + value.length);
    if (!added) from += value.length;
    if (!removed) to += value.length;
    return mine;
  });
}
