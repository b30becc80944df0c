// A key that is right but stands one mapping too deep or too high: moved where the tool knows it, when that is one place alone.
import { errorText, rejectionsIn } from './messages.ts';
import { keysOf } from './names.ts';
import { placesOf } from './places.ts';
import { lineOf, onlyOne, type Repair, rewritten, textsOf } from './repair.ts';
import { readYaml } from './yaml.ts';
import { entriesOf, type YamlEntry } from './yaml-tree.ts';

export const wrongLevel: Repair = async (facts) => {
  const words = new Set(rejectionsIn(errorText(facts)).map(({ word }) => word));
  if (words.size === 0) return undefined;
  const texts = await textsOf(facts, (path) => /\.ya?ml$/.test(path));
  const { vocabulary } = await facts.definitions();
  const moved = [...words].flatMap((word) =>
    placesOf(word, texts)
      .filter(({ role }) => role === 'key')
      .flatMap(({ path, text, offset }) => {
        const all = entriesOf(text);
        const entry = all.find(({ keyAt }) => keyAt[0] === offset);
        const top = all.filter(({ path: way, document }) => way.length === 1 && document === entry?.document);
        const keysAt = keysOf(path, text, top, vocabulary);
        const ways = entry && keysAt ? waysOut(text, entry, all, keysAt) : [];
        return ways.map((after) => ({ path, text, after, word }));
      }),
  );
  const sound = moved.filter(({ after }) => readYaml(after).errors.length === 0);
  const only = onlyOne(sound);
  if (!only)
    return sound.length === 0 ? undefined : { unsure: `${sound[0]?.word} could be moved in ${sound.length} ways` };
  return rewritten(only, only.after, {
    fix: `Move ${only.word} to the level where it belongs in ${only.path}`,
    reason: `${only.word} is not known where it stands, and the mapping next to it is the only one that takes it`,
  });
};

type KeysAt = (way: readonly string[]) => ReadonlySet<string> | undefined;

/** The texts with the entry one level further out, or in the mapping before it, where the tool knows it there and not here. */
function waysOut(text: string, entry: YamlEntry, all: readonly YamlEntry[], keysAt: KeysAt): string[] {
  const here = entry.path.slice(0, -1);
  const takes = (way: readonly string[]) => keysAt(way)?.has(entry.key) === true;
  if (takes(here)) return [];
  const ways: (string | undefined)[] = [];
  const parent = all.find(({ children }) => children.includes(entry));
  if (parent && takes(here.slice(0, -1))) ways.push(withLevel(text, entry, parent, parent));
  const before = entry.siblings[entry.siblings.indexOf(entry) - 1];
  // With several items it is unclear which is meant.
  const items = before?.is === 'list' ? before.children.filter(({ key }) => key === before.children[0]?.key).length : 1;
  if (before && before.is !== 'scalar' && items === 1 && takes(before.path))
    ways.push(withLevel(text, entry, before, before.children.at(-1)));
  return ways.filter((way) => way !== undefined);
}

/** The text with the lines of `entry` behind those of `after`, indented like `like`. */
function withLevel(text: string, entry: YamlEntry, after: YamlEntry, like: YamlEntry | undefined): string | undefined {
  if (!like) return undefined;
  const lines = text.split('\n');
  const columnOf = (offset: number) => offset - (text.lastIndexOf('\n', offset - 1) + 1);
  const from = lineOf(text, entry.keyAt[0]) - 1;
  const block = lines.slice(from, endOf(lines, from, columnOf(entry.keyAt[0])));
  // The first key of a list item has its dash, and cannot be moved.
  if (/^\s*-/.test(block[0] ?? '')) return undefined;
  const by = columnOf(like.keyAt[0]) - columnOf(entry.keyAt[0]);
  const shifted = block.map((line) => (by >= 0 ? ' '.repeat(by) + line : line.slice(-by)));
  const rest = lines.toSpliced(from, block.length);
  const target = lineOf(text, after.keyAt[0]) - 1;
  const end = endOf(rest, target, columnOf(after.keyAt[0]));
  return rest.toSpliced(end, 0, ...shifted).join('\n');
}

/** The line behind the block that begins at line `from`: all that is deeper than its key; a list may stand at its level. */
function endOf(lines: readonly string[], from: number, column: number): number {
  let end = from + 1;
  for (let i = from + 1; i < lines.length; i++) {
    const line = lines[i] as string;
    if (line.trim() === '') continue;
    const depth = line.length - line.trimStart().length;
    const isItem = depth === column && /^\s*- /.test(line) && !/^\s*- /.test(lines[from] as string);
    if (depth <= column && !isItem) break;
    end = i + 1;
  }
  return end;
}
