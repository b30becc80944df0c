// Answers that give an old text and a new one by name: as JSON, as YAML, in tags, or behind labels. One table of words for all.
import { parse } from 'yaml';
import { type Mapping, mapping } from '../../shape.ts';
import type { Change } from '../edit.ts';
import { isPath, pathOfInfo, pathOfLine, type Stretch } from './fences.ts';

type Role = 'old' | 'new' | 'path' | 'whole' | 'patch';

/** The words that name a part, without what may stand behind them ("old_text", "new string"). */
const WORDS: Readonly<Record<Role, string>> = {
  old: 'old, search, find, before, original, from, current, currently, match, existing, remove, removed, wrong, was, bad, broken, incorrect, replace this, change this, del, delete, deleted, minus',
  new: 'new, replacement, replace, replace with, with, after, to, change to, into, updated, fixed, becomes, become, add, added, insert, correct, corrected, good, now, should be, modified, changed, ins, inserted, plus',
  path: 'path, file, filename, filepath, file path, file name, target file',
  whole: 'content, contents, text, code, file content, new file content',
  patch: 'patch, diff',
};
const ENDS = / (?:text|texts|string|str|lines?|code|contents?|block|snippet|version|value|this|it|following|one)$/;
const ROLES = new Map(
  (Object.entries(WORDS) as [Role, string][]).flatMap(([role, names]) =>
    names.split(', ').map((name): [string, Role] => [name, role]),
  ),
);

/** What a key, a tag or a label names; undefined for any other word. */
function roleOf(name: string): Role | undefined {
  const words = name
    .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .replaceAll(/[^a-z]+/g, ' ')
    .trim();
  return ROLES.get(words) ?? ROLES.get(words.replace(ENDS, ''));
}

/** Of two that both say what comes instead, `with` does: `{replace, with}` is old and new. */
function partsOf(entries: readonly (readonly [string, string])[]): Partial<Record<Role, string>> {
  const parts: Partial<Record<Role, string>> = {};
  const isPair = entries.some(([name]) => /^\W*with\W*$/i.test(name));
  for (const [name, text] of entries) {
    const role = isPair && /^\W*replace\W*$/i.test(name) ? 'old' : roleOf(name);
    if (role) parts[role] ??= text;
  }
  return parts;
}

const NUMBERED = /^ *\d{1,7} \|(?: |$)/;

/** Without the line numbers that stand before shown lines, and without the marks of code around one line. */
function plain(text: string): string {
  const lines = unquoted(text).split('\n');
  const telling = lines.filter((line) => line.trim() !== '');
  return telling.length > 0 && telling.every((line) => NUMBERED.test(line))
    ? lines.map((line) => line.replace(NUMBERED, '')).join('\n')
    : lines.join('\n');
}

/** The change that these parts ask for; undefined when they ask for none. */
function changeOf(parts: Partial<Record<Role, string>>, path: string | undefined): Change | undefined {
  const { old, whole } = parts;
  const file = parts.path ?? path;
  const now = parts.new ?? (old === undefined ? undefined : whole);
  if (old !== undefined && now !== undefined && old.trim() !== '') {
    return { form: 'search-replace', path: file, blocks: [{ search: plain(old), replace: plain(now), within: true }] };
  }
  if (whole === undefined || file === undefined || whole.trim() === '') return undefined;
  return { form: 'whole-file', path: file, text: whole.endsWith('\n') ? whole : `${whole}\n` };
}

const asText = (value: unknown): string | undefined => {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return Array.isArray(value) && value.length > 0 && value.every((line) => typeof line === 'string')
    ? value.join('\n')
    : undefined;
};

const MAX_DEPTH = 5;

/** What a parsed value asks for: an object with old and new, or what lies in lists and objects around such. */
function changesIn(value: unknown, path: string | undefined, depth = 0): Change[] {
  if (depth > MAX_DEPTH || typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) return value.flatMap((one) => changesIn(one, path, depth + 1));
  const entries = Object.entries(value);
  const named = entries.flatMap(([name, one]) => {
    const text = asText(one);
    return text === undefined ? [] : [[name, text] as const];
  });
  const parts = partsOf(named);
  // A text for some lines by their numbers is neither a file nor an excerpt of one.
  if (entries.some(([name, one]) => typeof one === 'number' && /line|start|end/i.test(name))) delete parts.whole;
  const change = changeOf(parts, path);
  if (change) return [change];
  const texts = path === undefined ? textsByPath(value as Mapping) : [];
  if (texts.length > 0) return texts;
  const below = parts.path ?? path;
  return entries.flatMap(([name, one]) => changesIn(one, isPath(name) ? name : below, depth + 1));
}

/** `{"files": {path: text}}`: whole files. */
const textsByPath = ({ files }: Mapping): Change[] =>
  Object.entries(mapping(files)).flatMap(([path, text]): Change[] =>
    typeof text === 'string' && text.trim() !== ''
      ? [{ form: 'whole-file', path, text: text.endsWith('\n') ? text : `${text}\n` }]
      : [],
  );

/** JSON in which line breaks and tabs stand in strings as they are, and commas before closing brackets. */
function parseJson(text: string): unknown {
  const strings = text.replaceAll(/"(?:[^"\\]|\\[\s\S])*"/g, (string) =>
    string.replaceAll('\n', '\\n').replaceAll('\t', '\\t'),
  );
  try {
    return JSON.parse(strings.replaceAll(/("(?:[^"\\]|\\.)*")|,(?=\s*[\]}])/g, (_, string = '') => string));
  } catch {
    return undefined;
  }
}

function parseYaml(text: string): unknown {
  const keys = [...text.matchAll(/^[\s-]*["']?([a-z_ ]{2,20})["']?\s*:/gim)].map(([, key]) => roleOf(key as string));
  if (!keys.includes('old') || !keys.includes('new')) return undefined;
  try {
    return parse(text, { maxAliasCount: 0, logLevel: 'silent' });
  } catch {
    return undefined;
  }
}

/** The changes of an answer that is data: all of it, one of its blocks, or what stands between its outermost brackets. */
export function readData(lines: readonly string[], parts: readonly Stretch[]): Change[] {
  const text = lines.join('\n');
  const blocks = parts.filter(({ kind, info }) => kind === 'block' && /^(?:json[c5]?|ya?ml|)\b/i.test(info));
  const [from, to] = [text.search(/[[{]/), Math.max(text.lastIndexOf('}'), text.lastIndexOf(']'))];
  const sources = blocks.length > 0 ? blocks : [{ lines: [text], above: '', info: '' }];
  const read = sources.flatMap(({ lines: body, above, info }) => {
    const whole = body.join('\n');
    const path = pathOfInfo(info) ?? pathOfLine(above);
    const changes = changesIn(parseJson(whole), path);
    return changes.length > 0 ? changes : changesIn(parseYaml(whole), path);
  });
  const changes =
    read.length > 0 || from < 0 || blocks.length > 0 ? read : changesIn(parseJson(text.slice(from, to + 1)), undefined);
  return changes;
}

/** The diff that an answer of data holds as a text. */
export function patchIn(text: string): string | undefined {
  const from = text.indexOf('{');
  const value = from < 0 ? undefined : parseJson(text.slice(from, text.lastIndexOf('}') + 1));
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const { patch } = partsOf(
    Object.entries(value).flatMap(([name, one]) => (typeof one === 'string' ? [[name, one]] : [])),
  );
  // JSON inside of a diff may have such a key, too.
  return patch?.includes('\n') ? patch : undefined;
}

const OPENING = /<([a-z][\w-]{1,20})((?:\s+[\w-]+\s*=\s*(?:"[^"]*"|'[^']*'))*)\s*>/gi;
const ATTRIBUTE = /([\w-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g;
const ENTITIES: Readonly<Record<string, string>> = { '&lt;': '<', '&gt;': '>', '&amp;': '&', '&quot;': '"' };

/** Tags with what stands in them, one after the other: those inside belong to what stands in them. */
function* tagsIn(text: string): Generator<{ name: string; attributes: string; body: string }> {
  const lower = text.toLowerCase();
  // Looked for once: behind a tag that is not closed, none of its name is.
  const unclosed = new Set<string>();
  let end = 0;
  for (const { 0: tag, 1: name = '', 2: attributes = '', index } of text.matchAll(OPENING)) {
    const closing = `</${name.toLowerCase()}`;
    if (index < end || unclosed.has(closing)) continue;
    const from = index + tag.length;
    const to = lower.indexOf(closing, from);
    if (to < 0) unclosed.add(closing);
    else {
      yield { name, attributes, body: text.slice(from, to) };
      end = to + closing.length;
    }
  }
}

/** The changes that stand in tags, each with the path that was named last. */
export function readTags(text: string, path?: string, depth = 0): Change[] {
  const changes: Change[] = [];
  let entries: [string, string][] = [];
  let file = path;
  const close = () => {
    const change = changeOf(partsOf(entries), file);
    if (change) changes.push(change);
    entries = [];
  };
  for (const { name, attributes, body } of tagsIn(text)) {
    const named = [...attributes.matchAll(ATTRIBUTE)].map(([, key = '', a, b]) => [key, a ?? b ?? ''] as const);
    const at = partsOf(named).path ?? named.map(([, value]) => value).find(isPath);
    const inner = depth > MAX_DEPTH ? [] : readTags(body, at ?? file, depth + 1);
    const role = roleOf(name);
    if (inner.length > 0) changes.push(...inner);
    else if (role === 'path') file = body.trim();
    else if (role) {
      if (at !== undefined) file = at;
      if (entries.some(([other]) => roleOf(other) === role)) close();
      entries.push([name, inTag(body)]);
      const parts = partsOf(entries);
      if (parts.old !== undefined && parts.new !== undefined) close();
    }
  }
  close();
  return changes;
}

function inTag(body: string): string {
  const bare = body.replace(/^\s*<!\[CDATA\[/, '').replace(/\]\]>\s*$/, '');
  const text = bare.replace(/^[ \t]*\n/, '').replace(/\n[ \t]*$/, '\n');
  return text.includes('<') ? text : text.replaceAll(/&(?:lt|gt|amp|quot);/g, (entity) => ENTITIES[entity] as string);
}

const LABEL = /^[\s>*_#\d.)-]{0,12}([A-Za-z][A-Za-z ]{1,40}?)[*_]{0,3}\s*(?::|=>|->|→)[*_]{0,3}\s*(.*)$/;

/** What the line above a block says that it is: the last such word of a short line. */
export function labelOf(line: string): 'old' | 'new' | undefined {
  if (line.length > 80) return undefined;
  const words = line.toLowerCase().match(/[a-z]+/g) ?? [];
  for (const word of words.toReversed()) {
    const role = /^(?:replace|change)$/.test(word) ? 'old' : roleOf(word);
    if (role === 'old' || role === 'new') return role;
  }
  return undefined;
}

const MAX_BLANK = 4;

/** What a sentence says of the code that stands indented below it, as Markdown has it. */
function aboveCode(line: string, below: readonly string[]): 'old' | 'new' | undefined {
  const code = below.findIndex((one) => one !== '');
  return /^\S/.test(line) && code > 0 && /^(?: {4}|\t)/.test(below[code] as string) ? labelOf(line) : undefined;
}

/** Old and new behind labels, without blocks: `Before: a` and `After: b`, or the lines below such a label. */
export function readLabels(lines: readonly string[]): Change[] {
  const entries: { role: 'old' | 'new'; text: string[]; isCode?: boolean }[] = [];
  for (const [i, line] of lines.entries()) {
    const [, name = '', rest = ''] = LABEL.exec(line) ?? [];
    const labelled = name === '' ? undefined : /^replace$/i.test(name) ? 'old' : roleOf(name);
    const coded = aboveCode(line, lines.slice(i + 1, i + 1 + MAX_BLANK));
    const last = entries.at(-1);
    if (coded) entries.push({ role: coded, text: [], isCode: true });
    else if (labelled === 'old' || labelled === 'new')
      entries.push({ role: labelled, text: rest === '' ? [] : [unquoted(rest)] });
    else if (/^\W*(?:Fix|Reason|Note|Explanation)\b/i.test(line)) entries.push({ role: 'old', text: [] });
    // Behind indented code the answer's own words go on.
    else if (!last?.isCode || /^\s|^$/.test(line)) last?.text.push(line);
  }
  const texts = entries.map(({ role, text }) => ({ role, text: text.join('\n').replace(/^\n+/, '').trimEnd() }));
  return texts.flatMap(({ role, text }, i) => {
    const next = texts[i + 1];
    if (role !== 'old' || next?.role !== 'new' || text === '') return [];
    return [
      {
        form: 'search-replace',
        path: undefined,
        blocks: [{ search: text, replace: next.text, within: true }],
      } as const,
    ];
  });
}

const unquoted = (text: string): string => /^\s*(`+)\s?(.+?)\s?\1[.,;]?\s*$/.exec(text)?.[2] ?? text;
