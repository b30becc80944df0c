// The commands that a command runs: behind sudo, xargs or ssh, inside `sh -c '…'`, eval, trap and here-documents, and in
// variables whose one value the script itself sets.
import { type Assignment, type Command, type Frame, readScript, type Script } from './commands.ts';
import type { ParseShell } from './node.ts';
import { readable } from './templates.ts';
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
  coproc: /^$/,
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
const SHELLS = /^(?:(?:ba|z|da|k|a|mk|fi)?sh|\$(?:SHELL|BASH))$/;
const INTERPRETERS = /^(?:python[\d.]*|perl[\d.]*|ruby|node|nodejs|php|deno|bun|lua|pwsh|osascript|tclsh|Rscript)$/;
const SQL = /^(?:psql|mysql|mariadb|sqlite3|mongo|mongosh|clickhouse-client|influx|redis-cli|cockroach|duckdb|cqlsh)$/;
const AWK = /^(?:[gmn]?awk|sed|jq|yq)$/;
const IN_CONTAINER = /^(?:docker|podman|nerdctl|kubectl|k|oc|crictl|lxc|incus|pct|machinectl|ctr)$/;
const MAX_DEPTH = 5;
const MAX_COMMANDS = 5_000;

export const isShell = (program: string): boolean => SHELLS.test(program);
export const isInterpreter = (program: string): boolean => SHELLS.test(program) || INTERPRETERS.test(program);

/** Every command of the text, and those that they run in turn. `isPlain`: there are no templates in it. */
export function readCommands(
  text: string,
  parse: ParseShell,
  isPlain = false,
): { commands: RunCommand[]; script: Script } {
  const script = readScript(parse(readable(text, isPlain)));
  return { commands: unwrapAll(script, parse, [], 0), script };
}

/** The one command that a list of words is. */
export function readArgv(words: readonly string[], parse: ParseShell, line = 1): RunCommand[] {
  const made = words.map((text): Word => ({ text, dynamic: /\{\{/.test(text), quoted: true, raw: text, from: 0 }));
  const command: Command = { words: made, assignments: [], redirects: [], around: [], fedBy: [], line, from: 0 };
  return unwrapAll({ commands: [command], functions: [] }, parse, [], 0);
}

function unwrapAll(script: Script, parse: ParseShell, around: readonly Frame[], depth: number): RunCommand[] {
  const values = singleValues(script.commands);
  const scope = { parse, passing: passingFunctions(script) };
  const all: RunCommand[] = [];
  for (const command of script.commands) {
    const framed = around.length > 0 ? { ...command, around: [...around, ...command.around] } : command;
    all.push(...unwrap({ ...framed, ...withValues(command, values) }, scope, depth));
    if (all.length > MAX_COMMANDS) return [...all, { ...command, program: '$(…)', args: [] }];
  }
  return all;
}

interface Scope {
  readonly parse: ParseShell;
  /** Functions that run what they are given. */
  readonly passing: ReadonlySet<string>;
}

const passingFunctions = ({ commands }: Script): Set<string> =>
  new Set(
    commands.flatMap(({ words, around }) =>
      /^\$[@*1]$/.test(words[0]?.text ?? '') || (words[0]?.text === 'eval' && /\$[@*1]/.test(words[1]?.text ?? ''))
        ? around.flatMap((frame) => (frame.kind === 'function' ? [frame.name] : []))
        : [],
    ),
  );

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

/** Words with the values of variables that have but one; the program's own value is parted as the shell would. */
function withValues({ words, redirects }: Command, values: Values): Pick<Command, 'words' | 'redirects'> {
  if (values.size === 0) return { words, redirects };
  const [first, ...rest] = words;
  const given = first?.dynamic ? values.get(ALONE.exec(first.text)?.[1] ?? '') : undefined;
  const program = !first ? [] : given && given.length > 0 ? parted(given, first) : [filledIn(first, values)];
  return {
    words: [...program, ...rest.map((word) => filledIn(word, values))],
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
    return given?.length === 1 && !given[0]?.dynamic && !/\s/.test(given[0]?.text ?? ' ')
      ? (given[0]?.text ?? whole)
      : whole;
  });
  return text === word.text ? word : { ...word, text, dynamic: text.includes('$') };
}

const nameOf = (word: Word | undefined): string => (word === undefined ? '' : (word.text.split('/').at(-1) as string));

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

const SUBSTITUTED = /\$\(((?:[^()]|\([^()]*\))*)\)|`((?:[^`\\]|\\.)*)`/g;

/** Substitutions inside texts that bash may expand later: in arithmetic, prompts and here-documents. */
function hiddenTexts({ words, assignments, document, from }: Command): Word[] {
  const quoted = [...words, ...assignments.flatMap(({ values }) => values)].filter(
    ({ raw, text }) => /^'|^\$'/.test(raw) && /\$\(|`/.test(text),
  );
  const isSpoken = /^(?:echo|printf|awk|gawk|sed|jq|perl|python[\d.]*|ruby|node|ssh|sh|bash|trap|grep)$/.test(
    nameOf(words[0]),
  );
  const texts = isSpoken ? [] : quoted.map(({ text }) => text);
  const isExpanded = document !== undefined && !/['"\\]/.test(document.head) && document.text.includes('`');
  return [...texts, ...(isExpanded ? [document.text] : [])].flatMap((text) =>
    [...text.matchAll(SUBSTITUTED)].map(([, dollar, back]) =>
      textWord((dollar ?? back ?? '').replace(/\\`/g, '`'), from),
    ),
  );
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
  if (scope.passing.has(program))
    return [self, ...inside(args.slice(args.findIndex(({ text }) => !/^-|^\d+[smh]?$/.test(text))))];
  const written = writtenScript(command);
  const texts = [...optionTexts(program, args), ...(written ? [written] : [])];
  return [withInline(self, reads), ...texts.flatMap(text)];
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
    // What it finds is what its names say.
    const name = args[args.findIndex((word) => /^-i?name$|^-path$/.test(word.text)) + 1];
    const found = args.slice(i + 1, end === -1 ? undefined : end);
    return [
      found.map((word) =>
        word.text === '{}' && name ? { ...name, text: `$FOUND/${name.text}`, dynamic: true } : word,
      ),
    ];
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
        raw: words.map(({ raw }) => raw).join(' '),
        from: (words[0] as Word).from,
      };

/** What a command reads that is written in the script: a here-document, or what echo prints into it. */
function documents({ document, fedBy, from }: Command): Document[] {
  const own = document === undefined ? [] : [{ ...textWord(document.text, from), head: document.head }];
  const [feeder] = fedBy;
  const said = feeder && spokenText(feeder);
  const poured = feeder && nameOf(feeder.words[0]) === 'cat' ? feeder.document : undefined;
  return [
    ...own,
    ...(said ? [{ ...said, head: '|' }] : []),
    ...(poured ? [{ ...textWord(poured.text, from), head: poured.head }] : []),
  ];
}

/** A text that a command reads, and how its here-document begins. */
type Document = Word & { readonly head: string };

const textWord = (text: string, from: number): Word => ({ text, dynamic: false, quoted: true, raw: text, from });

/** What echo or printf prints, as far as it is written down. */
function spokenText({ words }: Command): Word | undefined {
  const [program, ...rest] = words;
  if (!/^(?:echo|printf)$/.test(nameOf(program))) return undefined;
  const given = rest.filter(({ text }) => !/^-[neE]+$/.test(text));
  const [format, ...values] = given;
  const isFormat = nameOf(program) === 'printf' && format !== undefined && /%s/.test(format.text);
  const text = isFormat
    ? values.reduce((made, { text }) => made.replace('%s', () => text), format.text)
    : (joined(given)?.text ?? '');
  const spoken = joined(given);
  return spoken && { ...spoken, text: text.replace(/\\n/g, '\n') };
}

const SCRIPT_FILE = /\.(?:sh|bash)$|(?:^|\/)[^./]+$/;

/** A script that the command writes into a file; what is in it may be run from there. */
function writtenScript(command: Command): Word | undefined {
  const target = command.redirects.find(({ operator }) => /^(?:>|>>|>\||&>|&>>)$/.test(operator))?.target;
  const name = nameOf(command.words[0]);
  const isTee = name === 'tee';
  const file = isTee ? command.words.find(({ text }, i) => i > 0 && !text.startsWith('-')) : target;
  if (!file || file.text.startsWith('/dev/')) return undefined;
  const text = name === 'cat' || isTee ? (documents(command)[0] ?? undefined) : spokenText(command);
  return text && (SCRIPT_FILE.test(file.text) || text.text.startsWith('#!')) ? text : undefined;
}

/** Variables whose value the program that reads them runs. */
const RUNS_SETTING = /(?:PAGER|EDITOR|VISUAL|ASKPASS|BROWSER|LESSOPEN|LESSCLOSE|_RSH|_COMMAND|EXTERNAL_DIFF)$/;

/** Options of programs that are no wrappers, whose value is a command. */
const RUNS_VALUE: readonly (readonly [programs: RegExp, option: RegExp])[] = [
  [/^(?:mapfile|readarray)$/, /^-C$/],
  [
    /^(?:tar|bsdtar)$/,
    /^(?:--checkpoint-action|--to-command|-I|--use-compress-program|--rsh-command|--info-script|-F)$/,
  ],
  [/^rsync$/, /^(?:-e|--rsh|--rsync-path)$/],
  [/^(?:ssh|scp|sftp)$/, /^(?:-o\w*|-S)$/],
  [/^(?:vim?|nvim|ex|view|ed|emacs|nano)$/, /^(?:-c|--cmd|--eval|\+.*)$/],
  [/^sort$/, /^--compress-program$/],
  [/^(?:tmux|screen|zellij)$/, /^(?:new|new-session|new-window|send-keys|run-shell|run|-dmS?|-X)$/],
  [/^(?:gdb|strace)$/, /^-ex$/],
  [/^(?:split)$/, /^--filter$/],
  [/^(?:git)$/, /^(?:-c|--upload-pack|--receive-pack|-x|foreach|run)$/],
  [/^(?:make|gmake)$/, /^(?:--eval|-E|SHELL)$/],
  [/^(?:man|less|more)$/, /^(?:-P|--pager)$/],
];

/** The texts that such options of `program` give to a shell. */
function optionTexts(program: string, args: readonly Word[]): Word[] {
  const options = RUNS_VALUE.filter(([programs]) => programs.test(program)).map(([, option]) => option);
  return args.flatMap((word, i): Word[] => {
    const [name = '', ...value] = word.text.split('=');
    if (!options.some((option) => option.test(name))) return [];
    const given = value.length > 0 ? { ...word, text: value.join('=') } : args[i + 1];
    if (!given || (/^(?:ssh|scp|sftp)$/.test(program) && !/Command/.test(word.text + given.text))) return [];
    // `exec=…`, `ProxyCommand=…`, `core.pager=…`, `:!…`
    return [{ ...given, text: given.text.replace(/^(?:exec=|[\w.]+=!?|:?!)/, '') }];
  });
}

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
