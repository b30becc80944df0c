// The odd one out among siblings: a key that is written otherwise than in all mappings beside its own, where the errors name that one.
import { errorText } from './messages.ts';
import { isAlike, slips } from './near.ts';
import { lineOf, onlyOne, type Repair, rewritten, splice, textsOf } from './repair.ts';
import { entriesOf, type YamlEntry } from './yaml-tree.ts';

/** So many siblings must agree. */
const ENOUGH = 3;

export const outlier: Repair = async (facts) => {
  const words = new Set(errorText(facts).match(/[\w.-]*\w/g) ?? []);
  const texts = await textsOf(facts, (path) => /\.ya?ml$/.test(path));
  const odd = [...texts].flatMap(([path, text]) => {
    const all = [...words].some((word) => word.length > 2 && text.includes(word)) ? entriesOf(text) : [];
    return all
      .flatMap((entry) => (entry.is === 'map' && words.has(entry.key) ? oddKeys(entry) : []))
      .map((one) => ({ path, text, ...one }));
  });
  const only = onlyOne(odd);
  if (!only)
    return odd.length === 0 ? undefined : { unsure: `${odd.length} keys are written otherwise than beside them` };
  const { path, text, key, right, at } = only;
  return rewritten(only, splice(text, at, key.length, right), {
    fix: `Write ${right} instead of ${key} in line ${lineOf(text, at)} of ${path}`,
    reason: `Every mapping beside that one has ${right}, and none has ${key}`,
  });
};

/** Keys of one mapping that every sibling of it has in the other form. */
function oddKeys({ siblings, children, key: own }: YamlEntry): { key: string; right: string; at: number }[] {
  const beside = siblings
    .filter((one) => one.is === 'map' && one.key !== own)
    .map((one) => one.children.map((child) => child.key));
  if (beside.length < ENOUGH) return [];
  const common = (beside[0] ?? []).filter((key) => beside.every((keys) => keys.includes(key)));
  return children.flatMap(({ key, keyAt }) => {
    const near = common.filter((one) => isAlike(key, one) || (key.length > 4 && slips(key, one, 1) === 1));
    const isOdd = !beside.flat().includes(key) && near.length === 1 && children.every((child) => child.key !== near[0]);
    return isOdd ? [{ key, right: near[0] as string, at: keyAt[0] }] : [];
  });
}
