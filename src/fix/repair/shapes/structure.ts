// Repairs that the form of the text shows: it parses again, a type, a sibling too many, a mode, a command that only looks.
import type { Shape } from '../shape.ts';

/** The text did not parse and does now: quotes, brackets, commas, colons, blanks, or the word that ends a block. */
export const parsesAgain: Shape = (place, { evidence }) => {
  if (place.what !== 'syntax') return undefined;
  const { path, line, old, isProven, isClosed, signs } = place;
  // Without a parser: brackets that match again, or a blank or colon at the very line that the log names.
  const isNamed = /^:?$/.test(signs) && evidence.cannotParse(path, line);
  if (!isProven && !isNamed && !(isClosed && evidence.complainsOf(path, old))) return undefined;
  return 'it did not parse, and does now with the same words';
};

/** The same characters as another type, where the log rejects the type; and a template expression without its quotes. */
export const retyped: Shape = (place, { evidence }) => {
  if (place.what !== 'retyped') return undefined;
  const { path, old, from, to } = place;
  // A mapping whose key is a mapping is a template that lost its quotes; charts are made before anybody reads them.
  const isTemplate = from === 'map' && to === 'string' && /^\{\{.*\}\}/.test(old);
  if (isTemplate && !/(?:^|\/)templates\//.test(path)) return 'a template expression as a value needs quotes';
  const isScalar = from !== 'map' && from !== 'list' && to !== 'null';
  if (!isScalar || !evidence.rejectsType(place)) return undefined;
  return `the log rejects ${old} as ${from}; the same characters as ${to}`;
};

/** A sibling is gone whose equal stays below the same parent. */
export const duplicate: Shape = ({ what }) => (what === 'duplicate' ? 'it stood there twice, alike' : undefined);

/** A script that says what runs it may be run. */
export const executable: Shape = ({ what }, { text }) =>
  what === 'executable' && text.startsWith('#!') ? 'a script with its interpreter may be run' : undefined;

/** What only looks or waits, with the options that say of what and how long. */
const LOOKS: readonly RegExp[] = [
  /^kubectl (?:rollout status|wait) [\w./ -]+$/,
  /^(?:kubectl|flux|talosctl|helm) version(?: --client)?$/,
  /^(?:kubectl cluster-info|flux check|talosctl health|helm lint [\w./-]+)$/,
  /^sleep \d{1,3}[sm]?$/,
];
/** Of kubectl no other option is looked at. */
const OPTION = /^(?:-n|--(?:namespace|timeout|for)(?:=[\w=/-]+)?)$/;
const REQUIRED = /^"\$\{\w+:\?[\w .,'-]*\}"$/;
const BELOW = /^"?(?:\$\{?MENDLOOP_OUT\}?\/)?\w[\w.-]*(?:\/[\w.-]+)*\/?"?$/;
const isBelow = (word: string): boolean => BELOW.test(word) && !word.split('/').includes('..');

/** A command that only looks, waits or checks, between others of its block. */
export const addedLook: Shape = (place) => {
  if (place.what !== 'added-command' || place.isLast || !place.words) return undefined;
  const [program = '', ...rest] = place.words;
  if (program === ':' && rest.length === 1 && REQUIRED.test(rest[0] as string))
    return 'it checks that a variable is set';
  if (program === 'mkdir' && rest[0] === '-p' && rest.length > 1 && rest.slice(1).every(isBelow))
    return 'it makes a folder that is needed';
  const options = rest.filter((word) => word.startsWith('-') && word !== '--client');
  if (!options.every((word) => OPTION.test(word))) return undefined;
  const spoken = place.words.filter((word) => !word.startsWith('--') || word === '--client').join(' ');
  return LOOKS.some((look) => look.test(spoken)) ? 'it only looks or waits' : undefined;
};
