// The words of a known fix: what a repair is given, and what it answers.
import type { FixFacts, Note } from '../../../src/model.ts';

/** What a repair may look at: what the plugin is told, and nothing else. */
export type RepairFacts = Pick<FixFacts, 'stage' | 'failure' | 'files' | 'read'> & {
  readonly surroundings?: {
    /** The PATH that stages run with. */
    readonly path: string;
    /** Names set in the stage's environment. */
    readonly variables: readonly string[];
  };
  /** Every path of the repository. */
  readonly tree?: readonly string[];
  /** Whether the shell takes a text for a script. */
  readonly shell?: { readonly parses: (text: string) => Promise<boolean> };
};

/** New texts of files, files to be made executable, and what to say about it. */
export interface Repaired {
  readonly files: Readonly<Record<string, string>>;
  readonly executable?: readonly string[];
  readonly note: Readonly<Note>;
}

/** One kind of fault, and its one repair. */
export interface Repair {
  readonly name: string;
  /** What it mends, in a line. */
  readonly about: string;
  /** The repair, when this fault is the failure and only one repair is possible; else undefined. Rejects only when reading does. */
  find(facts: RepairFacts): Promise<Repaired | undefined>;
}

/** A repair of one file, or undefined when nothing changes. */
export function rewritten(path: string, before: string, after: string | undefined, note: Note): Repaired | undefined {
  return after === undefined || after === before ? undefined : { files: { [path]: after }, note };
}
