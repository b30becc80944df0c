// What one layout proposes, and how its reader looks for files.

import type { Piece, Sketch } from './draft.ts';
import { isAside } from './entries.ts';
import type { LeftOut, Survey } from './survey.ts';

/** What one layout proposes. */
export type Found = Sketch & {
  /** Texts of which a runner that covers it would have one. */
  readonly keys: readonly string[];
  /** Texts whose files may destroy; plain lines of ours cannot. */
  readonly follow?: readonly Piece[];
};

export type Reader = (survey: Survey) => { found: Found[]; left?: LeftOut[]; protect?: string[] };

export const paths = (survey: Survey, pattern: RegExp): string[] =>
  [...survey.files.keys()].filter((path) => pattern.test(path) && !isAside(path));

/** Whether people are told of it by its name, or by its path. */
export const inReadme = (survey: Survey, name: string): boolean =>
  new RegExp(`(?:^|[\\s/\`"'])${name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}(?:$|[\\s\`"',.:)])`, 'm').test(
    survey.readme,
  );
