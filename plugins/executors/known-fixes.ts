// Faults with one certain repair each, mended without asking anyone. What is not certain is left to whoever comes next.
import type { Plugin } from '../../src/model.ts';

const NONE_CERTAIN = 'none of the faults it knows is certain here';

const plugin: Plugin = {
  name: 'known-fixes',
  kind: 'executor',
  async propose(context) {
    if (context.refused.length > 0) return { pass: 'its only proposal was refused' };
    // Loaded with the first failure: most runs have none.
    const { REPAIRS } = await import('./known-fixes/repairs.ts');
    const answers = await Promise.all(Object.values(REPAIRS).map((repair) => repair(context)));
    const named = Object.keys(REPAIRS).map((name, i) => ({ name, answer: answers[i] }));
    const certain = named.flatMap(({ name, answer }) => (answer && 'files' in answer ? [{ name, answer }] : []));
    const different = new Set(certain.map(({ answer: { files, executable } }) => JSON.stringify([files, executable])));
    const names = certain.map(({ name }) => name).join(', ');
    if (different.size > 1) return { pass: `it could be any of ${names}`, unsure: true };
    const unsure = answers.flatMap((answer) => (answer && 'unsure' in answer ? answer.unsure : []));
    const none = unsure.length > 0 ? ({ pass: unsure.join('; '), unsure: true } as const) : { pass: NONE_CERTAIN };
    return certain[0]?.answer ?? none;
  },
};
export default plugin;
