// A simulated lab's state and outputs must never be taken for a real one's: one home, one lab.
import { join } from 'node:path';
import { fail } from '../errors.ts';
import type { Layout } from '../io/layout.ts';
import { readText, writeAtomic } from '../io/store.ts';
import type { Lab } from '../stage/stage-env.ts';

/** The lab that the state of this home belongs to, when that is not `lab`. */
export function otherLab(layout: Layout, lab: string): string | undefined {
  const kept = readText(join(layout.state, 'lab.txt'))?.trim();
  return kept === lab ? undefined : kept;
}

/** Notes which lab the state of this home belongs to. Throws E_OTHER_LAB when that is another one. */
export function keepToLab(layout: Layout, lab: Lab): void {
  const note = join(layout.state, 'lab.txt');
  const kept = readText(note)?.trim();
  if (kept === undefined) writeAtomic(note, `${lab}\n`);
  else if (kept !== lab) fail('E_OTHER_LAB', { kept, lab });
}
