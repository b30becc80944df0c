// Faults with one certain repair each, mended without asking anyone. What is not certain is left to whoever comes next.
import type { Plugin } from '../../src/model.ts';

const plugin: Plugin = {
  name: 'known-fixes',
  kind: 'executor',
  async propose(context) {
    if (context.refused.length > 0) return { pass: 'its only proposal was refused' };
    // Loaded with the first failure: most runs have none.
    const { REPAIRS } = await import('./known-fixes/repairs.ts');
    const found = await Promise.all(REPAIRS.map(async (repair) => ({ repair, repaired: await repair.find(context) })));
    const certain = found.filter(({ repaired }) => repaired !== undefined);
    const [only] = certain;
    if (only?.repaired === undefined) return { pass: 'none of the faults it knows is certain here' };
    if (certain.length > 1)
      return { pass: `it could be any of ${certain.map(({ repair }) => repair.name).join(', ')}` };
    const { files, executable, note } = only.repaired;
    return { files, note, ...(executable ? { executable: [...executable] } : {}) };
  },
};
export default plugin;
