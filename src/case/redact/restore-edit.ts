// Putting secrets back into an edited file. A secret belongs where it stood: an answer may mend the line around it, but not
// carry it to another place, where it might be printed or sent.
import { diffArrays } from 'diff';
import { distance } from 'fastest-levenshtein';
import { PLACEHOLDER_FORM } from './placeholder.ts';

/** Both texts as the model sees them: `before` is what was sent, `after` what its answer makes of exactly that. */
export interface Edit {
  path: string;
  /** Null: the file is new. */
  before: string | null;
  after: string;
}

export type Restored = { ok: true; text: string } | { ok: false; reasons: string[] };
export type RestoredEdit = { ok: true; before: string | null; after: string } | { ok: false; reasons: string[] };

/**
 * Each changed line with placeholders must take the place of a line (in the same group of changed lines) that has the same
 * ones in the same order and is otherwise much like it. Lines may be removed, and moved lines count as changed.
 */
export function restoreEdit(
  { path, before, after }: Edit,
  restore: (text: string) => Restored,
  placeholdersOf: (text: string) => string[],
): RestoredEdit {
  const restored = { before: restore(before ?? ''), after: restore(after) };
  const reasons = [restored.before, restored.after].flatMap((side) => (side.ok ? [] : side.reasons));
  if (!restored.before.ok || !restored.after.ok) return { ok: false, reasons: named(path, reasons) };
  const strays = strayLines(before ?? '', after, placeholdersOf);
  if (strays.length > 0) {
    return {
      ok: false,
      reasons: named(
        path,
        strays.map(
          (line) => `keep the masked value where it was sent, or leave its line alone: ${line.trim().slice(0, 200)}`,
        ),
      ),
    };
  }
  return { ok: true, before: before === null ? null : restored.before.text, after: restored.after.text };
}

const named = (path: string, reasons: readonly string[]): string[] =>
  [...new Set(reasons)].map((reason) => `${path}: ${reason}`);

function strayLines(before: string, after: string, placeholdersOf: (text: string) => string[]): string[] {
  const strays: string[] = [];
  let removed: string[] = [];
  let added: string[] = [];
  const close = () => {
    for (const line of added) {
      const own = placeholdersOf(line);
      if (own.length === 0) continue;
      const at = removed.findIndex((old) => placeholdersOf(old).join() === own.join() && alike(old, line));
      if (at === -1) strays.push(line);
      else removed.splice(at, 1);
    }
    removed = [];
    added = [];
  };
  for (const part of diffArrays(before.split('\n'), after.split('\n'))) {
    if (part.removed) removed.push(...part.value);
    else if (part.added) added.push(...part.value);
    else close();
  }
  close();
  return strays;
}

/** Whether two lines differ by little more than a slip: a letter or two, quotes, indentation, something short beside. */
function alike(old: string, line: string): boolean {
  const [a, b] = [old, line].map((text) =>
    text
      .replace(PLACEHOLDER_FORM, '\u0001')
      .replace(/[\s"'\\]+/g, ' ')
      .trim(),
  ) as [string, string];
  if (Math.max(a.length, b.length) > 2000) return a === b;
  return distance(a, b) <= Math.max(3, Math.floor(Math.min(a.length, b.length) / 4));
}
