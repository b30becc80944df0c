// A hunk in which `...` stands for lines left out → its parts, unless the file itself has that line there.
import type { Hunk } from '../edit.ts';
import { isEllipsis } from '../formats/ellipsis.ts';
import { contiguous } from './contiguous.ts';
import { patternOf } from './pattern.ts';
import type { Source } from './source.ts';

export interface Part {
  hunk: Hunk;
  /** Which of the answer's hunks it is from. */
  from: number;
  /** It comes after the part before it. */
  follows: boolean;
}

/** The parts that change something, in order. */
export function partsOf(hunks: readonly Hunk[], source: Source): Part[] {
  return hunks.flatMap((hunk, from): Part[] => {
    const gaps = hunk.lines.flatMap(({ op, text }, i) => (op === ' ' && isEllipsis(text) ? [i] : []));
    const whole = gaps.length === 0 || contiguous(patternOf(hunk).old, source).starts.length > 0;
    if (whole) return [{ hunk, from, follows: false }];
    const { oldStart, ...rest } = hunk;
    const parts = [-1, ...gaps].map((gap, i): Hunk => {
      const lines = hunk.lines.slice(gap + 1, gaps[i] ?? hunk.lines.length);
      return { ...rest, lines, ...(i === 0 && oldStart !== undefined ? { oldStart } : {}) };
    });
    const changing = parts.filter(({ lines }) => lines.some(({ op }) => op !== ' '));
    return changing.map((part, i) => ({ hunk: part, from, follows: i > 0 }));
  });
}
