// What an answer asks for → the files as they would be, all of them or none. In memory; paths are judged elsewhere.
// biome-ignore-all lint/suspicious/noControlCharactersInRegex: control characters are what this refuses
import { type Change, type Edit, type OrRefusal, type Refusal, refuse, TWO_FORMS } from './edit.ts';
import { type Asked, answerLines, editFile } from './edit-file.ts';
import { pathFault } from './gate/path-text.ts';
import { linesInCommon } from './near-copy.ts';
import { type OldLine, weightOf } from './place/pattern.ts';
import { contiguous, type Source, sourceOf } from './place/source.ts';
import { nearestPlaces, rawLines } from './show-place.ts';
import { isOtherWhole } from './whole-file.ts';

/** Reads a file of the repository by its path; undefined when there is none. */
type ReadFile = (path: string) => string | undefined;

/** What is known besides the answer's own words. */
export interface Known {
  /** The file of a change that names none. */
  readonly path?: string | undefined;
  /** Every file that may be changed: where its lines stand settles a path that is missing or incomplete. */
  readonly editable?: readonly string[];
  /** Paths that the answer names in its prose. */
  readonly mentions?: readonly string[];
}

type Beside = Extract<Change, { form: 'beside' }>;
type Applied = OrRefusal<{ files: Edit[] }>;

/** First parts of a path that stand for a side of the diff, not for a folder. */
const SIDES = /^(?:a|b|c|i|o|w|old|new|orig|original|before|after|modified)\//;

/** Never throws unless `read` does. What is wrong is told of all files at once. */
export function applyChanges(changes: readonly Change[], read: ReadFile, known: Known = {}): Applied {
  const all = paired(changes, read, known);
  const asked = all.filter((change) => change.form !== 'beside');
  if (asked.some(({ form }) => form !== asked[0]?.form)) return refuse('unreadable', TWO_FORMS);
  const byPath = new Map<string, Asked[]>();
  const refusals: Refusal[] = [];
  for (const change of asked) {
    const settled = settle(change, read, known);
    if (typeof settled !== 'string') refusals.push(settled);
    else byPath.set(settled, [...(byPath.get(settled) ?? []), change]);
  }
  const files: Edit[] = [];
  for (const [path, wanted] of byPath) {
    const edited = editFile(path, wanted, read(path));
    // Of what cannot be placed that is said first, too.
    const text = wanted.map((change) => (change.form === 'whole-file' ? change.text : '')).join('');
    const unseen = addsUnseen(edited.ok ? edited.file : { path, before: read(path) ?? null, after: text });
    if (unseen) refusals.push(unseen);
    else if (!edited.ok) refusals.push(elsewhere(edited, wanted, path, read, known));
    else files.push(edited.file);
  }
  if (refusals.length > 0) return together(refusals);
  if (files.length === 0) return refuse('no_change', 'the answer changes no file');
  const second = all.some((change) => change.form === 'beside' && isSecondForm(change, files, read));
  return second ? refuse('unreadable', TWO_FORMS) : { ok: true, files };
}

/** One refusal of all, under the code of the first. */
function together(refusals: readonly Refusal[]): Refusal {
  const places = refusals.flatMap((refusal) => refusal.places ?? []);
  const [first] = refusals as [Refusal];
  const reasons = refusals.flatMap((refusal) => refusal.reasons);
  return { ...refuse(first.code, ...new Set(reasons)), ...(places.length > 0 && { places }) };
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

/** The file that a change is for: the one it names, or the only one that may be changed and has its lines. */
function settle(change: Asked, read: ReadFile, known: Known): string | Refusal {
  const written = change.path ?? known.path;
  if (written !== undefined && isNew(change)) return written.replace(/^b\//, '');
  const path = written === undefined ? undefined : existing(written, read);
  if (path !== undefined && read(path) !== undefined) return path;
  const { editable = [] } = known;
  const short = path === undefined ? undefined : withoutDots(withoutDots(path).replace(SIDES, ''));
  if (short !== undefined && pathFault(short) !== undefined) return path as string;
  const candidates = short === undefined ? editable : editable.filter((one) => isNear(one, short));
  // A whole file under another name is a new file, which the gate judges.
  if (short !== undefined && candidates.length === 0) return missing(change, path as string, read, editable);
  const fitting = bestOf(change, candidates, read);
  const named = short === undefined ? mentioned(known).filter((one) => fitting.includes(one)) : [];
  const fits = named.length === 1 ? named : fitting;
  const [only] = fits;
  if (only !== undefined && fits.length === 1) return only;
  if (fits.length > 1) {
    const some = fits.slice(0, 6);
    const places = some.flatMap((one) => nearestPlaces(answerLines(change), sources([one], read), 1));
    return { ...refuse('ambiguous', `it fits in more than one file: ${some.join(', ')}; write the path`), places };
  }
  if (short !== undefined) return missing(change, path as string, read, editable);
  const [told, other] = mentioned(known);
  const tried = told !== undefined && other === undefined ? editFile(told, [change], read(told)) : undefined;
  if (tried && !tried.ok) return tried;
  const places = nearestPlaces(answerLines(change), sources(editable, read));
  return { ...refuse('no_path', 'write the path of the file above the change, and its lines as they are'), places };
}

const textOf = (change: Asked): string =>
  answerLines(change)
    .map(({ text }) => text)
    .join('\n');

/** Among files that a text without marks fits, one must have so many more of its lines. */
const MARGIN = 2;

/**
 * The files in which the change could be made, at one place or more. Of a text without marks, also those that have as many of its
 * lines and do not take it: one of them may be meant.
 */
function bestOf(change: Asked, candidates: readonly string[], read: ReadFile): string[] {
  const tried = candidates.map((path) => {
    const before = read(path) ?? '';
    const edited = editFile(path, [change], read(path));
    const { ofA, ofB } = linesInCommon(textOf(change), before);
    const isOther = edited.ok && edited.file.rewritten === true && ofB < 0.5;
    const isFit = edited.ok ? !isOther : FITS.has(edited.code);
    const isSame = !edited.ok && edited.code === 'no_change';
    return { path, isFit, isSame, same: change.form === 'whole-file' ? ofA * answerLines(change).length : 0 };
  });
  const most = Math.max(0, ...tried.filter(({ isFit }) => isFit).map(({ same }) => same));
  const isRival = (same: number): boolean => change.form === 'whole-file' && most > 0 && same >= most;
  return tried
    .filter(({ isFit, isSame, same }) => (isFit ? same > most - MARGIN : !isSame && isRival(same)))
    .map(({ path }) => path);
}

/** Refusals of a change whose lines are there all the same. */
const FITS: ReadonlySet<string> = new Set(['ambiguous', 'indentation']);

const sources = (paths: readonly string[], read: ReadFile): [string, Source][] =>
  paths.map((path) => [path, sourceOf(read(path) ?? '')]);

/** The editable files that the answer names in its prose. */
const mentioned = ({ mentions = [], editable = [] }: Known): string[] => {
  const exact = editable.filter((path) => mentions.includes(path));
  return exact.length > 0 ? exact : editable.filter((path) => mentions.some((one) => isNear(path, one)));
};

const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

/** Whether `written` may be `path` without its beginning, with something before it, or in another folder. */
const isNear = (path: string, written: string): boolean =>
  `/${path}`.endsWith(`/${written}`) || written.endsWith(`/${path}`) || nameOf(path) === nameOf(written);

/** A path that is no file: what there is instead; a text without marks under such a path would be a new file. */
function missing(change: Asked, path: string, read: ReadFile, editable: readonly string[]): string | Refusal {
  const files = sources(editable, read);
  const isCopy = files.some(([, { lines }]) => linesInCommon(textOf(change), lines.join('\n')).ofA >= 0.5);
  if (files.length === 0 || (change.form === 'whole-file' && !isCopy)) return path;
  const only = change.form === 'diff' && change.hunks.every(({ lines }) => lines.every(({ op }) => op === '+'));
  if (only) return path;
  const places = nearestPlaces(answerLines(change), files);
  const others = [...places.map((place) => place.path), ...editable].filter((one) => one !== path);
  const names = [...new Set(others)].slice(0, 8);
  // A file that may be changed and could not be read: binary, too long, or in another encoding.
  const what = editable.includes(path) ? 'is no UTF-8 text that can be changed' : 'does not exist';
  const instead = names.length > 0 ? `; these may be changed: ${names.join(', ')}` : '';
  return { ...refuse('missing_file', `${path} ${what}${instead}`), places };
}

/** A refusal, and which other file has the lines that this one has not. */
function elsewhere(refusal: Refusal, changes: readonly Asked[], path: string, read: ReadFile, known: Known): Refusal {
  if (refusal.code !== 'not_found') return refusal;
  if (known.editable?.length && !known.editable.includes(path)) {
    return refuse('outside', `${path}: only these may be changed: ${known.editable.slice(0, 8).join(', ')}`);
  }
  const others = (known.editable ?? []).filter((one) => one !== path);
  const right = others.filter((one) => editFile(one, changes, read(one)).ok);
  const [other] = right;
  if (other === undefined || right.length > 1) return refusal;
  const places = nearestPlaces(changes.flatMap(answerLines), sources([other], read), 1);
  return { ...refuse(refusal.code, `${path} does not have these lines; ${other} has them`), places };
}

/**
 * Texts without marks, two and two: one that stands in a file just so, and the one behind it that is like it, or that its label
 * calls the new one, are an old and a new text. A text that just quotes a file asks for nothing.
 */
function paired(changes: readonly Change[], read: ReadFile, known: Known): Change[] {
  const isText = (change: Change | undefined) => change?.form === 'whole-file';
  if (changes.filter(isText).length < 2) return [...changes];
  const quotes = changes.map((change) => isText(change) && isQuote(change as Asked, read, known));
  const made: Change[] = [];
  for (let i = 0; i < changes.length; i++) {
    const [one, next] = [changes[i] as Change, changes[i + 1]];
    if (one.form !== 'whole-file') made.push(one);
    else if (next?.form === 'whole-file' && isPair(one, next, quotes[i] === true, quotes[i + 1] === true)) {
      const blocks = [{ search: one.text, replace: next.text }];
      made.push({ form: 'search-replace', path: one.path ?? next.path, blocks });
      i++;
    } else if (quotes[i] !== true) made.push(one);
  }
  if (made.length === 0) return [...changes];
  const isMixed = made.some(isText) && !made.every(isText);
  return isMixed ? made.map((one) => (one.form === 'whole-file' ? { ...one, form: 'beside' } : one)) : made;
}

type Text = Extract<Change, { form: 'whole-file' }>;

function isPair(one: Text, next: Text, isOld: boolean, isQuoted: boolean): boolean {
  if (one.path !== undefined && next.path !== undefined && one.path !== next.path) return false;
  if (one.label === 'old' && next.label === 'new') return true;
  return isOld && !isQuoted && (one.label === 'old' || next.label === 'new' || isLike(one.text, next.text));
}

function isLike(a: string, b: string): boolean {
  const { ofA } = linesInCommon(a, b);
  return ofA >= 0.5 || nearestPlaces(rawLines(b), [['', sourceOf(a)]], 1).length > 0;
}

/** Whether the text stands in its file, or in one that may be changed, as one piece. */
function isQuote(change: Asked, read: ReadFile, { path, editable = [] }: Known): boolean {
  const written = change.path ?? path;
  const named = written === undefined ? undefined : existing(written, read);
  const paths = named !== undefined && read(named) !== undefined ? [named] : editable;
  const lines = sourceOf(textOf(change)).lines.filter(
    (line, i, all) => line.trim() !== '' || (i > 0 && i < all.length - 1),
  );
  const old = lines.map((text): OldLine => ({ text, trimmed: text.trim(), removed: false, bare: true }));
  if (!old.some(({ trimmed }) => weightOf(trimmed) > 0)) return false;
  return sources(paths, read).some(([, source]) => contiguous(old, source).starts.length > 0);
}

/** Whether a block beside the change asks for one as well: it is all of a file, and not as the file is. */
function isSecondForm({ path, text }: Beside, files: readonly Edit[], read: ReadFile): boolean {
  const named = path === undefined ? undefined : read(existing(path, read));
  const meant = files.filter((file) => path === undefined || `/${file.path}`.endsWith(`/${path}`));
  const texts = named === undefined ? meant.flatMap(({ before }) => before ?? []) : [named];
  return texts.length === 0 ? path !== undefined : texts.some((before) => isOtherWhole(text, before));
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
