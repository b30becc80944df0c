// A check's text or argv → its commands, as far as the judging set needs them: read by the bash grammar, given as plain values,
// so that another thread can do it. Plain words need no grammar.
import { rawWords } from '../../config/paths.ts';
import type { Command } from '../shell/command.ts';
import { type ParseShell, type ShellNode, unreadParts } from '../shell/node.ts';
import { assignmentsOf, type RunCommand, readArgv, readCommands } from '../shell/unwrap.ts';
import type { Word } from '../shell/words.ts';
import { isInterpreter, isShell } from '../shell/wrappers.ts';

export type CommandText = string | readonly string[];

export interface SimpleCommand {
  /** The program first. What is only known at run time stands as `$NAME`; a folder that is found out as `$HERE`. */
  readonly words: readonly string[];
  /** What it sets, and what the loops around it go through. */
  readonly variables: readonly (readonly [name: string, value: string])[];
  /** What its input is made of: files, and the arguments of commands that print into it. */
  readonly reads: readonly string[];
  /** Its output becomes words of another command. */
  readonly substituted: boolean;
  /** Another program starts it: `timeout`, `ssh`, `sh -c`. */
  readonly inner: boolean;
  /** Code of another language that it is given. */
  readonly code?: string;
}

export interface ShellReading {
  readonly commands: readonly SimpleCommand[];
  /** The functions that the text defines. */
  readonly functions: readonly string[];
}

/** Reads by the grammar; undefined when that would take too long. */
export type ShellReader = (command: CommandText) => Promise<ShellReading | undefined>;

/** Every command of `command`, also those that its wrappers, substitutions and here-documents run. Never throws. */
export function readShell(command: CommandText, parse: ParseShell): ShellReading {
  const unread: ShellNode[] = [];
  const noting: ParseShell = (text) => {
    const root = parse(text);
    unread.push(...unreadParts(root));
    return root;
  };
  const { commands, script } =
    typeof command === 'string'
      ? readCommands(command, noting)
      : { commands: readArgv(command, noting), script: { functions: [] } };
  const defaults = [command].flat().flatMap(defaultValues);
  return {
    commands: [
      ...(defaults.length > 0 ? [{ ...NOTHING, variables: defaults }] : []),
      ...withInput(commands).flatMap((command) => simple(command, noting)),
      // What the grammar cannot read may run whatever stands in it.
      ...unread.map(({ text }) => ({ ...NOTHING, words: ['…', ...rawWords(text), ...argumentsIn(text, parse)] })),
    ],
    functions: script.functions,
  };
}

const NOTHING: SimpleCommand = { words: [], variables: [], reads: [], substituted: false, inner: false };

/** `${NAME:-value}`, and the same with `=`. */
const defaultValues = (text: string): [string, string][] =>
  [...text.matchAll(/\$\{(\w+):?[-=]["']?([^{}"'\s]+)/g)].map(([, name, value]) => [name as string, value as string]);

type WithInput = RunCommand & { readonly reads: readonly string[]; readonly passed?: Command['document'] };

/** What a wrapper reads, the commands of the text that it runs read too. */
function withInput(commands: readonly RunCommand[]): WithInput[] {
  let outer: WithInput | undefined;
  return commands.map((command) => {
    const reads = inputWords(command);
    const inherits = command.via !== undefined && reads.length === 0 && command.document === undefined;
    if (command.via === undefined) outer = { ...command, reads };
    return inherits ? { ...command, reads: outer?.reads ?? [], passed: outer?.document } : { ...command, reads };
  });
}

const inputWords = ({ redirects, fedBy }: Command): string[] => [
  ...redirects.flatMap(({ operator, target }) => (operator === '<' && target ? [shownWord(target)] : [])),
  ...fedBy.flatMap(({ words }) => printedWords(words.map(shownWord))),
];

/** The words of a command that what it prints is made of; of `find` the files it finds, as patterns. */
export function printedWords([program = '', ...args]: readonly string[]): string[] {
  return program.split('/').at(-1) === 'find' ? foundBy(args) : args.filter((word) => !word.startsWith('-'));
}

/** The files that a `find` with these arguments finds, as patterns. */
export function foundBy(args: readonly string[]): string[] {
  const start = args.findIndex((word) => /^[-(!]/.test(word));
  const folders = args.slice(0, start === -1 ? undefined : start);
  const names = args.filter((_, i) => /^-i?name$/.test(args[i - 1] ?? ''));
  return (folders.length > 0 ? folders : ['.']).flatMap((folder) =>
    (names.length > 0 ? names : ['*']).map((name) => `${folder.replace(/\/$/, '')}/**/${name}`),
  );
}

/** Programs that write a text to a file or the screen, and do not run it. */
const WRITERS = /^(?:cat|tee|echo|printf)$/;

function simple(command: WithInput, parse: ParseShell): SimpleCommand[] {
  const { words, around, program, args, via, inline, reads, passed } = command;
  if (via !== undefined && WRITERS.test(via)) return [];
  const simpleCommand: SimpleCommand = {
    words: words.map(shownWord),
    variables: [
      ...assignmentsOf(command).flatMap(({ name, values }) => values.map((word) => [name, shownWord(word)] as const)),
      ...around.flatMap((frame) => ('guard' in frame ? loopValues(frame.guard, parse) : [])),
    ],
    reads,
    substituted: around.some(({ kind }) => kind === 'substitution' || kind === 'assigned'),
    inner: via !== undefined,
    ...(inline && isInterpreter(program) && { code: inline.text }),
  };
  // `ssh host 'bash -s' <<E`: the document belongs to ssh, and a shell at its other end reads it.
  const isFed = passed !== undefined && isShell(program) && args.every(({ text }) => /^-/.test(text));
  return isFed ? [simpleCommand, ...readShell(passed.text, parse).commands] : [simpleCommand];
}

function loopValues(guard: string, parse: ParseShell): [string, string][] {
  const [, name, list = ''] = /^(?:for|select)\s+(\w+)\s+in\s+(.*?);?$/s.exec(guard) ?? [];
  return name === undefined ? [] : argumentsIn(list, parse).map((word) => [name, word]);
}

/** The words that a text is as the arguments of a command. */
const argumentsIn = (text: string, parse: ParseShell): string[] =>
  (readCommands(`: ${text}`, parse).commands[0]?.args ?? []).map(shownWord);

/** A word with run-time parts as the judging set knows them: `{}` of find and xargs, templates, substitutions. */
function shownWord({ text, dynamic, raw }: Word): string {
  // `${NAME}_x` is not `$NAME_x`.
  if (dynamic && /^[\w./${}"-]*\$\{\w+\}"?\w[\w./${}"-]*$/.test(raw)) return raw.replaceAll('"', '');
  return text
    .replace(/^\$FOUND\/.*$/s, '{}')
    .replace(/\ue000+/g, '…')
    .replaceAll('$(…)', '$HERE');
}

const PLAIN_LINE = /^[ \t]*(?:#.*|[\w./:@%+,-][\w./:=@%+,-]*(?:[ \t]+[\w./:=@%+,-]+)*[ \t]*)?$/;
const NOT_PLAIN =
  /^(?:\w+\+?=.*|if|then|elif|else|fi|for|while|until|do|done|case|esac|select|function|time|in|coproc)$/;

/** A command of plain words only, one command a line: the same reading without the grammar; undefined when it is anything else. */
export function readPlain(command: CommandText): ShellReading | undefined {
  let isPlain = true;
  const reading = readShell(command, (text) => {
    const root = plainTree(text);
    isPlain &&= root !== undefined;
    return root ?? node('program', '', []);
  });
  return isPlain ? reading : undefined;
}

/** The tree that the grammar gives for such a text. */
function plainTree(text: string): ShellNode | undefined {
  const lines = text.split('\n');
  if (!lines.every((line) => PLAIN_LINE.test(line))) return undefined;
  const commands = lines
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => line.split(/[ \t]+/).map((word) => node('word', word, [])));
  if (commands.some(([first]) => NOT_PLAIN.test(first?.text ?? ''))) return undefined;
  const trees = commands.map(([first, ...rest]) =>
    node('command', '', [node('command_name', first?.text ?? '', first ? [first] : []), ...rest]),
  );
  return node('program', '', trees);
}

const node = (type: string, text: string, children: ShellNode[]): ShellNode => ({
  type,
  text,
  from: 0,
  line: 1,
  children,
});
