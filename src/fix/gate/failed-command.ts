// Which command of a file failed, by what the log says: its line, its target or its task, else words that stand in it alone.
import type { Fact } from './facts.ts';
import { shownWords } from './shown.ts';

/** The keys of the commands that failed; undefined when the log does not tell. `failed`: a command or error lines; `log`: its end. */
export function failedKeys(
  path: string,
  facts: readonly Fact[],
  failed: string | undefined,
  log = '',
): ReadonlySet<string> | undefined {
  if (failed === undefined || failed.trim() === '') return undefined;
  const all = `${log}\n${failed}`;
  const keys = byText(facts, failed) ?? byLine(path, facts, all) ?? byUnit(facts, all) ?? byWords(facts, failed);
  return keys && new Set(keys.map(({ key }) => key));
}

const some = <T>(list: T[]): T[] | undefined => (list.length > 0 ? list : undefined);
const squeezed = (text: string): string => text.replace(/\s+/g, ' ').trim();

function byText(facts: readonly Fact[], failed: string): Fact[] | undefined {
  const text = squeezed(failed);
  return some(facts.filter((fact) => fact.words.length > 0 && squeezed(shownWords(fact)) === text));
}

function byLine(path: string, facts: readonly Fact[], failed: string): Fact[] | undefined {
  const name = path.split('/').at(-1) as string;
  const escaped = name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const lines = [...failed.matchAll(new RegExp(`${escaped}(?::|: line | on line |, line )(\\d+)`, 'g'))].map(
    ([, line]) => Number(line),
  );
  return some(facts.filter(({ line }) => lines.includes(line)));
}

const UNITS = [
  /\*\*\* \[(?:[^\]:]*:\d+: )?([^\]]+)\] Error/g,
  /TASK \[(?:[^\]]* : )?([^\]]+)\]/g,
  /[Rr]ecipe [`'"]([\w-]+)[`'"] failed/g,
  /Failed to run task "([^"]+)"/g,
];

function byUnit(facts: readonly Fact[], failed: string): Fact[] | undefined {
  // Of several tasks the last one named is the one that ended it.
  const names = UNITS.flatMap((pattern) => [...failed.matchAll(pattern)].map(([, name]) => name as string).slice(-1));
  return some(
    facts.filter(({ unit }) => unit !== '' && names.some((name) => name === unit || unit.split(/\s+/).includes(name))),
  );
}

const WORD = /[\w./:@-]{3,}/g;

function byWords(facts: readonly Fact[], failed: string): Fact[] | undefined {
  const wordsOfError = new Set(failed.match(WORD) ?? []);
  const owners = new Map<string, Fact[]>();
  for (const fact of facts) {
    for (const word of new Set(fact.words.flatMap(({ text }) => text.match(WORD) ?? []))) {
      if (wordsOfError.has(word)) owners.set(word, [...(owners.get(word) ?? []), fact]);
    }
  }
  const alone = [...owners.values()].filter((list) => new Set(list.map(({ line }) => line)).size === 1);
  return some(alone.flat());
}
