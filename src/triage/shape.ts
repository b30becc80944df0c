// Whether a value read from disk has the shape it must have. By hand: `status` reads the ledger, and loading zod would
// double its time.

export type Check = (value: unknown) => boolean;

export const text: Check = (value) => typeof value === 'string';
export const name: Check = (value) => typeof value === 'string' && value !== '';
export const flag: Check = (value) => typeof value === 'boolean';
export const count: Check = (value) => Number.isSafeInteger(value) && (value as number) >= 0;
export const amount: Check = (value) => typeof value === 'number' && Number.isFinite(value) && value >= 0;
/** A time as `Date.toISOString` writes it: such texts sort as the times do. */
export const time: Check = (value) =>
  typeof value === 'string' &&
  /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(value) &&
  !Number.isNaN(Date.parse(value));

export const oneOf =
  (values: readonly unknown[]): Check =>
  (value) =>
    values.includes(value);
export const optional =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value);
export const listOf =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check);

/** Whether `value` is an object whose own keys pass; keys the shape does not name are let through. */
export const shaped =
  (shape: Readonly<Record<string, Check>>): Check =>
  (value) =>
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    Object.entries(shape).every(([key, check]) =>
      check(Object.hasOwn(value, key) ? value[key as keyof typeof value] : undefined),
    );
