// Faults with one certain repair each, mended without asking anyone. What is not certain is left to whoever comes next.
import type { Plugin } from '../../src/model.ts';

const plugin: Plugin = {
  name: 'known-fixes',
  kind: 'executor',
  async propose(context) {
    if (context.refused.length > 0) return { pass: 'its only proposal was refused' };
    // Loaded with the first failure: most runs have none.
    const { REPAIRS } = await import('./known-fixes/repairs.ts');
    const results = await Promise.all(REPAIRS.map(async ({ name, find }) => ({ name, repaired: await find(context) })));
    const certain = results.filter(({ repaired }) => repaired !== undefined);
    const names = certain.map(({ name }) => name).join(', ');
    if (certain.length > 1) return { pass: `it could be any of ${names}` };
    return certain[0]?.repaired ?? { pass: 'none of the faults it knows is certain here' };
  },
};
export default plugin;
