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
