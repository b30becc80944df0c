// The secrets in the text of a carried file: every value of KEY=VALUE lines, in YAML, JSON and TOML those whose key or
// look says so, in any other text the words that look random; and in all of them what the filter itself would mask.
import { parse as parseToml } from 'smol-toml';
import { parseAllDocuments } from 'yaml';
import { deepOffset } from '../../config/yaml-depth.ts';
import { BETWEEN } from './decoded.ts';
import { isHighEntropy, isRandom } from './looks.ts';
import { isHarmlessName, isSecretName, kindOfName, strengthOf, USER } from './names.ts';
import { PLACEHOLDER_FORM } from './placeholder.ts';
import { createRedactor } from './redactor.ts';
import { remembered } from './remembered.ts';
import { MIN_SECRET_LENGTH, MIN_WORD_LENGTH, RedactionError, type Secret, type ShortSecret } from './secret.ts';

export interface SecretList {
  secrets: Secret[];
  /** Secrets that are too short, or too usual a word, to be masked wherever they appear. */
  short: ShortSecret[];
}

/**
 * `path` is how messages and `from` call the file. Throws RedactionError when its name says what it is and it does not
 * parse.
 */
export const secretsInText = (path: string, text: string): SecretList => listed(valuesIn(path, text));

/**
 * The values of a file whose owner said that it holds no secret, but for those that have the name or the look of one.
 */
export function openValues(path: string, text: string): string[] {
  const secrets = new Set(
    [...valuesIn(path, text)].filter(({ ordinary }) => !ordinary).map(({ value }) => value.trim()),
  );
  const values = new Set([...scalarsIn(path, text)].map((value) => value.trim()));
  return [...values].filter((value) => value !== '' && !secrets.has(value));
}

function* scalarsIn(path: string, text: string): Generator<string, void> {
  const data = dataOf(path, text);
  if (data !== undefined) yield* scalars(data);
  else for (const { value } of assignments(path, text, true)) yield value;
}

function* scalars(value: unknown): Generator<string, void> {
  if (typeof value === 'object' && value !== null) for (const item of Object.values(value)) yield* scalars(item);
  else yield String(value);
}

/** Values of variables with secret-like names, and logins in the addresses of others. */
export function secretsInEnv(env: Readonly<Record<string, string | undefined>>): SecretList {
  return listed(variables(env));
}

function* variables(env: Readonly<Record<string, string | undefined>>): Values {
  for (const [name, value = ''] of Object.entries(env)) {
    const from = `the variable ${name}`;
    const isRandomHere = strengthOf(name) > USER && isRandom(value);
    if (isSecretName(name) || isRandomHere) yield { value, kind: kindOfName(name), from };
    if (HAS_LOGIN.test(value)) yield* masked(value, from);
  }
}

function listed(values: Iterable<Secret>): SecretList {
  const list: SecretList = { secrets: [], short: [] };
  const known = new Set<string>();
  for (const { value: given, ...about } of values) {
    const value = given.trim();
    if (value === '' || NO_SECRET.test(value) || REFERENCE.test(value)) continue;
    const isShort = value.length < (about.ordinary ? MIN_SECRET_LENGTH : MIN_WORD_LENGTH);
    if (isShort || (value.length < MIN_SECRET_LENGTH && USUAL.test(value)))
      list.short.push({ value, from: about.from });
    else if (!known.has(value)) {
      known.add(value);
      list.secrets.push({ value, ...about });
    }
  }
  return list;
}

const NO_SECRET = /^(?:true|false|yes|no|on|off|null|none|~|-?\d{1,3})$/i;
/** What takes the place of a value: it is in every template, and nothing secret. */
const REFERENCE = /^(?:\$\{[^{}]*\}|\{\{[^{}]*\}\}|\$\w+|\$\([^()]*\))$/;
/** Numbers and words that ordinary texts are full of: masking them would leave nothing to read. */
const USUAL =
  /^(?:\d{1,5}|admin|root|user|users|test|guest|public|private|default|secret|token|pass|login|master|server|client|local|lab|home|http|https|main|prod|demo|dev|redis|mysql|mongo|vault|minio|nginx|debian|ubuntu|docker|talos|proxmox|pve\d*)$/i;

type Values = Generator<Secret, void>;

function* valuesIn(path: string, text: string): Values {
  const data = dataOf(path, text);
  if (data !== undefined) {
    const rest: string[] = [];
    for (const document of data) yield* walk(document, { path, key: '', secret: false, rest });
    yield* masked(rest.join(BETWEEN), path);
    // What stands in comments counts, too.
    if (!/^\s*[[{]/.test(text)) yield* randomWords(text.replace(/^[^#\n]*/gm, ''), path);
  } else if (isAssignments(text)) yield* assignments(path, text);
  else yield* loose(path, text);
}

const DATA_NAME =
  /\.(?:ya?ml|json|toml|tfstate|tfstate\.backup|sops)$|(?:^|\/)(?:kubeconfig|talosconfig|\.?dockerconfigjson)$/i;
const YAML_LOOK = /^(?:---|[\w."'-]+:(?:[ \t]|$)|[ \t]*#)/;

/** The documents of YAML, JSON or TOML; undefined when the file is something else. */
function dataOf(path: string, text: string): unknown[] | undefined {
  const byName = DATA_NAME.test(path);
  const first = text.split('\n').find((line) => line.trim() !== '' && !/^\s*#/.test(line)) ?? '';
  if (!byName && !/^\s*[[{]/.test(first) && !YAML_LOOK.test(first)) return undefined;
  try {
    if (/\.toml$/i.test(path)) return [parseToml(text)];
    return /^\s*[[{]/.test(text) ? [JSON.parse(text)] : yamlOf(text);
  } catch {
    try {
      if (/\.toml$/i.test(path)) throw new Error('no TOML');
      return yamlOf(text);
    } catch {
      if (!byName) return undefined;
      throw new RedactionError(
        `the carried file ${path} does not parse, so its secrets are not known`,
        `mend ${path}, or take it out of carry in ai/context_map.yaml`,
      );
    }
  }
}

function yamlOf(text: string): unknown[] {
  if (deepOffset(text) !== undefined) throw new Error('nested too deeply');
  const documents = parseAllDocuments(text, { uniqueKeys: false, logLevel: 'silent' });
  return documents.map((document) => {
    if (document.errors.length > 0) throw document.errors[0];
    return document.toJS({ maxAliasCount: 1000 });
  });
}

interface At {
  path: string;
  key: string;
  /** Below a secret-like key everything is one. */
  secret: boolean;
  /** Gets every other text in which a secret may stand. */
  rest: string[];
}

function* walk(value: unknown, at: At, depth = 0): Values {
  if (depth > 200)
    throw new RedactionError(`the carried file ${at.path} is nested too deeply`, `take ${at.path} out of carry`);
  if (Array.isArray(value)) for (const item of value) yield* walk(item, at, depth + 1);
  else if (typeof value === 'object' && value !== null) {
    yield* sensitiveAttributes(value as Record<string, unknown>, at);
    const named = nameAndValue(value as Record<string, unknown>);
    const isManifest = (value as Record<string, unknown>).kind === 'Secret';
    for (const [key, item] of Object.entries(value)) {
      // Of other languages a flow of YAML makes one long key.
      if (key.includes('=')) at.rest.push(key);
      const isSecret = isSecretKey(key) || (named && key === 'value') || (isManifest && key === 'data');
      yield* walk(item, { ...at, key, secret: !isHarmlessName(key) && (at.secret || isSecret) }, depth + 1);
    }
  } else if (typeof value === 'string' || (typeof value === 'number' && at.secret)) yield* leaf(String(value), at);
}

// Alone they are the keys of many other things: then the look of the value decides.
const WEAK_KEY = /^(?:keys?|auth|cookie|salt|seed|license|pin|signature|pat)$/i;

const isSecretKey = (key: string): boolean =>
  (isSecretName(key) && !WEAK_KEY.test(key)) || /-data$/i.test(key) || key === 'stringData';

/** `{name: DB_PASSWORD, value: …}`, and Terraform's `{sensitive: true, value: …}`. */
function nameAndValue({ name, key, sensitive }: Record<string, unknown>): boolean {
  return sensitive === true || [name, key].some((word) => typeof word === 'string' && isSecretName(word));
}

/** Terraform's state names the attributes of an instance that are secret, by their path. */
function* sensitiveAttributes({ sensitive_attributes: paths, attributes }: Record<string, unknown>, at: At): Values {
  if (!Array.isArray(paths)) return;
  for (const steps of paths) {
    let value: unknown = attributes;
    for (const step of Array.isArray(steps) ? steps : [steps]) {
      const key = typeof step === 'object' && step !== null ? (step as { value?: unknown }).value : step;
      const inner = typeof key === 'object' && key !== null ? (key as { value?: unknown }).value : key;
      value = (value as Record<string, unknown> | undefined)?.[String(inner)];
    }
    yield* walk(value, { ...at, key: 'sensitive_attributes', secret: true });
  }
}

function* leaf(value: string, { path, key, secret, rest }: At): Values {
  const from = `${path}, ${key}`;
  if (HAS_LOGIN.test(value) || (!secret && /\s|=/.test(value))) rest.push(value);
  if (!secret) return yield* randomWords(value, from);
  yield { value, kind: kindOfName(key), from };
  yield* decoded(value, kindOfName(key), from);
  if (value.includes('\n')) yield* valuesIn(from, value);
}

/** A Kubernetes Secret holds base64: what is inside, or the password of a login there, is the secret that logs show. */
function* decoded(value: string, kind: string, from: string): Values {
  const plain = value.replace(/\s+/g, '');
  if (plain.length < 12 || plain.length % 4 !== 0 || !/^[A-Za-z0-9+/]+={0,2}$/.test(plain)) return;
  const inside = Buffer.from(plain, 'base64').toString('utf8');
  if (/[^\t\n\r\x20-\x7e\u00a0-\u{10ffff}]|\ufffd/u.test(inside)) return;
  yield { value: inside, kind, from };
  const password = /^[\w.@$-]{1,64}:(\S+)$/.exec(inside)?.[1];
  if (password !== undefined) yield { value: password, kind: 'password', from };
  if (inside.includes('\n')) yield* valuesIn(from, inside);
}

const ASSIGNMENT = /^[ \t]*(?:export[ \t]+|set[ \t]+|-[ \t]+)?["']?([A-Za-z_][\w.-]*)["']?[ \t]*=[ \t]*(.*)$/;

const isAssignments = (text: string): boolean => text.split(/\r?\n/).some((line) => ASSIGNMENT.test(line));

/** Every value; a quoted one may go over several lines. `all`: short ones, too. */
function* assignments(path: string, text: string, all = false): Values {
  const lines = text.split(/\r?\n/);
  let isMore = false;
  for (let i = 0; i < lines.length; i++) {
    const [, name = '', rest = ''] = ASSIGNMENT.exec(lines[i] as string) ?? [];
    if (name === '') {
      isMore ||= /[:=@<]|^[^#;]*\S[ \t]/.test(lines[i] as string);
      yield* randomWords(lines[i] as string, path);
      continue;
    }
    isMore ||= /[;{[<]/.test(rest) || HAS_LOGIN.test(rest);
    const quote = /^["']/.exec(rest)?.[0];
    let value = rest;
    if (quote !== undefined) {
      while (closing(value, quote) === -1 && i + 1 < lines.length) value += `\n${lines[++i]}`;
      const end = closing(value, quote);
      value = value.slice(1, end === -1 ? undefined : end);
    } else value = value.replace(/[ \t]+#.*$/, '');
    const from = `${path}, ${name}`;
    if (all) yield { value, kind: '', from };
    yield* assigned(value, name, from);
    // With its escapes read, and without its comment sign: both are what a program would see.
    if (quote === '"' && value.includes('\\')) yield* assigned(unescaped(value), name, from);
    if (quote === undefined && /\\\W/.test(value)) yield* assigned(value.replace(/\\(?=\W)/g, ''), name, from);
    if (rest !== value && quote === undefined) yield* assigned(rest, name, from);
    yield* decoded(value, kindOfName(name), from);
  }
  if (isMore) yield* masked(text, path);
}

const HAS_LOGIN = /:[^\s/@:]{0,256}@/;
/** Of a longer text only so much is searched. */
const MAX_SEARCHED = 128 * 1024;

/**
 * What the filter masks in a text that nobody knows: logins in addresses, elements, columns, options of commands. A run asks about
 * the same files for each prompt.
 */
const maskedIn = remembered((text) => {
  const { redact, restore } = createRedactor({ secrets: [] });
  return [...redact(text).matchAll(PLACEHOLDER_FORM)].flatMap(([word]) => {
    const restored = restore(word);
    const value = restored.ok ? restored.text : '';
    // A short one must be more than a word.
    const isWord = value.length < MIN_SECRET_LENGTH && !/[^a-z]/i.test(value);
    const values = isWord ? [] : [value, percentDecoded(value)];
    return values.map((one) => ({ value: one, kind: word.split('_').at(-2) as string }));
  });
});

function* masked(text: string, from: string): Values {
  if (text !== '') for (const found of maskedIn(text.slice(0, MAX_SEARCHED))) yield { ...found, from };
}

/** Short values are only worth a word when their name says that they are secret. */
function* assigned(value: string, name: string, from: string): Values {
  const [kind, isNamed] = [kindOfName(name), isSecretName(name)];
  if (isNamed) yield { value, kind, from };
  else if (value.trim().length >= MIN_SECRET_LENGTH) yield { value, kind, from, ordinary: true };
  if (value.includes('\n')) yield* randomWords(value, from);
}

function closing(value: string, quote: string): number {
  for (let i = 1; i < value.length; i++) {
    if (value[i] === '\\' && quote === '"') i++;
    else if (value[i] === quote) return i;
  }
  return -1;
}

const unescaped = (value: string): string =>
  value.replace(/\\(.)/gs, (_, c: string) => ({ n: '\n', r: '\r', t: '\t' })[c] ?? c);

function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** A file that is one word, or one line under a secret-like name, is that secret; of any other text the words that look random. */
function* loose(from: string, text: string): Values {
  const plain = text.trim();
  const name = /([^/]*?)(?:\.\w*)?$/.exec(from)?.[1] ?? '';
  if (plain !== '' && (!/\s/.test(plain) || (!plain.includes('\n') && isSecretName(name)))) {
    yield { value: plain, kind: 'secret', from };
    yield* decoded(plain, 'secret', from);
    if (/[:=<]/.test(plain)) yield* masked(plain, from);
    return;
  }
  if (/-----BEGIN /.test(plain)) yield { value: plain.replace(/-----[A-Z0-9 ]+-----/g, '\n'), kind: 'key', from };
  yield* randomWords(plain, from);
  yield* masked(text, from);
}

function* randomWords(text: string, from: string): Values {
  for (const [word] of text.matchAll(/[^\s"'`,;<>(){}[\]|]{16,}/g)) {
    const value = word.replace(/^[\w.-]{0,64}[=:](?=.{16})/, '');
    if (!isHighEntropy(value)) continue;
    yield { value, kind: 'secret', from };
    yield* decoded(value, 'secret', from);
  }
}
