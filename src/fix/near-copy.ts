// How much of one text stands in another, line by line; and whether a new file is an editable one under another name. Pure.
import { type Edit, type Refusal, refuse } from './edit.ts';

/** Lines with text, each as often as it stands there; a lone brace or dash says nothing. */
function tellingLines(text: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const line of text.split('\n')) {
    const trimmed = line.trim();
    if (/\w/.test(trimmed)) counts.set(trimmed, (counts.get(trimmed) ?? 0) + 1);
  }
  return counts;
}

const total = (counts: ReadonlyMap<string, number>): number => [...counts.values()].reduce((sum, n) => sum + n, 0);

/** Lines that both texts have, and which share of either that is (0 for a text without lines). Outer white space apart. */
export function linesInCommon(a: string, b: string): { common: number; ofA: number; ofB: number } {
  const [inA, inB] = [tellingLines(a), tellingLines(b)];
  let common = 0;
  for (const [line, times] of inA) common += Math.min(times, inB.get(line) ?? 0);
  return { common, ofA: common / Math.max(1, total(inA)), ofB: common / Math.max(1, total(inB)) };
}

/** Fewer lines in common say nothing; nor do some more where each folder has its file of that name, as kustomization.yaml. */
const FEWEST = 3;
const FEWEST_OF_ONE_NAME = 8;
const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

/**
 * Why a new file among `edited` is not made: it is a near copy of one of `editable` (path, text). Nearly all of its lines are
 * from there, and they are most of that file: two manifests of one kind differ in more, in names, values and what they list.
 */
export function refuseNearCopy(
  edited: readonly Edit[],
  editable: readonly (readonly [string, string])[],
): Refusal | undefined {
  for (const { path, before, after } of edited) {
    if (before !== null) continue;
    const copied = editable.find(([other, text]) => {
      const { common, ofA, ofB } = linesInCommon(after, text);
      const fewest = nameOf(other) === nameOf(path) ? FEWEST_OF_ONE_NAME : FEWEST;
      return common >= fewest && ofA >= 0.8 && ofB >= 0.6;
    });
    if (!copied) continue;
    return refuse('missing_file', `${path} does not exist, and is nearly the same as ${copied[0]}; change that file`);
  }
  return undefined;
}
