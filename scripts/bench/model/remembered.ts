// What of a bench was measured before it was interrupted, so that the same command goes on: one line for each trial.
import { execFileSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Trial } from './table.ts';

export interface Remembered {
  readonly trials: readonly Trial[];
  readonly add: (trial: Trial) => void;
  /** All is measured: the next one begins anew. */
  readonly forget: () => void;
}

/** What else must be the same for figures to be of one bench. */
export interface Conditions {
  readonly host: string;
  readonly model: string;
  readonly timeout: string | null;
}

/** A file with other conditions, of another commit, or with `fresh`, is begun anew; so is one that cannot be read. */
export function remember(path: string, conditions: Conditions, options: { root: string; fresh: boolean }): Remembered {
  const head = JSON.stringify({ ...conditions, commit: commitOf(options.root) });
  const [first, ...lines] = existsSync(path) && !options.fresh ? readFileSync(path, 'utf8').split('\n') : [];
  const trials = first === head ? lines.flatMap(trialOf) : [];
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, [head, ...trials.map((trial) => JSON.stringify(trial)), ''].join('\n'));
  return {
    trials,
    add: (trial) => appendFileSync(path, `${JSON.stringify(trial)}\n`),
    forget: () => rmSync(path, { force: true }),
  };
}

export const isSameTrial = (a: Pick<Trial, 'format' | 'exam' | 'repeat'>, b: typeof a): boolean =>
  a.format === b.format && a.exam === b.exam && a.repeat === b.repeat;

/** The last line may be half of one. */
function trialOf(line: string): Trial[] {
  try {
    return [JSON.parse(line) as Trial];
  } catch {
    return [];
  }
}

/** What measured: the commit of a clone, the version of a package. */
function commitOf(root: string): string {
  if (!existsSync(join(root, '.git'))) return JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version;
  try {
    return execFileSync('git', ['rev-parse', 'HEAD'], { cwd: root, encoding: 'utf8', stdio: 'pipe' }).trim();
  } catch {
    return 'no commit';
  }
}
