// Places of files to show to whoever has to answer again: enough lines of each that they stand in the file only once.
import type { ShownPlace } from './edit.ts';
import { similarity } from './place/indentation.ts';
import { weightOf } from './place/pattern.ts';
import { contiguous, type Source, sourceOf } from './place/source.ts';

const AROUND = 3;
const MAX_AROUND = 12;

/** The lines around line `at` (from 0). */
export function showPlace(path: string, { lines }: Source, at: number, reach = 0): ShownPlace {
  const source = sourceOf(`${lines.join('\n')}\n`);
  let around = AROUND;
  for (;;) {
    const from = Math.max(0, at - around);
    const shown = lines.slice(from, at + reach + around + 1);
    const old = shown.map((text) => ({ text, trimmed: text.trim(), removed: false, bare: true }));
    const isOnly = contiguous(old, source).starts.length <= 1;
    if (isOnly || around >= MAX_AROUND) return { path, start: from + 1, lines: shown, at: at - from };
    around += 3;
  }
}

const MAX_COMPARED_LINES = 5000;
const MAX_TEXTS = 400;
const MAX_ALTERED = 40;
const ALIKE = 0.5;

/** A line of an answer; `changed`: the answer says that just this one is to go or to come. */
export interface AnswerLine {
  text: string;
  changed: boolean;
}

/** The lines of an answer that cannot be read, and what is quoted in them; a first plus or minus may be a mark, or text. */
export const rawLines = (answer: string): AnswerLine[] =>
  answer.split('\n').flatMap((text) => {
    const quoted = [...text.matchAll(/`([^`]+)`|>([^<>]+)</g)].map(([, a, b]) => ({
      text: a ?? b ?? '',
      changed: false,
    }));
    const marked = /^[+-]/.test(text) ? [{ text: text.slice(1), changed: true }] : [];
    return [{ text, changed: false }, ...marked, ...quoted];
  });

/**
 * Where in `files` these lines of an answer come closest to what is there: a line that the answer does not have, like one that the
 * file does not have, among others that both have; otherwise a line that both have. At most `most`, the best first.
 */
export function nearestPlaces(
  lines: readonly AnswerLine[],
  files: readonly (readonly [string, Source])[],
  most = 2,
): ShownPlace[] {
  const texts = [...new Set(lines.map(({ text }) => text.trim()))].filter((text) => weightOf(text) === 1);
  const changed = new Set(lines.filter((line) => line.changed).map(({ text }) => text.trim()));
  const places = files
    .flatMap(([path, source]) =>
      nearIn(texts.slice(0, MAX_TEXTS), changed, source).map((one) => ({ ...one, path, source })),
    )
    .sort((a, b) => b.score - a.score);
  const shown: typeof places = [];
  for (const place of places) {
    if (shown.length < most && shown.every(({ path, at }) => path !== place.path || Math.abs(at - place.at) > AROUND)) {
      shown.push(place);
    }
  }
  return shown.map(({ path, source, at }) => showPlace(path, source, at));
}

/** Lines of one file, each with how likely it is meant. */
function nearIn(
  texts: readonly string[],
  changed: ReadonlySet<string>,
  source: Source,
): { at: number; score: number }[] {
  const both = new Set(texts.filter((text) => source.at.has(text)));
  const altered = texts.filter((text) => !both.has(text)).slice(0, MAX_ALTERED);
  const share = both.size / Math.max(1, texts.length);
  const places: { at: number; score: number }[] = [];
  for (let at = 0; at < Math.min(source.lines.length, MAX_COMPARED_LINES); at++) {
    const line = source.trimmed[at] as string;
    if (line === '') continue;
    const around = source.trimmed.slice(Math.max(0, at - AROUND), at + AROUND + 1);
    const nearby = around.filter((text) => both.has(text)).length / 4;
    if (both.has(line)) {
      const often = (source.at.get(line)?.length ?? 1) / 100;
      places.push({ at, score: share + (changed.has(line) ? nearby + 1 : nearby / 4) - often });
    } else {
      const like = Math.max(0, ...altered.map((text) => likeness(line, text)));
      if (like >= ALIKE || nearby >= 0.75) places.push({ at, score: share + nearby + (like >= ALIKE ? like : 0) });
    }
  }
  return places;
}

/** A part of a line that was quoted counts nearly like the line. */
const likeness = (line: string, text: string): number =>
  text.length >= 6 && line.includes(text) ? 0.9 : similarity(line, text);
