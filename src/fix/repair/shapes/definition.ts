// A definition that nothing uses becomes the near name that is used and that nothing defines.
import type { Kind } from '../../../repository/definition.ts';
import { isNearest } from '../near.ts';
import { isAccountKey, isFixed } from '../never.ts';
import type { WordPlace } from '../place.ts';
import type { Shape } from '../shape.ts';

export const definition: Shape = (place, { repository, evidence }) => {
  if (place.what !== 'word' || (place.role !== 'definition' && place.role !== 'key')) return undefined;
  const { old, new: now, path } = place;
  const isOwners = (word: string) => isFixed(word) || (isAccountKey(word) && !place.isBlock);
  if (isOwners(old) || isOwners(now)) return undefined;
  for (const kind of kindsOf(place)) {
    const [used, possible] = [repository.used(kind, path), repository.possible(kind, path)];
    if (
      !used ||
      !possible?.has(old) ||
      used.has(old) ||
      possible.has(now) ||
      !(evidence.misses(now) || evidence.hasNoProgram(now))
    )
      continue;
    if (isNearest(old, now, used)) return `nothing uses \`${old}\`; \`${now}\` is used and was defined nowhere`;
  }
  return undefined;
};

function kindsOf({ path, role, keys, isBlock }: WordPlace): Kind[] {
  if (/(?:^|\/)values[^/]*\.ya?ml$|(?:^|\/)values\//.test(path)) return keys.length === 0 ? ['helm-value'] : [];
  if (isBlock) return [];
  if (role === 'definition') return [keys[0] === 'function' ? 'shell-function' : 'shell-variable'];
  if (/(?:^|\/)(?:GNU)?makefile[^/]*$|\.mk$/i.test(path)) return ['make-variable'];
  if (/(?:^|\/)\.env[^/]*$|\.env$/.test(path)) return ['env-variable'];
  if (/justfile$|\.just$/i.test(path)) return ['just-variable'];
  return /(?:^|\/)(?:group_vars|host_vars|defaults|vars)\//.test(path) && keys.length === 0 ? ['ansible-variable'] : [];
}
