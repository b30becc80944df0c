// What people type in a repository: targets of make, recipes of just, tasks of Taskfiles and scripts of package.json, with what
// each runs, calls and asks for. Pure.

import type { TargetTool } from '../fix/check-files/targets.ts';
import { includedFiles, readTargets, TARGET_FILES } from '../fix/check-files/targets.ts';
import { isMapping, mapping } from '../shape.ts';
import { shellWord } from '../worktree/messages.ts';
import { documentIn, folderOf, inFolder, isAside, list, type Survey, unique } from './survey.ts';

export interface Entry {
  readonly tool: TargetTool;
  /** The file that defines it. */
  readonly file: string;
  /** As it is typed behind the tool: `talos:bootstrap`, `bootstrap talos`. */
  readonly target: string;
  readonly command: string;
  /** What its author says of it. */
  readonly about: string;
  /** Its own recipe, and the folder it is started in where that is not its file's. */
  readonly recipe: string;
  readonly folder?: string;
  /** Entries of the same runner that it waits for or calls, by target, in order. */
  readonly calls: readonly string[];
  /** The same as words: a target, and what it is given; one that is called twice stands there twice. */
  readonly steps: readonly (readonly [string, ...string[]])[];
  /** What a person has to give it. */
  readonly parameters: readonly string[];
  /** Not meant to be typed. */
  readonly hidden: boolean;
  /** It asks for confirmation. */
  readonly confirm?: boolean;
}

/** The entries of one runner. */
export interface Runner {
  readonly tool: TargetTool;
  readonly file: string;
  readonly entries: ReadonlyMap<string, Entry>;
  /** What runs when nothing is named. */
  readonly first: string | undefined;
}

const TOOLS = Object.keys(TARGET_FILES) as TargetTool[];
const MAX_RUNNERS = 20;
const MAX_DEPTH = 2;

/** The runners at the root; without any, those at most two folders below it. */
export function findRunners(survey: Survey): Runner[] {
  const root = runnersIn(survey, '.');
  if (root.some(({ entries }) => entries.size > 0)) return root;
  const folders = unique(survey.paths.map(folderOf));
  const near = folders.filter((folder) => folder !== '.' && folder.split('/').length <= MAX_DEPTH && !isAside(folder));
  return near
    .sort()
    .flatMap((folder) => runnersIn(survey, folder))
    .slice(0, MAX_RUNNERS);
}

export function runnersIn(survey: Survey, folder: string): Runner[] {
  return TOOLS.flatMap((tool) => {
    const file = TARGET_FILES[tool].map((name) => inFolder(folder, name)).find((path) => survey.files.has(path));
    const runner = file === undefined ? undefined : readRunner(survey, tool, file);
    return runner && runner.entries.size > 0 ? [runner] : [];
  });
}

type Raw = Omit<Entry, 'tool' | 'command' | 'steps'> & { readonly steps?: Entry['steps'] };

function readRunner(survey: Survey, tool: TargetTool, file: string): Runner {
  const raw = READERS[tool](survey, file);
  const entries = raw.map((entry): Entry => {
    const { steps = entry.calls.map((call): [string] => [call]) } = entry;
    return { ...entry, steps, tool, command: commandOf(tool, file, entry) };
  });
  const byTarget = new Map(entries.map((entry) => [entry.target, entry]));
  return { tool, file, entries: byTarget, first: firstOf(tool, survey.text(file), entries) };
}

const IN_FOLDER: Readonly<Record<TargetTool, string>> = {
  make: '-C',
  just: '--working-directory',
  task: '--dir',
  npm: '--prefix',
};

function commandOf(tool: TargetTool, file: string, { target, confirm }: Raw): string {
  const folder = folderOf(file);
  const where =
    folder === '.'
      ? []
      : tool === 'just'
        ? ['--justfile', shellWord(file), IN_FOLDER.just, shellWord(folder)]
        : [IN_FOLDER[tool], shellWord(folder)];
  return [tool, ...(confirm ? ['--yes'] : []), ...where, ...(tool === 'npm' ? ['run'] : []), target].join(' ');
}

function firstOf(tool: TargetTool, text: string, entries: readonly Entry[]): string | undefined {
  if (tool === 'npm') return undefined;
  if (tool === 'task') return entries.find(({ target }) => target === 'default')?.target;
  const goal = tool === 'make' ? /^\.DEFAULT_GOAL\s*:?=\s*(\S+)/m.exec(text)?.[1] : undefined;
  return goal ?? entries[0]?.target;
}

const READERS: Readonly<Record<TargetTool, (survey: Survey, file: string) => Raw[]>> = {
  make: makeEntries,
  just: (survey, file) => justEntries(survey, file, '', new Set()),
  task: (survey, file) => taskEntries(survey, file, '', folderOf(file), new Set()),
  npm: (survey, file) => {
    const scripts = [...readTargets('npm', [survey.text(file)])];
    return scripts.map(([target, { commands }]) => ({
      file,
      target,
      about: '',
      recipe: commands.trim(),
      calls: callsIn('npm', commands),
      parameters: [],
      hidden: /^(?:pre|post)/.test(target),
    }));
  },
};

const NAME = /^[A-Za-z][\w.-]*$/;
/** Variables that make or the shell sets. */
const GIVEN = /^(?:MAKE\w*|CURDIR|SHELL|PWD|HOME|USER|PATH|@|<|\^|\*|\d)$/;

const withIncluded = (survey: Survey, file: string): string[] => [
  file,
  ...includedFiles('make', survey.text(file)).map((path) => inFolder(folderOf(file), path)),
];

/** The tracked files that define these entries; of a makefile also what it includes. */
export const definitions = (survey: Survey, tool: TargetTool, entries: readonly { file: string }[]): string[] =>
  unique(entries.map(({ file }) => file))
    .flatMap((file) => (tool === 'make' ? withIncluded(survey, file) : [file]))
    .filter((path) => survey.files.has(path));

function makeEntries(survey: Survey, file: string): Raw[] {
  const files = withIncluded(survey, file);
  const texts = files.map((path) => survey.text(path));
  const whole = texts.join('\n');
  const set = new Set([...whole.matchAll(/^\s*(?:export\s+|override\s+)*(\w+)\s*(?:[:?+!]|::)?=/gm)].map(([, n]) => n));
  return [...readTargets('make', texts)]
    .filter(([target]) => NAME.test(target) && !/\.\w{1,4}$/.test(target))
    .map(([target, { commands, needs }]) => {
      const recipe = commands.trim();
      const used = [...recipe.matchAll(/\$[({](\w+)[)}]/g)].map(([, name]) => name as string);
      return {
        file,
        target,
        about: aboutTarget(whole, target),
        recipe,
        calls: unique([...needs, ...callsIn('make', recipe)]),
        parameters: unique(used.filter((name) => !set.has(name) && !GIVEN.test(name))),
        hidden: /^[_.]/.test(target),
      };
    });
}

/** `target: ## text`, or the comment above it. */
function aboutTarget(text: string, target: string): string {
  const lines = text.split('\n');
  const at = lines.findIndex((line) => new RegExp(`^${target.replaceAll('.', '\\.')}\\s*:(?!=)`).test(line));
  const beside = /##?\s*(.+)$/.exec(lines[at] ?? '')?.[1];
  const above = /^#+\s*(.+)$/.exec(lines[at - 1] ?? '')?.[1];
  return tidy(beside ?? above ?? '');
}

/** One short line of plain text. */
export const tidy = (text: string): string =>
  text
    .replace(/[^\x20-\x7e]/g, '')
    .replace(/\s+/g, ' ')
    .replace(/^[-=#*\s]+|[-=#*.\s]+$/g, '')
    .slice(0, 100);

const JUST_HEAD = /^@?([A-Za-z_][\w-]*)((?:\s+[+*$]*\w+(?:=(?:"[^"]*"|'[^']*'|[^\s:]+))?)*)\s*:(?!=)\s*(.*)$/;

function justEntries(survey: Survey, file: string, prefix: string, seen: Set<string>): Raw[] {
  if (seen.has(file)) return [];
  seen.add(file);
  const entries: (Omit<Raw, 'recipe' | 'calls'> & { recipe: string; calls: string[] })[] = [];
  const modules: Raw[] = [];
  let [about, hidden, confirm] = ['', false, false];
  for (const line of survey.text(file).split('\n')) {
    const last = entries.at(-1);
    if (/^\s+\S/.test(line)) {
      if (last) last.recipe += `${line.trim().replace(/^[@-]+/, '')}\n`;
      continue;
    }
    const [, attribute] = /^\[(.*)\]\s*$/.exec(line) ?? [];
    if (attribute !== undefined) {
      hidden ||= /\bprivate\b/.test(attribute);
      confirm ||= /\bconfirm\b/.test(attribute);
      about = /doc\(\s*["'](.*)["']\s*\)/.exec(attribute)?.[1] ?? about;
      continue;
    }
    const [, comment] = /^#(?!!)\s*(.*)$/.exec(line) ?? [];
    if (comment !== undefined) about = comment;
    const [, name, path] = /^mod\??\s+([\w-]+)(?:\s+["'](.+)["'])?/.exec(line) ?? [];
    const [, imported] = /^import\??\s+["'](.+)["']/.exec(line) ?? [];
    if (name !== undefined) {
      const module = moduleFile(survey, folderOf(file), name, path);
      if (module !== undefined) modules.push(...justEntries(survey, module, `${prefix}${name} `, seen));
    } else if (imported !== undefined) {
      modules.push(...justEntries(survey, inFolder(folderOf(file), imported), prefix, seen));
    }
    const [, target, given = '', needs = ''] = JUST_HEAD.exec(line) ?? [];
    if (target !== undefined) {
      const parameters = [...given.matchAll(/(?:^|\s)([+$]*)(\w+)(?==|\s|$)(=)?/g)].flatMap(([, , p, has]) =>
        has === undefined ? [p as string] : [],
      );
      const called = [...needs.replace(/#.*/, '').matchAll(/\(([^)]*)\)|([\w-]+)/g)].map(([, group, plain]) => {
        const [name = '', ...words] = (group ?? plain ?? '').trim().split(/\s+/);
        return [`${prefix}${name}`, ...words.map((word) => word.replace(/^["']|["']$/g, ''))] as [string, ...string[]];
      });
      entries.push({
        file,
        target: `${prefix}${target}`,
        about: tidy(about),
        recipe: '',
        calls: called.map(([name]) => name),
        steps: called,
        parameters: parameters.filter((p) => !new RegExp(`\\*${p}\\b`).test(given)),
        hidden: hidden || target.startsWith('_'),
        confirm,
      });
    }
    if (comment === undefined) [about, hidden, confirm] = ['', false, false];
  }
  const here = entries.map((entry) => {
    const typed = callsIn('just', entry.recipe);
    const steps = [...(entry.steps ?? []), ...typed.map((call): [string] => [call])];
    return { ...entry, calls: unique([...entry.calls, ...typed]), steps };
  });
  return [...here, ...modules];
}

const moduleFile = (survey: Survey, folder: string, name: string, path: string | undefined): string | undefined =>
  [path ?? `${name}.just`, ...['mod.just', 'justfile', '.justfile'].map((file) => `${path ?? name}/${file}`)]
    .map((file) => inFolder(folder, file))
    .find((file) => survey.files.has(file));

/** Variables that task sets. */
const TASK_GIVEN =
  /^(?:TASK\w*|ROOT_\w+|USER_WORKING_DIR|CLI_\w+|ITEM|KEY|EXIT_CODE|CHECKSUM|TIMESTAMP|MATCH|OS|ARCH)$/;

/** `home`: where its tasks are started: with the file that includes it, unless that says otherwise. */
function taskEntries(survey: Survey, file: string, prefix: string, home: string, seen: Set<string>): Raw[] {
  if (seen.has(file)) return [];
  seen.add(file);
  const top = documentIn(survey, file);
  const set = new Set([...Object.keys(mapping(top.vars)), ...Object.keys(mapping(top.env))]);
  const here = Object.entries(mapping(top.tasks)).map(([name, value]): Raw => {
    const task = isMapping(value) ? value : { cmds: list(value) };
    const items = [...list(task.cmds), ...list(task.cmd)];
    const values = { ...mapping(top.vars), ...mapping(task.vars) };
    const written = items.map((item) => (typeof item === 'string' ? item : String(mapping(item).cmd ?? '')));
    const lines = written.map((line) => withValues(withValues(line, values), values));
    const called = [...list(task.deps), ...items.filter(isMapping)].flatMap((item) =>
      typeof item === 'string' ? [item] : typeof mapping(item).task === 'string' ? [mapping(item).task as string] : [],
    );
    const shell = lines.filter((line) => line !== '').join('\n');
    const defined = new Set([...set, ...Object.keys(mapping(task.vars)), ...Object.keys(mapping(task.env))]);
    const used = [...shell.matchAll(/\{\{\s*\.(\w+)\s*\}\}/g)].map(([, one]) => one as string);
    const asked = list(mapping(task.requires).vars).map((one) => String(mapping(one).name ?? one));
    const words = /\busage:|\b(?:specific|single|given)\b/i.test(String(task.desc)) && shell.includes('.CLI_ARGS');
    const fromOutside = prefix === '' ? used.filter((one) => !defined.has(one) && !TASK_GIVEN.test(one)) : [];
    return {
      file,
      target: `${prefix}${name}`,
      about: tidy(String(task.desc ?? task.summary ?? '')),
      recipe: shell,
      folder: startedIn(task.dir, file, home),
      calls: unique([
        ...called.map((one) => (one.startsWith(':') ? one.slice(1) : `${prefix}${one}`)),
        ...callsIn('task', shell),
      ]),
      parameters: unique([...asked, ...fromOutside, ...(words ? ['words behind --'] : [])]),
      hidden: task.internal === true,
      confirm: task.prompt !== undefined,
    };
  });
  const included = Object.entries(mapping(top.includes)).flatMap(([name, value]) => {
    const path = typeof value === 'string' ? value : String(mapping(value).taskfile ?? '');
    const at = inFolder(folderOf(file), path);
    const names = [at, ...TARGET_FILES.task.map((one) => inFolder(at, one))];
    const taskfile = names.find((one) => survey.files.has(one));
    const deeper = mapping(value).flatten === true ? prefix : `${prefix}${name}:`;
    const { dir } = mapping(value);
    const start = typeof dir === 'string' ? inFolder(folderOf(file), dir) : home;
    const entries = taskfile === undefined ? [] : taskEntries(survey, taskfile, deeper, start, seen);
    return entries.map((entry) => ({ ...entry, hidden: entry.hidden || mapping(value).internal === true }));
  });
  return [...here, ...included];
}

function startedIn(dir: unknown, file: string, home: string): string {
  if (typeof dir !== 'string') return home;
  const [, given, rest = ''] = /^\{\{\s*\.(\w+)\s*\}\}\/?(.*)$/.exec(dir) ?? [];
  if (given === undefined) return inFolder(home, dir);
  return inFolder(given === 'TASKFILE_DIR' ? folderOf(file) : '.', rest);
}

/** Replaces `{{.NAME}}` where the value is a plain text; other expressions stay. */
const withValues = (line: string, values: Record<string, unknown>): string =>
  line.replace(/\{\{\s*\.(\w+)\s*\}\}/g, (whole, name) => (typeof values[name] === 'string' ? values[name] : whole));

const CALLS: Readonly<Record<TargetTool, RegExp>> = {
  make: /(?:^|[\s;&|(@])(?:make|gmake|\$\(MAKE\))\s+(?!-C)((?:[\w.-]+[ \t]*)+)/g,
  just: /(?:^|[\s;&|(@])(?:just|\{\{\s*just_executable\(\)\s*\}\})\s+((?:[\w.:-]+[ \t]*)+)/g,
  task: /(?:^|[\s;&|(@])(?:go-)?task\s+((?:[\w.:-]+[ \t]*)+)/g,
  npm: /(?:^|[\s;&|(@])(?:npm|pnpm|yarn)\s+(?:run\s+)?((?:[\w.:-]+[ \t]*)+)/g,
};

/** Words of a recipe that may be targets; the caller looks them up. */
function callsIn(tool: TargetTool, text: string): string[] {
  return [...text.matchAll(CALLS[tool])].flatMap(([, words = '']) => {
    const [first = '', second] = words.trim().replaceAll('::', ' ').split(/\s+/);
    return tool === 'just' && second !== undefined ? [`${first} ${second}`, first] : words.trim().split(/\s+/);
  });
}

/** The entry and everything that it calls, also through `make -C folder`, each once. */
export function closureOf(survey: Survey, runner: Runner, target: string): Entry[] {
  const reached = new Map<string, Entry>();
  const visit = (at: Runner, name: string): void => {
    const entry = at.entries.get(name);
    const key = `${at.file} ${name}`;
    if (!entry || reached.has(key)) return;
    reached.set(key, entry);
    for (const call of entry.calls) visit(at, call);
    for (const { folder, targets } of otherMakefiles(entry.recipe)) {
      const other = runnersIn(survey, inFolder(folderOf(at.file), folder)).find(({ tool }) => tool === 'make');
      const names = targets.length === 0 ? [other?.first ?? ''] : targets;
      for (const name of other ? names : []) visit(other as Runner, name);
    }
  };
  visit(runner, target);
  return [...reached.values()];
}

/** The calls of make in another folder, with the targets and the variables that they give. */
export const otherMakefiles = (recipe: string): { folder: string; targets: string[]; variables: string[] }[] =>
  [...recipe.matchAll(/(?:\bg?make|\$[({]MAKE[)}])\s+-C[ =]*(\S+)((?:[ \t]+[\w./=:@-]+)*)/g)].map(
    ([, folder = '', rest = '']) => {
      const words = rest
        .trim()
        .split(/\s+/)
        .filter((word) => word !== '' && !word.startsWith('-'));
      const isVariable = (word: string) => word.includes('=');
      return { folder, targets: words.filter((word) => !isVariable(word)), variables: words.filter(isVariable) };
    },
  );
