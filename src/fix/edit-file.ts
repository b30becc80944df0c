// What an answer asks of one file → the file as it would be, or all that stands in the way at once.
import { type Change, type Edit, type Hunk, type HunkLine, type OrRefusal, type Refusal, refuse } from './edit.ts';
import { placeExcerpt } from './place/excerpt.ts';
import { clashOf, type Obstacle, placeHunks, textOf } from './place/place-hunks.ts';
import { type Source, sourceOf } from './place/source.ts';
import type { LineEdits } from './place/spot.ts';
import { replaceWithin } from './place/within.ts';
import { type AnswerLine, nearestPlaces, showPlace } from './show-place.ts';
import { isWhole, lacksEdge, rewritten } from './whole-file.ts';

/** A change, and not what stands beside one. */
export type Asked = Exclude<Change, { form: 'beside' }>;
export type Edited = OrRefusal<{ file: Edit }>;

/** All changes of one file, which are of one form. Never throws. */
export function editFile(path: string, changes: readonly Asked[], before: string | undefined): Edited {
  if (before === undefined) return newFile(path, changes);
  if (changes.some((change) => change.form === 'diff' && change.creates)) {
    return refuse('not_found', `${path}: the diff makes a new file, but it is there already`);
  }
  const asked = distinct(changes.map((change) => straightened(change, before)));
  const source = sourceOf(before);
  const [first] = asked;
  if (first?.form === 'whole-file' && isWhole(first.text, before, first.bare)) {
    const twice = `${path}: the answer holds this file more than once, and not the same; write it once`;
    if (asked.length > 1) return refuse('unreadable', twice);
    return changed({ path, before, after: rewritten(first.text, source), rewritten: true });
  }
  const unclear = asked.find((change) => change.form === 'whole-file' && lacksEdge(change.text, before));
  if (unclear) {
    const why =
      'a line or two of its beginning or end are missing; write all of the file, or mark in a diff what is to go';
    return {
      ...refuse('unreadable', `${path}: ${why}`),
      places: nearestPlaces(answerLines(unclear), [[path, source]]),
    };
  }
  const placed = placeAll(asked, source);
  if (placed.obstacles.length > 0) return refusalOf(path, asked, placed, source);
  const { edits, newline } = placed;
  if (edits.length === 0 && meansLineEnds(asked, source))
    return changed({ path, before, after: before.replaceAll('\r\n', '\n') });
  if (edits.length === 0) return unchanged(path, first?.form, source, asked);
  const clash = clashOf(edits);
  if (clash !== undefined) {
    const why = `${path}: two parts of the change meet at line ${clash + 1}; give each line only one new text`;
    return { ...refuse('ambiguous', why), places: [showPlace(path, source, clash)] };
  }
  return changed({ path, before, after: textOf(edits, source, newline) });
}

const changed = (file: Edit): Edited =>
  file.before === file.after ? refuse('no_change', `${file.path}: the file would stay as it is`) : { ok: true, file };

/** A diff that takes lines out of a file with CRLF and puts the same ones in again can only mean their ends. */
const meansLineEnds = (changes: readonly Asked[], { ends }: Source): boolean =>
  ends.includes('\r\n') &&
  changes.every(
    (change) =>
      change.form === 'diff' &&
      change.hunks.every(({ lines }) => {
        const texts = (op: HunkLine['op']) => lines.flatMap((line) => (line.op === op ? [line.text] : []));
        return texts('-').length > 0 && texts('-').join('\n') === texts('+').join('\n');
      }),
  );

function unchanged(path: string, form: Change['form'] | undefined, source: Source, asked: readonly Asked[]): Edited {
  const left =
    'the file has these lines already; lines that an excerpt leaves out stay, so mark in a diff what is to go';
  const why = form === 'whole-file' ? left : 'the change takes out nothing and adds nothing';
  return {
    ...refuse('no_change', `${path}: ${why}`),
    places: nearestPlaces(asked.flatMap(answerLines), [[path, source]], 1),
  };
}

interface Placed {
  /** What a part is called, and how many the answer has. */
  name: 'hunk' | 'block';
  count: number;
  edits: LineEdits[];
  newline: boolean;
  obstacles: Obstacle[];
}

function placeAll(changes: readonly Asked[], source: Source): Placed {
  const endsInNewline = source.ends.at(-1) !== '';
  const hunks = changes.flatMap((change) => (change.form === 'diff' ? change.hunks : []));
  if (hunks.length > 0) {
    const placed = placeHunks(distinct(hunks), source);
    const all = { name: 'hunk' as const, count: hunks.length };
    return 'obstacles' in placed
      ? { ...all, ...placed, edits: [], newline: endsInNewline }
      : { ...all, ...placed, obstacles: [] };
  }
  const blocks = changes.flatMap((change): (Block | string)[] =>
    change.form === 'search-replace' ? distinct(change.blocks) : change.form === 'whole-file' ? [change.text] : [],
  );
  const placed: Placed = { name: 'block', count: blocks.length, edits: [], newline: endsInNewline, obstacles: [] };
  for (const [from, block] of blocks.entries()) {
    const placement = typeof block === 'string' ? placeText(block, source) : placeBlock(block, source);
    if ('edits' in placement) placed.edits.push(...placement.edits);
    else placed.obstacles.push(...placement.obstacles.map((obstacle) => ({ ...obstacle, from })));
  }
  return placed;
}

type PlacedPart = { edits: LineEdits[] } | { obstacles: Omit<Obstacle, 'from'>[] };
type Block = Extract<Change, { form: 'search-replace' }>['blocks'][number];

function placeText(text: string, source: Source): PlacedPart {
  const placed = placeExcerpt(text.split('\n'), source);
  if (placed.kind === 'unchanged') return { edits: [] };
  return placed.kind === 'placed' ? placed : { obstacles: [placed] };
}

function placeBlock(block: Block, source: Source): PlacedPart {
  if (!block.within) return placeHunks([hunkOf(block)], source);
  const { starts, edits } = replaceWithin(block, source);
  if (edits) return { edits: [edits] };
  if (starts.length > 1) {
    const why = `the text to be replaced stands in ${starts.length} places; give more of the lines around the right one`;
    return { obstacles: [{ code: 'ambiguous', why, near: starts }] };
  }
  if (starts.length === 1) {
    const why = 'it is not clear how its new lines are indented; give whole lines, old and new';
    return { obstacles: [{ code: 'indentation', why, near: starts }] };
  }
  if (!block.pattern) return placeHunks([hunkOf(block)], source);
  return { obstacles: [{ code: 'not_found', why: 'its expression fits no line of the file', near: [] }] };
}

const linesOf = (text: string, op: HunkLine['op']): HunkLine[] =>
  text === ''
    ? []
    : text
        .replace(/\n$/, '')
        .split('\n')
        .map((line) => ({ op, text: line }));

const hunkOf = ({ search, replace }: Block): Hunk => ({ lines: [...linesOf(search, '-'), ...linesOf(replace, '+')] });

/** Said twice is asked for once. */
function distinct<T>(all: readonly T[]): T[] {
  return [...new Map(all.map((one) => [JSON.stringify(one), one])).values()];
}

const QUOTES: Readonly<Record<string, string>> = { '“': '"', '”': '"', '„': '"', '‘': "'", '’': "'", '\u00a0': ' ' };
const TYPOGRAPHIC = /[“”„‘’\u00a0]/g;

/** Quotes as printers set them, in an answer for a file that has none, were plain ones once. */
function straightened<T extends Asked>(change: T, before: string): T {
  const written = JSON.stringify(change);
  if (!written.match(TYPOGRAPHIC) || before.match(TYPOGRAPHIC)) return change;
  const plain = (text: string): string => text.replaceAll(TYPOGRAPHIC, (letter) => QUOTES[letter] as string);
  return mapTexts(change, plain);
}

function mapTexts<T extends Asked>(change: T, map: (text: string) => string): T {
  if (change.form === 'whole-file') return { ...change, text: map(change.text) };
  if (change.form === 'search-replace') {
    const blocks = change.blocks.map((one) => ({ ...one, search: map(one.search), replace: map(one.replace) }));
    return { ...change, blocks };
  }
  const mapped = (hunk: Hunk): Hunk => ({
    ...hunk,
    lines: hunk.lines.map((line) => ({ ...line, text: map(line.text) })),
  });
  return { ...change, hunks: change.hunks.map(mapped) };
}

/** The change the other way round: what was to come goes, what was to go comes. */
function reversed(change: Asked): Asked | undefined {
  const turn = { '+': '-', '-': '+', ' ': ' ' } as const;
  if (change.form === 'diff') {
    const hunks = change.hunks.map(({ lines }) => ({ lines: lines.map((line) => ({ ...line, op: turn[line.op] })) }));
    return { ...change, hunks };
  }
  if (change.form === 'whole-file' || change.blocks.some(({ pattern }) => pattern)) return undefined;
  return { ...change, blocks: change.blocks.map((one) => ({ ...one, search: one.replace, replace: one.search })) };
}

const MAX_SHOWN = 5;
const MAX_PLACES = 4;

/** One refusal of everything that cannot be placed, with the lines of the file that each part comes closest to. */
function refusalOf(
  path: string,
  changes: readonly Asked[],
  { name, count, obstacles }: Placed,
  source: Source,
): Refusal {
  const worst = (obstacles.find(({ code }) => code !== 'already_applied') ?? obstacles[0]) as Obstacle;
  const shown = obstacles.slice(0, MAX_SHOWN);
  const reasons = shown.flatMap((one) => [
    `${path}, ${name} ${one.from + 1} of ${count}: ${one.why}`,
    ...nearestLines(one, source),
  ]);
  const isMissing = obstacles.every(({ code }) => code === 'not_found' || code === 'already_applied');
  const turned = isMissing ? swapped(path, changes, source) : undefined;
  const several = obstacles.filter(({ code }) => code === 'ambiguous');
  const at = several.flatMap(({ near, offset = 0, reach = 0 }) =>
    near.slice(0, MAX_PLACES).map((n) => [n + offset, reach] as const),
  );
  const places = turned
    ? [showPlace(path, source, turned.at)]
    : at.length > 0
      ? at.slice(0, MAX_PLACES).map(([n, reach]) => showPlace(path, source, n, reach))
      : nearestPlaces(changes.flatMap(answerLines), [[path, source]]);
  const all = turned ? [turned.why, ...reasons] : reasons;
  return { ...refuse(worst.code, ...all), ...(places.length > 0 && { places }) };
}

/** Said when what an answer would add is in the file, and what it would take out is not; `at` is the line where. */
function swapped(path: string, changes: readonly Asked[], source: Source): { why: string; at: number } | undefined {
  const other = changes.map(reversed);
  if (other.some((change) => change === undefined)) return undefined;
  const { obstacles, edits } = placeAll(other as Asked[], source);
  const [first] = edits;
  if (obstacles.length > 0 || !first) return undefined;
  const marks = changes[0]?.form === 'diff' ? '+ and -' : 'the old and the new text';
  const rule = 'what the file has now is old (-), what it is to have is new (+)';
  const why = `${path}: you swapped ${marks}, or the file is already as you want it: ${rule}`;
  return { why, at: first.removed[0] ?? first.added[0]?.before ?? 0 };
}

/** The lines of an answer that the file should have: what it takes out, or all of an excerpt. */
export function answerLines(change: Change): AnswerLine[] {
  if (change.form === 'diff') {
    const old = change.hunks.flatMap(({ lines }) => lines.filter(({ op }) => op !== '+'));
    return old.map(({ op, text }) => ({ text, changed: op === '-' }));
  }
  const text = change.form === 'search-replace' ? change.blocks.map(({ search }) => search).join('\n') : change.text;
  return text.split('\n').map((line) => ({ text: line, changed: false }));
}

const LINES_AROUND = 3;
const MAX_SHOWN_PLACES = 6;

/** The lines that a part comes closest to, with their numbers, to copy from: at most a dozen. */
function nearestLines({ code, near }: Obstacle, source: Source): string[] {
  const numbered = (at: number): string => `  line ${at + 1}: ${(source.lines[at] ?? '').slice(0, 200)}`;
  if (code === 'ambiguous') {
    return near.slice(0, MAX_SHOWN_PLACES).map((start) => numbered(Math.min(start, source.lines.length - 1)));
  }
  const [at] = near;
  if (at === undefined) return [];
  const from = Math.max(0, at - LINES_AROUND);
  const to = Math.min(source.lines.length, at + 2 * LINES_AROUND);
  return ['nearest lines:', ...Array.from({ length: Math.max(0, to - from) }, (_, i) => numbered(from + i))];
}

/** A file that is not there can only be made of added lines. */
function newFile(path: string, changes: readonly Asked[]): Edited {
  const [first, ...more] = changes as [Asked];
  if (more.length > 0) return refuse('missing_file', `${path} does not exist`);
  if (first.form === 'whole-file') return { ok: true, file: { path, before: null, after: first.text } };
  const hunks = first.form === 'diff' ? first.hunks : first.blocks.map(hunkOf);
  const lines = hunks.flatMap((hunk) => hunk.lines);
  if (lines.length === 0 || lines.some(({ op }) => op !== '+')) return refuse('missing_file', `${path} does not exist`);
  const text = lines.map((line) => `${line.text}\n`).join('');
  const after = hunks.at(-1)?.noFinalNewline ? text.slice(0, -1) : text;
  return { ok: true, file: { path, before: null, after } };
}
