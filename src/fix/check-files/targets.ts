// Files of targets: what the wanted ones run, their prerequisites included, and which other files they include.
import { parse } from 'yaml';
import { mapping } from '../../shape.ts';

export type TargetTool = 'make' | 'just' | 'task' | 'npm';

/** What each tool looks for in a folder, the first that is there. */
export const TARGET_FILES: Readonly<Record<TargetTool, readonly string[]>> = {
  make: ['GNUmakefile', 'makefile', 'Makefile'],
  just: ['justfile', 'Justfile', '.justfile'],
  task: ['Taskfile.yml', 'taskfile.yml', 'Taskfile.yaml', 'taskfile.yaml', 'Taskfile.dist.yml', 'Taskfile.dist.yaml'],
  npm: ['package.json'],
};

export interface Target {
  /** What it runs. */
  readonly commands: string;
  readonly needs: readonly string[];
}

/** The shell text that `wanted` runs; of all targets when one of them is not there. `texts`: the file and what it includes. */
export function targetText(tool: TargetTool, texts: readonly string[], wanted: readonly string[]): string {
  const targets = readTargets(tool, texts);
  const first = tool === 'task' ? 'default' : [...targets.keys()].find((name) => !name.startsWith('.'));
  // Those of an included file are called by its name, too: `ansible:deploy`, `:deploy` from inside, `mod::deploy`.
  const named = (given: string) =>
    [given, ...[...given.matchAll(/:+/g)].map(({ 0: mark, index }) => given.slice(index + mark.length))].find((name) =>
      targets.has(name),
    );
  const names = (wanted.length > 0 ? wanted : [first ?? '']).map(named);
  const needed = new Set(names.includes(undefined) ? targets.keys() : names);
  // A prerequisite without a rule is a file.
  for (const name of needed)
    for (const need of targets.get(name as string)?.needs.map(named) ?? []) if (need !== undefined) needed.add(need);
  return [...needed].map((name) => targets.get(name as string)?.commands).join('\n');
}

/** The targets of these files by name, those of one name as one; none when their own tool could not read them. */
export function readTargets(tool: TargetTool, texts: readonly string[]): Map<string, Target> {
  const targets = new Map<string, Target>();
  try {
    const isLines = tool === 'make' || tool === 'just';
    const rows = isLines ? rulesIn(tool, texts.join('\n')) : texts.flatMap(tool === 'npm' ? scriptsIn : tasksIn);
    for (const [name, commands, needs] of rows) {
      const before = targets.get(name);
      const all = before ? `${before.commands}\n${commands}` : commands;
      targets.set(name, { commands: all, needs: [...(before?.needs ?? []), ...needs] });
    }
    return targets;
  } catch {
    return new Map();
  }
}

type Row = readonly [name: string, commands: string, needs: readonly string[]];

const scriptsIn = (text: string): Row[] =>
  Object.entries(mapping(mapping(JSON.parse(text)).scripts)).map(([name, script]) => [
    name,
    String(script),
    [`pre${name}`, `post${name}`],
  ]);

const listed = (value: unknown): unknown[] => (value === undefined ? [] : [value].flat());

function tasksIn(text: string): Row[] {
  return Object.entries(mapping(mapping(parse(text)).tasks)).map(([name, task]) => {
    const { cmds, cmd, deps } = mapping(task);
    const items = typeof task === 'string' || Array.isArray(task) ? listed(task) : [...listed(cmds), ...listed(cmd)];
    const calls = [...listed(deps), ...items.filter((item) => typeof item !== 'string')];
    const commands = items.map((item) => (typeof item === 'string' ? item : String(mapping(item).cmd ?? '')));
    const needs = calls.map((call) => (typeof call === 'string' ? call : String(mapping(call).task ?? '')));
    return [name, commands.join('\n'), needs];
  });
}

const VARIABLE = /^(?:export\s+)?(\w+)\s*(?::{0,3}|\?|\+)=\s*["']?(.*?)["']?$/;
const HEAD = /^@?([^:=#]+?)\s*::?(?!=)\s*(.*)$/;
/** With its default: `verify host="cp1":`. */
const PARAMETER = /(\s[+*$]?\w+)=(?:"[^"]*"|'[^']*'|[\w.]*)/g;

/** Rules of make and recipes of just: a head that ends in a colon, and indented lines below it. */
function rulesIn(tool: TargetTool, text: string): Row[] {
  const made: Row[] = [];
  const lines = text.replace(/\\\n\s*/g, ' ').split('\n');
  const isRecipe = (line: string) => (tool === 'make' ? line.startsWith('\t') : /^\s/.test(line));
  const rows = lines.flatMap((line) => (isRecipe(line) ? [] : [VARIABLE.exec(line.trim()) ?? []]));
  const variables = new Map(rows.map(([, name = '', value = '']) => [name, value]));
  const once = (line: string) =>
    line.replace(/\$[({](\w+)[)}]|\{\{\s*(\w+)\s*\}\}/g, (whole, name, other) =>
      name === 'MAKE' ? 'make' : (variables.get(name ?? other) ?? whole),
    );
  // Values may name other variables, also those that come later.
  const expand = (line: string) => once(once(once(line)));
  let open: string[] = [];
  for (const line of lines) {
    const head = isRecipe(line) || VARIABLE.test(line.trim()) ? null : HEAD.exec(line.replace(PARAMETER, '$1').trim());
    if (!head && !isRecipe(line)) continue;
    // A recipe of just has parameters behind its name; a rule of make may have several targets. Both readings do no harm.
    if (head) open = expand(head[1] as string).split(/\s+/);
    const [needs = '', inline = ''] = head ? (head[2] as string).split(';') : ['', line];
    const commands = expand(inline.trim().replace(/^[@+-]+/, '')).replaceAll('$$', '$');
    const needed = expand(needs.replace(/#.*/, '')).split(/[\s|()&]+/);
    for (const name of open) made.push([name, commands, needed.filter(Boolean)]);
  }
  return made;
}

/** The files that a file of targets includes, as written; those of a Taskfile as a path or a folder, alone or with settings. */
export function includedFiles(tool: TargetTool, text: string): string[] {
  if (tool === 'npm') return [];
  if (tool !== 'task') {
    const lines = text.matchAll(tool === 'make' ? /^[-s]?include\s+(.+)$/gm : /^(?:import|mod)\??\s+(.+)$/gm);
    return [...lines].flatMap(([, names]) => (names as string).replace(/["']/g, '').trim().split(/\s+/));
  }
  try {
    const entries = Object.values(mapping(mapping(parse(text)).includes));
    const paths = entries.map((entry) => (typeof entry === 'string' ? entry : String(mapping(entry).taskfile ?? '')));
    return paths.flatMap((path) =>
      /\.ya?ml$/.test(path) || path === '' ? [path] : TARGET_FILES.task.map((name) => `${path}/${name}`),
    );
  } catch {
    return [];
  }
}
