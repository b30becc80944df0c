// Changes that are few and fit for sure, for a model to choose from instead of writing one: an existing path for one that does not
// exist, a defined name for one like it, a value that the error allows. The edit is ours.
import { distance } from 'fastest-levenshtein';
import type { NearName } from '../repository/rank/near-names.ts';
import { normalized } from '../repository/rank/paths.ts';
import type { MissingPath } from '../repository/rank/references.ts';
import { type Choice, type FailureContext, type MaskText, maskedWhenRead } from './context.ts';
import { readableNames, type Suspect, suspicionOf } from './parts/suspicion-of.ts';

const MAX_CHOICES = 6;

/** The text of its file with a choice made; undefined when it does not fit. */
export function withChoice(text: string, { line, old, new: now }: Choice): string | undefined {
  const lines = text.split(/(?<=\n)/);
  const before = lines[line - 1];
  if (before === undefined || before.split(old).length !== 2) return undefined;
  lines[line - 1] = before.replace(old, () => now);
  return lines.join('');
}

/** The likeliest first; none when there are too many, and none that a secret is part of or that was tried. */
export function choicesFor(context: FailureContext, mask: MaskText): Choice[] {
  const { ranked, missing, near } = suspicionOf(context);
  const suspects = ranked.slice(0, 5);
  const masked = [...context.files, ...(context.readable ?? [])].map((file) => maskedWhenRead(file, mask));
  const all = [
    ...missing.flatMap((one) => existingPaths(one, suspects, context.tree ?? [])),
    ...readableNames(
      near.filter(({ related }) => !related),
      masked,
    ).flatMap((one) => nearChoices(one, suspects)),
    ...allowedValues(context.failure.error_lines, suspects),
  ];
  const keys = new Set<string>();
  const fitting = all.filter((choice) => {
    const file = suspects.find(({ path }) => path === choice.path);
    const lines = withChoice(file?.text ?? '', choice)?.split('\n');
    const line = lines?.[choice.line - 1]?.trimEnd();
    // Two ways to say one change are one choice.
    const key = JSON.stringify([choice.path, choice.line, line]);
    const isNew = line !== undefined && choice.old !== choice.new && !keys.has(key) && !isTried(line, context);
    keys.add(key);
    const text = JSON.stringify(choice);
    return isNew && mask(text) === text;
  });
  return fitting.length > MAX_CHOICES ? [] : fitting;
}

/** The line as it would be was already tried. */
const isTried = (line: string, { tries = [] }: FailureContext): boolean =>
  tries.some(({ diff = '' }) => diff.split('\n').some((one) => one.trimEnd() === `+${line}`));

/** Where a file refers to what does not exist, the paths of the same place or the same name that do. */
function existingPaths({ path, folder, listing }: MissingPath, suspects: readonly Suspect[], tree: readonly string[]) {
  const parts = path.split('/');
  const at = folder === '' ? 0 : folder.split('/').length;
  const [wrong = '', ...rest] = parts.slice(at);
  const existing = new Set(tree.flatMap((one) => one.split('/').map((_, i, all) => all.slice(0, i + 1).join('/'))));
  const beside = listing
    .map((name) => name.replace(/\/$/, ''))
    .filter((name) => isLike(name, wrong) && existing.has([...parts.slice(0, at), name, ...rest].join('/')))
    .map((name) => [wrong, name] as const);
  return suspects.flatMap(({ path: file, text, named }) =>
    named.flatMap((line) => {
      const written = text.split('\n')[line - 1] ?? '';
      const moved = elsewhere(path, written, file, tree);
      const all = [...beside.filter(([old]) => written.includes(old)), ...moved];
      return all.map(([old, now]) => ({ path: file, line, old, new: now }));
    }),
  );
}

/** A relative path that is one folder off: its end exists, seen from the same file. */
function elsewhere(
  missing: string,
  line: string,
  file: string,
  tree: readonly string[],
): (readonly [string, string])[] {
  const here = file.split('/').slice(0, -1).join('/');
  const written = (line.match(/[\w.@+~/-]+/g) ?? []).filter((one) => normalized(`${here}/${one}`) === missing);
  return written.flatMap((old) => {
    const candidates = [`../${old}`, old.replace(/^\.\.\//, '')].filter((one) => one !== old);
    const exists = (one: string): boolean => {
      const path = normalized(`${here}/${one}`);
      return tree.some((other) => other === path || other.startsWith(`${path}/`));
    };
    return candidates.filter(exists).map((now) => [old, now] as const);
  });
}

/** One name for another, in the direction that leaves no odd one out: the one that stands once is the slip. */
function nearChoices({ name, weight, exact, places }: NearName, suspects: readonly Suspect[]): Choice[] {
  if (weight < MIN_WEIGHT) return [];
  const forName = suspects.flatMap((file) => placesIn(file, name).map((line) => ({ path: file.path, line })));
  const forLike = places.flatMap(({ like, path, line, count }) => {
    const written = suspects.find((file) => file.path === path)?.text.split('\n')[line - 1];
    // Used elsewhere, or quoted as what is wanted and nowhere defined: then the single one like it is the slip.
    const isWanted = exact > 1 || (weight >= QUOTED_WEIGHT && (exact === 0 || isDefinition(like, written)));
    // `Name` beside `name` in one file is a habit.
    const isHabit = like.toLowerCase() === name.toLowerCase() && forName.some((one) => one.path === path);
    const isSlip = count === 1 && isWanted && written !== undefined && !isHabit;
    return isSlip ? [{ path, line, old: like, new: name }] : [];
  });
  const isDefined = suspects.some(({ text }) =>
    new RegExp(`^\\s*(?:class|def|func(?:tion)?) ${name}\\b`, 'm').test(text),
  );
  const replaced =
    !isDefined && forName.every(({ path }) => path === forName[0]?.path)
      ? forName.slice(0, 1).flatMap((place) => places.map(({ like }) => ({ ...place, old: name, new: like })))
      : [];
  return [...replaced, ...forLike];
}

/** `NAME=…`, `name: …`, `name := …`. */
function isDefinition(name: string, line = ''): boolean {
  const from = line.trimStart().replace(/^(?:export|readonly|local) /, '');
  return from.startsWith(name) && /^\s*[:?+]?[=:]/.test(from.slice(name.length));
}

/** The names that the error itself is about. */
const MIN_WEIGHT = 48;
const QUOTED_WEIGHT = 100;

const LISTS =
  /(?:allowed|valid|supported|known|available|possible|accepted|one of|include|expected)[^:([{]{0,40}[:([{]+ ?((?:["'`]?[\w.-]+["'`]?(?:, ?(?:or )?| \| | or )){1,40}["'`]?[\w.-]+)/gi;
const SUGGESTED = /did you mean:? (?:one of )?["'`]?([\w.-]+)["'`]?/gi;
const QUOTED = /["'`]([\w.-]+)["'`]/g;

/** The value that the error quotes and that stands in one place only → the ones that it would take. */
function allowedValues(errorLines: readonly string[], suspects: readonly Suspect[]): Choice[] {
  return errorLines.flatMap((line) => {
    const listed = [...line.matchAll(LISTS)].flatMap(([, list = '']) => list.split(/, ?(?:or )?| \| | or /));
    const plain = listed.map((value) => value.replaceAll(/["'`]/g, '').trim());
    const suggested = [...line.matchAll(SUGGESTED)].map(([, value = '']) => value);
    const allowed = new Set([...suggested, ...plain]);
    if (allowed.size === 0) return [];
    const wrong = [...line.matchAll(QUOTED)].map(([, value = '']) => value).filter((value) => !allowed.has(value));
    return [...new Set(wrong)].flatMap((old) => {
      const places = suspects.flatMap((file) => placesIn(file, old).map((at) => ({ path: file.path, line: at })));
      const [place] = places;
      if (place === undefined || places.length > 1) return [];
      const byLikeness = [...allowed].sort((a, b) => distance(a, old) - distance(b, old)).slice(0, MAX_CHOICES);
      return byLikeness.map((value) => ({ ...place, old, new: value }));
    });
  });
}

/** Lines that have a name as a whole word. */
function placesIn({ text }: Suspect, name: string): number[] {
  const escaped = name.replace(/[.*+?^${}()|[\]\\-]/g, '\\$&');
  const whole = new RegExp(`(?<![\\w-])${escaped}(?![\\w-])`);
  return text.split('\n').flatMap((line, i) => (whole.test(line) ? [i + 1] : []));
}

/** A slip, another ending, or the same words put together otherwise. */
function isLike(name: string, wrong: string): boolean {
  const stem = (one: string): string =>
    one
      .toLowerCase()
      .replace(/\.\w+$/, '')
      .replaceAll(/[-_.]/g, '');
  const [a, b] = [stem(name), stem(wrong)];
  return a === b || a.startsWith(b) || b.startsWith(a) || distance(a, b) <= Math.max(1, Math.floor(b.length / 4));
}
