// What an answer asks for → the files as they would be, all of them or none. In memory; paths are judged elsewhere.
// biome-ignore-all lint/suspicious/noControlCharactersInRegex: control characters are what this refuses
import { diffArrays } from 'diff';
import {
  type Change,
  type Edit,
  type Hunk,
  type HunkLine,
  type OrRefusal,
  type Refusal,
  refuse,
  TWO_FORMS,
} from './edit.ts';
import { isEllipsis } from './formats/ellipsis.ts';
import { linesInCommon } from './near-copy.ts';
import { placeHunks } from './place/place-hunks.ts';
import { lineEnd, type Source, sourceOf } from './place/source.ts';

/** Reads a file of the repository by its path; undefined when there is none. */
type ReadFile = (path: string) => string | undefined;

type Beside = Extract<Change, { form: 'beside' }>;
type Asked = Exclude<Change, Beside>;
type Applied = OrRefusal<{ files: Edit[] }>;

/** First parts of a path that stand for a side of the diff, not for a folder. */
const SIDES = /^(?:a|b|c|i|o|w|old|new|orig|original|before|after|modified)\//;

/** Never throws unless `read` does. `hint.path` is the file of a change that names none. */
export function applyChanges(
  changes: readonly Change[],
  read: ReadFile,
  hint: { path?: string | undefined } = {},
): Applied {
  const asked = changes.filter((change) => change.form !== 'beside');
  if (asked.some(({ form }) => form !== asked[0]?.form)) return refuse('unreadable', TWO_FORMS);
  const byPath = new Map<string, Asked[]>();
  for (const change of asked) {
    const written = change.path ?? hint.path;
    if (written === undefined) return refuse('no_path', 'write the path of the file above the change');
    const path = isNew(change) ? written.replace(/^b\//, '') : existing(written, read);
    byPath.set(path, [...(byPath.get(path) ?? []), change]);
  }
  const files: Edit[] = [];
  for (const [path, wanted] of byPath) {
    const edited = editFile(path, wanted, read(path));
    if (!edited.ok) return edited;
    const unseen = addsUnseen(edited.file);
    if (unseen) return unseen;
    files.push(edited.file);
  }
  if (files.length === 0) return refuse('no_change', 'the answer changes no file');
  const second = changes.some((change) => change.form === 'beside' && isSecondForm(change, files, read));
  return second ? refuse('unreadable', TWO_FORMS) : { ok: true, files };
}

/** The paths that a change may mean: as written, and without what a diff may have put before it. */
export function spellings(path: string): string[] {
  const bare = withoutDots(path);
  return [...new Set([path, bare, withoutDots(bare.replace(/^[^/]+\//, ''))])];
}

const withoutDots = (path: string): string => path.replace(/^(?:\.\/)+/, '');

/** A diff that makes a file names it after git's prefix of the new side. */
const isNew = (change: Asked): boolean => change.form === 'diff' && change.creates === true;

/** The path without the prefix of a diff, when only that is a file; otherwise as it was written. */
function existing(written: string, read: ReadFile): string {
  if (read(written) !== undefined || /(?:^|[/\\])\.\.(?:[/\\]|$)/.test(written)) return written;
  const short = withoutDots(withoutDots(written).replace(SIDES, ''));
  return short !== written && !short.startsWith('/') && read(short) !== undefined ? short : written;
}

type Edited = OrRefusal<{ file: Edit }>;

function editFile(path: string, changes: readonly Asked[], before: string | undefined): Edited {
  const [first] = changes as [Asked];
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

function hunksOf(change: Asked): Hunk[] {
  if (change.form === 'diff') return change.hunks;
  if (change.form === 'whole-file') return [];
  const lines = (text: string, op: HunkLine['op']): HunkLine[] => {
    const texts = text === '' ? [] : text.replace(/\n$/, '').split('\n');
    return texts.map((line) => ({ op, text: line }));
  };
  return change.blocks.map(({ search, replace }) => ({ lines: [...lines(search, '-'), ...lines(replace, '+')] }));
}

/** A file that is not there can only be made of added lines. */
function newFile(path: string, changes: readonly Asked[]): Edited {
  const [first, ...more] = changes as [Asked];
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

/** Of a file that has fewer lines than this, what is left after a fix may be much shorter. */
const FEW_LINES = 8;

/** Shorter than the file, and the file's beginning or end is not in it: an excerpt, or an answer that was cut off. */
function isPart(old: Source, made: Source, fewest = FEW_LINES): boolean {
  if (made.lines.length >= old.lines.length * 0.8 || old.lines.length < fewest) return false;
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

/** Whether a block beside the change asks for one as well: it is all of a file, and not as the file is. */
function isSecondForm({ path, text }: Beside, files: readonly Edit[], read: ReadFile): boolean {
  const named = path === undefined ? undefined : read(existing(path, read));
  const meant = files.filter((file) => path === undefined || `/${file.path}`.endsWith(`/${path}`));
  const texts = named === undefined ? meant.flatMap(({ before }) => before ?? []) : [named];
  return texts.length === 0 ? path !== undefined : texts.some((before) => isOtherWhole(text, before));
}

function isOtherWhole(text: string, before: string): boolean {
  const [old, made] = [sourceOf(before), sourceOf(text)];
  const joined = ({ trimmed }: Source): string => `\n${trimmed.filter(Boolean).join('\n')}\n`;
  const excerpt = joined(old).includes(joined(made)) || made.lines.some(isEllipsis) || isPart(old, made, 0);
  return !excerpt && linesInCommon(text, before).ofA >= 0.5;
}

const UNSEEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]|\r(?!\n)/g;

/** Control characters, and those that show text in another order. What the file already holds may stay. */
function addsUnseen({ path, before, after }: Edit): Refusal | undefined {
  const [had, has] = [before?.match(UNSEEN) ?? [], after.match(UNSEEN) ?? []];
  for (const character of new Set(has)) {
    const count = (all: readonly string[]): number => all.filter((one) => one === character).length;
    if (count(has) <= count(had)) continue;
    const code = character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0');
    return refuse('unsafe_text', `${path}: the change adds the control character U+${code}`);
  }
  return undefined;
}
