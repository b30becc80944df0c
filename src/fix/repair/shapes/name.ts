// A name that leads to nothing becomes the one near name that is defined where it is used.
import type { Kind, Name } from '../../../repository/definition.ts';
import { meaningsOf } from '../meaning.ts';
import { isMended } from '../near.ts';
import { ownersKind } from '../never.ts';
import type { WordPlace } from '../place.ts';
import type { Shape } from '../shape.ts';

/** Of a pattern of hosts each word counts by itself. */
const ALONE = { keys: [], left: '', right: '' };

export const name: Shape = (place, { repository, evidence, text }) => {
  if (place.what !== 'word') return undefined;
  for (const { kind, of, isClosed, isOwn, old, new: now } of meaningsOf(place)) {
    // A variable in an address or condition is none of it; any other word there is.
    const isVariable = kind.endsWith('variable') || kind === 'terraform' || kind === 'python-name';
    const isHosts = kind === 'group' && place.keys.at(-1) === 'hosts';
    if (!isVariable && ownersKind({ ...place, old, new: now, ...(isHosts && ALONE) })) continue;
    const elsewhere = repository.places(kind, old).filter(({ path }) => path !== place.path);
    const all = repository.possible(kind, place.path, of);
    const possible = all && isOwn && elsewhere.length === 0 ? new Set([...all].filter((name) => name !== old)) : all;
    const defined = repository.visible(kind, place.path, of);
    if (!isInReach(place, kind, now, of, repository.places(kind, now), text)) continue;
    const isBroken = isClosed || evidence.rejects(old) || evidence.misses(old);
    if (isBroken && isMended(old, now, possible, defined))
      return `nothing here defines \`${old}\`, and \`${now}\` is defined`;
  }
  return undefined;
};

/** Whether the place can use one of these definitions: an object of its namespace, a name of its function. */
function isInReach(
  place: WordPlace,
  kind: Kind,
  name: string,
  of: string | undefined,
  definitions: readonly (Name & { readonly path: string })[],
  text: string,
): boolean {
  if (kind === 'object' && of !== 'Namespace') {
    const namespace = place.document?.beside?.namespace ?? place.document?.namespace;
    return (
      definitions.some((one) => one.of === of && (one.inside === undefined || one.inside === namespace)) ||
      of === undefined
    );
  }
  if (kind === 'shell-variable')
    return definitions.some(({ path, line }) => path !== place.path || isSetBefore(text, name, line, place.line));
  // An attribute may be anybody's; a bare name is the module's or the function's.
  if (kind !== 'python-name' || place.new !== name) return true;
  return definitions.some(({ path, line }) => path === place.path && isInFunction(text, name, line, place.line));
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
  const at = (line: number) => lines[line - 1] ?? '';
  const indent = (line: string) => /^\s*/.exec(line)?.[0].length ?? 0;
  const header = DEF.exec(at(bound))?.[1];
  const own = indent(at(bound));
  // The parameters of a function are bound in the line where it begins.
  let from = bound;
  if (header === undefined || header === name) {
    if (own === 0) return true;
    do from--;
    while (from > 0 && !(DEF.test(at(from)) && indent(at(from)) < own));
    if (from === 0) return false;
  }
  const level = indent(at(from));
  const end = lines.findIndex((line, i) => i >= from && line.trim() !== '' && indent(line) <= level);
  return used >= from && (end === -1 || used <= end);
}
