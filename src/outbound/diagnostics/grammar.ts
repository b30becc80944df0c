// How the tables of diagnostics say what a tool may be asked. What they do not name is refused: tool, verb, flag, value,
// operand. No value can name a file outside, and a name that is looked up elsewhere is too short to carry a text out.

/** A value or operand that is let through; `what` says it in words. */
export interface Rule {
  readonly what: string;
  readonly takes: (text: string) => boolean;
}

/**
 * How a flag is written, exactly as its tool reads it; a wrong one here would turn a value into a verb.
 * `switch` stands alone, `value` takes the rest of its word or the next word, `attached` has its value behind a = only.
 */
export type Flag = 'switch' | { readonly value: Rule } | { readonly attached: Rule };
export type Flags = Readonly<Record<string, Flag>>;

/** What was asked, once every flag is known. Flags by the name they were written with. */
export interface Request {
  readonly operands: readonly string[];
  /** What stands behind `--`. */
  readonly paths: readonly string[];
  readonly flags: ReadonlyMap<string, readonly string[]>;
}

export interface Verb {
  /** Its words, which stand together; '' for a tool that has no verbs. */
  readonly words: string;
  readonly flags?: Flags;
  /** Every operand; none may be given without it. */
  readonly operand?: Rule;
  /** How many operands; [0, 0] without `operand`, else [0, 8]. */
  readonly count?: readonly [least: number, most: number];
  /** Every path behind `--`; no `--` without it. */
  readonly path?: Rule;
  /** Of each list, one flag at least. */
  readonly needs?: readonly (readonly string[])[];
  /** What the parts must agree on: a reason to refuse, or undefined. */
  readonly check?: (request: Request) => string | undefined;
}

export interface Tool {
  readonly name: string;
  /** Flags that may stand before the verb: only such as the tool reads there as it reads them behind it. */
  readonly before?: Flags;
  /** Reads `-o=yaml` as `-o yaml`, and `--switch=true`. */
  readonly go?: boolean;
  /** Reads `-ab` as one flag, not as `-a -b`. */
  readonly wholeWords?: boolean;
  readonly verbs: readonly Verb[];
}

export const matching = (what: string, pattern: RegExp): Rule => ({ what, takes: (text) => pattern.test(text) });

export const oneOf = (words: string): Rule => {
  const choices = new Set(words.split(' '));
  return { what: `one of ${words.replaceAll(' ', ', ')}`, takes: (text) => choices.has(text) };
};

/** Each part between commas. */
export const listOf = (rule: Rule): Rule => ({
  what: `${rule.what}, or several with commas between`,
  takes: (text) => text.split(',').every(rule.takes),
});

export const either = (...rules: readonly Rule[]): Rule => ({
  what: rules.map(({ what }) => what).join(', or '),
  takes: (text) => rules.some((rule) => rule.takes(text)),
});

/** A name of Kubernetes, Talos, Helm or systemd: starts with a letter or digit, no slash. */
export const NAME = matching('a name', /^[A-Za-z0-9][\w.:@-]{0,200}$/);

const IPV4 = /^(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(?:25[0-5]|2[0-4]\d|1?\d?\d)$/;
const IPV6 = /^(?=.*:.*:)[0-9a-f:]{2,39}$/i;
const PRIVATE = /^(?:10|127|192\.168|172\.(?:1[6-9]|2\d|3[01]))\.[\d.]+$/;
const HOST_NAME = /^(?=.{1,48}$)[a-z0-9_](?:[a-z0-9_-]{0,19})(?:\.[a-z0-9_](?:[a-z0-9_-]{0,19})){0,4}\.?$/i;

export const ADDRESS: Rule = { what: 'an IP address', takes: (text) => IPV4.test(text) || IPV6.test(text) };
export const PRIVATE_ADDRESS: Rule = {
  what: 'a private IPv4 address',
  takes: (text) => IPV4.test(text) && PRIVATE.test(text),
};
export const HOST: Rule = {
  what: 'an IP address or a short host name',
  takes: (text) => ADDRESS.takes(text) || HOST_NAME.test(text),
};

/** A path below the folder it runs in, as it is: only names and sizes are shown of it. */
export const BELOW: Rule = {
  what: 'a path below the repository root',
  takes: (text) => /^[\w.@+][\w.@+/-]{0,200}$/.test(text) && !text.split('/').includes('..'),
};

/** What flags of several tools take, by the name that usage lines have for it. */
const VALUES: Readonly<Record<string, Rule>> = {
  number: matching('a number', /^\d{1,6}$/),
  seconds: matching('a duration of at most 60 s, such as 30s', /^(?:[1-9]|[1-5]\d|60)s$/),
  duration: matching('a duration such as 30s or 2h', /^(?:\d{1,5}(?:ms|s|m|h))+$/),
  moment: matching('a moment or a time span', /^[+-]?[\w][\w :.+-]{0,40}$/),
  name: NAME,
  names: listOf(NAME),
  namespace: matching('a namespace', /^[a-z0-9][a-z0-9-]{0,62}$/),
  // For the server or program that is asked to compare it with; never a path or address.
  text: matching('a text', /^[^\s/~-][^/~]{0,250}$/),
  // May have slashes: label keys have them.
  selector: matching('a selector', /^[A-Za-z0-9!][\w ./!=,()-]{0,250}$/),
  hosts: listOf(HOST),
  address: ADDRESS,
};

/**
 * Flags as a usage line has them, groups of names with commas between: `-a --all, -n --lines <number>, --since=<moment>`.
 * `<a|b>` takes one of these words; other values are of the table above, or of `more`. Throws on a value that is in neither.
 */
export function flags(usage: string, more: Readonly<Record<string, Rule>> = {}): Flags {
  const all: Record<string, Flag> = {};
  for (const group of usage.split(',')) {
    const [, names = '', equals = '', value] = /^\s*([^=<]*?)\s*(=?)(?:<(.+)>)?\s*$/s.exec(group) ?? [];
    const flag =
      value === undefined ? 'switch' : equals === '' ? { value: ruleOf(value) } : { attached: ruleOf(value) };
    for (const name of names.split(/\s+/)) if (name !== '') all[name] = flag;
  }
  return all;

  function ruleOf(value: string): Rule {
    const rule = value.includes('|') ? oneOf(value.replaceAll('|', ' ')) : (more[value] ?? VALUES[value]);
    if (rule === undefined) throw new Error(`no value <${value}> is defined`);
    return rule;
  }
}

export type VerbParts = Omit<Verb, 'words' | 'flags'>;

/** Writes verbs, one or several with commas between, with the usage line of their flags; `more` are values of this tool. */
export const verbsWith =
  (more: Readonly<Record<string, Rule>> = {}) =>
  (names: string, usage = '', parts: VerbParts = {}): Verb[] =>
    names.split(', ').map((words) => ({ words, flags: flags(usage, more), ...parts }));

/** Between `least` and `most` operands that `operand` takes. */
export const operands = (operand: Rule, least: number, most: number): VerbParts => ({ operand, count: [least, most] });
