// An edit → the places that it touches, by its file's language: trees where there is one, the words of lines elsewhere.
import type { Edit } from '../edit.ts';
import { jsonFaults, tomlFaults } from '../gate/parses.ts';
import { type ParseShell, unreadParts } from '../shell/node.ts';
import type { Place } from './place.ts';
import { shellPlaces } from './shell-places.ts';
import { signsOnly } from './signs-only.ts';
import { decision } from './texts.ts';
import { tokenPlaces } from './token-places.ts';
import { blockTextIn, readYaml, yamlPlaces } from './yaml-places.ts';

/** Beyond this nothing is compared: the owner is asked. */
const MAX_CHARS = 512 * 1024;

/** Every place that the edit touches; none where it changes nothing that means something. Never throws. */
export function placesOf({ path, before, after, executable }: Edit, parse: ParseShell): Place[] {
  const whole = { path, line: 1 };
  if (before === null) return [decision(whole, 'new_file', '', after)];
  const places: Place[] = executable ? [{ what: 'executable', ...whole, old: '', new: '' }] : [];
  if (Math.max(before.length, after.length) > MAX_CHARS) return [...places, decision(whole, 'unread', '', '')];
  const plain = (text: string) =>
    text
      .replace(/^\ufeff/, '')
      .replace(/\r\n/g, '\n')
      .replace(/\n*$/, '\n');
  const [old, now] = [plain(before), plain(after)];
  return old === now ? places : [...places, ...textPlaces(path, old, now, parse)];
}

function textPlaces(path: string, old: string, now: string, parse: ParseShell): Place[] {
  const byTree = treePlaces(path, old, now, parse);
  if (Array.isArray(byTree)) return byTree;
  const places = tokenPlaces(path, old, now);
  const signs = byTree !== 'unread' && places.length > 0 ? signsOnly(path, old, now) : undefined;
  // What is moved into a block text is no key any more.
  if (!signs || (IS_YAML.test(path) && signs.changed.some(blockTextIn(now)))) return places;
  const texts = { old: old.split('\n')[signs.line - 1] ?? '', new: now };
  return [{ what: 'syntax', path, ...texts, ...signs, isProven: byTree === 'mended' }];
}

const IS_YAML = /\.(?:ya?ml|json5?|jsonc)$/i;
const IS_SHELL = /^#!.*\b(?:ba|da|k)?sh\b/;

/** Where the trees differ; `mended` where only the new text has one, `unread` where that has none; undefined: there are no trees. */
function treePlaces(path: string, old: string, now: string, parse: ParseShell) {
  function compared<T>(read: (text: string) => T | undefined, compare: (path: string, old: T, now: T) => Place[]) {
    const [a, b] = [read(old), read(now)];
    return a && b ? compare(path, a, b) : !a && b ? 'mended' : 'unread';
  }
  if (/\.json$/i.test(path)) return compared(readJson, yamlPlaces);
  if (IS_YAML.test(path)) return compared(readYaml, yamlPlaces);
  if (/\.toml$/i.test(path)) return compared(readToml, tokenPlaces);
  if (!(/\.(?:sh|bash)$/.test(path) || IS_SHELL.test(old)) || /\{\{|\{%/.test(old)) return undefined;
  const readScript = (text: string) => {
    const script = parse(text);
    return unreadParts(script).length === 0 ? script : undefined;
  };
  return compared(readScript, shellPlaces);
}

/** It may be indented by tabs, which no string of it has. */
const readJson = (text: string) => (jsonFaults(text).length === 0 ? readYaml(text.replace(/\t/g, '  ')) : undefined);
const readToml = (text: string) => (tomlFaults(text).length === 0 ? text : undefined);
