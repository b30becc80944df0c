// The commands that a command runs: behind sudo, xargs or ssh, inside `sh -c '…'`, eval, trap and here-documents, and in
// variables whose one value the script itself sets.
import { type Assignment, type Command, type Frame, readScript, type Script } from './commands.ts';
import type { ParseShell } from './node.ts';
import { hideTemplates } from './templates.ts';
import type { Word } from './words.ts';

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

/** Options of a wrapper that take a value in the next word. */
const WRAPPERS: Readonly<Record<string, RegExp>> = {
  sudo: /^(?:-[ugUCpRDThr]|--(?:user|group|chdir|host|prompt|role|type))$/,
  doas: /^-[uC]$/,
  env: /^(?:-[uCS]|--(?:unset|chdir|split-string))$/,
  command: /^$/,
  builtin: /^$/,
  exec: /^-a$/,
  nohup: /^$/,
  setsid: /^$/,
  time: /^-[fo]$/,
  nice: /^(?:-n|--adjustment)$/,
  ionice: /^-[cnpPu]$/,
  chrt: /^$/,
  taskset: /^$/,
  stdbuf: /^-[ioe]$/,
  timeout: /^(?:-[ks]|--(?:kill-after|signal))$/,
  xargs: /^(?:-[IinPdLsaE]|--(?:replace|max-args|max-procs|delimiter|max-lines|arg-file))$/,
  parallel: /^(?:-[jNSI]|--(?:jobs|sshlogin|delay|retries))$/,
  chroot: /^$/,
  nsenter: /^(?:-[tSG]|--(?:target))$/,
  unshare: /^$/,
  busybox: /^$/,
  toybox: /^$/,
  strace: /^-[eopsu]$/,
  ltrace: /^-[eopsu]$/,
  watch: /^(?:-n|--interval)$/,
  flock: /^(?:-[wE]|--(?:wait|timeout))$/,
  'systemd-run': /^(?:-[puEHM]|--(?:unit|property|uid|gid|setenv|slice|on-calendar|on-active))$/,
  'systemd-inhibit': /^$/,
  runuser: /^(?:-[ugcs]|--(?:user|group))$/,
  su: /^(?:-[gGcs]|--(?:command|group|shell))$/,
  ssh: /^-[bcDEeFIiJLlmOopQRSWw]$/,
  script: /^-[cEIOT]$/,
  entr: /^$/,
  dotenv: /^-[fe]$/,
  'dumb-init': /^$/,
  tini: /^$/,
  catchsegv: /^$/,
  sg: /^$/,
  proxychains: /^-f$/,
  firejail: /^$/,
  faketime: /^$/,
  retry: /^(?:-[dtu]|--(?:delay|times|until))$/,
};
/** Words of a wrapper before the command: a duration, a folder, a host. */
const BEFORE: Readonly<Record<string, number>> = {
  timeout: 1,
  chroot: 1,
  ssh: 1,
  flock: 1,
  taskset: 1,
  chrt: 1,
  faketime: 1,
  sg: 1,
};
const SHELLS = /^(?:ba|z|da|k|a|mk|fi)?sh$/;
const INTERPRETERS = /^(?:python[\d.]*|perl[\d.]*|ruby|node|nodejs|php|deno|bun|lua|pwsh|osascript|tclsh|Rscript)$/;
const SQL = /^(?:psql|mysql|mariadb|sqlite3|mongo|mongosh|clickhouse-client|influx|redis-cli|cockroach|duckdb|cqlsh)$/;
const AWK = /^(?:[gmn]?awk|sed|jq|yq)$/;
const IN_CONTAINER = /^(?:docker|podman|nerdctl|kubectl|k|oc|crictl|lxc|incus|pct|machinectl|ctr)$/;
const MAX_DEPTH = 5;
const MAX_COMMANDS = 5_000;

export const isShell = (program: string): boolean => SHELLS.test(program);
export const isInterpreter = (program: string): boolean => SHELLS.test(program) || INTERPRETERS.test(program);

/** Every command of the text, and those that they run in turn. `hidden`: templates are already one word each. */
export function readCommands(text: string, parse: ParseShell): { commands: RunCommand[]; script: Script } {
  const script = readScript(parse(hideTemplates(text)));
  return { commands: unwrapAll(script, parse, [], 0), script };
}

/** The one command that a list of words is. */
export function readArgv(words: readonly string[], parse: ParseShell, line = 1): RunCommand[] {
  const made = words.map((text): Word => ({ text, dynamic: /\{\{/.test(text), quoted: true, from: 0 }));
  const command: Command = { words: made, assignments: [], redirects: [], around: [], fedBy: [], line, from: 0 };
  return unwrapAll({ commands: [command], functions: [] }, parse, [], 0);
}

function unwrapAll(script: Script, parse: ParseShell, around: readonly Frame[], depth: number): RunCommand[] {
  const values = singleValues(script.commands);
  const all: RunCommand[] = [];
  for (const command of script.commands) {
    const framed = around.length > 0 ? { ...command, around: [...around, ...command.around] } : command;
    all.push(...unwrap({ ...framed, words: withValues(command.words, values) }, parse, depth));
    if (all.length > MAX_COMMANDS) break;
  }
  return all;
}

type Values = ReadonlyMap<string, readonly Word[]>;

/** Variables that get one value, once, and that value is plain. */
function singleValues(commands: readonly Command[]): Values {
  const values = new Map<string, readonly Word[]>();
  const often = new Set<string>();
  for (const { name, values: given, append } of commands.flatMap(assignmentsOf)) {
    if (values.has(name) || append) often.add(name);
    values.set(name, given);
  }
  // Of a command in a variable only the program has to be plain.
  const isPlain = (given: readonly Word[]) => /^[^$\s]+(?:\s|$)/.test(given[0]?.text ?? '$');
  return new Map([...values].filter(([name, given]) => !often.has(name) && isPlain(given)));
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

/** The program's word, when it is a variable with one value, becomes the words that the shell would make of it. */
function withValues(words: readonly Word[], values: Values): readonly Word[] {
  const [first, ...rest] = words;
  const name = first?.dynamic ? ALONE.exec(first.text)?.[1] : undefined;
  const given = name === undefined ? undefined : values.get(name);
  if (!first || !given || given.length === 0) return words;
  const made = given.flatMap((word) =>
    word.quoted && given.length > 1
      ? [word]
      : word.text
          .trim()
          .split(/\s+/)
          .map((text) => ({ ...word, text })),
  );
  return [...made.map((word) => ({ ...word, from: first.from })), ...rest];
}

const nameOf = (word: Word | undefined): string => (word === undefined ? '' : (word.text.split('/').at(-1) as string));

function unwrap(command: Command, parse: ParseShell, depth: number, via?: string): RunCommand[] {
  const [first, ...args] = command.words;
  const program = first?.dynamic && /\$/.test(first.text) ? first.text : nameOf(first);
  const self: RunCommand = { ...command, program, args, ...(via !== undefined && { via }) };
  if (depth >= MAX_DEPTH) return [self];
  const inside = (words: readonly Word[]): RunCommand[] =>
    words.length === 0
      ? []
      : unwrap({ ...command, words, assignments: [], redirects: command.redirects }, parse, depth + 1, program);
  const text = (word: Word | undefined): RunCommand[] => fromText(word, command, parse, depth, program);
  const reads = documents(command);
  if (SHELLS.test(program)) {
    const flag = args.findIndex(({ text }) => /^-[a-z]*c[a-z]*$/.test(text));
    if (flag !== -1) return [self, ...text(args[flag + 1])];
    const hasScript = args.some(({ text }) => !text.startsWith('-') && !text.startsWith('+'));
    return hasScript && !args.some(({ text }) => text === '-s') ? [self] : [self, ...reads.flatMap(text)];
  }
  if (program === 'eval') return [self, ...text(joined(args))];
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
    if (runsText && wrapped.length > 0) return [self, ...text(joined(wrapped))];
    if (program === 'ssh') return [self, ...reads.flatMap(text)];
    const split =
      program === 'env' ? args[args.findIndex(({ text }) => /^(?:-S|--split-string)$/.test(text)) + 1] : undefined;
    if (program === 'env' && args.some(({ text }) => /^(?:-S|--split-string)$/.test(text)))
      return [self, ...text(split)];
    return [self, ...inside(wrapped.slice(wrapped.findIndex(({ text }) => !/^\w+=/.test(text) || program !== 'env')))];
  }
  if (IN_CONTAINER.test(program)) return [self, ...inside(containerWords(program, args))];
  return [withInline(self, reads)];
}

/** The words of the command inside a wrapper; undefined when `program` is none. */
function innerWords(program: string, args: readonly Word[]): readonly Word[] | undefined {
  const values = Object.hasOwn(WRAPPERS, program) ? (WRAPPERS[program] as RegExp) : undefined;
  if (!values) return undefined;
  // `command -v x` only asks.
  if (program === 'command' && args.some(({ text }) => /^-[vV]+$/.test(text))) return [];
  let at = 0;
  while (at < args.length) {
    const { text } = args[at] as Word;
    if (text === '--') {
      at++;
      break;
    }
    if (program === 'env' && /^\w+=/.test(text)) at++;
    else if (!text.startsWith('-') || text === '-') {
      if (text !== '-' || (program !== 'su' && program !== 'env')) break;
      at++;
    } else at += values.test(text) ? 2 : 1;
  }
  const before = program === 'su' || program === 'runuser' ? 1 : (BEFORE[program] ?? 0);
  return args.slice(at + before);
}

/** `find … -exec cmd ;` */
function findActions(args: readonly Word[]): (readonly Word[])[] {
  return args.flatMap(({ text }, i) => {
    if (!/^-(?:exec|execdir|ok|okdir)$/.test(text)) return [];
    const end = args.findIndex((word, j) => j > i && /^(?:;|\+)$/.test(word.text));
    return [args.slice(i + 1, end === -1 ? undefined : end)];
  });
}

const RUN_VALUES =
  /^(?:-[evpwuhnlmtcf]|--(?:env|volume|publish|workdir|user|name|network|hostname|label|mount|entrypoint|memory|cpus|restart|env-file|add-host|device|pull|platform|namespace|container|context|kubeconfig|image|overrides|cap-add|security-opt|tmpfs))$/;

/** What `docker run IMAGE cmd`, `kubectl exec x -- cmd` and their like start. */
function containerWords(program: string, args: readonly Word[]): readonly Word[] {
  const verb = args.findIndex(({ text }) => /^(?:exec|run|debug|enter|shell)$/.test(text));
  if (verb === -1) return [];
  const dashes = args.findIndex(({ text }, i) => i > verb && text === '--');
  if (dashes !== -1) return args.slice(dashes + 1);
  if (/^(?:kubectl|k|oc)$/.test(program)) return [];
  let at = verb + 1;
  while (at < args.length && (args[at] as Word).text.startsWith('-'))
    at += RUN_VALUES.test((args[at] as Word).text) ? 2 : 1;
  return args.slice(at + 1);
}

const joined = (words: readonly Word[]): Word | undefined =>
  words.length === 0
    ? undefined
    : {
        text: words.map(({ text }) => text).join(' '),
        dynamic: words.some(({ dynamic }) => dynamic),
        quoted: true,
        from: (words[0] as Word).from,
      };

/** What a command reads that is written in the script: a here-document, or what echo prints into it. */
function documents({ document, fedBy, from }: Command): Word[] {
  const own = document === undefined ? [] : [{ text: document, dynamic: false, quoted: true, from }];
  const feeder = fedBy[0];
  const [program = '', ...words] = feeder?.words ?? [];
  const isSpoken = typeof program !== 'string' && /^(?:echo|printf)$/.test(program.text);
  const said = isSpoken ? joined(words.filter(({ text }) => !/^-[neE]+$/.test(text))) : undefined;
  const poured = feeder && nameOf(feeder.words[0]) === 'cat' && feeder.document !== undefined;
  return [
    ...own,
    ...(said ? [{ ...said, text: said.text.replace(/\\n/g, '\n') }] : []),
    ...(poured ? [{ text: feeder.document as string, dynamic: false, quoted: true, from }] : []),
  ];
}

function fromText(
  word: Word | undefined,
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
  const script = readScript(parse(hideTemplates(word.text)));
  const frames: Frame[] = [...command.around, { kind: 'argument' }];
  return unwrapAll(script, parse, frames, depth + 1).map((inner) => ({
    ...inner,
    line: command.line,
    via: inner.via ?? via,
  }));
}

function withInline(command: RunCommand, reads: readonly Word[]): RunCommand {
  const { program, args } = command;
  const after = (pattern: RegExp) => {
    const at = args.findIndex(({ text }) => pattern.test(text));
    return at === -1 ? undefined : args[at + 1]?.text;
  };
  const read = reads.map(({ text }) => text).join('\n');
  let text: string | undefined;
  if (INTERPRETERS.test(program))
    text = after(/^(?:-[a-zA-Z]*[ceErR]|--eval|--print|-Command)$/) ?? (read === '' ? undefined : read);
  else if (SQL.test(program)) text = [...args.map(({ text }) => text), read].join(' ');
  else if (AWK.test(program)) text = args.map(({ text }) => text).join(' ');
  return text === undefined ? command : { ...command, inline: { program, text } };
}
