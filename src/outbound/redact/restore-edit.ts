// Putting secrets back into an edited file. A secret belongs where it stood: an answer may mend the line around it, but not
// carry it to another place, where it might be printed or sent.
import { diffArrays } from 'diff';
import { distance } from 'fastest-levenshtein';
import { PLACEHOLDER_FORM } from './placeholder.ts';

/** Both texts as the model sees them: `before` is what was sent, `after` what its answer makes of exactly that. */
export interface MaskedEdit {
  path: string;
  /** Null: the file is new. */
  before: string | null;
  after: string;
}

export type Restored = { ok: true; text: string } | { ok: false; reasons: string[] };
export type RestoredEdit = { ok: true; before: string | null; after: string } | { ok: false; reasons: string[] };

/**
 * Each changed line with placeholders must take the place of a line (in the same group of changed lines) that has the same
 * ones in the same order and is otherwise much like it. Lines may be removed, and moved lines count as changed; a line that
 * goes from one side of a placeholder to the other moves the placeholder.
 */
export function restoreEdit(
  { path, before, after }: MaskedEdit,
  restore: (text: string) => Restored,
  placeholdersOf: (text: string) => string[],
): RestoredEdit {
  const restored = { before: restore(before ?? ''), after: restore(after) };
  const reasons = [restored.before, restored.after].flatMap((side) => (side.ok ? [] : side.reasons));
  if (!restored.before.ok || !restored.after.ok) return { ok: false, reasons: named(path, reasons) };
  const parts = diffArrays((before ?? '').split('\n'), after.split('\n'));
  const mangled = mangledWords(parts, new Set(placeholdersOf(before ?? '')));
  if (mangled.length > 0) return { ok: false, reasons: named(path, mangled.map(unknownPlaceholder)) };
  const strays = [...strayLines(parts, placeholdersOf), ...passedLines(parts, placeholdersOf)];
  if (strays.length > 0) return { ok: false, reasons: named(path, strays.map(strayLine)) };
  return { ok: true, before: before === null ? null : restored.before.text, after: restored.after.text };
}

/** The reason for a word that was meant to be a placeholder. */
export const unknownPlaceholder = (word: string): string =>
  `${word} is no placeholder that was sent; copy them letter by letter`;

const strayLine = (line: string): string =>
  `keep the masked value where it was sent, or leave its line alone: ${line.trim().slice(0, 200)}`;

const named = (path: string, reasons: readonly string[]): string[] =>
  [...new Set(reasons)].map((reason) => `${path}: ${reason}`);

type Parts = readonly { readonly value: string[]; readonly added?: boolean; readonly removed?: boolean }[];

/** A word that differs from a placeholder by at most so many letters was meant to be it. */
const MAX_SLIPS = 8;

/** Words of added lines that are nearly a placeholder of the file. */
function mangledWords(parts: Parts, sent: ReadonlySet<string>): string[] {
  if (sent.size === 0) return [];
  const lines = parts.filter(({ added }) => added).flatMap(({ value }) => value);
  const words = new Set(lines.flatMap((line) => line.match(/\w{12,64}/g) ?? []));
  return [...words].filter((word) => !sent.has(word) && [...sent].some((one) => isNear(word, one)));
}

const isNear = (word: string, placeholder: string): boolean =>
  Math.abs(word.length - placeholder.length) <= MAX_SLIPS && distance(word, placeholder) <= MAX_SLIPS;

function strayLines(parts: Parts, placeholdersOf: (text: string) => string[]): string[] {
  const strays: string[] = [];
  let removed: string[] = [];
  let added: string[] = [];
  const close = () => {
    let from = 0;
    for (const line of added) {
      const words = placeholdersOf(line).join();
      if (words === '') continue;
      const at = removed.findIndex((old, i) => i >= from && placeholdersOf(old).join() === words && alike(old, line));
      if (at === -1) strays.push(line);
      else from = at + 1;
    }
    [removed, added] = [[], []];
  };
  for (const part of parts) {
    if (part.removed) removed.push(...part.value);
    else if (part.added) added.push(...part.value);
    else close();
  }
  close();
  return strays;
}

/** Lines with placeholders that stayed, but past which another line was moved: of two neighbours either may be the one that moved. */
function passedLines(parts: Parts, placeholdersOf: (text: string) => string[]): string[] {
  const stayed: string[] = [];
  const [gone, come] = [new Map<string, number[]>(), new Map<string, number[]>()];
  for (const { added, removed, value } of parts) {
    for (const line of value) {
      const text = line.trim();
      if (!added && !removed) {
        if (placeholdersOf(line).length > 0) stayed.push(line);
      } else if (/\w{2}/.test(text)) {
        const side = added ? come : gone;
        side.set(text, [...(side.get(text) ?? []), stayed.length]);
      }
    }
  }
  const passed = [...gone].flatMap(([text, from]) => {
    const to = come.get(text) ?? [];
    return from.flatMap((a) =>
      to.filter((b) => a !== b && !from.includes(b)).map((b) => stayed[Math.min(a, b)] as string),
    );
  });
  return [...new Set(passed)];
}

const QUOTES_AND_BLANKS = /[\s"'\\]+/g;
const plain = (line: string) => line.replace(PLACEHOLDER_FORM, '\u0001').replace(QUOTES_AND_BLANKS, ' ').trim();

/** Whether two lines differ by little more than a slip: a letter or two, quotes, indentation, something short beside. */
function alike(old: string, line: string): boolean {
  const [a, b] = [plain(old), plain(line)];
  if (Math.max(a.length, b.length) > 2000) return a === b;
  return distance(a, b) <= Math.max(3, Math.floor(Math.min(a.length, b.length) / 4));
}
