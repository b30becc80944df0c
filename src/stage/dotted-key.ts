// `a.b.0.c` inside a value made of objects and lists.

/** What stands at `key`, or undefined. */
export function dottedKey(value: unknown, key: string): unknown {
  return key.split('.').reduce<unknown>((at, part) => {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, part)) return undefined;
    return (at as Record<string, unknown>)[part];
  }, value);
}
