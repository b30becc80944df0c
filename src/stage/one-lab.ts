// One home, one lab: a simulated lab's state must never be taken for a real one's.
import { join } from 'node:path';
import { fail } from '../errors.ts';
import type { Layout } from '../io/layout.ts';
import { readText, writeAtomic } from '../io/store.ts';
import type { Lab } from './run.ts';

const labFile = (layout: Layout): string => join(layout.state, 'lab.txt');

/** The lab that the state of this home belongs to, when that is not `lab`. */
export function otherLab(layout: Layout, lab: string): string | undefined {
  const noted = readText(labFile(layout))?.trim();
  return noted === lab ? undefined : noted;
}

/** Throws E_OTHER_LAB for another lab than that of the first run, which is noted. */
export function keepToLab(layout: Layout, lab: Lab): void {
  const firstLab = otherLab(layout, lab);
  if (firstLab !== undefined) fail('E_OTHER_LAB', { kept: firstLab, lab });
  if (readText(labFile(layout)) === undefined) writeAtomic(labFile(layout), `${lab}\n`);
}
