// A name that leads to nothing becomes the one near name that is defined where it is used.
import { isUsed, KINDS, type Kind } from '../../../repository/definition.ts';
import { type Meaning, meaningsOf } from '../meaning.ts';
import { isMended, isNearest } from '../near.ts';
import { isAccountKey, isFixed, ownersKind } from '../never.ts';
import type { WordPlace } from '../place.ts';
import type { Grounds, Shape } from '../shape.ts';

/** Of a pattern of hosts each word counts by itself. */
const ALONE = { keys: [], left: '', right: '' };

export const name: Shape = (place, grounds) => {
  if (place.what !== 'word') return undefined;
  const mended = meaningsOf(place).find((meaning) => isMendedAs(meaning, place, grounds));
  return mended && `nothing here defines \`${mended.old}\`, and \`${mended.new}\` is defined`;
};

function isMendedAs(meaning: Meaning, place: WordPlace, grounds: Grounds): boolean {
  const { kind, of, isClosed, isOwn, old, new: now } = meaning;
  const { repository, evidence } = grounds;
  // A variable in an address or condition is none of it; any other word there is.
  const isVariable = kind.endsWith('variable') || kind === 'terraform' || kind === 'python-name';
  const isHosts = kind === 'group' && place.keys.at(-1) === 'hosts';
  if (!isVariable && ownersKind({ ...place, old, new: now, ...(isHosts && ALONE) })) return false;
  const all = repository.possible(kind, place.path, of);
  // What only the place itself defines does not count.
  const isOnlyHere = isOwn && repository.places(kind, old).every(({ path }) => path === place.path);
  const possible = all && isOnlyHere ? new Set([...all].filter((each) => each !== old)) : all;
  const isBroken = isClosed === true || evidence.rejects(old) || evidence.misses(old);
  const isDefined = isMended(old, now, possible, repository.visible(kind, place.path, of));
  return isBroken && isDefined && isInReach(meaning, place, grounds);
}

/** Whether the place can use one of the definitions: an object of its namespace, a name of its function. */
function isInReach({ kind, of, new: now }: Meaning, place: WordPlace, { repository, text }: Grounds): boolean {
  const definitions = repository.places(kind, now);
  if (kind === 'object' && of !== undefined && of !== 'Namespace') {
    const namespace = place.document?.beside?.namespace ?? place.document?.namespace;
    return definitions.some((one) => one.of === of && (one.inside === undefined || one.inside === namespace));
  }
  if (kind === 'shell-variable')
    return definitions.some(({ path, line }) => path !== place.path || isSetBefore(text, now, line, place.line));
  // An attribute may be anybody's; a bare name is the module's or the function's.
  if (kind !== 'python-name' || place.new !== now) return true;
  return definitions.some(({ path, line }) => path === place.path && isInFunction(text, now, line, place.line));
}

/** Set by the script itself above the use: not in a function, a subshell or a part of a pipe. */
function isSetBefore(text: string, name: string, bound: number, used: number): boolean {
  const line = text.split('\n')[bound - 1] ?? '';
  return (
    bound < used &&
    new RegExp(`^(?:export |readonly |for )?${name}\\b`).test(line) &&
    !/\|/.test(line.replace(/"[^"]*"|'[^']*'/g, ''))
  );
}

const DEF = /^\s*(?:async\s+)?def\s+(\w+)/;

/** Whether what a line binds can be used at another line: at the module's level, or in the same function. */
function isInFunction(text: string, name: string, bound: number, used: number): boolean {
  const lines = text.split('\n');
  const indent = (line = '') => line.search(/\S|$/);
  const binding = lines[bound - 1] ?? '';
  const header = DEF.exec(binding)?.[1];
  // The parameters of a function are bound in the line where it begins.
  const isParameter = header !== undefined && header !== name;
  if (!isParameter && indent(binding) === 0) return true;
  const above = lines.slice(0, bound - 1);
  const begin = above.findLastIndex((line) => DEF.test(line) && indent(line) < indent(binding));
  const from = isParameter ? bound - 1 : begin;
  const end = lines.findIndex((line, i) => i > from && line.trim() !== '' && indent(line) <= indent(lines[from]));
  return from >= 0 && used > from && (end === -1 || used <= end);
}

const USED = (Object.keys(KINDS) as Kind[]).filter(isUsed);

/** A definition that nothing uses becomes the near name that is used and that nothing defines. */
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
