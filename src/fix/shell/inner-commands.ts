// Programs that run others: which of their words are a command, and which of their texts a script.
import type { Word } from './words.ts';

/** What a command runs: the words of another one, a text for a shell (`isInput`: it reads that text), or code of another language. */
export type Inner =
  | { readonly words: readonly Word[] }
  | { readonly text: string; readonly isInput?: boolean }
  | { readonly code: string };

/** Programs that run the command behind their options, with the letters of the options that take a value in the next word. */
const WRAPPERS: Readonly<Record<string, string>> = {
  ...{ builtin: '', busybox: '', chroot: '', chrt: '', command: '', coproc: '', nohup: '', setsid: '', taskset: '' },
  ...{ doas: 'uC', env: 'uC', exec: 'a', flock: 'wE', ionice: 'cnpPu', nice: 'n', nsenter: 'tSG', parallel: 'jNSI' },
  ...{ retry: 'dtu', runuser: 'ugcs', script: 'cEIOT', ssh: 'bcDEeFIiJLlmOopQRSWw', stdbuf: 'ioe', su: 'gGcs' },
  ...{ sudo: 'ugUCpRDThr', 'systemd-run': 'puEHM', time: 'fo', timeout: 'ks', unshare: '', watch: 'n' },
  ...{ xargs: 'IinPdLsaE' },
};
const LONG_VALUES = new Set(
  `user group chdir host prompt unset adjustment kill-after signal replace max-args max-chars max-lines max-procs delimiter
  arg-file jobs target interval wait unit property uid gid setenv slice delay times timeout`.split(/\s+/),
);
/** They give what stands behind their options to a shell, as one text. */
const JOINS = /^(?:ssh|su|runuser|watch|script|flock)$/;
/** A duration, a host, a folder before the command. */
const TAKES_FIRST = /^(?:timeout|chroot|ssh|flock|taskset|chrt|su|retry)$/;

const SHELL = /^(?:ba|z|da|k|a)?sh$/;
const SQL = /^(?:psql|mysql|mariadb|sqlite3)$/;
const INTERPRETER = /^(?:python[\d.]*|perl|ruby|node|php|deno|bun|tsx|ts-node|lua|pwsh|Rscript|tclsh|expect)$/;
export const isShell = (program: string): boolean => SHELL.test(program);
export const isInterpreter = (program: string): boolean => SHELL.test(program) || INTERPRETER.test(program);
export const isWrapper = (program: string): boolean => Object.hasOwn(WRAPPERS, program);

/** The option with which a shell or interpreter takes its text from the next word. */
export const TEXT_OPTION = /^-[a-zA-Z]*[ce]$|^--(?:eval|command|run)$/;

/** The program of a word without its folders; a variable that is only known at run time holds, by custom, the one of its name. */
export function programOf(word: Word | undefined): string {
  const name = word?.text.split('/').at(-1) ?? '';
  return /^\$\w+$/.test(name) ? name.slice(1).toLowerCase() : name;
}

/** What `program` with these words runs; `inputs`: the texts it is given to read. */
export function innerCommands(program: string, args: readonly Word[], inputs: readonly string[]): Inner[] {
  const texts = args.map(({ text }) => text);
  const given = texts.filter((_, i) => TEXT_OPTION.test(texts[i - 1] ?? '')).slice(0, 1);
  const read = inputs.map((text): Inner => ({ text, isInput: true }));
  if (isShell(program)) {
    const hasScript = texts.some((text) => !/^[-+]/.test(text)) && !texts.includes('-s');
    return given.length > 0 ? textsOf(given) : hasScript ? [] : read;
  }
  if (isInterpreter(program)) return [...given, ...inputs].slice(0, 1).map((code) => ({ code }));
  if (SQL.test(program)) return [{ code: [...texts, ...inputs].join('\n') }];
  if (program === 'eval') return textsOf([texts.join(' ')]);
  if (program === 'trap') return textsOf(texts.slice(0, 1));
  if (program === 'ansible') return textsOf(texts.filter((_, i) => texts[i - 1] === '-a'));
  if (program === 'find') return findActions(args);
  // Inside of a container, or on a host of Proxmox.
  if (/^(?:kubectl|oc|docker|podman|pct)$/.test(program) && texts.includes('--'))
    return wordsOf(args.slice(texts.indexOf('--') + 1));
  if (!isWrapper(program)) return [];
  const rest = behindOptions(program, args);
  if (!JOINS.test(program)) return wordsOf(rest);
  if (program !== 'ssh' && given.length > 0) return textsOf(given);
  const text = rest.map((word) => word.text).join(' ');
  return text !== '' ? textsOf([text]) : program === 'ssh' ? read : [];
}

const textsOf = (texts: readonly string[]): Inner[] => texts.map((text) => ({ text }));
const wordsOf = (words: readonly Word[]): Inner[] => (words.length > 0 ? [{ words }] : []);

function behindOptions(program: string, args: readonly Word[]): readonly Word[] {
  // `command -v x` only asks.
  if (program === 'command' && args.some(({ text }) => /^-[vV]+$/.test(text))) return [];
  const letters = WRAPPERS[program] ?? '';
  const takesValue = (option = '') =>
    /^-\w$/.test(option) ? letters.includes(option.slice(1)) : LONG_VALUES.has(option.replace(/^--/, ''));
  const isSetting = (text: string) => /^\w+=/.test(text) && /^(?:env|sudo)$/.test(program);
  const at = args.findIndex(
    ({ text }, i) => !text.startsWith('-') && !isSetting(text) && !takesValue(args[i - 1]?.text),
  );
  return at === -1 ? [] : args.slice(at + (TAKES_FIRST.test(program) ? 1 : 0));
}

/** `find … -exec cmd {} ;`, with what it finds as a pattern. */
function findActions(args: readonly Word[]): Inner[] {
  const [found] = foundBy(args.map(({ text }) => text));
  return args.flatMap(({ text }, i) => {
    if (!/^-(?:exec|ok)(?:dir)?$/.test(text)) return [];
    const end = args.findIndex((word, j) => j > i && /^(?:;|\+)$/.test(word.text));
    const words = args.slice(i + 1, end === -1 ? undefined : end);
    return wordsOf(words.map((word) => (word.text === '{}' && found ? { ...word, text: found } : word)));
  });
}

/** The files that a `find` with these arguments finds, as patterns. */
export function foundBy(args: readonly string[]): string[] {
  const start = args.findIndex((word) => /^[-(!]/.test(word));
  const folders = args.slice(0, start === -1 ? undefined : start);
  const pattern = args.find((_, i) => /^-i?name$/.test(args[i - 1] ?? '')) ?? '*';
  return (folders.length > 0 ? folders : ['.']).map((folder) => `${folder.replace(/\/$/, '')}/**/${pattern}`);
}
