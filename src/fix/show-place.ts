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
const ALIKE = 0.55;

/**
 * Where in `files` these lines of an answer come closest to what is there: a line that was altered, with its neighbours before
 * others; otherwise one that the files have only once. At most `most`, the best first.
 */
export function nearestPlaces(
  texts: readonly string[],
  files: readonly (readonly [string, Source])[],
  most = 2,
): ShownPlace[] {
  const telling = [...new Set(texts.map((text) => text.replace(/^[+-] ?/, '').trim()))]
    .filter((text) => weightOf(text) === 1)
    .slice(0, MAX_TEXTS);
  const exact = new Set(telling.filter((text) => files.some(([, { at }]) => at.has(text))));
  const found: { path: string; source: Source; at: number; score: number }[] = [];
  for (const text of telling) {
    for (const [path, source] of files) {
      const places = exact.has(text) ? (source.at.get(text) ?? []) : alikeLines(text, source);
      const score = (at: number): number =>
        exact.has(text)
          ? 0.5 / places.length
          : similarity(source.trimmed[at] as string, text) + nearby(source, at, exact);
      for (const at of places.slice(0, 3)) found.push({ path, source, at, score: score(at) });
    }
  }
  const best = found.sort((a, b) => b.score - a.score);
  const shown: typeof found = [];
  for (const one of best) {
    if (shown.length < most && shown.every(({ path, at }) => path !== one.path || Math.abs(at - one.at) > AROUND)) {
      shown.push(one);
    }
  }
  return shown.map(({ path, source, at }) => showPlace(path, source, at));
}

function alikeLines(text: string, source: Source): number[] {
  const places: number[] = [];
  for (let at = 0; at < Math.min(source.lines.length, MAX_COMPARED_LINES); at++) {
    const there = source.trimmed[at] as string;
    // A part of a line that was quoted counts like the line.
    if (similarity(there, text) >= ALIKE || (text.length >= 4 && there.includes(text))) places.push(at);
  }
  return places;
}

/** How many of the lines around stand in the answer too. */
function nearby(source: Source, at: number, exact: ReadonlySet<string>): number {
  const around = source.trimmed.slice(Math.max(0, at - AROUND), at + AROUND + 1);
  return around.filter((text) => exact.has(text)).length / 4;
}
