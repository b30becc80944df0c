// The circles in what stages, or steps, need.
/** Each circle once, as the names along it with the first repeated at the end. Unknown names are ignored. Never recurses. */
export function cyclesOf(needs: ReadonlyMap<string, readonly string[]>): string[][] {
  const cycles = new Map<string, string[]>();
  const done = new Set<string>();
  for (const start of needs.keys()) {
    if (done.has(start)) continue;
    const way = [{ name: start, next: 0 }];
    const onWay = new Set([start]);
    for (let at = way.at(-1); at !== undefined; at = way.at(-1)) {
      const need = needs.get(at.name)?.[at.next++];
      if (need === undefined) {
        done.add(at.name);
        onWay.delete(at.name);
        way.pop();
      } else if (onWay.has(need)) {
        const names = way.map(({ name }) => name);
        const cycle = [...names.slice(names.indexOf(need)), need];
        cycles.set(cycle.join(), cycle);
      } else if (needs.has(need) && !done.has(need)) {
        way.push({ name: need, next: 0 });
        onWay.add(need);
      }
    }
  }
  return [...cycles.values()];
}
