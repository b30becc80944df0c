// Files of targets: what the named ones run, their prerequisites included, and which other files they include.
import { parse } from 'yaml';
import type { TargetTool } from './ran-words.ts';

/** What each tool looks for in a folder, the first that is there. */
export const TARGET_FILES: Readonly<Record<TargetTool, readonly string[]>> = {
  make: ['GNUmakefile', 'makefile', 'Makefile'],
  just: ['justfile', 'Justfile', '.justfile'],
  task: ['Taskfile.yml', 'taskfile.yml', 'Taskfile.yaml', 'taskfile.yaml', 'Taskfile.dist.yml', 'Taskfile.dist.yaml'],
  npm: ['package.json'],
};

interface Target {
  readonly commands: string;
  readonly needs: readonly string[];
}

/** The shell text that `wanted` runs; of all targets when one of them cannot be told apart. `texts`: the file and what it includes. */
export function targetText(tool: TargetTool, texts: readonly string[], wanted: readonly string[]): string {
  const targets = new Map(texts.flatMap((text) => [...readTargets(tool, text)]));
  const first = [...targets.keys()].find((name) => !name.startsWith('.'));
  const names = wanted.length > 0 ? wanted : [tool === 'task' ? 'default' : (first ?? '')];
  const found = new Map<string, Target>();
  const take = (name: string): boolean => {
    if (found.has(name)) return true;
    const target = targets.get(name);
    if (!target) return false;
    found.set(name, target);
    // A prerequisite without a rule is a file.
    for (const need of target.needs) take(need);
    return true;
  };
  const all = names.map(take).every(Boolean) ? found : targets;
  return [...all.values()].map(({ commands }) => commands).join('\n');
}

/** The files that a file of targets includes, as written. */
export function includedFiles(tool: TargetTool, text: string): string[] {
  if (tool === 'npm') return [];
  if (tool === 'task')
    return [...text.matchAll(/^\s+(?:taskfile:\s*)?(\S+\.ya?ml)\s*$/gm)].map(([, path]) => path as string);
  const lines = text.matchAll(tool === 'make' ? /^[-s]?include\s+(.+)$/gm : /^(?:import|mod)\??\s+(.+)$/gm);
  return [...lines].flatMap(([, names]) => (names as string).replace(/["']/g, '').trim().split(/\s+/));
}

function readTargets(tool: TargetTool, text: string): Map<string, Target> {
  try {
    if (tool === 'npm') return scriptsOf(JSON.parse(text));
    return tool === 'task' ? tasksOf(parse(text)) : rulesOf(text);
  } catch {
    // What its own tool cannot read runs nothing.
    return new Map();
  }
}

const record = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};

function scriptsOf(value: unknown): Map<string, Target> {
  const scripts = Object.entries(record(record(value).scripts));
  return new Map(
    scripts.map(([name, commands]) => [name, { commands: String(commands), needs: [`pre${name}`, `post${name}`] }]),
  );
}

function tasksOf(value: unknown): Map<string, Target> {
  const lines = (items: unknown): unknown[] => (Array.isArray(items) ? items : items === undefined ? [] : [items]);
  const called = (item: unknown): string[] => {
    const name = typeof item === 'string' ? item : record(item).task;
    return typeof name === 'string' ? [name] : [];
  };
  return new Map(
    Object.entries(record(record(value).tasks)).map(([name, task]) => {
      const { cmds, cmd, deps } = record(task);
      const own = Object.keys(record(task)).length > 0 ? [...lines(cmds), ...lines(cmd)] : lines(task);
      const commands = own.flatMap((item) => (typeof item === 'string' ? [item] : [record(item).cmd ?? '']));
      const needs = [...lines(deps).flatMap(called), ...own.filter((item) => typeof item !== 'string').flatMap(called)];
      return [name, { commands: commands.join('\n'), needs }];
    }),
  );
}

/** With its default: `verify host="cp1":`. */
const PARAMETER = /(\s[+*$]?\w+)=(?:"[^"]*"|'[^']*'|[\w.]*)/g;

/** Rules of make and recipes of just: a head that ends in a colon, and indented lines below it. */
function rulesOf(text: string): Map<string, Target> {
  const variables = new Map<string, string>();
  const rules = new Map<string, { commands: string; needs: string[] }>();
  let open: string[] = [];
  const expand = (line: string): string =>
    line
      .replace(/\$[({](\w+)[)}]/g, (whole, name) => (name === 'MAKE' ? 'make' : (variables.get(name) ?? whole)))
      .replace(/\{\{\s*(\w+)\s*\}\}/g, (whole, name) => variables.get(name) ?? whole)
      .replaceAll('$$', '$');
  for (const line of text.replace(/\\\n\s*/g, ' ').split('\n')) {
    if (/^\s*(?:#|$)/.test(line)) continue;
    const [, name, value] = /^(?:export\s+)?(\w+)\s*(?::{0,3}|\?|\+)=\s*["']?(.*?)["']?\s*$/.exec(line) ?? [];
    if (name !== undefined && !/^\s/.test(line)) {
      variables.set(name, expand(value as string));
      continue;
    }
    if (/^\s/.test(line)) {
      for (const target of open)
        (rules.get(target) as { commands: string }).commands += `${expand(line.trim().replace(/^[@+-]+/, ''))}\n`;
      continue;
    }
    const head = line.replace(PARAMETER, '$1');
    const [, heads, rest = ''] = /^@?([^:=#]+?)\s*::?(?!=)\s*(.*)$/.exec(head) ?? [];
    if (heads === undefined) continue;
    const [needs = '', inline] = expand(rest).split(';');
    // A recipe of just has parameters behind its name; a rule of make may have several targets. Both readings do no harm.
    open = expand(heads).split(/\s+/);
    for (const target of open) {
      const rule = rules.get(target) ?? { commands: '', needs: [] };
      rule.needs.push(
        ...needs
          .replace(/#.*/, '')
          .split(/[\s|()&]+/)
          .filter(Boolean),
      );
      if (inline !== undefined) rule.commands += `${inline.trim()}\n`;
      rules.set(target, rule);
    }
  }
  return rules;
}
