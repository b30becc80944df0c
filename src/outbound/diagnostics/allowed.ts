// Whether a command that a model asks for may run: argv alone, read-only, from a table. Whatever the table does not name is
// refused. The owner's own diagnostics do not pass through here.
import type { Flag, Flags, Request, Rule, Tool, Verb } from './grammar.ts';
import { findTool, toolNames } from './tools.ts';

export type Allowed = { readonly ok: true } | { readonly ok: false; readonly reason: string };

const MAX_WORDS = 40;
const MAX_WORD_CHARS = 300;
const MAX_CHARS = 2000;

/** Never throws, whatever `argv` holds. */
export function allowDiagnostic(argv: readonly string[]): Allowed {
  try {
    examine(argv);
    return { ok: true };
  } catch (error) {
    if (error instanceof Refused) return { ok: false, reason: error.message };
    throw error;
  }
}

class Refused extends Error {}

const refuse: (reason: string) => never = (reason) => {
  throw new Refused(reason);
};

const quoted = (text: string): string => JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);

function examine(argv: readonly string[]): void {
  examineWords(argv);
  const [program = '', ...words] = argv;
  if (program.includes('/')) refuse(`${quoted(program)} is a path; a tool is asked for by its name`);
  const tool =
    findTool(program) ?? refuse(`${quoted(program)} is not one of the tools that may be asked: ${toolNames()}`);
  const { verb, at } = readVerb(tool, words);
  const called = [tool.name, verb.words].join(' ').trim();
  const request = readRequest(tool, verb, `for ${called}`, words.slice(at));
  examineOperands(called, verb, request);
  for (const names of verb.needs ?? []) {
    if (!names.some((name) => request.flags.has(name))) refuse(`${called} must be given ${names.join(' or ')}`);
  }
  const reason = verb.check?.(request);
  if (reason !== undefined) refuse(reason);
}

function examineWords(argv: unknown): asserts argv is readonly string[] {
  if (!Array.isArray(argv) || argv.length === 0) refuse('it names no tool');
  if (argv.length > MAX_WORDS) refuse(`it has more than ${MAX_WORDS} words`);
  let chars = 0;
  for (const word of argv as readonly unknown[]) {
    if (typeof word !== 'string' || word === '') refuse('a word of it is empty, or none');
    if (word.length > MAX_WORD_CHARS) refuse(`a word of it has more than ${MAX_WORD_CHARS} characters`);
    if (!/^[\x20-\x7e]+$/.test(word)) refuse(`${quoted(word)} has characters other than plain printable ones`);
    chars += word.length;
  }
  if (chars > MAX_CHARS) refuse(`it has more than ${MAX_CHARS} characters`);
}

/** The verb, and where what belongs to it begins. */
function readVerb(tool: Tool, words: readonly string[]): { verb: Verb; at: number } {
  let at = 0;
  if (tool.before !== undefined) {
    const flags = new Map<string, string[]>();
    for (; isFlag(words[at]); at++)
      at += readFlag(tool, `before the verb of ${tool.name}`, tool.before, words, at, flags);
  }
  // The longest verb that stands here: "get sources git" before "get".
  const verb = tool.verbs
    .filter(({ words: its }) => its === '' || its.split(' ').every((word, i) => words[at + i] === word))
    .sort((a, b) => b.words.length - a.words.length)[0];
  if (verb === undefined) {
    const [asked] = words.slice(at);
    if (asked === undefined) return refuse(`${tool.name} is asked nothing`);
    if (isFlag(asked)) return refuse(`${quoted(asked)} may not stand before the verb of ${tool.name}`);
    const allowed = tool.verbs.map(({ words: its }) => its).join(', ');
    return refuse(`${tool.name} ${quoted(asked)} is not read-only for sure; ${tool.name} may be asked: ${allowed}`);
  }
  return { verb, at: at + (verb.words === '' ? 0 : verb.words.split(' ').length) };
}

const isFlag = (word: string | undefined): word is string => word?.startsWith('-') === true;

function readRequest(tool: Tool, verb: Verb, where: string, words: readonly string[]): Request {
  const flags = new Map<string, string[]>();
  const operands: string[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at] as string;
    if (word === '--' && verb.path !== undefined) return { operands, flags, paths: words.slice(at + 1) };
    if (isFlag(word)) at += readFlag(tool, where, verb.flags ?? {}, words, at, flags);
    else operands.push(word);
  }
  return { operands, flags, paths: [] };
}

/** Reads the flags of the word at `at`; returns how many further words they took. */
function readFlag(
  tool: Tool,
  where: string,
  allowed: Flags,
  words: readonly string[],
  at: number,
  given: Map<string, string[]>,
): number {
  const word = words[at] as string;
  const flagOf = (name: string): Flag =>
    (Object.hasOwn(allowed, name) ? allowed[name] : undefined) ?? refuse(`${quoted(name)} is not let through ${where}`);
  const take = (name: string, value: string, rule?: Rule): 0 => {
    if (rule !== undefined && !rule.takes(value)) refuse(`${name} takes ${rule.what}, not ${quoted(value)}`);
    given.set(name, [...(given.get(name) ?? []), value]);
    return 0;
  };
  const next = (name: string, rule: Rule): number => {
    const value = words[at + 1];
    if (value === undefined || value.startsWith('-')) return refuse(`${name} needs a value`);
    take(name, value, rule);
    return 1;
  };
  if (/^-\d{1,4}$/.test(word) && Object.hasOwn(allowed, '-NUMBER')) return take('-NUMBER', word.slice(1));
  if (word.startsWith('--') || tool.wholeWords || Object.hasOwn(allowed, word)) {
    const equals = word.indexOf('=');
    const name = equals < 0 ? word : word.slice(0, equals);
    const value = equals < 0 ? undefined : word.slice(equals + 1);
    const flag = flagOf(name);
    if (flag === 'switch') {
      if (value !== undefined && !(tool.go && value === 'true')) refuse(`${name} takes no value`);
      return take(name, 'true');
    }
    const rule = 'attached' in flag ? flag.attached : flag.value;
    if (value === undefined) return 'attached' in flag ? refuse(`${name} needs a value behind =`) : next(name, rule);
    return take(name, value, rule);
  }
  for (let i = 1; i < word.length; i++) {
    const name = `-${word[i]}`;
    const flag = flagOf(name);
    if (flag === 'switch') {
      take(name, 'true');
      continue;
    }
    if ('attached' in flag) return refuse(`${name} needs a value behind =`);
    const rest = word.slice(i + 1);
    if (rest === '') return next(name, flag.value);
    return take(name, tool.go && rest.startsWith('=') ? rest.slice(1) : rest, flag.value);
  }
  return word === '-' ? refuse('"-" is not let through') : 0;
}

function examineOperands(called: string, verb: Verb, { operands, paths }: Request): void {
  const [least, most] = verb.count ?? (verb.operand === undefined ? [0, 0] : [0, 8]);
  const rule = verb.operand;
  for (const operand of operands) {
    if (rule === undefined) refuse(`${called} takes no ${quoted(operand)} here`);
    else if (!rule.takes(operand)) refuse(`${called} takes ${rule.what}, not ${quoted(operand)}`);
  }
  if (operands.length < least) refuse(`${called} needs ${rule?.what ?? 'more'}`);
  if (operands.length > most) refuse(`${called} takes at most ${most} of these words: ${quoted(operands.join(' '))}`);
  for (const path of paths) {
    if (verb.path?.takes(path) !== true) refuse(`${called} takes ${verb.path?.what}, not ${quoted(path)}`);
  }
}
