// Configuration never changes after it was read: the type says so, and so does the runtime.
/** `T`, read-only all the way down. */
export type Frozen<T> = T extends object ? { readonly [K in keyof T]: Frozen<T[K]> } : T;

/** Freezes `value` and everything below it, in place, and returns it. */
export function freeze<T>(value: T): Frozen<T> {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const inner of Object.values(value)) freeze(inner);
  }
  return value as Frozen<T>;
}

const MAX_COPY_DEPTH = 200;

/** A copy of plain data (what JSON could say), frozen all the way down. Throws TypeError for anything else, circles included. */
export function frozenCopy<T>(value: T, depth = 0): Frozen<T> {
  if (value === null || typeof value === 'string' || typeof value === 'boolean' || typeof value === 'number') {
    return value as Frozen<T>;
  }
  if (depth > MAX_COPY_DEPTH) throw new TypeError('it goes too deep, or round in a circle');
  if (Array.isArray(value)) return Object.freeze(value.map((inner) => frozenCopy(inner, depth + 1))) as Frozen<T>;
  const prototype = typeof value === 'object' ? Object.getPrototypeOf(value) : undefined;
  if (prototype !== null && prototype !== Object.prototype) throw new TypeError(`it holds ${typeName(value)}`);
  const copy: Record<string, unknown> = {};
  for (const [key, inner] of Object.entries(value as object)) {
    if (inner === undefined) continue;
    if (key === '__proto__') throw new TypeError('it has a key __proto__');
    copy[key] = frozenCopy(inner, depth + 1);
  }
  return Object.freeze(copy) as Frozen<T>;
}

const typeName = (value: unknown): string =>
  typeof value === 'object' ? `a ${value?.constructor?.name ?? 'strange object'}` : `a ${typeof value}`;
