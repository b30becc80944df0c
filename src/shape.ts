// Whether a value read from disk has the shape it must have, and the type that follows. By hand, for `status` reads journal
// and ledger, and loading zod would double its time.

export type Check<T = unknown> = (value: unknown) => value is T;
type OptionalCheck<T> = Check<T | undefined> & { readonly optional: true };
export type Shape = Readonly<Record<string, Check>>;

/** What a check lets through. */
export type Checked<C> = C extends Check<infer T> ? T : never;
type OptionalKeys<S> = { [K in keyof S]: S[K] extends { optional: true } ? K : never }[keyof S];

/** The object type of a shape; optional members may be absent or undefined. */
export type ShapeOf<S> = { [K in Exclude<keyof S, OptionalKeys<S>>]: Checked<S[K]> } & {
  [K in OptionalKeys<S>]?: Checked<S[K]>;
};

export const text: Check<string> = (value) => typeof value === 'string';
export const name: Check<string> = (value): value is string => typeof value === 'string' && value !== '';
export const flag: Check<boolean> = (value) => typeof value === 'boolean';
export const count: Check<number> = (value): value is number => Number.isSafeInteger(value) && (value as number) >= 0;
export const integer: Check<number> = (value): value is number => Number.isSafeInteger(value);
export const amount: Check<number> = (value): value is number =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0;
/** A time as `Date.toISOString` writes it: such texts sort as the times do. */
export const time: Check<string> = (value): value is string =>
  typeof value === 'string' &&
  /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(value) &&
  !Number.isNaN(Date.parse(value));

export const oneOf =
  <const T>(values: readonly T[]): Check<T> =>
  (value): value is T =>
    (values as readonly unknown[]).includes(value);
export const orNull =
  <T>(check: Check<T>): Check<T | null> =>
  (value): value is T | null =>
    value === null || check(value);
export const optional = <T>(check: Check<T>): OptionalCheck<T> =>
  Object.assign((value: unknown): value is T | undefined => value === undefined || check(value), {
    optional: true as const,
  });
export const listOf =
  <T>(check: Check<T>): Check<T[]> =>
  (value): value is T[] =>
    Array.isArray(value) && value.every(check);

/** An object by its keys. */
export type Mapping = Readonly<Record<string, unknown>>;
export const isMapping: Check<Mapping> = (value): value is Mapping =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
/** The value, or an empty object for what is no mapping. */
export const mapping = (value: unknown): Mapping => (isMapping(value) ? value : {});

/** An object whose own keys pass; keys the shape does not name are let through. */
export const shaped = <S extends Shape>(shape: S): Check<ShapeOf<S>> => {
  const checks = Object.entries(shape);
  return (value): value is ShapeOf<S> =>
    isMapping(value) && checks.every(([key, check]) => check(Object.hasOwn(value, key) ? value[key] : undefined));
};

/** An object whose values pass, whatever its keys. */
export const mapOf =
  <T>(check: Check<T>): Check<Record<string, T>> =>
  (value): value is Record<string, T> =>
    isMapping(value) && Object.values(value).every(check);

export const isTexts: Check<Record<string, string>> = mapOf(text);
