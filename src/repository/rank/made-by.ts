// What a needed stage wrote leads to what it is from: a template of the same name, or the same path in another folder.
import { commonEnd, normalized, renderedName } from './paths.ts';

/** A green stage that the failing one needs. */
export interface Maker {
  readonly stage: string;
  /** The paths that it is made from. */
  readonly files: readonly string[];
  /** Tracked files that it was seen to write. */
  readonly wrote: readonly string[];
}

/** A file that is not its own source. */
export interface Made {
  readonly written: string;
  readonly from: string;
  /** The stage that made it, where that is known. */
  readonly by?: string;
}

/** From a path as an error has it; undefined for one that nobody makes, and where more than one source is as likely. */
export type FindSource = (written: string) => Made | undefined;

const TEMPORARY = /^\/(?:tmp|var\/tmp|var\/folders|private|dev\/shm|run)\//;

export function sourceFinder(makers: readonly Maker[], tree: readonly string[]): FindSource {
  if (makers.length === 0) return () => undefined;
  const tracked = new Set(tree);
  const outputs = new Set(makers.flatMap(({ wrote }) => wrote));
  const sources = makers.flatMap(({ stage, files }) =>
    files.filter((path) => !outputs.has(path)).map((path) => ({ path, by: stage })),
  );
  return (written) => {
    const path = normalized(written);
    const isElsewhere = written.startsWith('/') && !TEMPORARY.test(written);
    if (!path.includes('/') || isElsewhere || (tracked.has(path) && !outputs.has(path))) return undefined;
    const parts = path.split('/');
    const likely = sources
      .map(({ path: from, by }) => ({
        from,
        by,
        ends: commonEnd(parts, from),
        isTemplate: renderedName(from) !== from,
      }))
      // Without a template's ending only the first folder may be another one: else it may as well be misspelt.
      .filter(({ from, ends, isTemplate }) => from !== path && ends >= (isTemplate ? 1 : Math.max(2, parts.length - 1)))
      .map((one) => ({ ...one, rank: 2 * one.ends + (one.isTemplate ? 1 : 0) }));
    const best = Math.max(...likely.map(({ rank }) => rank));
    const [first, ...others] = likely.filter(({ rank }) => rank === best);
    const isOne = first && others.every(({ from }) => from === first.from);
    return isOne ? { written, from: first.from, by: first.by } : undefined;
  };
}
