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

/** Of a file of targets, those that checks run. */
export interface JudgingPart {
  readonly tool: TargetTool;
  /** The file and what belongs to it, the file itself at `at`. */
  readonly texts: readonly string[];
  readonly at: number;
  readonly targets: readonly string[];
}

/** What of `text` judges, to be compared. */
export const judgingText = (parts: readonly JudgingPart[], text: string): string =>
  parts.map(({ tool, texts, at, targets }) => judgingPart(tool, texts.with(at, text), targets)).join('\n');

export interface Target {
  /** What it runs. */
  readonly commands: string;
  readonly needs: readonly string[];
  /** All that is written of it, to be compared. */
  readonly written: string;
}

/** The shell text that `wanted` runs; of all targets when one of them cannot be told apart. `texts`: the file and what it includes. */
export function targetText(tool: TargetTool, texts: readonly string[], wanted: readonly string[]): string {
  const targets = readTargets(tool, texts);
  return [...(needed(tool, targets, wanted) ?? targets).values()].map(({ commands }) => commands).join('\n');
}

/**
 * What of these files judges, to be compared: the wanted targets with what they need and the variables they use, and whatever
 * is no target. All of it when that cannot be told apart.
 */
function judgingPart(tool: TargetTool, texts: readonly string[], wanted: readonly string[]): string {
  const targets = readTargets(tool, texts);
  const neededTargets = needed(tool, targets, wanted);
  if (!neededTargets) return texts.join('\n');
  const written = [...neededTargets].map(([name, target]) => [name, target.written]);
  return JSON.stringify([written, besideTargets(tool, texts, neededTargets, targets)]);
}

/** The wanted targets and what they need; undefined when one of them is not there. */
function needed(tool: TargetTool, targets: ReadonlyMap<string, Target>, wanted: readonly string[]) {
  const first = [...targets.keys()].find((name) => !name.startsWith('.'));
  const neededTargets = new Map<string, Target>();
  const take = (given: string): boolean => {
    // Those of an included file are called by its name, too: `ansible:deploy`, `:deploy` from inside, `mod::deploy`.
    const name = [given, ...tails(given)].find((each) => targets.has(each)) ?? given;
    if (neededTargets.has(name)) return true;
    const target = targets.get(name);
    if (!target) return false;
    neededTargets.set(name, target);
    // A prerequisite without a rule is a file.
    for (const need of target.needs) take(need);
    return true;
  };
  const names = wanted.length > 0 ? wanted : [tool === 'task' ? 'default' : (first ?? '')];
  return names.map(take).every(Boolean) ? neededTargets : undefined;
}

const tails = (name: string): string[] =>
  [...name.matchAll(/:+/g)].map(({ 0: mark, index }) => name.slice(index + mark.length));

/** The files that a file of targets includes, as written. */
export function includedFiles(tool: TargetTool, text: string): string[] {
  if (tool === 'npm') return [];
  if (tool === 'task') return includedTaskfiles(text);
  const lines = text.matchAll(tool === 'make' ? /^[-s]?include\s+(.+)$/gm : /^(?:import|mod)\??\s+(.+)$/gm);
  return [...lines].flatMap(([, names]) => (names as string).replace(/["']/g, '').trim().split(/\s+/));
}

/** Written as a path or as a folder, alone or with settings. */
function includedTaskfiles(text: string): string[] {
  const paths = Object.values(record(tryParse(text).includes)).flatMap((entry) => [
    typeof entry === 'string' ? entry : record(entry).taskfile,
  ]);
  return paths.flatMap((path) =>
    typeof path !== 'string' ? [] : /\.ya?ml$/.test(path) ? [path] : TARGET_FILES.task.map((name) => `${path}/${name}`),
  );
}

/** Empty when its own tool cannot read it: then it runs nothing. */
function tryParse(text: string): Record<string, unknown> {
  try {
    return record(parse(text));
  } catch {
    return {};
  }
}

/** The targets of these files by name; none when their own tool could not read them. */
export function readTargets(tool: TargetTool, texts: readonly string[]): Map<string, Target> {
  try {
    if (tool === 'make' || tool === 'just') return rulesOf(tool, texts.join('\n'));
    const read =
      tool === 'npm' ? (text: string) => scriptsOf(JSON.parse(text)) : (text: string) => tasksOf(parse(text));
    return joined(texts.flatMap((text) => [...read(text)]));
  } catch {
    // What its own tool cannot read runs nothing.
    return new Map();
  }
}

/** Targets of two files under one name are one that runs both. */
function joined(entries: readonly (readonly [name: string, target: Target])[]): Map<string, Target> {
  const targets = new Map<string, Target>();
  for (const [name, target] of entries) {
    const before = targets.get(name);
    const both = before && {
      commands: `${before.commands}\n${target.commands}`,
      needs: [...before.needs, ...target.needs],
      written: `${before.written}\n${target.written}`,
    };
    targets.set(name, both ?? target);
  }
  return targets;
}

/** What is no target and still says how the wanted ones run. */
function besideTargets(
  tool: TargetTool,
  texts: readonly string[],
  wanted: ReadonlyMap<string, Target>,
  targets: ReadonlyMap<string, Target>,
): unknown {
  if (tool === 'npm') return [];
  if (tool === 'task') return texts.map((text) => ({ ...record(parse(text)), tasks: undefined }));
  const lines = texts.flatMap((text) => linesOf(tool, text));
  const used = new Set(RULING);
  const uses = (text: string) => {
    for (const [, name] of text.matchAll(/(?:\$[({]|\{\{\s*)(\w+)/g)) used.add(name as string);
  };
  for (const { written } of wanted.values()) uses(written);
  for (let size = 0; size < used.size; ) {
    size = used.size;
    for (const line of lines) if (line.kind === 'variable' && used.has(line.name)) uses(line.value);
  }
  const relevant = lines.filter(
    (line) => line.kind === 'other' || (line.kind === 'variable' && (line.exported || used.has(line.name))),
  );
  const special = [...targets].filter(([name]) => name.startsWith('.') && name !== '.PHONY');
  return [relevant, special, targets.get('.PHONY')?.needs.filter((name) => wanted.has(name))];
}

/** Variables that say how make runs anything at all. */
const RULING = ['SHELL', 'MAKEFLAGS', 'PATH', 'BASH_ENV'];

const record = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};

function scriptsOf(value: unknown): Map<string, Target> {
  const scripts = Object.entries(record(record(value).scripts));
  return new Map(
    scripts.map(([name, script]) => {
      const commands = String(script);
      return [name, { commands, needs: [`pre${name}`, `post${name}`], written: commands }];
    }),
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
      const items = Object.keys(record(task)).length > 0 ? [...lines(cmds), ...lines(cmd)] : lines(task);
      const commands = items.flatMap((item) => (typeof item === 'string' ? [item] : [record(item).cmd ?? '']));
      const needs = [
        ...lines(deps).flatMap(called),
        ...items.filter((item) => typeof item !== 'string').flatMap(called),
      ];
      return [name, { commands: commands.join('\n'), needs, written: JSON.stringify(task) }];
    }),
  );
}

type Line =
  | { readonly kind: 'variable'; readonly name: string; readonly value: string; readonly exported: boolean }
  | { readonly kind: 'recipe' | 'other'; readonly text: string }
  | { readonly kind: 'rule'; readonly heads: string; readonly rest: string };

/** With its default: `verify host="cp1":`. */
const PARAMETER = /(\s[+*$]?\w+)=(?:"[^"]*"|'[^']*'|[\w.]*)/g;

function linesOf(tool: TargetTool, text: string): Line[] {
  const lines = text.replace(/\\\n\s*/g, ' ').split('\n');
  return lines.filter((line) => !/^\s*(?:#|$)/.test(line)).map((line) => lineOf(tool, line));
}

function lineOf(tool: TargetTool, line: string): Line {
  if (tool === 'make' ? line.startsWith('\t') : /^\s/.test(line)) return { kind: 'recipe', text: line.trim() };
  const plain = line.trim();
  const [, keyword, name, value] = /^(export\s+)?(\w+)\s*(?::{0,3}|\?|\+)=\s*["']?(.*?)["']?$/.exec(plain) ?? [];
  if (name !== undefined) return { kind: 'variable', name, value: value as string, exported: keyword !== undefined };
  const [, heads, rest = ''] = /^@?([^:=#]+?)\s*::?(?!=)\s*(.*)$/.exec(plain.replace(PARAMETER, '$1')) ?? [];
  return heads === undefined ? { kind: 'other', text: plain } : { kind: 'rule', heads, rest };
}

/** Rules of make and recipes of just: a head that ends in a colon, and indented lines below it. */
function rulesOf(tool: TargetTool, text: string): Map<string, Target> {
  const lines = linesOf(tool, text);
  const variables = new Map(
    lines.flatMap((line) => (line.kind === 'variable' ? [[line.name, line.value] as const] : [])),
  );
  const once = (line: string): string =>
    line
      .replace(/\$[({](\w+)[)}]/g, (whole, name) => (name === 'MAKE' ? 'make' : (variables.get(name) ?? whole)))
      .replace(/\{\{\s*(\w+)\s*\}\}/g, (whole, name) => variables.get(name) ?? whole);
  // Values may name other variables, also those that come later.
  const expand = (line: string): string => once(once(once(line)));
  const rules = new Map<string, { commands: string; needs: string[]; written: string }>();
  let open: string[] = [];
  for (const line of lines) {
    // A recipe of just has parameters behind its name; a rule of make may have several targets. Both readings do no harm.
    if (line.kind === 'rule') open = expand(line.heads).split(/\s+/);
    if (line.kind !== 'rule' && line.kind !== 'recipe') continue;
    const [needs = '', inline = ''] = line.kind === 'rule' ? line.rest.split(';') : ['', line.text];
    for (const target of open) {
      const rule = rules.get(target) ?? { commands: '', needs: [], written: '' };
      rule.needs.push(
        ...expand(needs.replace(/#.*/, ''))
          .split(/[\s|()&]+/)
          .filter(Boolean),
      );
      rule.commands += `${expand(inline.trim().replace(/^[@+-]+/, '')).replaceAll('$$', '$')}\n`;
      rule.written += `${needs};${inline}\n`;
      rules.set(target, rule);
    }
  }
  return rules;
}
