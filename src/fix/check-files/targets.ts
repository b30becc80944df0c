// Files of targets: what the wanted ones run, their prerequisites included, and which other files they include.
import { namesIn } from '../../repository/read-file.ts';
import { outline } from '../../repository/yaml-outline.ts';

export type TargetTool = 'make' | 'just' | 'task' | 'npm';

/** What each tool looks for in a folder, the first that is there. */
export const TARGET_FILES: Readonly<Record<TargetTool, readonly [string, ...string[]]>> = {
  make: ['GNUmakefile', 'makefile', 'Makefile'],
  just: ['justfile', 'Justfile', '.justfile'],
  task: ['Taskfile.yml', 'taskfile.yml', 'Taskfile.yaml', 'taskfile.yaml', 'Taskfile.dist.yml', 'Taskfile.dist.yaml'],
  npm: ['package.json'],
};

/** The shell text that `wanted` runs; of all targets when one of them is not there. `texts`: the file and what it includes. */
export function targetText(tool: TargetTool, texts: readonly string[], wanted: readonly string[]): string {
  const targets = readTargets(tool, texts);
  const first = tool === 'task' ? 'default' : [...targets.keys()].find((name) => !name.startsWith('.'));
  // Those of an included file are called by its name, too: `ansible:deploy`, `:deploy` from inside, `mod::deploy`.
  const meant = (given: string) => [...targets.keys()].filter((name) => name === given || given.endsWith(`:${name}`));
  const asked = (wanted.length > 0 ? wanted : [first ?? '']).map(meant);
  const needed = new Set(asked.some((names) => names.length === 0) ? targets.keys() : asked.flat());
  // A prerequisite without a rule is a file.
  for (const name of needed) for (const one of targets.get(name)?.needs.flatMap(meant) ?? []) needed.add(one);
  return [...needed].map((name) => targets.get(name)?.commands).join('\n');
}

/** What the targets of these files run and need, those of one name as one; none when their own tool could not read them. */
export function readTargets(tool: TargetTool, texts: readonly string[]) {
  const targets = new Map<string, { commands: string; needs: readonly string[] }>();
  const rows = tool === 'make' || tool === 'just' ? rulesIn(tool, texts.join('\n')) : texts.flatMap(entriesIn);
  for (const [name, command, needs] of rows) {
    const { commands = '', needs: before = [] } = targets.get(name) ?? {};
    targets.set(name, { commands: `${commands}${command}\n`, needs: [...before, ...needs] });
  }
  return targets;
}

type Row = readonly [name: string, command: string, needs: readonly string[]];

/** In a task a command or the name of another one, which are told apart by what there is; in package.json a script. */
const IN_TASK = /^tasks \S+(?: (?:cmds?|deps|status|preconditions))?(?: (?:cmd|sh|(?:defer )?task|defer)?)?$/;
const SCRIPT = /^scripts \S+$/;

function entriesIn(text: string): Row[] {
  return (outline(text) ?? []).flatMap(({ way, value }): Row[] => {
    const [, name = ''] = way.split(' ');
    if (SCRIPT.test(way)) return [[name, value, [`pre${name}`, `post${name}`]]];
    return IN_TASK.test(way) ? [[name, value, [value]]] : [];
  });
}

const VARIABLE = /^ *(?:export\s+)?(\w+)[^\S\n]*(?::{0,3}|\?|\+)=[^\S\n]*["']?(.*?)["']?$/gm;

/** Rules of make and recipes of just: a head with a colon, and indented lines below it. */
function rulesIn(tool: TargetTool, text: string): Row[] {
  const whole = text.replace(/\\\n\s*/g, ' ');
  const variables = new Map(Array.from(whole.matchAll(VARIABLE), ([, name = '', value = '']) => [name, value]));
  variables.set('MAKE', 'make');
  const once = (some: string) =>
    some.replace(/\$[({](\w+)[)}]|\{\{\s*(\w+)\s*\}\}/g, (is, name, other) => variables.get(name ?? other) ?? is);
  // Values may name other variables, also those that come later.
  const lines = once(once(once(whole))).split('\n');
  const { defines } = namesIn(TARGET_FILES[tool][0], whole);
  const starts = [...new Set(defines.filter(({ kind }) => kind === 'target').map(({ line }) => line - 1))];
  return starts.flatMap((start, i) => {
    const [head = '', ...below] = lines.slice(start, starts[i + 1]);
    const recipe = below.filter((line) => (tool === 'make' ? line.startsWith('\t') : /^\s/.test(line)));
    const commands = [...head.split(';').slice(1), ...recipe].map((line) => line.trim().replace(/^[@+-]+/, ''));
    // A recipe of just has parameters behind its name; a rule of make may have several targets. Both readings do no harm.
    const [names = [], ...needs] = head
      .split(/[:;]/)
      .map((part) => part.replace(/#.*/, '').match(/[^\s|()&@]+/g) ?? []);
    return names.map((name): Row => [name, commands.join('\n').replaceAll('$$', '$'), needs.flat()]);
  });
}

/** The files that a file of targets may include, as written, or by what its tool looks for in a folder that it names. */
export function includedFiles(tool: TargetTool, text: string): string[] {
  const ends = ['', '.just', '/mod.just', ...TARGET_FILES[tool].map((file) => `/${file}`)];
  const files = namesIn(TARGET_FILES[tool][0], text).uses.filter(({ kind }) => kind === 'file');
  return files.flatMap(({ name }) => ends.map((end) => name + end));
}
