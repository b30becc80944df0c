// Safe mode on disk: while it is on the AI changes nothing anywhere. Set by a person, or by the loop itself.
import type { Layout } from '../io/layout.ts';
import { leaveInPlace, readChecked, removeFile, writeAtomic } from '../io/store.ts';
import { type Checked, oneOf, optional, shaped, text, time } from '../shape.ts';

const isSafeMode = shaped({
  version: oneOf([1]),
  since: time,
  by: oneOf(['hand', 'loop']),
  why: text,
  /** The run in which the loop set it. */
  run: optional(text),
});
export type SafeMode = Checked<typeof isSafeMode>;

/** Undefined when it is off. A file that cannot be read means on: it is not certain that it was meant to be off. */
export function readSafeMode(layout: Layout): SafeMode | undefined {
  const read = readChecked(layout.safeMode, isSafeMode, leaveInPlace);
  if (read.found) return read.value;
  if (!read.quarantined) return undefined;
  const why = 'ai/state/safe-mode.json cannot be read';
  return { version: 1, since: new Date(0).toISOString(), by: 'loop', why };
}

/** When it is on already it stays as it is: the first reason is the one to look at. */
export function setSafeMode(layout: Layout, mode: Omit<SafeMode, 'version'>): SafeMode {
  const on = readSafeMode(layout);
  if (on) return on;
  const set: SafeMode = { version: 1, ...mode };
  writeAtomic(layout.safeMode, `${JSON.stringify(set)}\n`);
  return set;
}

export const clearSafeMode = (layout: Layout): void => removeFile(layout.safeMode);
