// Whether a branch that turned its stage green is what was wanted: a line that fails is easily gone, and with it what it did.
import { isDeepStrictEqual } from 'node:util';
import { parseAllDocuments } from 'yaml';
import { pathMatcher } from '../../../src/config/paths.ts';
import type { BrokenStage } from '../../../test/known-fixes/broken-stages.ts';

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
  readonly stage: BrokenStage;
  /** The checks of a reading stage judge by themselves; of the others what they do is compared. */
  readonly group: 'spelling' | 'reading';
  readonly wanted: Alone;
  readonly got: Alone;
}

/** What is wrong with it; '' when nothing is. */
export function compareWith({ stage, group, wanted, got }: Compared): string {
  if (got.exit !== 0) return 'green in the loop, but not in a fresh copy of the branch';
  const mayChange = pathMatcher(stage.files);
  const paths = [...new Set([...Object.keys(wanted.before), ...Object.keys(got.before)])];
  const touched = paths.find((path) => !mayChange(path) && wanted.before[path] !== got.before[path]);
  if (touched !== undefined) return `${touched} is not the stage's to change`;
  if (group === 'reading') return '';
  if (withoutHashes(wanted.stdout) !== withoutHashes(got.stdout)) return 'green, but it no longer says the same';
  const made = Object.keys(wanted.after).find((path) => !(path in got.after));
  if (made !== undefined) return `green, but ${made} is no longer made`;
  const data = Object.keys(wanted.before).filter((path) => /\.(?:ya?ml|json)$/.test(path));
  const other = data.find((path) => !isDeepStrictEqual(parsedData(wanted.before[path]), parsedData(got.before[path])));
  return other === undefined ? '' : `green, but ${other} holds something else`;
}

/** A script that says its own hash says another one when it is written in other words. */
const withoutHashes = (text: string): string => text.replaceAll(/\b[\da-f]{64}\b/g, 'hash');

/** JSON is YAML as well. */
const parsedData = (text = ''): unknown => parseAllDocuments(text).map((one) => one.toJS());
