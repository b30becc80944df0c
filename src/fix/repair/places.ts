// An edit → the places that it touches, by its file's language: trees where there is one, the words of lines elsewhere.
import { parse as parseToml } from 'smol-toml';
import type { Edit } from '../edit.ts';
import { type ParseShell, unreadParts } from '../shell/node.ts';
import type { Place } from './place.ts';
import { shellPlaces } from './shell-places.ts';
import { signsOnly } from './signs-only.ts';
import { tokenPlaces } from './token-places.ts';
import { blockTexts, readYaml, type YamlText, yamlPlaces } from './yaml-places.ts';

/** Beyond this nothing is compared: the owner is asked. */
const MAX_CHARS = 512 * 1024;

/** Every place that the edit touches; none where it changes nothing that means something. Never throws. */
export function placesOf(edit: Edit, parse: ParseShell): Place[] {
  const { path, before, after, executable } = edit;
  if (before === null) return [{ what: 'other', path, line: 1, old: '', new: after, kind: 'new_file' }];
  const places: Place[] = executable ? [{ what: 'executable', path, line: 1, old: '', new: '', text: before }] : [];
  if (Math.max(before.length, after.length) > MAX_CHARS)
    return [...places, { what: 'other', path, line: 1, old: '', new: '', kind: 'unread' }];
  const [old, now] = [before, after].map((text) =>
    text
      .replace(/^\ufeff/, '')
      .replace(/\r\n/g, '\n')
      .replace(/\n*$/, '\n'),
  ) as [string, string];
  return old === now ? places : [...places, ...textPlaces(path, old, now, parse)];
}

function textPlaces(path: string, old: string, now: string, parse: ParseShell): Place[] {
  const reading = readerOf(path, old, parse);
  const [was, is] = [reading?.reads(old) ?? false, reading?.reads(now) ?? false];
  if (reading && was && is) return reading.compare(old, now);
  const isProven = reading !== undefined && !was && is;
  const places = tokenPlaces(path, old, now);
  const signs = (isProven || !reading) && places.length > 0 ? signsOnly(path, old, now) : undefined;
  if (!signs || (isYaml(path) && signs.changed.some(linesOfTexts(now)))) return places;
  const { line } = signs;
  return [
    {
      what: 'syntax',
      path,
      line,
      old: old.split('\n')[line - 1] ?? '',
      new: now,
      isProven,
      signs: signs.signs,
      isClosed: signs.isClosed,
    },
  ];
}

/** Whether a line is part of a block text: what is moved into one is no key any more. */
function linesOfTexts(text: string): (line: number) => boolean {
  const inTexts = blockTexts(text);
  return (line) => inTexts.some(([from, to]) => line > from && line <= to);
}

interface Reading {
  reads(text: string): boolean;
  compare(old: string, now: string): Place[];
}

function readerOf(path: string, text: string, parse: ParseShell): Reading | undefined {
  if (isYaml(path)) return treeReading(path);
  if (/\.toml$/i.test(path)) return { reads: readsToml, compare: (old, now) => tokenPlaces(path, old, now) };
  if (!isShell(path, text) || /\{\{|\{%/.test(text)) return undefined;
  return {
    reads: (script) => unreadParts(parse(script)).length === 0,
    compare: (old, now) => shellPlaces(path, parse(old), parse(now)),
  };
}

const isYaml = (path: string): boolean => /\.(?:ya?ml|json5?|jsonc)$/i.test(path);

const isShell = (path: string, text: string): boolean =>
  /\.(?:sh|bash)$/.test(path) || /^#!.*\b(?:ba|da|k)?sh\b/.test(text);

function treeReading(path: string): Reading {
  const isJson = /\.json$/i.test(path);
  // JSON may be indented by tabs, which no string of it has.
  const plain = (text: string) => (isJson ? text.replace(/\t/g, '  ') : text);
  const known = new Map<string, YamlText | undefined>();
  const read = (text: string) => {
    if (!known.has(text)) known.set(text, isJson && !readsJson(text) ? undefined : readYaml(plain(text)));
    return known.get(text);
  };
  return {
    reads: (text) => read(text) !== undefined,
    compare(old, now) {
      const [a, b] = [read(old), read(now)];
      return a && b ? yamlPlaces(path, a, b) : tokenPlaces(path, old, now);
    },
  };
}

function readsJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function readsToml(text: string): boolean {
  try {
    parseToml(text, { maxDepth: 200 });
    return true;
  } catch {
    return false;
  }
}
