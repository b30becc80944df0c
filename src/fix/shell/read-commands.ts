// Every command that a text or an argv runs: its own, and those inside of wrappers, `sh -c '…'`, here-documents for a shell and
// functions; variables with one value are filled in.

import { readable } from './hide-templates.ts';
import { innerCommands, isInterpreter, isShell, programOf, TEXT_OPTION } from './inner-commands.ts';
import type { ParseShell } from './node.ts';
import { type Command, NOTHING_AROUND, readScript, type Script } from './read-script.ts';
import type { Word } from './words.ts';

/** A text for the shell, or an argv. */
export type CommandText = string | readonly string[];

export interface ReadCommand extends Command {
  /** Its program without folders; empty for assignments and redirections alone. */
  readonly program: string;
  readonly args: readonly Word[];
  /** The program that runs it, when it is not the shell itself. */
  readonly via: string | undefined;
  /** Code of another language: `python -c`, what `psql` is given. */
  readonly code: string | undefined;
}

export interface Reading {
  readonly commands: ReadCommand[];
  /** The functions that the text defines. */
  readonly functions: string[];
  /** What each variable may hold, as far as it is written down. */
  readonly values: Map<string, string[]>;
  /** Parts that could not be read, as they stand. */
  readonly unread: string[];
}

/** What runs when the text or argv does. Never throws. */
export const readCommands = (shell: CommandText, parse: ParseShell): Reading =>
  read(shell, (text) => readScript(parse(readable(text))));

const PLAIN_LINE = /^[ \t]*(?:#.*|[\w./:@%+,-][\w./:=@%+,-]*(?:[ \t]+[\w./:=@%+,-]+)*[ \t]*)?$/;
const KEYWORDS = new Set(
  `if then elif else fi for while until do done case esac select function time in coproc export local declare readonly
  typeset unset`.split(/\s+/),
);

/** The same for commands of plain words, one a line, which need no grammar; undefined for anything else. */
export function readPlain(shell: CommandText): Reading | undefined {
  let isPlain = true;
  const reading = read(shell, (text) => {
    const lines = text.split('\n').map((line) => line.trim());
    const commands = lines.flatMap((line, i): Command[] => {
      const words = line.split(/[ \t]+/);
      isPlain &&= PLAIN_LINE.test(line) && !/^\w+\+?=/.test(line) && !KEYWORDS.has(words[0] ?? '');
      return line === '' || line.startsWith('#') ? [] : [{ ...plainCommand(words), line: i + 1 }];
    });
    return { commands, functions: [], loops: [], unread: [] };
  });
  return isPlain ? reading : undefined;
}

const plainCommand = (words: readonly string[]): Command => ({
  words: words.map((text) => ({ text, dynamic: text.includes('{{'), quoted: true, raw: text })),
  assignments: [],
  ...NOTHING_AROUND,
  line: 1,
});

const MAX_DEPTH = 5;
const MAX_COMMANDS = 5_000;

interface Scope {
  readonly reading: Reading;
  readonly readText: (text: string) => Script;
  /** Commands of functions that hand on what they are given. */
  readonly passing: ReadonlyMap<string, readonly Command[]>;
  readonly depth: number;
}

function read(shell: CommandText, readText: Scope['readText']): Reading {
  const reading: Reading = { commands: [], functions: [], values: new Map(), unread: [] };
  const scope: Scope = { reading, readText, passing: new Map(), depth: 0 };
  if (typeof shell === 'string') takeScript(readText(shell), scope);
  else take(plainCommand(shell), scope);
  return reading;
}

function takeScript(script: Script, outer: Scope, by?: Pick<ReadCommand, 'program' | 'line'>): void {
  const { reading } = outer;
  reading.functions.push(...script.functions);
  reading.unread.push(...script.unread);
  noteValues(script, reading.values);
  const single = singleValues(script);
  const scope: Scope = { ...outer, passing: passingIn(script) };
  for (const command of script.commands) {
    const words = command.words.flatMap((word, i) => filledIn(word, single, i === 0));
    const line = command.line + (by ? by.line - 1 : 0);
    take({ ...command, words, line }, scope, by?.program);
  }
}

/** The command itself, and what it runs. */
function take(command: Command, scope: Scope, via?: string): void {
  const { reading, depth, readText } = scope;
  const [first, ...args] = command.words;
  const program = programOf(first);
  const inputs = inputTexts(command);
  const code = codeOf(program, args, inputs);
  reading.commands.push({ ...command, program, args, via, code });
  const passed = scope.passing.get(program)?.map((inner) => handedOn(args, inner)) ?? [];
  const inner = [...innerCommands(program, args, inputs), ...passed];
  // What is hidden deeper than anybody would write is not looked into.
  const isTooMuch = depth >= MAX_DEPTH || reading.commands.length >= MAX_COMMANDS;
  if (isTooMuch && inner.length > 0) reading.unread.push(command.words.map(({ text }) => text).join(' '));
  for (const one of isTooMuch ? [] : inner) {
    if ('words' in one) {
      take({ ...command, words: one.words, assignments: [] }, { ...scope, depth: depth + 1 }, program);
      continue;
    }
    const script = readText(one.text);
    const commands = one.isInput ? script.commands : script.commands.map((each) => withInput(each, command));
    takeScript({ ...script, commands }, { ...scope, depth: depth + 1 }, { program, line: command.line });
  }
}

/** What a wrapper reads, the commands of its text read too. */
const withInput = (inner: Command, { redirects, document, fedBy }: Command): Command =>
  inner.document !== undefined || inner.fedBy.length > 0
    ? inner
    : { ...inner, redirects: [...inner.redirects, ...redirects], fedBy, document };

/** Texts that a command reads which are written in the script: a here-document, or what echo prints into it. */
function inputTexts({ document, fedBy: [feeder] }: Command): string[] {
  const [name, ...rest] = feeder?.words.map(({ text }) => text) ?? [];
  const said = rest.filter((text) => !/^-[neE]+$/.test(text)).join(' ');
  const isSaid = name === 'echo' || name === 'printf';
  const fed = isSaid ? said.replaceAll('\\n', '\n') : name === 'cat' ? feeder?.document : undefined;
  return [document, fed].filter((text) => text !== undefined);
}

const SQL = /^(?:psql|mysql|mariadb|sqlite3)$/;

function codeOf(program: string, args: readonly Word[], inputs: readonly string[]): string | undefined {
  const texts = args.map(({ text }) => text);
  if (SQL.test(program)) return [...texts, ...inputs].join('\n');
  if (!isInterpreter(program) || isShell(program)) return undefined;
  const at = texts.findIndex((text) => TEXT_OPTION.test(text));
  return at === -1 ? inputs[0] : texts[at + 1];
}

/** `${NAME:-value}` */
const DEFAULT = /\$\{(\w+):?[-=]["']?([^{}"'\s]+)/g;

function noteValues({ commands, loops }: Script, values: Reading['values']): void {
  const add = (name: string, ...texts: string[]) => values.set(name, [...(values.get(name) ?? []), ...texts]);
  const assignments = [...commands.flatMap((command) => command.assignments), ...loops];
  for (const { name, values: given } of assignments) add(name, ...given.map(({ text }) => text));
  for (const { words } of commands)
    if (words[0]?.text === 'set' && words[1]?.text === '--')
      for (const [i, { text }] of words.slice(2).entries()) add(String(i + 1), text);
  const written = [...commands.flatMap(({ words }) => words), ...assignments.flatMap((one) => one.values)];
  for (const [, name = '', text = ''] of written.flatMap(({ raw }) => [...raw.matchAll(DEFAULT)])) add(name, text);
}

type Values = ReadonlyMap<string, readonly Word[]>;

/** Variables that are set once, to something that is written down. */
function singleValues({ commands, loops }: Script): Values {
  const values = new Map<string, readonly Word[]>();
  const often = new Set(loops.map(({ name }) => name));
  for (const { name, values: given, append } of commands.flatMap(({ assignments }) => assignments)) {
    if (values.has(name) || append) often.add(name);
    // One may be made of another.
    const words = given.flatMap((word) => filledIn(word, values, false));
    values.set(name, words);
  }
  return new Map([...values].filter(([name, [first]]) => !often.has(name) && first && !first.text.startsWith('$(')));
}

const parted = (text: string): string[] => text.trim().split(/\s+/);

/** The words that a word is; the value of one in program's place is parted as the shell would, even in quotes. */
function filledIn(word: Word, values: Values, isProgram: boolean): Word[] {
  if (!word.dynamic) return [word];
  const whole = /^"?\$\{?(\w+)(?:\[@\])?\}?"?$/.exec(word.raw)?.[1];
  const given = whole === undefined ? undefined : values.get(whole);
  if (given && (isProgram || !word.quoted || word.raw.includes('[@]')))
    return given.flatMap((one) => parted(one.text).map((text) => ({ ...one, text, raw: text })));
  const text = word.text.replace(/\$(?:\{(\w+)\}|(\w+))/g, (variable, braced, plain) => {
    const value = values.get(braced ?? plain);
    return value?.length === 1 ? (value[0] as Word).text : variable;
  });
  return [{ ...word, text, dynamic: text.includes('$') }];
}

const ALL_PASSED = /^"?\$(?:[@*]|\{[@*](?::\d+)?\})"?$/;
const MAX_PASSING = 5;

function passingIn({ commands }: Script): Map<string, Command[]> {
  const passing = new Map<string, Command[]>();
  for (const command of commands) {
    if (command.within === undefined || !command.words.some(({ raw }) => /\$\{?[@*1-9]/.test(raw))) continue;
    const others = passing.get(command.within) ?? [];
    if (others.length < MAX_PASSING) passing.set(command.within, [...others, command]);
  }
  return passing;
}

/** A command of a function as one call of it makes it. */
function handedOn(args: readonly Word[], inner: Command): { words: readonly Word[] } {
  // Durations and counts before a command are the function's own.
  const first = args.findIndex(({ text }) => !/^-|^\d+[smh]?$/.test(text));
  const words = inner.words.flatMap((word, i): readonly Word[] => {
    if (ALL_PASSED.test(word.raw)) return i === 0 ? args.slice(Math.max(0, first)) : args;
    const text = word.text.replace(/\$\{?([1-9])\}?/g, (whole, n) => args[Number(n) - 1]?.text ?? whole);
    return [{ ...word, text, dynamic: text.includes('$') }];
  });
  return { words };
}
