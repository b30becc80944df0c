// The secrets in the text of a carried file: every value of KEY=VALUE lines, in YAML and JSON those whose key or look says
// so, and in any other text the words that look random.
import { parseAllDocuments } from 'yaml';
import { deepOffset } from '../../config/yaml-depth.ts';
import { MIN_SECRET_LENGTH, RedactionError, type Secret, type ShortSecret } from './secret.ts';
import { entropy, isHarmlessName, isSecretName, kindOfName, turns } from './secret-signs.ts';

export interface SecretList {
  secrets: Secret[];
  /** Secrets that are too short to be masked wherever they appear. */
  short: ShortSecret[];
}

/** `path` is how messages and `from` call the file. Throws RedactionError when it is YAML or JSON by name and does not parse. */
export function secretsInText(path: string, text: string): SecretList {
  const list: SecretList = { secrets: [], short: [] };
  const data = dataOf(path, text);
  if (data !== undefined) {
    for (const document of data) walk(document, { path, key: '', secret: false }, list);
    // What stands in comments counts, too.
    if (!/^\s*[[{]/.test(text)) randomWords(path, text.replace(/^[^#\n]*/gm, ''), list);
  } else if (isAssignments(text)) assignments(path, text, list);
  else loose(path, text, list);
  return list;
}

/** Values of variables with secret-like names. */
export function secretsInEnv(env: Readonly<Record<string, string | undefined>>): SecretList {
  const list: SecretList = { secrets: [], short: [] };
  for (const [name, value = ''] of Object.entries(env)) {
    if (isSecretName(name)) keep(value, kindOfName(name), `the variable ${name}`, list);
  }
  return list;
}

function keep(value: string, kind: string, from: string, { secrets, short }: SecretList): void {
  const plain = value.trim();
  if (plain.length >= MIN_SECRET_LENGTH) secrets.push({ value: plain, kind, from });
  else if (plain !== '' && !/^(?:true|false|yes|no|on|off|null|none|~|-?\d{1,3})$/i.test(plain)) {
    short.push({ value: plain, from });
  }
}

const DATA_NAME =
  /\.(?:ya?ml|json|tfstate|tfstate\.backup|sops)$|(?:^|\/)(?:kubeconfig|talosconfig|\.?dockerconfigjson)$/i;
const YAML_LOOK = /^(?:---|[\w."'-]+:(?:[ \t]|$)|[ \t]*#)/;

/** The documents of YAML or JSON; undefined when the file is something else. */
function dataOf(path: string, text: string): unknown[] | undefined {
  const byName = DATA_NAME.test(path);
  const first = text.split('\n').find((line) => line.trim() !== '' && !/^\s*#/.test(line)) ?? '';
  if (!byName && !/^\s*[[{]/.test(first) && !YAML_LOOK.test(first)) return undefined;
  try {
    return /^\s*[[{]/.test(text) ? [JSON.parse(text)] : yamlOf(text);
  } catch {
    try {
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
  if (!Array.isArray(documents)) return [];
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
}

function walk(value: unknown, at: At, list: SecretList, depth = 0): void {
  if (depth > 200)
    throw new RedactionError(`the carried file ${at.path} is nested too deeply`, `take ${at.path} out of carry`);
  if (Array.isArray(value)) for (const item of value) walk(item, at, list, depth + 1);
  else if (typeof value === 'object' && value !== null) {
    sensitiveAttributes(value as Record<string, unknown>, at, list);
    const named = nameAndValue(value as Record<string, unknown>);
    for (const [key, item] of Object.entries(value)) {
      const secret = !isHarmlessName(key) && (at.secret || isSecretKey(key) || (named && key === 'value'));
      walk(item, { path: at.path, key, secret }, list, depth + 1);
    }
  } else if (typeof value === 'string') leaf(value, at, list);
  else if (typeof value === 'number' && at.secret) leaf(String(value), at, list);
}

// Alone they are the keys of many other things: then the look of the value decides.
const WEAK_KEY = /^(?:keys?|auth|cookie|salt|seed|license|pin|signature|pat|pw)$/i;

const isSecretKey = (key: string): boolean =>
  (isSecretName(key) && !WEAK_KEY.test(key)) || /-data$/i.test(key) || key === 'stringData';

/** `{name: DB_PASSWORD, value: …}`, and Terraform's `{sensitive: true, value: …}`. */
function nameAndValue(map: Record<string, unknown>): boolean {
  const { name, key, sensitive } = map;
  return sensitive === true || [name, key].some((word) => typeof word === 'string' && isSecretName(word));
}

/** Terraform's state names the attributes of an instance that are secret, by their path. */
function sensitiveAttributes(map: Record<string, unknown>, at: At, list: SecretList): void {
  const { sensitive_attributes: paths, attributes } = map;
  if (!Array.isArray(paths)) return;
  for (const steps of paths) {
    let value: unknown = attributes;
    for (const step of Array.isArray(steps) ? steps : [steps]) {
      const key = typeof step === 'object' && step !== null ? (step as { value?: unknown }).value : step;
      const inner = typeof key === 'object' && key !== null ? (key as { value?: unknown }).value : key;
      value = (value as Record<string, unknown> | undefined)?.[String(inner)];
    }
    walk(value, { path: at.path, key: 'sensitive_attributes', secret: true }, list);
  }
}

function leaf(value: string, { path, key, secret }: At, list: SecretList): void {
  const from = `${path}, ${key}`;
  if (!secret) {
    randomWords(path, value, list, from);
    return;
  }
  keep(value, kindOfName(key), from, list);
  decoded(value, from, kindOfName(key), list);
  if (value.includes('\n')) addAll(list, secretsInText(from, value));
}

/** A Kubernetes Secret holds base64: what is inside is the secret that logs show. */
function decoded(value: string, from: string, kind: string, list: SecretList): void {
  const plain = value.replace(/\s+/g, '');
  if (plain.length < 12 || plain.length % 4 !== 0 || !/^[A-Za-z0-9+/]+={0,2}$/.test(plain)) return;
  const inside = Buffer.from(plain, 'base64').toString('utf8');
  if (/[^\t\n\r\x20-\x7e\u00a0-\u{10ffff}]|\ufffd/u.test(inside)) return;
  keep(inside, kind, from, list);
  if (inside.includes('\n')) addAll(list, secretsInText(from, inside));
}

const ASSIGNMENT = /^[ \t]*(?:export[ \t]+|set[ \t]+|-[ \t]+)?["']?([A-Za-z_][\w.-]*)["']?[ \t]*=[ \t]*(.*)$/;

function isAssignments(text: string): boolean {
  return text.split(/\r?\n/).some((line) => ASSIGNMENT.test(line));
}

/** Every value; a quoted one may go over several lines. */
function assignments(path: string, text: string, list: SecretList): void {
  const lines = text.split(/\r?\n/);
  for (let i = 0; i < lines.length; i++) {
    const [, name = '', rest = ''] = ASSIGNMENT.exec(lines[i] as string) ?? [];
    if (name === '') {
      randomWords(path, lines[i] as string, list);
      continue;
    }
    const quote = /^["']/.exec(rest)?.[0];
    let value = rest;
    if (quote !== undefined) {
      while (closing(value, quote) === -1 && i + 1 < lines.length) value += `\n${lines[++i]}`;
      const end = closing(value, quote);
      value = value.slice(1, end === -1 ? undefined : end);
    } else value = value.replace(/[ \t]+#.*$/, '');
    const from = `${path}, ${name}`;
    const kind = kindOfName(name);
    keepAny(value, name, kind, from, list);
    // With its escapes read, and without its comment sign: both are what a program would see.
    if (quote === '"' && value.includes('\\')) keepAny(unescaped(value), name, kind, from, list);
    if (rest !== value && quote === undefined) keepAny(rest, name, kind, from, list);
    decoded(value, from, kind, list);
    const password = /:\/\/[^\s/:@]*:([^\s/]+)@/.exec(value)?.[1];
    if (password !== undefined) {
      keep(password, 'password', from, list);
      if (/%[0-9a-f]{2}/i.test(password)) keep(percentDecoded(password), 'password', from, list);
    }
  }
}

/** Short values are only worth a word when their name says that they are secret. */
function keepAny(value: string, name: string, kind: string, from: string, list: SecretList): void {
  if (value.trim().length >= MIN_SECRET_LENGTH || isSecretName(name)) keep(value, kind, from, list);
  if (value.includes('\n')) randomWords(from, value, list, from);
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

/** A file that is one word is that secret; of any other text the words that look random. */
function loose(path: string, text: string, list: SecretList): void {
  const plain = text.trim();
  if (plain !== '' && !/\s/.test(plain)) {
    keep(plain, 'secret', path, list);
    decoded(plain, path, 'secret', list);
  } else if (/-----BEGIN /.test(plain)) {
    const body = plain.replace(/-----[A-Z0-9 ]+-----/g, '\n').trim();
    keep(body, 'key', path, list);
    randomWords(path, plain, list);
  } else randomWords(path, plain, list);
}

function randomWords(path: string, text: string, list: SecretList, from = path): void {
  for (const [word] of text.matchAll(/[^\s"'`,;<>(){}[\]|]{16,}/g)) {
    const value = word.replace(/^[\w.-]{0,64}[=:](?=.{16})/, '');
    if (isHighEntropy(value)) keep(value, 'secret', from, list);
  }
}

const ORDINARY =
  /^(?:sha\d{1,3}[:-]|SHA256:|[a-z]+:\/\/(?![^/]*:[^/]*@)|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$|\d{4}-\d\d-\d\d|v?\d+(?:\.\d+)+|age1|ssh-|arn:)|@sha256:|\.(?:com|org|net|lan|local|io|dev|internal|home)(?::\d+)?(?:\/|$)|^\/(?:[\w.@-]+\/)*[\w.@-]+$/i;

/** Long, and nobody typed it. */
export function isHighEntropy(value: string): boolean {
  if (value.length < 16 || ORDINARY.test(value)) return false;
  return turns(value.slice(0, 4096)) >= 0.25 && entropy(value.slice(0, 4096)) >= 3;
}

function addAll(list: SecretList, more: SecretList): void {
  list.secrets.push(...more.secrets);
  list.short.push(...more.short);
}
