// Where two lists differ, by what they have in common.
import { diffArrays } from 'diff';

/** What one list has where the other has something else, and where in their lists that begins. */
export interface Gap<T> {
  readonly gone: T[];
  readonly come: T[];
  readonly from: number;
  readonly to: number;
}

/** With more differences nothing in common is searched for. */
const MAX_DIFFERENCES = 1_000;

/** The gaps between what two lists have in common; items are equal whose `essence` is. */
export function gaps<T>(a: readonly T[], b: readonly T[], essence: (item: T) => string): Gap<T>[] {
  const [x, y] = [a.map(essence), b.map(essence)];
  let from = 0;
  while (from < x.length && x[from] === y[from]) from++;
  // Before anything is searched for: a block that goes takes its own end with it, not that of the block around it.
  let end = 0;
  while (end < Math.min(x.length, y.length) - from && x.at(-1 - end) === y.at(-1 - end)) end++;
  const [old, now] = [x.slice(from, x.length - end), y.slice(from, y.length - end)];
  const parts = diffArrays(old, now, { maxEditLength: MAX_DIFFERENCES });
  if (!parts) return [{ gone: a.slice(from, a.length - end), come: b.slice(from, b.length - end), from, to: from }];
  let to = from;
  const all: Gap<T>[] = [];
  let gap: Gap<T> | undefined;
  for (const { removed, added, count } of parts) {
    const gone = added ? [] : a.slice(from, from + count);
    const come = removed ? [] : b.slice(to, to + count);
    if (!removed && !added) gap = undefined;
    else if (gap) {
      gap.gone.push(...gone);
      gap.come.push(...come);
    } else {
      gap = { gone, come, from, to };
      all.push(gap);
    }
    from += gone.length;
    to += come.length;
  }
  return all;
}
