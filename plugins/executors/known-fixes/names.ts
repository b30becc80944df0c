// What a word may have been meant to be: the names that the repository defines and the words that tools know, by what the word is
// where it stands and by what the message calls it. Pure.
import type { Definitions } from '../../../src/model.ts';
import type { Rejection } from './messages.ts';
import { type NamedBy, nearest, slips } from './near.ts';
import { type Place, placesOf, SCRIPT, type World } from './places.ts';
import { programMeant } from './programs.ts';
import { lineOf } from './repair.ts';
import { cronRewrites, imageRewrites } from './spelling.ts';
import { FILTERS } from './words.ts';
import { entriesOf, type YamlEntry } from './yaml-tree.ts';

const TEMPLATE = /\.(?:j2|jinja2?|tmpl|tpl|gotmpl)$/;

type Names = readonly (readonly [NamedBy, Iterable<string>])[];

/** The names that are near the word; `isKnown`: it is a name itself, so that the fault is elsewhere. */
export function meantBy(rejection: Rejection, place: Place, world: World): { isKnown: boolean; near: string[] } {
  const { word, message, offered } = rejection;
  if (place.role === 'program')
    return programMeant(place, world, (name) => placesOf(name, world.texts).some(({ role }) => role === 'program'));
  const rewrites = /\b(?:cron|schedule|fields)\b/i.test(message) ? cronRewrites(word) : imageRewrites(word, message);
  if (rewrites.length > 0) return { isKnown: false, near: rewrites };
  const own = namesFor(rejection, place, world);
  const [hint = '', ...more] = offered;
  if (hint !== '' && more.length === 0 && slips(word, hint, 1) === 1) return { isKnown: false, near: [hint] };
  const lists: Names = [['tool', offered], ...own];
  const isKnown = own.some(([, names]) => [...names].includes(word));
  return { isKnown, near: [...new Set(lists.flatMap(([by, names]) => nearest(word, names, by)))] };
}

function namesFor(rejection: Rejection, place: Place, world: World): Names {
  const { repository, texts } = world;
  switch (place.role) {
    case 'filter':
      return [['tool', FILTERS]];
    case 'variable': {
      const all = variables(place, world);
      const plural = `${place.word}s`;
      const framed = namesInFrame(place, texts).filter((name) => all.includes(name));
      if (framed.length === 1) return [['given', framed]];
      return isList(place) && all.includes(plural) ? [['tool', [plural]]] : [['open', all]];
    }
    case 'attribute':
      return [['open', attributes(place, world)]];
    case 'code':
      return [['open', [...repository.visible('python-name', place.path), ...modulesBeside(place, texts)]]];
    case 'key':
      return [...keys(place, world), ...named(rejection, place, world), ['open', rejection.others]];
    default:
      return [...words(place, world), ...named(rejection, place, world)];
  }
}

/** Values that have a vocabulary of their own. */
function words(place: Place, { vocabulary, repository, texts }: World): Names {
  const { before, word } = place;
  const kinds = vocabulary.kinds();
  if (/\bkind:\s*["']?$/.test(before)) {
    const own = repository.everywhere('object').flatMap(({ of = '' }) => (of === word ? [] : of));
    return [['tool', [...kinds.map((kind) => kind.replace(/:.*/, '')), ...own]]];
  }
  if (/\bapiVersion:\s*["']?$/.test(before)) return [['tool', kinds.map((kind) => kind.replace(/^\w+:/, ''))]];
  if (!/\btime_?zone:\s*["']?$|\btz[:=]\s*["']?$/i.test(before)) return [['repository', namedBeside(place, texts)]];
  const zones = ['UTC', 'Etc/UTC', ...Intl.supportedValuesOf('timeZone')];
  const city = zones.filter((zone) => zone.endsWith(`/${word}`));
  return [['tool', city.length > 0 ? city : zones]];
}

const ENOUGH = 2;

/** The names that at least two other places have in the very words around this one: `${X:?set it in media.env}`. */
function namesInFrame({ text, offset, word, after }: Place, texts: ReadonlyMap<string, string>): string[] {
  const [frame = ''] = /^:?[?-][^}]{8,}\}/.exec(after) ?? [];
  if (frame === '' || text[offset - 1] !== '{') return [];
  const framed = new RegExp(`\\$\\{(\\w+)${frame.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}`, 'g');
  const names = captured(texts, /./, framed).filter((name) => name !== word);
  return [...new Set(names)].filter((name) => names.filter((one) => one === name).length >= ENOUGH);
}

/** The entries of the one mapping that every other value under this key names. */
function namedBeside({ path, text, offset }: Place, texts: ReadonlyMap<string, string>): string[] {
  const own = /\.ya?ml$/.test(path) ? entriesOf(text) : [];
  const key = own.find(({ valueAt: [from, to], is }) => is === 'scalar' && from <= offset && offset < to)?.key;
  const beside = own.filter(
    (one) => one.key === key && one.is === 'scalar' && !(one.valueAt[0] <= offset && offset < one.valueAt[1]),
  );
  const others = new Set(beside.map(({ value }) => String(value)));
  if (key === undefined || others.size < ENOUGH) return [];
  const mappings = everyEntry(texts).filter(({ is }) => is === 'map');
  const names = mappings.map(({ children }) => children.map((child) => child.key));
  return names.filter((keys) => [...others].every((other) => keys.includes(other))).flat();
}

/** Where a list is expected, the plural is meant. */
const isList = ({ before, after }: Place): boolean =>
  /\bin\s+$|loop:[^\n]*$|with_\w+:[^\n]*$/.test(before) || /^\s*\|\s*(?:join|length|map)\b/.test(after);

const VARIABLES = [
  ...(['ansible-variable', 'env-variable', 'shell-variable', 'make-variable'] as const),
  ...(['just-variable', 'task-variable', 'host'] as const),
];

/** Shorter names of the environment are too likely to be unrelated. */
const MIN_ENVIRONMENT = 5;

function variables({ path, text, offset, word, before }: Place, world: World): string[] {
  const { repository, texts, required } = world;
  const environment = world.variables.filter((name) => name.length >= MIN_ENVIRONMENT);
  if (SCRIPT.test(path) && /\$\{?[!#]?$/.test(before))
    return [...repository.visible('shell-variable', path), ...environment, ...required];
  const line = lineOf(text, offset);
  const isOwn = (one: { name: string; path: string; line: number }) =>
    one.name === word && one.path === path && one.line === line;
  const own = VARIABLES.flatMap((kind) => repository.everywhere(kind).flatMap((one) => (isOwn(one) ? [] : one.name)));
  const substituted = [...texts].flatMap(([file, text]) =>
    /\.ya?ml$/.test(file) && /^\s*(?:substitute|data|stringData|env|environment):/m.test(text)
      ? entriesOf(text).flatMap(({ path: way, key }) =>
          /^(?:substitute|data|stringData|env|environment)$/.test(way.at(-2) ?? '') ? key : [],
        )
      : [],
  );
  const settings = [...texts.keys()].filter((file) => /(?:vars|variables|values|settings)[^/]*\.ya?ml$/.test(file));
  const entries = settings.flatMap((file) => [...repository.visible('entry', file)]);
  return [
    ...own,
    ...substituted,
    ...entries,
    ...(word === word.toUpperCase() && !path.endsWith('.tf') ? environment : []),
  ];
}

/** What stands below what the word is an attribute of: in data, or in Terraform's addresses and outputs. */
function attributes({ before, path }: Place, { repository, texts }: World): string[] {
  const owner = /([\w.-]+)(?:\.|\[["'])$/.exec(before)?.[1] ?? '';
  if (/\.(?:tf|tofu)$/.test(path)) {
    const addresses = namesOf('terraform', repository).filter((one) => one.startsWith(`${owner}.`));
    const outputs = /^module\.\w+$/.test(owner) ? captured(texts, /\.tf$/, /^output "(\w+)"/gm) : [];
    return [...addresses.map((one) => one.slice(owner.length + 1)), ...outputs];
  }
  if (owner === 'groups') return namesOf('group', repository);
  const last = owner.split('.').at(-1);
  return everyEntry(texts).flatMap(({ key, children }) => (key === last ? children.map((child) => child.key) : []));
}

/** Files beside a Python file are its modules. */
const modulesBeside = ({ path }: Place, texts: ReadonlyMap<string, string>): string[] => {
  const folder = path.slice(0, path.lastIndexOf('/') + 1);
  return [...texts.keys()].flatMap((file) =>
    file.startsWith(folder) ? (/^(\w+)\.py$/.exec(file.slice(folder.length))?.[1] ?? []) : [],
  );
};

const PLAYBOOK = /^\s*- (?:name|hosts|import_playbook|[\w.]+):/m;

/** Keys that the tool knows there; of a tool that nobody knows here, those that the file has elsewhere. */
function keys(place: Place, { vocabulary, texts }: World): Names {
  const { path, text, offset, word } = place;
  const plain = path.replace(TEMPLATE, '');
  if (/(?:^|\/)Caddyfile/.test(plain))
    return [['tool', ['directive', 'subdirective', 'option'].flatMap((kind) => [...vocabulary.words('caddy', kind)])]];
  const all = entriesOf(text);
  const entry = all.find(({ keyAt }) => keyAt[0] <= offset && offset < keyAt[1]);
  const top = all.filter(({ path: way, document }) => way.length === 1 && document === (entry?.document ?? 0));
  const known = keysOf(plain, text, top, vocabulary)?.(entry?.path.slice(0, -1));
  if (known) return [['tool', known]];
  const ending = /\.\w+$/.exec(plain)?.[0] ?? plain;
  const alike = [...texts].filter(([file]) => file === path || file.replace(TEMPLATE, '').endsWith(ending));
  const used = alike.flatMap(([, one]) =>
    [...one.matchAll(/^\s*(?:- )*["']?([\w-]+)/gm)].map(([, key]) => key as string),
  );
  return [['open', used.filter((key) => key !== word)]];
}

/** What may stand below a way of keys in one document, by the tool that reads it; undefined where that is not known. */
export function keysOf(
  path: string,
  text: string,
  top: readonly YamlEntry[],
  vocabulary: Definitions['vocabulary'],
): ((way: readonly string[] | undefined) => ReadonlySet<string> | undefined) | undefined {
  if (!/\.ya?ml$/.test(path)) return undefined;
  const topValue = (name: string) => top.find(({ key }) => key === name)?.value as string | undefined;
  const [apiVersion, kind] = [topValue('apiVersion'), topValue('kind')];
  const plainKeys = Array.from(text.matchAll(/^([\w-]+):/gm), ([, key]) => key as string);
  const keys = top.length > 0 ? top.map(({ key }) => key) : plainKeys;
  const root = vocabulary.rootOf(path, { keys, ...(apiVersion && { apiVersion }), ...(kind && { kind }) });
  if (root !== undefined) return (way) => (way ? vocabulary.keysAt(root, way) : vocabulary.allKeys(root));
  if (!PLAYBOOK.test(text) || kind !== undefined) return undefined;
  const ofTasks = ['play', 'block', 'task', 'handler'].flatMap((each) => [...vocabulary.words('ansible', each)]);
  return (way) => {
    const owner = way?.at(-1) ?? 'tasks';
    return /^(?:(?:pre_|post_)?tasks|handlers|block|rescue|always)$/.test(owner)
      ? new Set([...ofTasks, ...vocabulary.modules()])
      : vocabulary.moduleArguments(owner);
  };
}

/** Kinds of the table that messages call by another name. */
const CALLED: readonly (readonly [noun: RegExp, kind: 'group' | 'role' | 'handler' | 'target' | 'terraform'])[] = [
  [/host pattern/i, 'group'],
  [/\brole\b/i, 'role'],
  [/\bhandler\b/i, 'handler'],
  [/\b(?:make target|task|recipe|dependency)\b/i, 'target'],
];

/** Names of what the message calls it: of a kind of the table, a kind of Kubernetes, or a section of some file. */
function named({ message, word }: Rejection, place: Place, world: World): Names {
  const { path, text, before } = place;
  const { repository, texts } = world;
  const nouns = new Set((message.toLowerCase().match(/[a-z]+/g) ?? []).map(singular));
  const table = CALLED.filter(([noun]) => noun.test(message)).map(
    ([, kind]) =>
      [
        'repository',
        [...repository.visible(kind, path), ...namesOf(kind, repository)].filter((name) => /^[^:/]*$/.test(name)),
      ] as const,
  );
  const sections = everyEntry(texts).filter(({ key }) => /s$/.test(key) && nouns.has(singular(key.toLowerCase())));
  const inSections = sections.flatMap(({ is, children }) =>
    children.flatMap(({ key, value }) => (is === 'map' ? key : key === 'name' ? String(value) : [])),
  );
  // A patch says the name of what it changes, and does not define it.
  const isOwn = (one: { name: string; path: string }) => one.name === word && one.path === path;
  const objects = repository
    .everywhere('object')
    .filter((one) => nouns.has((one.of ?? '').toLowerCase()) && !isOwn(one));
  const isByFlux = objects.some(({ of = '' }) => FLUX.test(of));
  const isPatch = /^\s*name:\s*["']?$/.test(before) && /no matches for Id/.test(message);
  const ofVariables = /\bvariable/i.test(message) ? variables(place, world) : [];
  return [
    ...table,
    ['open', ofVariables],
    ['tool', /--from=$/.test(before) ? captured(new Map([[path, text]]), /./, /^FROM \S+ AS ([\w.-]+)/gim) : []],
    ['repository', inSections],
    [isByFlux || isPatch ? 'repository' : 'open', objects.map(({ name }) => name)],
  ];
}

/** Kinds of objects that only manifests create. */
const FLUX = /^(?:Kustomization|Helm\w+|GitRepository|OCIRepository)$/;
const singular = (noun: string): string => noun.replace(/ies$/, 'y').replace(/s$/, '');
const namesOf = (kind: Parameters<World['repository']['everywhere']>[0], repository: World['repository']): string[] =>
  repository.everywhere(kind).map(({ name }) => name);

const parsed = new WeakMap<ReadonlyMap<string, string>, readonly YamlEntry[]>();

/** The entries of every YAML file. */
export function everyEntry(texts: ReadonlyMap<string, string>): readonly YamlEntry[] {
  const entries =
    parsed.get(texts) ?? [...texts].flatMap(([path, text]) => (/\.ya?ml$/i.test(path) ? entriesOf(text) : []));
  parsed.set(texts, entries);
  return entries;
}

const captured = (texts: ReadonlyMap<string, string>, file: RegExp, pattern: RegExp): string[] =>
  [...texts].flatMap(([path, text]) =>
    file.test(path) ? [...text.matchAll(pattern)].map(([, name]) => name as string) : [],
  );
