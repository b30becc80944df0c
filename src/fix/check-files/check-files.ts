// Check files: what the checks and diagnostics of any stage run, the files of targets that they use, and what those source or call
// by name. No fix edits one, and each is as committed before any check runs. What checks only look at is none.
import { basename, join } from 'node:path/posix';
import { type ContextMap, isBuiltInCheck } from '../../config/context-map.ts';
import { rawWords } from '../../config/paths.ts';
import { type CommandText, type Reading, readPlain } from '../shell/read-commands.ts';
import { type Finder, finderOf, folderOf, type Listing, SCRIPT } from './find-files.ts';
import { calledByPlaybook } from './playbook.ts';
import { type Ran, runByCommand } from './run-by-command.ts';
import { includedFiles, TARGET_FILES, type TargetTool, targetText } from './targets.ts';

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
const MAX_COMMANDS = 5_000;
const LINK = '120000';

/** Where check files are read from. */
export interface Sources {
  readonly listing: Listing;
  /** The text of a tracked file, or where a link points; undefined when it has none. */
  text(path: string): Promise<string | undefined>;
  /** Reads by the grammar; undefined when that would take too long. */
  read(command: CommandText): Promise<Reading | undefined>;
}

/** Never throws unless its sources do. */
export async function findCheckFiles({ stages }: Pick<ContextMap, 'stages'>, sources: Sources): Promise<CheckFiles> {
  const scope = { ...sources, files: new Map<string, CheckFile>(), seen: new Map<string, number>(), dir: '', depth: 0 };
  for (const [name, stage] of Object.entries(stages))
    for (const role of ['verify', 'diagnostics'] as const)
      for (const [index, entry] of stage[role].entries())
        if (!isBuiltInCheck(entry)) await follow(entry, { ...scope, by: `stages.${name}.${role}[${index}]` });
  return scope.files;
}

/** Everything that one command runs, and what that calls. */
export async function runBy(command: CommandText, by: string, sources: Sources): Promise<CheckFiles> {
  const files = new Map<string, CheckFile>();
  await follow(command, { ...sources, files, seen: new Map(), by, dir: '', depth: 0 });
  return files;
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

/** Everything that shell text or an argv runs. */
async function follow(command: CommandText, scope: Scope): Promise<void> {
  const reading = readPlain(command) ?? (await scope.read(command));
  if (!reading || reading.commands.length >= MAX_COMMANDS) return takeUnread([command].flat(), scope);
  const { commands, values, unread } = reading;
  const goesTo = commands.flatMap(({ program, args }) => (/^(?:cd|pushd)$/.test(program) ? args : []));
  const onPath = (values.get('PATH') ?? []).flatMap((value) => value.split(':')).filter((one) => !one.startsWith('$'));
  const finder = finderOf(
    scope,
    [...goesTo.map(({ text }) => text).filter((text) => !text.startsWith('-')), ...onPath],
    values,
  );
  for (const ran of commands.flatMap(runByCommand)) await take(ran, finder, scope);
  takeUnread(finder.isSpent() ? [command].flat() : unread, scope);
}

/** Text that could not be read may run every file whose name is in it. */
function takeUnread(texts: readonly string[], { files, listing, by }: Scope): void {
  const words = new Set(texts.flatMap((text) => text.split(/[^\w.+@-]+/)));
  for (const path of texts.length > 0 ? listing.keys() : []) {
    const word = basename(path);
    if (words.has(word) && !files.has(path)) files.set(path, { word, by, tracked: true, unread: true });
  }
}

async function take(ran: Ran, finder: Finder, scope: Scope): Promise<void> {
  if (ran.kind === 'targets') return takeTargets(ran, finder, scope);
  if (ran.kind === 'code') return add('its code', calledByProgram(ran.text, scope), scope, false);
  if (ran.kind === 'settings') return add(ran.word, finder.find(ran.word), { ...scope, depth: MAX_DEPTH }, false);
  if (ran.kind === 'scripts') {
    for (const word of ran.words) await add(word, [...finder.find(word), ...finder.below(word)], scope, false);
    return;
  }
  const word =
    ran.words.find((each) => finder.find(each).length > 0) ??
    ran.words.find((each) => SCRIPT.test(each) || each.includes('/'));
  if (word !== undefined) await add(word, finder.findOrName(word), scope, ran.isShell);
}

async function takeTargets(ran: Extract<Ran, { kind: 'targets' }>, finder: Finder, scope: Scope): Promise<void> {
  const { tool, file, folder, targets } = ran;
  const word = [tool, ...targets].join(' ');
  const names = file === undefined ? TARGET_FILES[tool] : [file];
  const paths = names.map((name) => finder.find(join(folder, name))).find((found) => found.length > 0) ?? [];
  for (const path of paths.filter((each) => isNearer(`${each} ${word}`, scope))) {
    const files = await withIncluded(tool, path, scope);
    for (const each of files) note(each, word, scope);
    if (scope.depth >= MAX_DEPTH) continue;
    const texts = await Promise.all(files.map(async (each) => (await scope.text(each)) ?? ''));
    await follow(targetText(tool, texts, targets), { ...scope, by: path, dir: folderOf(path), depth: scope.depth + 1 });
  }
}

/** The file and what it includes, each once. */
async function withIncluded(tool: TargetTool, path: string, scope: Scope): Promise<string[]> {
  const files = [path];
  for (const file of files) {
    const finder = finderOf({ ...scope, dir: folderOf(file) });
    const more = includedFiles(tool, (await scope.text(file)) ?? '').flatMap((word) => finder.find(word));
    files.push(...more.filter((each) => !files.includes(each)));
  }
  return files;
}

function note(path: string, word: string, { files, listing, by }: Scope): void {
  if (!files.has(path)) files.set(path, { word, by, tracked: listing.has(path) });
}

/** Whether nothing followed it so far, or only from further away. */
function isNearer(key: string, { seen, depth }: Scope): boolean {
  if ((seen.get(key) ?? MAX_DEPTH + 1) <= depth) return false;
  seen.set(key, depth);
  return true;
}

async function add(word: string, paths: readonly string[], scope: Scope, shell: boolean): Promise<void> {
  for (const path of paths) {
    note(path, word, scope);
    if (!scope.listing.has(path) || scope.depth >= MAX_DEPTH || !isNearer(path, scope)) continue;
    const text = await scope.text(path);
    if (text === undefined) continue;
    const inside = { ...scope, by: path, dir: folderOf(path), depth: scope.depth + 1 };
    if (scope.listing.get(path)?.mode === LINK) await add(word, [join(inside.dir, text)], inside, shell);
    else if (/\.ya?ml$/.test(path)) await add(word, calledByPlaybook(text, inside), inside, false);
    else if (isShellScript(path, text, shell)) await follow(text, inside);
    else await add(word, calledByProgram(text, inside), inside, false);
  }
}

function isShellScript(path: string, text: string, shell: boolean): boolean {
  const [, interpreter] = /^#!.*?(\w+)[\d.]*\s*$/.exec(text.split('\n', 1)[0] as string) ?? [];
  if (interpreter !== undefined) return /sh$|^bats$/.test(interpreter);
  return /\.(?:sh|bash|zsh|ksh|bats)$/.test(path) || (!SCRIPT.test(path) && (shell || !/\.\w+$/.test(path)));
}

const IMPORTED = /^\s*(?:from\s+\.?([\w.]+)\s+import|import\s+([\w.]+))/gm;

/** Scripts that a program in another language names: better one too many. */
function calledByProgram(text: string, scope: Scope): string[] {
  const finder = finderOf(scope);
  const imported = [...text.matchAll(IMPORTED)].map(
    ([, from, name]) => `${(from ?? name ?? '').replaceAll('.', '/')}.py`,
  );
  const words = rawWords(text).filter((word) => SCRIPT.test(word) && !/[*?[{$]/.test(word));
  return [...words, ...imported].flatMap((word) => finder.find(word));
}
