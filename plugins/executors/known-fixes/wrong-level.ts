// A key that is right but stands one mapping too deep or too high: a task's keyword among its module's parameters, a
// container's field beside the containers. Moved only where exactly one mapping takes it.
import { lineOf, onlyOne, type Repair, rewritten, textsOf } from './repair.ts';
import { errorText, reportsIn } from './reports.ts';
import { FIELDS, MODULE_ONLY, TASK_ONLY } from './vocabulary.ts';
import { readYaml } from './yaml.ts';
import { entriesOf, type YamlEntry } from './yaml-tree.ts';

export const wrongLevel: Repair = async (facts) => {
  const text = errorText(facts);
  const words = [
    ...new Set(reportsIn(text).flatMap(({ kind, word }) => (kind === 'key' || kind === 'keyword' ? word : []))),
  ];
  const word = onlyOne(words);
  if (word === undefined) return undefined;
  const texts = await textsOf(facts, (path) => /\.ya?ml$/.test(path));
  const moved = [...texts].flatMap(([path, before]) => {
    const all = before.includes(word) ? entriesOf(before) : [];
    const after = all.flatMap((entry) => (entry.key === word ? (movedEntry(before, entry, all) ?? []) : []));
    return after.filter((one) => readYaml(one).errors.length === 0).map((one) => ({ path, text: before, after: one }));
  });
  const only = onlyOne(moved);
  if (!only)
    return moved.length === 0 ? undefined : { unsure: `${word} stands at such a level in ${moved.length} places` };
  return rewritten(only, only.after, {
    fix: `Move ${word} to the level where it belongs in ${only.path}`,
    reason: `${word} is not allowed where it stands, and the mapping next to it is the only one that takes it`,
  });
};

function movedEntry(text: string, entry: YamlEntry, all: readonly YamlEntry[]): string | undefined {
  const parent = all.find(({ children, is }) => is === 'map' && children.includes(entry));
  const before = entry.siblings[entry.siblings.indexOf(entry) - 1];
  if (parent && isModule(parent) && TASK_ONLY.includes(entry.key)) return withLevel(text, entry, parent, parent);
  if (before && isModule(before) && before.is === 'map' && MODULE_ONLY.includes(entry.key)) {
    return withLevel(text, entry, before, before.children.at(-1));
  }
  const isAlone = (level: keyof typeof FIELDS) =>
    FIELDS[level].includes(entry.key) && LEVELS.filter((other) => FIELDS[other].includes(entry.key)).length === 1;
  if (isAlone('container') && before && /^(?:init)?[cC]ontainers$/.test(before.key)) {
    // With several containers it is unclear which is meant.
    const last = before.children.at(-1);
    return before.children.filter(({ key }) => key === 'name').length === 1
      ? withLevel(text, entry, before, last)
      : undefined;
  }
  const container = parent === undefined && /^(?:init)?[cC]ontainers$/.test(entry.path.at(-2) ?? '');
  if (isAlone('pod') && container) {
    const list = all.find(({ is, children }) => is === 'list' && children.includes(entry));
    return list && withLevel(text, entry, list, list);
  }
  if (isAlone('workload') && parent?.key === 'spec' && parent.path.at(-2) === 'template') {
    const template = all.find(({ children }) => children.includes(parent));
    return template && withLevel(text, entry, template, template);
  }
  return undefined;
}

const LEVELS = ['container', 'pod', 'workload', 'metadata'] as const;

/** The one key of a task that is none of its keywords. */
const isModule = ({ key, siblings }: YamlEntry): boolean =>
  /^(?:\w+\.\w+\.)?[a-z_0-9]+$/.test(key) &&
  siblings.some(({ key: other }) => other === 'name') &&
  !TASK_ONLY.includes(key);

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
