// Whether a branch that turned its stage green is what was wanted: a line that fails is easily gone, and with it what
// it did.
import { isDeepStrictEqual } from 'node:util';
import { pathMatcher } from '../../../src/config/paths.ts';
import { dataOf } from './effect.ts';
import type { Group } from './exam.ts';

/** A stage's command run in a folder of its own. */
export interface Alone {
  readonly exit: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Texts by path before and after it ran; a folder's path ends with a slash. */
  readonly before: Readonly<Record<string, string>>;
  readonly after: Readonly<Record<string, string>>;
}

export interface Compared {
  /** What the stage may change. */
  readonly files: readonly string[];
  /** The checks of a reading stage judge by themselves; of the others what they do is compared. */
  readonly group: Group;
  readonly wanted: Alone;
  readonly got: Alone;
}

/** What is wrong with it; '' when nothing is. */
export function compareWith({ files, group, wanted, got }: Compared): string {
  if (got.exit !== 0) return 'green in the loop, but not in a fresh copy of the branch';
  const mayChange = pathMatcher(files);
  const paths = [...new Set([...Object.keys(wanted.before), ...Object.keys(got.before)])];
  const touched = paths.find((path) => !mayChange(path) && wanted.before[path] !== got.before[path]);
  if (touched !== undefined) return `${touched} is not the stage's to change`;
  if (group === 'reading') return '';
  const made = Object.keys(wanted.after).find((path) => !(path in got.after));
  if (made !== undefined) return `green, but ${made} is no longer made`;
  return group === 'real' ? otherMade(wanted, got) : otherThanSound(wanted, got);
}

/** Whatever it was mended with: it makes the same files. */
function otherMade(wanted: Alone, got: Alone): string {
  const made = Object.keys(wanted.after).filter((path) => !(path in wanted.before));
  const other = made.find((path) => wanted.after[path] !== got.after[path]);
  return other === undefined ? '' : `green, but ${other} is made with something else in it`;
}

function otherThanSound(wanted: Alone, got: Alone): string {
  if (withoutHashes(wanted.stdout) !== withoutHashes(got.stdout)) return 'green, but it no longer says the same';
  const data = Object.keys(wanted.before).filter((path) => /\.(?:ya?ml|json)$/.test(path));
  const other = data.find(
    (path) => !isDeepStrictEqual(dataOf(wanted.before[path] ?? ''), dataOf(got.before[path] ?? '')),
  );
  return other === undefined ? '' : `green, but ${other} holds something else`;
}

/** A script that says its own hash says another one when it is written in other words. */
const withoutHashes = (text: string): string => text.replaceAll(/\b[\da-f]{64}\b/g, 'hash');
