// Faults with one certain repair each, mended without asking anyone. What is not certain is left to whoever comes next.
import type { Plugin } from '../../src/model.ts';

const plugin: Plugin = {
  name: 'known-fixes',
  kind: 'executor',
  async propose(context) {
    if (context.refused.length > 0) return { pass: 'its only proposal was refused' };
    // Loaded with the first failure: most runs have none.
    const { REPAIRS } = await import('./known-fixes/repairs.ts');
    const repaired = await Promise.all(Object.values(REPAIRS).map((repair) => repair(context)));
    const certain = repaired.filter((one) => one !== undefined);
    const names = Object.keys(REPAIRS).filter((_, i) => repaired[i]);
    if (names.length > 1) return { pass: `it could be any of ${names.join(', ')}` };
    return certain[0] ?? { pass: 'none of the faults it knows is certain here' };
  },
};
export default plugin;
