// Check files: what the checks and diagnostics of any stage run, the files of targets that they use, and what those source or call
// by name. No fix edits one, and each is as committed before any check runs. What checks only look at is none.
import { basename, join } from 'node:path/posix';
import { type ContextMap, isBuiltInCheck } from '../../config/context-map.ts';
import { rawWords } from '../../config/paths.ts';
import { formatPath, type Path } from '../../config/problem.ts';
import { folderOf } from '../../repository/tree.ts';
import { outline } from '../../repository/yaml-outline.ts';
import { type CommandText, type Reading, readPlain } from '../shell/read-commands.ts';
import { type Finder, finderOf, isPath, type Listing, SCRIPT } from './find-files.ts';
import { type Ran, runByCommand } from './run-by-command.ts';
import { includedFiles, TARGET_FILES, targetText } from './targets.ts';

/** Why a file is one. */
export interface CheckFile {
  /** The word that names it. */
  readonly word: string;
  /** Where that stands: `stages.vms.verify[0]`, or the file that runs it. */
  readonly by: string;
  /** Whether git has it; one that it has not may not exist at all. */
  readonly tracked: boolean;
  /** The text that runs it could not be read: it is here because its name stands there. */
  readonly unread?: true;
}
export type CheckFiles = ReadonlyMap<string, CheckFile>;

const MAX_DEPTH = 3;
const LINK = '120000';

/** Where check files are read from. */
export interface Sources {
  readonly listing: Listing;
  /** The text of a tracked file, or where a link points; undefined when it has none. */
  text(path: string): Promise<string | undefined>;
  /** Reads by the grammar; undefined when that would take too long. */
  read(command: CommandText): Promise<Reading | undefined>;
}

/** Every check and diagnostic that is a command, and where it stands. */
export const checksOf = ({ stages }: Pick<ContextMap, 'stages'>): { path: Path; entry: CommandText }[] =>
  Object.entries(stages).flatMap(([name, stage]) =>
    (['verify', 'diagnostics'] as const).flatMap((role) =>
      stage[role].flatMap((entry, i) => (isBuiltInCheck(entry) ? [] : [{ path: ['stages', name, role, i], entry }])),
    ),
  );

/** Never throws unless its sources do. */
export const findCheckFiles = (map: Pick<ContextMap, 'stages'>, sources: Sources): Promise<CheckFiles> =>
  runByAll(new Map(checksOf(map).map(({ path, entry }) => [formatPath(path), entry])), sources);

/** Everything that one command runs, and what that calls. */
export const runBy = (command: CommandText, by: string, sources: Sources): Promise<CheckFiles> =>
  runByAll(new Map([[by, command]]), sources);

async function runByAll(commands: ReadonlyMap<string, CommandText>, sources: Sources): Promise<CheckFiles> {
  const scope = { ...sources, files: new Map<string, CheckFile>(), seen: new Map<string, number>(), dir: '', depth: 0 };
  for (const [by, command] of commands) await follow(command, { ...scope, by });
  return scope.files;
}

interface Scope extends Sources {
  readonly files: Map<string, CheckFile>;
  readonly by: string;
  /** The folder of the script that is read; empty at the root. */
  readonly dir: string;
  readonly depth: number;
  /** How deep the files, and the targets of files, were that were followed already. */
  readonly seen: Map<string, number>;
}

const inside = (by: string, scope: Scope): Scope => ({ ...scope, by, dir: folderOf(by), depth: scope.depth + 1 });

/** Everything that shell text or an argv runs. */
async function follow(command: CommandText, scope: Scope): Promise<void> {
  const reading = readPlain(command) ?? (await scope.read(command));
  if (!reading) return takeUnread([command].flat(), scope);
  const finder = finderOf(scope, reading);
  for (const ran of reading.commands.flatMap(runByCommand)) await take(ran, finder, scope);
  takeUnread(finder.isSpent() ? [command].flat() : reading.unread, scope);
}

/** Text that could not be read may run every file whose name is in it. */
function takeUnread(texts: readonly string[], scope: Scope): void {
  const words = new Set(texts.flatMap((text) => text.split(/[^\w.+@-]+/)));
  for (const path of texts.length > 0 ? scope.listing.keys() : [])
    if (words.has(basename(path))) note(path, basename(path), scope, { unread: true });
}

function note(path: string, word: string, { files, listing, by }: Scope, more?: { unread: true }): void {
  if (!files.has(path)) files.set(path, { word, by, tracked: listing.has(path), ...more });
}

async function take(ran: Ran, finder: Finder, scope: Scope): Promise<void> {
  if (ran.as === 'targets') return takeTargets(ran, finder, scope);
  const { as, words } = ran;
  if (as === 'shell' || as === 'program') {
    const word = words.find((each) => finder.find(each).length > 0) ?? words.find(isPath);
    return word === undefined ? undefined : add(word, finder.findOrName(word), scope, as === 'shell');
  }
  const below = as === 'settings' ? { ...scope, depth: MAX_DEPTH } : scope;
  for (const word of as === 'code' ? words.flatMap(namedInProgram) : words)
    await add(word, [...finder.find(word), ...(as === 'all' ? finder.findBelow(word) : [])], below);
}

async function takeTargets(ran: Extract<Ran, { as: 'targets' }>, finder: Finder, scope: Scope): Promise<void> {
  const { tool, file, folder, words: targets } = ran;
  const word = [tool, ...targets].join(' ');
  const names = file === undefined ? TARGET_FILES[tool] : [file];
  const paths = names.map((name) => finder.find(join(folder, name))).find((found) => found.length > 0) ?? [];
  for (const path of paths.filter((each) => isNearer(`${each} ${word}`, scope))) {
    // The file and what it includes, each once.
    const files = new Set([path]);
    const texts: string[] = [];
    for (const each of files) {
      note(each, word, scope);
      const text = (await scope.text(each)) ?? '';
      texts.push(text);
      const { find } = finderOf({ ...scope, dir: folderOf(each) });
      for (const more of includedFiles(tool, text).flatMap(find)) files.add(more);
    }
    if (scope.depth < MAX_DEPTH) await follow(targetText(tool, texts, targets), inside(path, scope));
  }
}

/** Whether nothing followed it so far, or only from further away. */
function isNearer(key: string, { seen, depth }: Scope): boolean {
  if ((seen.get(key) ?? MAX_DEPTH + 1) <= depth) return false;
  seen.set(key, depth);
  return true;
}

/** Notes these files, and follows each; `shell`: it is read as shell whatever its name. */
async function add(word: string, paths: readonly string[], scope: Scope, shell = false): Promise<void> {
  for (const path of paths) {
    note(path, word, scope);
    const mode = scope.listing.get(path)?.mode;
    if (mode === undefined || scope.depth >= MAX_DEPTH || !isNearer(path, scope)) continue;
    const text = (await scope.text(path)) ?? '';
    const below = inside(path, scope);
    const finder = finderOf(below);
    if (mode === LINK) await take({ as: shell ? 'shell' : 'all', words: [text] }, finder, below);
    else if (/\.ya?ml$/.test(path)) await take({ as: 'all', words: namedInPlaybook(text, below) }, finder, below);
    else if (isShellScript(path, text, shell)) await follow(text, below);
    else await take({ as: 'code', words: [text] }, finder, below);
  }
}

function isShellScript(path: string, text: string, shell: boolean): boolean {
  const [, interpreter] = /^#!.*?(\w+)[\d.]*\s*$/.exec(text.split('\n', 1)[0] as string) ?? [];
  if (interpreter !== undefined) return /sh$|^bats$/.test(interpreter);
  return /\.(?:sh|bash|zsh|ksh|bats)$/.test(path) || (!SCRIPT.test(path) && (shell || !/\.\w+$/.test(path)));
}

const IMPORTED = /^\s*(?:from\s+\.?|import\s+)([\w.]+)/gm;
const CALLED = /(?:^| )(?:import_playbook|(?:include|import)_tasks|script)(?: (?:file|cmd))?$/;
const ROLE = /(?:^| )(?:roles|dependencies|(?:include|import)_role) (?:role|name)?$/;
const ROLE_TASKS = /(?:^|\/)roles\/([^/]+)\/(?:tasks|handlers|meta)\//;

/** Scripts that a program in another language names: better one too many. */
function namedInProgram(text: string): string[] {
  const imported = Array.from(text.matchAll(IMPORTED), ([, name]) => `${name?.replaceAll('.', '/')}.py`);
  return [...rawWords(text).filter((word) => SCRIPT.test(word) && !/[*?[{$]/.test(word)), ...imported];
}

/** What a playbook or a role includes: other playbooks, tasks, scripts, and the tasks of the roles that it names. */
function namedInPlaybook(text: string, { listing }: Scope): string[] {
  const entries = outline(text) ?? [];
  const valuesAt = (place: RegExp) => entries.filter(({ way }) => place.test(way)).map(({ value }) => value);
  const roles = new Set(valuesAt(ROLE));
  const ofRoles = [...listing.keys()].filter((path) => roles.has(ROLE_TASKS.exec(path)?.[1] ?? ''));
  return [...valuesAt(CALLED).map((value) => value.replaceAll('$()', '$(…)').split(' ', 1)[0] as string), ...ofRoles];
}
