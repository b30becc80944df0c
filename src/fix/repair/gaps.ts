// Where two lists differ, by their longest common part.

type Range = readonly [from: number, to: number];

/** Where two lists differ, as the parts between what they have in common. */
export function gaps(a: readonly string[], b: readonly string[]): [Range, Range][] {
  let from = 0;
  while (from < a.length && from < b.length && a[from] === b[from]) from++;
  let end = 0;
  while (end < a.length - from && end < b.length - from && a[a.length - 1 - end] === b[b.length - 1 - end]) end++;
  const [x, y] = [a.slice(from, a.length - end), b.slice(from, b.length - end)];
  if (x.length === 0 && y.length === 0) return [];
  // Longest common part; beyond a size it is not worth it: one gap.
  if (x.length * y.length > 250_000)
    return [
      [
        [from, a.length - end],
        [from, b.length - end],
      ],
    ];
  const table = Array.from({ length: x.length + 1 }, () => new Uint16Array(y.length + 1));
  for (let i = x.length - 1; i >= 0; i--)
    for (let j = y.length - 1; j >= 0; j--) {
      const [row, next] = [table[i] as Uint16Array, table[i + 1] as Uint16Array];
      row[j] = x[i] === y[j] ? (next[j + 1] as number) + 1 : Math.max(next[j] as number, row[j + 1] as number);
    }
  const found: [Range, Range][] = [];
  let [i, j, startX, startY] = [0, 0, 0, 0];
  const close = () => {
    if (i > startX || j > startY)
      found.push([
        [from + startX, from + i],
        [from + startY, from + j],
      ]);
  };
  while (i < x.length && j < y.length) {
    if (x[i] === y[j]) {
      close();
      [startX, startY] = [++i, ++j];
    } else if ((table[i + 1]?.[j] as number) >= (table[i]?.[j + 1] as number)) i++;
    else j++;
  }
  [i, j] = [x.length, y.length];
  close();
  return found;
}
