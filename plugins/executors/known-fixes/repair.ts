// The words of a known fix: what a repair is given, and what it answers.
import type { FixFacts, Note, Proposal } from '../../../src/model.ts';

/** What a repair may look at. */
export type RepairFacts = Pick<FixFacts, 'stage' | 'failure' | 'files' | 'read' | 'surroundings' | 'tree' | 'shell'>;

/** New texts of files, files to be made executable, and why. */
export type Repaired = Extract<Proposal, { files: unknown }>;

/** One kind of fault, and its one repair. */
export interface Repair {
  readonly name: string;
  /** The repair, when this fault is the failure and only one repair is possible; else undefined. Rejects only when reading does. */
  find(facts: RepairFacts): Promise<Repaired | undefined>;
}

/** A repair of one file, or undefined when nothing changes. */
export function rewritten(path: string, before: string, after: string | undefined, note: Note): Repaired | undefined {
  return after === undefined || after === before ? undefined : { files: { [path]: after }, note };
}
