// A definition that nothing uses becomes the near name that is used and that nothing defines.
import { isUsed, KINDS, type Kind } from '../../../repository/definition.ts';
import { isNearest } from '../near.ts';
import { isAccountKey, isFixed } from '../never.ts';
import type { Shape } from '../shape.ts';

const USED = (Object.keys(KINDS) as Kind[]).filter(isUsed);

export const definition: Shape = (place, { repository, evidence }) => {
  if (place.what !== 'word' || (place.role !== 'definition' && place.role !== 'key')) return undefined;
  const { old, new: now, path, line, isBlock } = place;
  const isOwners = (word: string) => isFixed(word) || (isAccountKey(word) && !isBlock);
  if (isOwners(old) || isOwners(now) || !(evidence.misses(now) || evidence.hasNoProgram(now))) return undefined;
  const isSlip = USED.filter((kind) => !isBlock || kind === 'helm-value').some((kind) => {
    const isHere = repository.places(kind, old).some((one) => one.path === path && one.line === line);
    const [used, possible] = isHere ? [repository.used(kind, path), repository.possible(kind, path)] : [];
    const isSwap = used && possible?.has(old) && !used.has(old) && !possible.has(now);
    return isSwap && isNearest(old, now, used);
  });
  return isSlip ? `nothing uses \`${old}\`; \`${now}\` is used and was defined nowhere` : undefined;
};
