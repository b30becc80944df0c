// The commands that a command runs: behind sudo, xargs or ssh, inside `sh -c '…'`, eval, trap and here-documents, and in
// variables whose one value the script itself sets.
import type { Assignment, Command, Frame, Script } from './command.ts';
import { readScript } from './commands.ts';
import { documents, hiddenTexts, joined, textWord, writtenScripts } from './documents.ts';
import type { ParseShell, ShellNode } from './node.ts';
import { readable } from './templates.ts';
import type { Word } from './words.ts';
import { containerWords, findActions, INTERPRETERS, innerWords, nameOf, optionTexts, SHELLS } from './wrappers.ts';

/** Code of another language in an argument: `python -c`, `awk`, SQL. */
export interface Inline {
  readonly program: string;
  readonly text: string;
}

export interface RunCommand extends Command {
  /** Its program without folders; `''` for assignments and redirections alone, `$…` when only known at run time. */
  readonly program: string;
  readonly args: readonly Word[];
  readonly inline?: Inline;
  /** The program that runs it, when it is not the shell itself. */
  readonly via?: string;
}

export const SQL =
  /^(?:psql|mysql|mariadb|sqlite3|mongo|mongosh|clickhouse-client|influx|redis-cli|cockroach|duckdb|cqlsh)$/;
const AWK = /^(?:[gmn]?awk|sed|jq|yq)$/;
const IN_CONTAINER = /^(?:docker|podman|nerdctl|kubectl|k|oc|crictl|lxc|incus|pct|machinectl|ctr)$/;
const MAX_DEPTH = 5;
const MAX_COMMANDS = 5_000;

/** Every command of the text, and those that they run in turn. `isPlain`: there are no templates in it. */
export function readCommands(
  text: string,
  parse: ParseShell,
  isPlain = false,
): { commands: RunCommand[]; script: Script; root: ShellNode } {
  const root = parse(readable(text, isPlain));
  const script = readScript(root);
  return { commands: unwrapAll(script, parse, [], 0), script, root };
}

/** Everything that a script's variables may hold, as far as it is written down. */
export function valuesIn({ commands, loops }: Script): Map<string, string[]> {
  const values = new Map<string, string[]>();
  const add = (name: string, texts: readonly string[]) => values.set(name, [...(values.get(name) ?? []), ...texts]);
  const all = commands.flatMap(assignmentsOf);
  for (const { name, values: given, append } of [...all, ...loops.map((loop) => ({ ...loop, append: false }))]) {
    const before = append ? (values.get(name)?.at(-1) ?? '') : '';
    const texts = given.map(({ text }) => text);
    // Which of the two `+=` makes, a longer text or a longer list, its words do not tell.
    const isJoined = before !== '' && before.length < MAX_JOINED;
    add(name, isJoined ? [...texts, ...texts.slice(0, 1).map((text) => before + text)] : texts);
  }
  const written = commands.flatMap(({ words, redirects }) => [
    ...words,
    ...redirects.flatMap(({ target = [] }) => target),
  ]);
  for (const { raw } of [...written, ...all.flatMap(({ values }) => values)])
    for (const [, name = '', text = ''] of raw.matchAll(DEFAULT)) add(name, [text]);
  return values;
}

/** Nobody puts a longer word together, but for keeping readers busy. */
const MAX_JOINED = 200;

/** `${NAME:-text}` */
const DEFAULT = /\$\{(\w+):?[-=]([^${}]+)\}/g;

/** The one command that a list of words is. */
export function readArgv(words: readonly string[], parse: ParseShell, line = 1): RunCommand[] {
  const made = words.map((text): Word => ({ text, dynamic: /\{\{/.test(text), quoted: true, raw: text, from: 0 }));
  const command: Command = { words: made, assignments: [], redirects: [], around: [], fedBy: [], line, from: 0 };
  return unwrapAll({ commands: [command], functions: [], loops: [] }, parse, [], 0);
}

function unwrapAll(script: Script, parse: ParseShell, around: readonly Frame[], depth: number): RunCommand[] {
  const values = singleValues(script);
  const scope = { parse, passing: passingFunctions(script) };
  const all: RunCommand[] = [];
  for (const command of script.commands) {
    const framed = around.length > 0 ? { ...command, around: [...around, ...command.around] } : command;
    all.push(...unwrap({ ...framed, ...withValues(command, values) }, scope, depth));
    if (all.length > MAX_COMMANDS) return [...all, { ...command, program: '$(…)', args: [] }];
  }
  if (depth >= MAX_DEPTH) return all;
  const written = writtenScripts(script.commands.map((command) => ({ ...command, ...withValues(command, values) })));
  return [
    ...all,
    ...written.flatMap(({ text, command }) => fromText(text, command, parse, depth, nameOf(command.words[0]))),
  ];
}

interface Scope {
  readonly parse: ParseShell;
  /** Functions that hand on what they are given, with the commands that get it. */
  readonly passing: ReadonlyMap<string, readonly Command[]>;
}

/** All arguments of a function, or those from one on. */
const PASSED = /^"?\$(?:[@*]|\{[@*](?::(\d+))?\})"?$/;
const isPassed = ({ raw }: Word): boolean => PASSED.test(raw);
const MAX_PASSING = 5;

function passingFunctions({ commands }: Script): Map<string, Command[]> {
  const passing = new Map<string, Command[]>();
  for (const command of commands.filter(({ words }) => runsArguments(words) || words.some(isPassed)))
    for (const frame of command.around) {
      if (frame.kind !== 'function') continue;
      const others = passing.get(frame.name) ?? [];
      if (others.length < MAX_PASSING) passing.set(frame.name, [...others, command]);
    }
  return passing;
}

/** What a function is given is the command itself. */
const runsArguments = ([first, second]: readonly Word[]): boolean =>
  first !== undefined &&
  (isPassed(first) || first.text === '$1' || (first.text === 'eval' && /\$[@*1]/.test(second?.text ?? '')));

/** A command of a function as one call of it makes it. */
function handedOn(call: Command, args: readonly Word[], { words, document }: Command): Command {
  // Durations and counts before a command are the function's own.
  const start = args.findIndex(({ text }) => !/^-|^\d+[smh]?$/.test(text));
  const filled = runsArguments(words)
    ? args.slice(start)
    : words.flatMap((word) => (isPassed(word) ? args.slice(Number(PASSED.exec(word.raw)?.[1] ?? 1) - 1) : [word]));
  const given = call.document ?? document;
  return { ...call, words: filled, assignments: [], ...(given && { document: given }) };
}

type Values = ReadonlyMap<string, readonly Word[]>;

/** Variables that get one value, once, and that value is plain. */
function singleValues({ commands, loops }: Script): Values {
  const values = new Map<string, readonly Word[]>();
  const often = new Set<string>(loops.map(({ name }) => name));
  for (const { name, values: given, append } of commands.flatMap(assignmentsOf)) {
    if (values.has(name) || append) often.add(name);
    values.set(name, given);
  }
  // Of a command in a variable only the program has to be plain.
  const isPlain = (given: readonly Word[]) => /^(?:[^$\s]+(?:\s|$)|\$[A-Z_]+(?:\/\S*)?$)/.test(given[0]?.text ?? '$(');
  const once = new Map([...values].filter(([name, given]) => !often.has(name) && isPlain(given)));
  // One may be made of another.
  const filled = new Map([...once].map(([name, given]) => [name, given.map((word) => filledIn(word, once))]));
  const separator = values.get('IFS')?.[0]?.text ?? '';
  if (/^[:,;|/]$/.test(separator))
    for (const [name, [first, ...rest]] of filled)
      if (first && rest.length === 0) filled.set(name, [{ ...first, text: first.text.replaceAll(separator, ' ') }]);
  return filled;
}

/** Also those of export, local and declare. */
export function assignmentsOf({ words, assignments }: Command): readonly Assignment[] {
  if (!/^(?:export|local|declare|readonly|typeset)$/.test(words[0]?.text ?? '')) return assignments;
  return words.slice(1).flatMap((word) => {
    const [, name, value] = /^(\w+)=(.*)$/s.exec(word.text) ?? [];
    return name === undefined ? [] : [{ name, values: [{ ...word, text: value as string }], append: false }];
  });
}

const ALONE = /^\$(\w+)$/;
/** `$A`, `${A}` and `"${A[@]}"` may be several words. */
const SEVERAL = /^(?:\$(\w+)|\$\{(\w+)\}|"?\$\{(\w+)\[@\]\}"?)$/;

/** Words with the values of variables that have but one; the program's own value is parted as the shell would. */
function withValues({ words, redirects }: Command, values: Values): Pick<Command, 'words' | 'redirects'> {
  if (values.size === 0) return { words, redirects };
  const [first, ...rest] = words;
  const given = first?.dynamic ? values.get(ALONE.exec(first.text)?.[1] ?? '') : undefined;
  const program = !first ? [] : given && given.length > 0 ? parted(given, first) : [filledIn(first, values)];
  return {
    words: [
      ...program,
      ...rest.flatMap((word) => {
        const [, plain, braced, array] = SEVERAL.exec(word.raw) ?? [];
        const all = values.get(plain ?? braced ?? array ?? '') ?? [];
        const isMany = all.length > 1 || /\s/.test(all[0]?.text.trim() ?? '');
        return isMany ? parted(all, word) : [filledIn(word, values)];
      }),
    ],
    redirects: redirects.map((one) => (one.target ? { ...one, target: filledIn(one.target, values) } : one)),
  };
}

const parted = (given: readonly Word[], { from }: Word): Word[] =>
  given.flatMap((word) =>
    given.length > 1
      ? [{ ...word, from }]
      : word.text
          .trim()
          .split(/\s+/)
          .map((text) => ({ ...word, text, from })),
  );

function filledIn(word: Word, values: Values): Word {
  if (!word.dynamic) return word;
  const text = word.text.replace(/\$(?:\{(\w+)\}|(\w+))/g, (whole, braced, plain) => {
    const name = braced ?? plain;
    const given = values.get(name);
    return given?.length === 1 && !/\s|\$\(/.test(given[0]?.text ?? ' ') ? (given[0]?.text ?? whole) : whole;
  });
  return text === word.text ? word : { ...word, text, dynamic: text.includes('$') };
}

/** The command itself, what it runs, and what its variables tell it to run. */
function unwrap(command: Command, scope: Scope, depth: number, via?: string): RunCommand[] {
  const settings = command.assignments.filter(({ name }) => RUNS_SETTING.test(name)).flatMap(({ values }) => values);
  const ran = settings.flatMap((word) => (depth < MAX_DEPTH ? fromText(word, command, scope.parse, depth, 'env') : []));
  const hidden = via === undefined && depth < MAX_DEPTH ? hiddenTexts(command) : [];
  return [
    ...unwrapWords(command, scope, depth, via),
    ...ran,
    ...hidden.flatMap((word) => fromText(word, command, scope.parse, depth, 'expansion')),
  ];
}

function unwrapWords(command: Command, scope: Scope, depth: number, via?: string): RunCommand[] {
  const [first, ...args] = command.words;
  // By custom these hold the program of their name; any other part that is only known at run time makes the whole so.
  const custom = /^\$(SUDO|KUBECTL|HELM|FLUX|TALOSCTL|PYTHON3?|MAKE|DOCKER|TERRAFORM|GIT)$/.exec(
    first?.text ?? '',
  )?.[1];
  const program = custom
    ? custom.toLowerCase()
    : first?.dynamic && /\$/.test(nameOf(first))
      ? `$${first.text}`.replace(/^\$\$/, '$')
      : nameOf(first);
  const self: RunCommand = { ...command, program, args, ...(via !== undefined && { via }) };
  // What is hidden deeper than anybody would write is not looked into, and not let through.
  if (depth >= MAX_DEPTH) return [self, { ...self, program: '$(…)', args: [] }];
  const inside = (words: readonly Word[]): RunCommand[] =>
    words.length === 0
      ? []
      : unwrap({ ...command, words, assignments: [], redirects: command.redirects }, scope, depth + 1, program);
  const text = (word: Word | undefined): RunCommand[] => fromText(word, command, scope.parse, depth, program);
  const reads = documents(command);
  if (SHELLS.test(program)) {
    const flag = args.findIndex(({ text }) => /^-[a-z]*c[a-z]*$/.test(text));
    if (flag !== -1) return [self, ...text(args[flag + 1])];
    const hasScript = args.some(({ text }) => !text.startsWith('-') && !text.startsWith('+'));
    return hasScript && !args.some(({ text }) => text === '-s') ? [self] : [self, ...reads.flatMap(text)];
  }
  if (program === 'parallel' && args.every(({ text }) => text.startsWith('-'))) return [self, ...reads.flatMap(text)];
  if (program === 'eval') return [self, ...text(joined(args))];
  const isStdin = args.some(({ text }) => /^(?:-|\/dev\/(?:stdin|fd\/0))$/.test(text));
  if (isStdin && /^(?:source|\.|g?make)$/.test(program)) return [self, ...reads.flatMap(text)];
  if (program === 'trap') return /^(?:-|)$/.test(args[0]?.text ?? '') ? [self] : [self, ...text(args[0])];
  if (program === 'find') return [self, ...findActions(args).flatMap(inside)];
  if (program === 'ansible') return [self, ...text(args[args.findIndex(({ text }) => text === '-a') + 1])];
  if (program === 'git' && args.some(({ text }) => text === '--exec'))
    return [self, ...text(args[args.findIndex((word) => word.text === '--exec') + 1])];
  const wrapped = innerWords(program, args);
  if (wrapped) {
    const runsText = /^(?:ssh|su|runuser|watch|script|flock|parallel)$/.test(program);
    const flag = args.findIndex(({ text }) => /^(?:-[a-z]*c|--command)$/.test(text));
    if (runsText && flag !== -1 && program !== 'ssh') return [self, ...text(args[flag + 1])];
    const fed =
      program === 'ssh' && (wrapped.length === 0 || SHELLS.test(nameOf(wrapped[0]))) ? reads.flatMap(text) : [];
    const options = program === 'ssh' ? optionTexts(program, args).flatMap(text) : [];
    if (runsText) return [self, ...options, ...(wrapped.length > 0 ? text(joined(wrapped)) : []), ...fed];
    const split =
      program === 'env' ? args[args.findIndex(({ text }) => /^(?:-S|--split-string)$/.test(text)) + 1] : undefined;
    const joinedText = program === 'env' ? args.find(({ text }) => /^-S./.test(text)) : undefined;
    if (joinedText) return [self, ...text({ ...joinedText, text: joinedText.text.slice(2) })];
    if (program === 'env' && args.some(({ text }) => /^(?:-S|--split-string)$/.test(text)))
      return [self, ...text(split)];
    return [self, ...inside(wrapped.slice(wrapped.findIndex(({ text }) => !/^\w+=/.test(text) || program !== 'env')))];
  }
  if (/^(?:k3s|rke2|microk8s|minikube|k0s)$/.test(program) && args[0]?.text === 'kubectl')
    return [self, ...inside(args)];
  if (IN_CONTAINER.test(program)) return [self, ...inside(containerWords(program, args))];
  const passing = scope.passing.get(program);
  if (passing) {
    const calls = passing.map((inner) => handedOn(command, args, inner));
    return [self, ...calls.flatMap((call) => (call.words.length === 0 ? [] : unwrap(call, scope, depth + 1, program)))];
  }
  const whole = withInline(self, reads);
  const run = SQL.test(program)
    ? programsOfSql(whole.inline?.text ?? '').map((one) => textWord(one, command.from))
    : [];
  return [whole, ...[...optionTexts(program, args), ...run].flatMap(text)];
}

/** Commands that SQL and psql's own words give to a shell: `\! cmd`, `\o |cmd`, `COPY … TO PROGRAM 'cmd'`. */
export const programsOfSql = (text: string): string[] =>
  [
    ...text.matchAll(/\\!\s*(.+)|\\(?:o|g|w|out|write)\s*\|\s*(.+)|\bprogram\s+(?:'((?:[^']|'')*)'|\$\$(.*?)\$\$)/gi),
  ].map(
    ([, escaped, piped, quoted, dollars]) => escaped ?? piped ?? dollars ?? (quoted as string).replaceAll("''", "'"),
  );

/** Variables whose value the program that reads them runs. */
const RUNS_SETTING = /(?:PAGER|EDITOR|VISUAL|ASKPASS|BROWSER|LESSOPEN|LESSCLOSE|_RSH|_COMMAND|EXTERNAL_DIFF)$/;

function fromText(
  word: (Word & { head?: string }) | undefined,
  command: Command,
  parse: ParseShell,
  depth: number,
  via: string,
): RunCommand[] {
  if (word === undefined || word.text.trim() === '') return [];
  // A text that is only known at run time is a program that is.
  if (word.dynamic && /^\$(?:\w+|\(…\)|[@*])$/.test(word.text.trim())) {
    return [{ ...command, words: [word], program: word.text.trim(), args: [], assignments: [], redirects: [], via }];
  }
  const script = readScript(parse(readable(word.text)));
  const defined = script.functions.map((name) => functionMark(name, command, via));
  const words = command.words.map(({ raw }) => raw).join(' ');
  const frame: Frame =
    word.head === undefined ? { kind: 'argument' } : { kind: 'here-document', guard: `${words} ${word.head}` };
  const frames: Frame[] = [...command.around, frame];
  const inner = unwrapAll(script, parse, frames, depth + 1).map((one) => ({
    ...one,
    line: command.line + one.line - 1,
    via: one.via ?? via,
  }));
  return [...defined, ...inner];
}

/** A function that a text defines, as a command of that name. */
const functionMark = (name: string, command: Command, via: string): RunCommand => ({
  ...command,
  words: ['function', name].map((text) => textWord(text, command.from)),
  program: 'function',
  args: [textWord(name, command.from)],
  assignments: [],
  redirects: [],
  via,
});

function withInline(command: RunCommand, reads: readonly Word[]): RunCommand {
  const { program, args } = command;
  const after = (pattern: RegExp) => {
    const at = args.findIndex(({ text }) => pattern.test(text));
    const joined = args.find(({ text }) => /^--(?:eval|print)=/.test(text))?.text.replace(/^[^=]*=/, '');
    return at === -1 ? joined : args[at + 1]?.text;
  };
  const read = reads.map(({ text }) => text).join('\n');
  let text: string | undefined;
  if (INTERPRETERS.test(program))
    text = after(/^(?:-[a-zA-Z]*[ceEnprR][a-zA-Z]?|--eval|--print|-Command)$/) ?? (read === '' ? undefined : read);
  else if (SQL.test(program)) text = [...args.map(({ text }) => text), read].join(' ');
  else if (AWK.test(program)) text = args.map(({ text }) => text).join(' ');
  return text === undefined ? command : { ...command, inline: { program, text } };
}
