// The circles in what stages need.

/** Each circle once, as the names along it with the first repeated at the end. Unknown names are ignored. Never recurses. */
export function cyclesOf(needs: ReadonlyMap<string, readonly string[]>): string[][] {
  const cycles: string[][] = [];
  const done = new Set<string>();
  for (const start of needs.keys()) {
    if (done.has(start)) continue;
    const way = [start];
    const onWay = new Set(way);
    const left = [[...(needs.get(start) ?? [])]];
    while (way.length > 0) {
      const name = way.at(-1) as string;
      const next = left.at(-1)?.shift();
      if (next === undefined) {
        done.add(name);
        onWay.delete(name);
        way.pop();
        left.pop();
      } else if (onWay.has(next)) {
        const cycle = [...way.slice(way.indexOf(next)), next];
        if (!cycles.some((known) => known.join() === cycle.join())) cycles.push(cycle);
      } else if (needs.has(next) && !done.has(next)) {
        way.push(next);
        onWay.add(next);
        left.push([...(needs.get(next) ?? [])]);
      }
    }
  }
  return cycles;
}
