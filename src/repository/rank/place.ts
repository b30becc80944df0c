// What a failure points at: files with their lines and reasons, and what is told of its names.
import type { NameClue } from './clues.ts';
import type { Made } from './made-by.ts';
import type { NearName } from './near-names.ts';
import type { MissingPath } from './references.ts';

/** With as much to point at it, a file may be the cause. */
export const MIN_SUSPICION = 40;

/** A file that a failure points at, and where in it. Lines count from 1. */
export interface Place {
  readonly path: string;
  /** How much points at it: below 40 it may be chance. */
  readonly score: number;
  /** Why it is suspected, each reason once, the first found first. */
  readonly reasons: readonly string[];
  /** The command names it, or a likely place refers to it: it belongs to the failure whatever its score. */
  readonly isRun: boolean;
  /** Lines that the failure names; it may be wrong about how many there are. */
  readonly named: readonly number[];
  /** Lines with a rare word of the failure, the rarest word first. */
  readonly matching: readonly number[];
}

/** What the failure tells about a repository. */
export interface Ranking {
  /** Every file that something points at, the most suspicious first. */
  readonly places: readonly Place[];
  /** Paths that the error names and that do not exist, the nearest folder that does, and who refers to them. */
  readonly missing: readonly MissingPath[];
  /** Names of the error that files have in a slightly different form. */
  readonly near: readonly NearName[];
  /** The names in the failure, the strongest first. */
  readonly names: readonly NameClue[];
  /** What the error calls by another path than that of the file it is made from. */
  readonly rendered: readonly Made[];
}
