// The judging set: every file of the repository that a check or diagnostic of any stage runs, and what those files source or
// call. No fix edits it, and it is as committed before any check runs. What checks only look at is not in it.
import { basename, dirname, join, normalize } from 'node:path/posix';
import { parseDocument } from 'yaml';
import { type ContextMap, isBuiltInCheck } from '../../config/context-map.ts';
import { rawWords } from '../../config/paths.ts';
import { type Listing, type Place, placeOf, SCRIPT } from './place.ts';
import { type Ran, ranBy, type TargetTool } from './ran-words.ts';
import { type CommandText, readPlain, type ShellReader } from './read-shell.ts';
import { includedFiles, type JudgingPart, TARGET_FILES, targetText } from './targets.ts';

/** Why a file judges. */
export interface Judge {
  /** The word that names it. */
  readonly word: string;
  /** Where that stands: `stages.vms.verify[0]`, or the file that runs it. */
  readonly by: string;
  /** Whether git has it; one that it has not may not exist at all. */
  readonly tracked: boolean;
  /** It is not there: it would be taken instead of one that is, or besides. A folder ends in `/`. */
  readonly instead?: true;
  /** The text that runs it could not be read in time: it is here because its name stands there. */
  readonly unread?: true;
  /** What of it judges; without it, all. */
  readonly parts?: readonly JudgingPart[];
}
export type JudgingSet = ReadonlyMap<string, Judge>;

const MAX_DEPTH = 5;
const EXECUTABLE = '100755';
const LINK = '120000';
const SHELL_SCRIPT = /\.(?:sh|bash|zsh|ksh|bats)$/;

/** Where the judging set reads. */
export interface Sources {
  readonly listing: Listing;
  /** The text of a tracked file, or where a link points; undefined when it has none. */
  text(path: string): Promise<string | undefined>;
  readonly read: ShellReader;
}

/** Never throws unless its sources do. */
export async function judgingSet({ stages }: Pick<ContextMap, 'stages'>, sources: Sources): Promise<JudgingSet> {
  const judges = new Map<string, Judge>();
  const targets = new Set<string>();
  for (const [name, stage] of Object.entries(stages)) {
    for (const role of ['verify', 'diagnostics'] as const) {
      for (const [index, entry] of stage[role].entries()) {
        if (isBuiltInCheck(entry)) continue;
        await follow(entry, { ...sources, judges, targets, by: `stages.${name}.${role}[${index}]`, dir: '', depth: 0 });
      }
    }
  }
  return judges;
}

/** Everything that one command runs, and what that calls, as the judging set would have it. */
export async function runBy(command: CommandText, by: string, sources: Sources): Promise<JudgingSet> {
  const judges = new Map<string, Judge>();
  await follow(command, { ...sources, judges, targets: new Set(), by, dir: '', depth: 0 });
  return judges;
}

interface Scope extends Sources {
  readonly judges: Map<string, Judge>;
  readonly by: string;
  /** The folder of the script that is read; empty at the root. */
  readonly dir: string;
  readonly depth: number;
  /** Files and their targets that were read already. */
  readonly targets: Set<string>;
}

/** Everything that shell text or an argv runs. */
async function follow(command: CommandText, scope: Scope): Promise<void> {
  const reading = readPlain(command) ?? (await scope.read(command));
  const ran = reading?.commands.flatMap(ranBy);
  if (!ran || ran.length > MAX_RAN || patternsIn(ran).size > MAX_PATTERNS) return takeUnread(command, scope);
  const place = placeOf(
    scope,
    ran.flatMap((part) => (part.kind === 'folder' ? [part.word] : [])),
    ran.flatMap((part) => (part.kind === 'value' ? [[part.name, part.word] as const] : [])),
  );
  const isVariable = (word: string) => /^\$\w+$/.test(word);
  const runsVariable = ran.some(
    (part) =>
      ('word' in part && /^(?:script|sourced)$/.test(part.kind) && isVariable(part.word)) ||
      (part.kind === 'first' && part.words.some(isVariable)),
  );
  for (const part of ran) await take(part, place, scope, runsVariable);
}

const MAX_RAN = 5_000;
/** Each is compared with every file. */
const MAX_PATTERNS = 100;
const patternsIn = (ran: readonly Ran[]): Set<string> =>
  new Set(ran.flatMap((part) => ('word' in part && /[*?[{]|[^$/][/\w][$…]/.test(part.word) ? [part.word] : [])));

/** Text that could not be read may run every file whose name is in it. */
async function takeUnread(command: CommandText, scope: Scope): Promise<void> {
  const words = new Set([command].flat().flatMap((text) => text.split(/[^\w.+@-]+/)));
  for (const path of scope.listing.keys()) {
    const last = basename(path);
    if (words.has(last) && !scope.judges.has(path))
      scope.judges.set(path, { word: last, by: scope.by, tracked: true, unread: true });
  }
}

async function take(ran: Ran, place: Place, scope: Scope, runsVariable: boolean): Promise<void> {
  const add = (word: string, paths: readonly string[], shell = false) => addAll(word, paths, scope, shell);
  switch (ran.kind) {
    case 'text':
      return follow(ran.text, scope);
    case 'folder':
      return;
    case 'value': {
      const scripts = runsVariable ? place.find(ran.word).filter((path) => looksRun(path, scope.listing)) : [];
      return add(ran.word, scripts);
    }
    case 'maybe':
      return add(
        ran.word,
        place.find(ran.word).filter((path) => looksRun(path, scope.listing)),
      );
    case 'first': {
      const word = ran.words.find((each) => place.find(each).length > 0) ?? ran.words.find((each) => SCRIPT.test(each));
      if (word === undefined) return;
      return add(word, place.findOrName(word), true);
    }
    case 'script':
      return add(ran.word, place.findOrName(ran.word));
    case 'file':
      return add(ran.word, place.find(ran.word), ran.shell);
    case 'code':
      return add('its code', calledByProgram(ran.text, scope));
    case 'sourced': {
      for (const path of place.findOrName(ran.word)) {
        // A file of settings is data, even where it is sourced.
        if (!isAssignments(await scope.text(path))) await add(ran.word, [path], true);
      }
      return;
    }
    case 'tests': {
      const folders = ran.words.flatMap(place.folders);
      const below = [...scope.listing.keys()].filter((path) => folders.some((folder) => path.startsWith(`${folder}/`)));
      const named = [...ran.words.flatMap(place.find), ...below];
      const like = (pattern: RegExp) => [...scope.listing.keys()].filter((path) => pattern.test(path));
      const paths = named.length > 0 ? named : ran.called ? like(ran.called) : [];
      const shared = ran.called?.test('conftest.py') ? like(/(?:^|\/)conftest\.py$/) : [];
      const word = ran.words.join(' ') || 'its tests';
      await add(word, [...paths, ...shared]);
      // What is new there would be run, too.
      for (const folder of folders) nameInstead(`${folder}/`, word, scope);
      return;
    }
    case 'targets':
      return takeTargets(ran, place, scope);
  }
}

async function takeTargets(ran: Extract<Ran, { kind: 'targets' }>, place: Place, scope: Scope): Promise<void> {
  const { tool, file, folder, targets } = ran;
  const word = [tool, ...targets].join(' ');
  const names = file === undefined ? TARGET_FILES[tool] : [file];
  const paths = names.map((name) => place.find(join(folder, name))).find((files) => files.length > 0) ?? [];
  for (const path of paths.filter((each) => !scope.targets.has(`${each} ${word}`))) {
    scope.targets.add(`${path} ${word}`);
    const files = await withIncluded(tool, path, scope);
    const texts = (await Promise.all(files.map(scope.text))).map((text) => text ?? '');
    for (const [i, each] of files.entries()) {
      nameInPart(each, word, scope, { tool, texts, at: i, targets });
    }
    // A file that the tool would take instead would judge in its place.
    for (const other of names) nameInstead(join(dirname(path), other), word, scope);
    if (scope.depth >= MAX_DEPTH) continue;
    await follow(targetText(tool, texts, targets), { ...scope, by: path, dir: dirname(path), depth: scope.depth + 1 });
  }
}

/** The file and what it includes, each once. */
async function withIncluded(tool: TargetTool, path: string, scope: Scope): Promise<string[]> {
  const files = [path];
  for (const file of files) {
    const place = placeOf({ ...scope, dir: dirname(file) });
    const more = includedFiles(tool, (await scope.text(file)) ?? '').flatMap((word) => place.find(word));
    files.push(...more.filter((each) => !files.includes(each)));
  }
  return files;
}

/** Whether it was not named before. */
function name(path: string, word: string, { judges, listing, by }: Scope): boolean {
  if (judges.has(path)) return false;
  judges.set(path, { word, by, tracked: listing.has(path) });
  return true;
}

/** What is not there, and would judge if it were. */
function nameInstead(path: string, word: string, { judges, listing, by }: Scope): void {
  if (!judges.has(path) && !listing.has(path)) judges.set(path, { word, by, tracked: false, instead: true });
}

/** A file of which only a part judges; other targets of it may be named elsewhere. */
function nameInPart(path: string, word: string, scope: Scope, part: JudgingPart): void {
  const before = scope.judges.get(path);
  if (before && !before.parts) return;
  const judge = before ?? { word, by: scope.by, tracked: true };
  scope.judges.set(path, { ...judge, parts: [...(before?.parts ?? []), part] });
}

async function addAll(word: string, paths: readonly string[], scope: Scope, shell: boolean): Promise<void> {
  for (const path of paths) {
    if (!name(path, word, scope) || !scope.listing.has(path) || scope.depth >= MAX_DEPTH) continue;
    const text = await scope.text(path);
    if (text === undefined) continue;
    const inside = { ...scope, by: path, dir: dirname(path) === '.' ? '' : dirname(path), depth: scope.depth + 1 };
    if (scope.listing.get(path)?.mode === LINK)
      await addAll(word, inside.dir === '' ? [normalize(text)] : [join(inside.dir, text)], inside, shell);
    else if (/\.ya?ml$/.test(path)) await addAll(word, calledByPlaybook(text, inside), inside, false);
    else if (isShell(path, text, shell)) await follow(text, inside);
    else await addAll(word, calledByProgram(text, inside), inside, false);
  }
}

function isShell(path: string, text: string, shell: boolean): boolean {
  const [, interpreter] = /^#!.*?(\w+)[\d.]*\s*$/m.exec(text.slice(0, text.indexOf('\n') + 1)) ?? [];
  if (interpreter !== undefined) return /sh$|^bats$/.test(interpreter);
  return SHELL_SCRIPT.test(path) || (!SCRIPT.test(path) && (shell || !/\.\w+$/.test(path)));
}

const INCLUDED = /\b(?:import_playbook|include_tasks|import_tasks|script):\s*["']?([^\s"'#]+)/g;

function calledByPlaybook(text: string, scope: Scope): string[] {
  const place = placeOf(scope);
  const roles = rolesIn(text);
  const isOfRole = ([, role]: RegExpMatchArray) => roles.has(role as string);
  return [
    ...[...text.matchAll(INCLUDED)].flatMap(([, word]) => place.find(word as string)),
    ...[...scope.listing.keys()].filter((path) => [...path.matchAll(ROLE_TASKS)].some(isOfRole)),
  ];
}

const ROLE_TASKS = /(?<=^|\/)roles\/([^/]+)\/(?:tasks|handlers|meta)\//g;

/** The roles that plays, tasks or the needs of another role name. */
function rolesIn(text: string): Set<unknown> {
  const named = (role: unknown): unknown[] =>
    typeof role === 'object' && role !== null ? ['role', 'name'].map((key) => Reflect.get(role, key)) : [role];
  const below = (value: unknown): unknown[] =>
    typeof value !== 'object' || value === null
      ? []
      : Object.entries(value).flatMap(([key, part]) => [
          ...(/(?:^|\.)(?:(?:include|import)_role|roles|dependencies)$/.test(key) ? [part].flat().flatMap(named) : []),
          ...below(part),
        ]);
  try {
    return new Set(below(parseDocument(text).toJS()));
  } catch {
    // What Ansible cannot read runs nothing.
    return new Set();
  }
}

const IMPORTED = /^\s*(?:from\s+\.?([\w.]+)\s+import|import\s+([\w.]+))/gm;

/** Scripts that a program in another language names: better one too many. */
function calledByProgram(text: string, scope: Scope): string[] {
  const place = placeOf(scope);
  const modules = [...text.matchAll(IMPORTED)].map(
    ([, from, name]) => `${(from ?? name ?? '').replaceAll('.', '/')}.py`,
  );
  const words = rawWords(text).filter((word) => SCRIPT.test(word) && !word.startsWith('/'));
  return [...words, ...modules].flatMap((word) => place.exact(word));
}

const looksRun = (path: string, listing: Listing): boolean =>
  SCRIPT.test(path) || listing.get(path)?.mode === EXECUTABLE;

const ASSIGNMENT =
  /^\s*(?:export\s+|readonly\s+|declare\s+(?:-\w+\s+)*)?\w+=(?:"[^"`]*"|'[^']*'|[^\s"'`$();&|<>]*)\s*(?:#.*)?$/;

/** A text that only sets variables, without running anything for it. */
function isAssignments(text: string | undefined): boolean {
  const lines = (text ?? '').split('\n').filter((line) => !/^\s*(?:#.*)?$/.test(line));
  return lines.length > 0 && lines.every((line) => ASSIGNMENT.test(line) && !line.includes('$('));
}
