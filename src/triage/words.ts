// Numbers and days in the words of a reason. Pure.

const ORDINALS = ['first', 'second', 'third', 'fourth', 'fifth', 'sixth', 'seventh', 'eighth', 'ninth', 'tenth'];

/** `first`, `second`; numbers above ten as `number 11`. */
export const ordinal = (n: number): string => ORDINALS[n - 1] ?? `number ${n}`;

/** `1 try`, `3 tries`. */
export const counted = (n: number, singular: string, plural = `${singular}s`): string =>
  `${n} ${n === 1 ? singular : plural}`;

/** The UTC day of an ISO time. */
export const dayOf = (time: string): string => time.slice(0, 10);
