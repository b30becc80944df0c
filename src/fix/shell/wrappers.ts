// Programs that run others: which of their words are the command, and which of their options are one.
import type { Word } from './words.ts';

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

export const SHELLS = /^(?:(?:ba|z|da|k|a|mk|fi)?sh|\$(?:SHELL|BASH))$/;

export const INTERPRETERS =
  /^(?:python[\d.]*|perl[\d.]*|ruby|node|nodejs|php|deno|bun|lua|pwsh|osascript|tclsh|Rscript)$/;

export const isShell = (program: string): boolean => SHELLS.test(program);

export const isInterpreter = (program: string): boolean => SHELLS.test(program) || INTERPRETERS.test(program);

export const nameOf = (word: Word | undefined): string =>
  word === undefined ? '' : (word.text.split('/').at(-1) as string);

/** A variable of options that is set elsewhere, before a host and a command: where it may be the host itself, it is. */
const isOptions = (args: readonly Word[], at: number): boolean =>
  /^"?\$\{?\w*(?:OPTS|OPTIONS|FLAGS|ARGS)(?:\[@\])?\}?"?$/i.test(args[at]?.raw ?? '') &&
  args[at]?.text.startsWith('$') === true &&
  /^[^\s$@]*[$@]\S*$/.test(args[at + 1]?.text ?? '') &&
  args.length > at + 2;

/** The words of the command inside a wrapper; undefined when `program` is none. */
export function innerWords(program: string, args: readonly Word[]): readonly Word[] | undefined {
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
    const isSetting = /^\w+=/.test(text) && (program === 'env' || (program === 'sudo' && at + 1 < args.length));
    if (isSetting || (program === 'ssh' && isOptions(args, at))) at++;
    else if (!text.startsWith('-') || text === '-') {
      if (text !== '-' || (program !== 'su' && program !== 'env')) break;
      at++;
    } else at += values.test(text) ? 2 : 1;
  }
  const named = args.some(({ text }) => /^(?:-u|--user)$/.test(text));
  const before = program === 'su' || (program === 'runuser' && !named) ? 1 : (BEFORE[program] ?? 0);
  return args.slice(at + before);
}

/** `find … -exec cmd ;` */
export function findActions(args: readonly Word[]): (readonly Word[])[] {
  return args.flatMap(({ text }, i) => {
    if (!/^-(?:exec|execdir|ok|okdir)$/.test(text)) return [];
    const end = args.findIndex((word, j) => j > i && /^(?:;|\+)$/.test(word.text));
    // What it finds is what its folder and names say.
    const at = args.findIndex((word) => /^-i?name$|^-path$/.test(word.text));
    const name = at === -1 ? undefined : args[at + 1];
    const folder = args[0] && !/^[-$]/.test(args[0].text) ? args[0].text.replace(/\/+$/, '') : '$FOUND';
    const words = args.slice(i + 1, end === -1 ? undefined : end);
    return [
      words.map((word) =>
        word.text === '{}' && name ? { ...name, text: `${folder}/**/${name.text}`, dynamic: true } : word,
      ),
    ];
  });
}

const RUN_VALUES =
  /^(?:-[evpwuhnlmtcf]|--(?:env|volume|publish|workdir|user|name|network|hostname|label|mount|entrypoint|memory|cpus|restart|env-file|add-host|device|pull|platform|namespace|container|context|kubeconfig|image|overrides|cap-add|security-opt|tmpfs))$/;

/** What `docker run IMAGE cmd`, `kubectl exec x -- cmd` and their like start. */
export function containerWords(program: string, args: readonly Word[]): readonly Word[] {
  const verb = args.findIndex(({ text }) => /^(?:exec|run|debug|enter|shell)$/.test(text));
  if (verb === -1) return [];
  const dashes = args.findIndex(({ text }, i) => i > verb && text === '--');
  if (dashes !== -1) return args.slice(dashes + 1);
  if (/^(?:kubectl|k|oc)$/.test(program)) return [];
  return args.slice(afterOptions(args, verb + 1) + 1);
}

function afterOptions(args: readonly Word[], from: number): number {
  let at = from;
  while (args[at]?.text.startsWith('-')) at += RUN_VALUES.test((args[at] as Word).text) ? 2 : 1;
  return at;
}

/** The host, folder or running container that a program has its command run in; undefined: none, or a new one. */
export function placeOf(program: string, args: readonly Word[]): string | undefined {
  if (program === 'ssh' || program === 'chroot') {
    const inner = innerWords(program, args) ?? [];
    return args[args.length - inner.length - 1]?.text.replace(/^.*@/, '').replace(/^([a-z][\w-]*)\.\S*$/i, '$1');
  }
  const verb = args.findIndex(({ text }) => /^(?:exec|enter)$/.test(text));
  return verb === -1 ? undefined : args[afterOptions(args, verb + 1)]?.text;
}

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
export function optionTexts(program: string, args: readonly Word[]): Word[] {
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
