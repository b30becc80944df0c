// What a file is, as facts that rules ask: its commands, the leaves of its data, its lines; and which of them a change adds and
// takes away. Told apart by what they are, not by where they stand: moved or indented is neither added nor gone.
import type { Edit } from '../edit.ts';
import type { Frame } from '../shell/command.ts';
import { type ParseShell, unreadParts } from '../shell/node.ts';
import { statementsAround } from '../shell/templates.ts';
import { type RunCommand, readArgv, readCommands, valuesIn } from '../shell/unwrap.ts';
import { type ChangedLines, changedLines } from './changed-lines.ts';
import { type Data, type Leaf, readData } from './data.ts';
import { readHcl } from './hcl.ts';
import { isNix, isPlainScript, type Language, languageOf, mayBeSourced } from './language.ts';
import { readNix } from './nix.ts';
import type { Role, ShellText } from './shell-text.ts';
import { readTasks, type Task } from './tasks.ts';
import { looseLines, shellTexts } from './texts.ts';

export interface Fact extends RunCommand {
  readonly role: Role;
  /** Which of the file's texts it is in. */
  readonly text: number;
  /** The target, task or key whose text it is in. */
  readonly unit: string;
  /** What it is, wherever it stands. */
  readonly key: string;
}

export interface FileFacts {
  readonly language: Language;
  readonly commands: readonly Fact[];
  readonly functions: readonly string[];
  /** What variables of its scripts may hold, as far as it is written there. */
  readonly values: ReadonlyMap<string, readonly string[]>;
  readonly data: Data | undefined;
  readonly tasks: readonly Task[];
  /** Lines of scripts that the grammar cannot read. */
  readonly unread: ReadonlySet<number>;
}

/** One file's change, as facts. */
export interface Change extends Edit {
  /** Another script reads it into itself, or may. */
  readonly isSourced: boolean;
  readonly old: FileFacts;
  readonly now: FileFacts;
  readonly lines: ChangedLines;
  readonly added: readonly Fact[];
  readonly gone: readonly Fact[];
  readonly addedLeaves: readonly Leaf[];
  readonly goneLeaves: readonly Leaf[];
}

export function factsOf(path: string, text: string, parse: ParseShell, isRun = false): FileFacts {
  const language = languageOf(path, text, isRun);
  const hasData = language === 'yaml' || language === 'toml' || language === 'settings';
  const data =
    language === 'hcl' ? readHcl(text) : isNix(path) ? readNix(text) : hasData ? readData(text, language) : undefined;
  const commands: Fact[] = [];
  const functions: string[] = [];
  const values = new Map<string, readonly string[]>();
  const unread = new Set<number>();
  const isPlain = isPlainScript(path, language);
  const statements = isPlain ? () => [] : statementsAround(text);
  const inStatements = (fact: Fact): Fact => {
    const frames = statements(fact.line).map((guard): Frame => ({ kind: 'branch', guard }));
    return frames.length === 0 ? fact : { ...fact, around: [...frames, ...fact.around] };
  };
  for (const [i, shell] of shellTexts(path, text, language, data, isRun).entries()) {
    const read = readText(shell, i, parse, isPlain);
    commands.push(...read.commands.map(inStatements));
    // What a program says is not the shell's, unless a shell is started with it; an expression of data defines nothing.
    if (shell.role === 'run' || (language !== 'program' && shell.role !== 'maybe')) functions.push(...read.functions);
    for (const [name, given] of read.values) values.set(name, [...(values.get(name) ?? []), ...given]);
    if (language !== 'program') for (const line of read.unread) unread.add(line);
  }
  if (language === 'docker') for (const line of looseLines(text)) unread.add(line);
  return { language, commands, functions, values, data, tasks: data ? readTasks(data) : [], unread };
}

function readText(
  { text, role, line, name, guard = '' }: ShellText,
  index: number,
  parse: ParseShell,
  isPlain: boolean,
) {
  const frames: Frame[] = guard === '' ? [] : [{ kind: 'given', guard }];
  const fact = (command: RunCommand): Fact => ({
    ...command,
    around: [...frames, ...command.around],
    line: command.line + line - 1,
    role,
    unit: name,
    text: index,
    key: keyOf(command),
  });
  if (typeof text !== 'string')
    return { commands: readArgv(text, parse).map(fact), functions: [], values: new Map(), unread: [] };
  const { commands, script, root } = readCommands(text, parse, isPlain);
  const unread = role === 'run' ? unreadParts(root).map((node) => node.line + line - 1) : [];
  return { commands: commands.map(fact), functions: script.functions, values: valuesIn(script), unread };
}

/** The words and redirections of a command, and the program text that it reads; templates count by their length no more. */
export function keyOf({
  words,
  redirects,
  assignments,
  inline,
  document,
}: Pick<RunCommand, 'words' | 'redirects' | 'assignments' | 'inline' | 'document'>): string {
  const set = assignments.map(({ name, values }) => `${name}=${values.map(({ raw }) => raw).join(' ')}`);
  const sent = redirects.map(({ descriptor, operator, target }) => `${descriptor}${operator}${target?.text ?? ''}`);
  const read = inline && document ? [inline.text] : [];
  return [...set, ...words.map(({ text, raw }) => (raw.includes('${') ? `${raw} ${text}` : text)), ...sent, ...read]
    .join('\0')
    .replace(/\ue000+/g, '\ue000');
}

const MAX_SPELLINGS = 12;

/** The texts that a word of a command may be, its variables filled in. */
export function spellings(word: string, { values }: Pick<FileFacts, 'values'>): readonly string[] {
  const [whole, braced, plain] = /\$(?:\{(\w+)\}|(\w+))/.exec(word) ?? [];
  const given = values.get(braced ?? plain ?? '')?.filter((text) => !text.includes('$(…)')) ?? [];
  if (whole === undefined || given.length === 0) return [word];
  return given.slice(0, MAX_SPELLINGS).map((text) => word.replace(whole, () => text));
}

/** Whether one of `texts` has the file behind one of these words: `source`, `.`, `bash`. */
function isBehind(words: string, path: string, texts: readonly string[]): boolean {
  const name = path.split('/').at(-1) ?? '';
  const escaped = name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const call = new RegExp(
    `(?:^|[\\s;&|(])(?:${words})\\s+(?:\\$\\([^)]*\\)|[^\\s;&|$]|\\$(?!\\())*${escaped}(?:["'\\s;)]|$)`,
    'm',
  );
  return texts.some((text) => text.includes(name) && call.test(text.replace(/^\s*#.*$/gm, '')));
}

const ASSIGNMENT = /^\s*(?:export\s+)?[A-Za-z_]\w*=(?:"[^"]*"|'[^']*'|[^\s"'`;&|<>()]*)\s*(?:#.*)?$/;

/** A value of several words without quotes, which the shell would not take for one. */
const LOOSE = /^\s*[\w.-]+\s*=[^"'`$;&|<>]*\s\S/;

/** Settings that are nothing but assignments of the shell, which a script may source under a name that nobody can follow. */
function isSourceable({ path, before, after }: Edit): boolean {
  const text = before ?? '';
  const lines = text.split('\n').filter((line) => !/^\s*(?:#.*)?$/.test(line));
  if (lines.length === 0 || !mayBeSourced(path, text) || after.split('\n').some((line) => LOOSE.test(line)))
    return false;
  return lines.every((line) => ASSIGNMENT.test(line));
}

/** `texts`: others of the repository, which may run this one. */
export function changeOf(edit: Edit, parse: ParseShell, texts: readonly string[] = []): Change {
  const { path, before, after } = edit;
  const isSourced = isBehind('source|\\.', path, texts) || isSourceable(edit);
  const isRun = isSourced || isBehind('(?:ba|da|z)?sh', path, texts);
  const old = factsOf(path, before ?? '', parse, isRun);
  const now = factsOf(path, after, parse, isRun);
  const [oldLeaves, nowLeaves] = [old.data?.leaves ?? [], now.data?.leaves ?? []];
  const lines = changedLines(before, after);
  // Of a text that could not be read before, what stands in old lines is old.
  const numbers = new Set(lines.added.map(({ number }) => number));
  const wasRead = old.data ? old.data.parsed : old.unread.size === 0 || now.unread.size > 0;
  const isNew = ({ line }: { line: number }) => wasRead || [0, 1, 2, 3].some((more) => numbers.has(line + more));
  const places = new Set(oldLeaves.map(({ keys, value }) => placeKey(keys, value)));
  const ends = now.tasks.map(({ line }) => line).slice(1);
  const isOldTask = ({ line }: Task, i: number) =>
    ![...numbers].some((number) => number >= line && number < (ends[i] ?? Number.POSITIVE_INFINITY));
  return {
    ...edit,
    isSourced,
    old: wasRead ? old : { ...old, tasks: [...old.tasks, ...now.tasks.filter(isOldTask)] },
    now,
    lines,
    added: without(now.commands, old.commands, commandKey, ({ line }) => !numbers.has(line)).filter(isNew),
    gone: without(old.commands, now.commands, commandKey),
    addedLeaves: without(nowLeaves, oldLeaves, leafKey, ({ keys, value }) => places.has(placeKey(keys, value))).filter(
      isNew,
    ),
    goneLeaves: without(oldLeaves, nowLeaves, leafKey),
  };
}

/** A leaf under a renamed parent is the same leaf; a module's full name is its short name. */
const leafKey = ({ keys, value }: Leaf): string =>
  `${(keys.at(-1) ?? '').replace(/^ansible\.(?:builtin|legacy)\./, '')}\0${value}`;

const placeKey = (keys: readonly string[], value: string): string => [...keys, value].join('\0');

const commandKey = ({ key, role }: Fact): string => `${role === 'maybe'} ${key}`;

/** Those of `some` that `others` do not have as well, each as often as it stands there; of the same ones first those that `isOld`. */
function without<T>(
  some: readonly T[],
  others: readonly T[],
  keyOf: (one: T) => string,
  isOld: (one: T) => boolean = () => true,
): T[] {
  const counts = new Map<string, number>();
  for (const other of others) counts.set(keyOf(other), (counts.get(keyOf(other)) ?? 0) + 1);
  const matched = new Set<T>();
  for (const item of [...some.filter(isOld), ...some.filter((other) => !isOld(other))]) {
    const left = counts.get(keyOf(item)) ?? 0;
    counts.set(keyOf(item), left - 1);
    if (left > 0) matched.add(item);
  }
  return some.filter((item) => !matched.has(item));
}
