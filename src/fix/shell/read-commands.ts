// Every command that a text or an argv runs: its own, and those inside of wrappers, `sh -c '…'`, here-documents for a shell and
// functions; variables with one value are filled in.
import { readable } from './hide-templates.ts';
import { innerCommands, programOf } from './inner-commands.ts';
import type { ParseShell } from './node.ts';
import { type Around, type Command, NOTHING_AROUND, readScript, type Script } from './read-script.ts';
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
  read(shell, (text, around) => readScript(parse(readable(text)), around));

const PLAIN = /^[\w./:@%+,-]+(?:[ \t]+[\w./:=@%+,-]+)*$/;

/** The same for one command of plain words, which needs no grammar; undefined for anything else. */
export function readPlain(shell: CommandText): Reading | undefined {
  const words = typeof shell !== 'string' ? shell : PLAIN.test(shell) ? shell.split(/[ \t]+/) : [];
  let isPlain = words.length > 0;
  const reading = read(words, () => {
    isPlain = false;
    return { commands: [], functions: [], unread: [] };
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
  readonly readText: (text: string, around?: Around) => Script;
  /** Commands of functions that hand on what they are given. */
  readonly passing: readonly Command[];
  readonly depth: number;
}

function read(shell: CommandText, readText: Scope['readText']): Reading {
  const reading: Reading = { commands: [], functions: [], values: new Map(), unread: [] };
  const scope: Scope = { reading, readText, passing: [], depth: 0 };
  if (typeof shell === 'string') takeScript(readText(shell), scope);
  else take(plainCommand(shell), scope);
  return reading;
}

function takeScript(script: Script, outer: Scope, by?: Pick<ReadCommand, 'program' | 'line'>): void {
  const { reading } = outer;
  reading.functions.push(...script.functions);
  reading.unread.push(...script.unread);
  const single = noteValues(script, reading.values);
  const isPassing = ({ within, words }: Command) => within !== undefined && words.some(({ raw }) => PASSED.test(raw));
  const scope = { ...outer, passing: script.commands.filter(isPassing) };
  for (const command of script.commands) {
    const words = command.words.flatMap((word, i) => filledIn(word, single, i === 0));
    take({ ...command, words, line: command.line + (by ? by.line - 1 : 0) }, scope, by?.program);
  }
}

/** The command itself, and what it runs. */
function take(command: Command, scope: Scope, via?: string): void {
  const { reading, depth, readText, passing } = scope;
  const [first, ...args] = command.words;
  const program = programOf(first);
  const inner = innerCommands(program, args, inputTexts(command));
  const ofFunction = passing.filter(({ within }) => within === program).slice(0, MAX_PASSING);
  const passed = ofFunction.map((one) => ({ words: handedOn(args, one) }));
  // What is more, or hidden deeper, than anybody would write is not looked into.
  const isDeep = depth >= MAX_DEPTH && inner.length + passed.length > 0;
  if (isDeep || reading.commands.length >= MAX_COMMANDS)
    return void reading.unread.push(command.words.map(({ text }) => text).join(' '));
  const code = inner.flatMap((one) => ('code' in one ? one.code : []))[0];
  reading.commands.push({ ...command, program, args, via, code });
  const below = { ...scope, depth: depth + 1 };
  for (const one of [...inner, ...passed])
    if ('words' in one) take({ ...command, words: one.words, assignments: [] }, below, program);
    // What a wrapper reads, the commands of its text read, too.
    else if ('text' in one)
      takeScript(readText(one.text, one.isInput ? undefined : command), below, { program, line: command.line });
}

const documentOf = (command: Command | undefined): string | undefined =>
  command?.redirects.findLast(({ operator }) => operator.startsWith('<<'))?.target?.text;

/** Texts that a command reads which are written in the script: a here-document, or what echo prints into it. */
function inputTexts(command: Command): string[] {
  const [feeder] = command.fedBy;
  const [name, ...rest] = feeder?.words.map(({ text }) => text) ?? [];
  const said = rest.filter((text) => !/^-[neE]+$/.test(text)).join(' ');
  const isSaid = name === 'echo' || name === 'printf';
  const fed = isSaid ? said.replaceAll('\\n', '\n') : name === 'cat' ? documentOf(feeder) : undefined;
  return [documentOf(command), fed].filter((text) => text !== undefined);
}

/** `${NAME:-value}` */
const DEFAULT = /\$\{(\w+):?[-=]["']?([^{}"'\s]+)/g;

/** Adds to `all` what each variable may hold; returns those that are set once, to something that is written down. */
function noteValues({ commands }: Script, all: Reading['values']): Map<string, readonly Word[]> {
  const now = new Map<string, readonly Word[]>();
  const often = new Set<string>();
  const note = (name: string, ...texts: string[]) => all.set(name, [...(all.get(name) ?? []), ...texts]);
  for (const { name, values, append } of commands.flatMap(({ assignments }) => assignments)) {
    note(name, ...values.map(({ text }) => text));
    // One may be made of another.
    const words = values.flatMap((word) => filledIn(word, now));
    if (append || now.has(name)) often.add(name);
    if (!append) now.set(name, words);
  }
  for (const { words, assignments } of commands) {
    const isSet = words[0]?.text === 'set' && words[1]?.text === '--';
    for (const [i, { text }] of isSet ? words.slice(2).entries() : []) note(String(i + 1), text);
    for (const { raw } of [...words, ...assignments.flatMap(({ values }) => values)])
      for (const [, name = '', text = ''] of raw.matchAll(DEFAULT)) note(name, text);
  }
  return new Map([...now].filter(([name, [first]]) => !often.has(name) && first && !first.text.startsWith('$(')));
}

const parted = (word: Word): Word[] =>
  word.text.split(/\s+/).flatMap((text) => (text === '' ? [] : [{ ...word, text, raw: text }]));

/** The words that a word is; the value of one in program's place is parted as the shell would, even in quotes. */
function filledIn(word: Word, values: ReadonlyMap<string, readonly Word[]>, isProgram = false): Word[] {
  if (!word.dynamic) return [word];
  const whole = /^"?\$\{?(\w+)(?:\[@\])?\}?"?$/.exec(word.raw)?.[1];
  const given = whole === undefined ? undefined : values.get(whole);
  if (given && (isProgram || !word.quoted || word.raw.includes('[@]'))) return given.flatMap(parted);
  const text = word.text.replace(/\$(?:\{(\w+)\}|(\w+))/g, (variable, braced, plain) => {
    const value = values.get(braced ?? plain);
    return value?.length === 1 ? (value[0] as Word).text : variable;
  });
  return [{ ...word, text, dynamic: text.includes('$') }];
}

const PASSED = /\$\{?[@*1-9]/;
const ALL_PASSED = /^"?\$(?:[@*]|\{[@*](?::\d+)?\})"?$/;
const MAX_PASSING = 5;

/** A command of a function as one call of it makes it. */
function handedOn(args: readonly Word[], inner: Command): Word[] {
  // Durations and counts before a command are the function's own.
  const first = args.findIndex(({ text }) => !/^-|^\d+[smh]?$/.test(text));
  return inner.words.flatMap((word, i): readonly Word[] => {
    if (ALL_PASSED.test(word.raw)) return i === 0 ? args.slice(Math.max(0, first)) : args;
    const text = word.text.replace(/\$\{?([1-9])\}?/g, (whole, n) => args[Number(n) - 1]?.text ?? whole);
    return [{ ...word, text, dynamic: text.includes('$') }];
  });
}
