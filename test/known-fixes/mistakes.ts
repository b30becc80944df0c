// Mistakes that are known-fixes' own matter, in the form of the set that the whole project is measured with: trivial ones, and
// others that look like them. And what the plugin makes of one, without running anything.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { type Stage, stageSchema } from '../../src/config/context-map.ts';
import type { Proposal } from '../../src/plugin/contract.ts';
import { isMended, knownFixFor, type Mistake } from '../fixtures/mistakes.ts';

const FOLDER = join(import.meta.dirname, '../fixtures/known-fixes');
/** Of one that must be left alone. */
const NO_FIX = { path: '', old: '', new: '' };

/** The mistakes of one file; a stage may change every file when nothing is said. */
export function mistakesIn(name: string): Mistake[] {
  const { mistakes } = parse(readFileSync(join(FOLDER, `${name}.yaml`), 'utf8'), { merge: true });
  return mistakes.map((mistake: Omit<Mistake, 'stage' | 'exit_code' | 'fix'> & { stage?: object }) => {
    const stage = { command: 'stages/run.sh', files: Object.keys(mistake.files), ...mistake.stage };
    return { exit_code: 1, fix: NO_FIX, ...mistake, stage: stageSchema.parse(stage) as Stage };
  });
}

export type Verdict = 'mended' | 'left alone' | `wrong: ${string}`;

/** What the plugin answers, and whether that is right. */
export async function judged(mistake: Mistake): Promise<{ verdict: Verdict; proposal: Proposal }> {
  const proposal = await knownFixFor(mistake);
  if (!('files' in proposal)) return { verdict: 'left alone', proposal };
  const isRight = isMended(mistake, proposal.files);
  return { verdict: isRight ? 'mended' : `wrong: ${proposal.note.fix}`, proposal };
}
