// For each thing that an error calls missing, unknown or wrong, what there is of its kind, in one line. Pure.
import { distance } from 'fastest-levenshtein';
import { ANY, type FileNames, type Kind, type Name, type Repository } from '../definition.ts';
import type { NameClue } from './clues.ts';

/** The words that tools have for a kind, besides a kind of Kubernetes itself. */
const NOUNS: Readonly<Partial<Record<Kind, RegExp>>> = {
  service: /\bservices?\b/i,
  volume: /\bvolumes?\b/i,
  network: /\bnetworks?\b/i,
  'compose-config': /\b(?:config|secret)s?\b/i,
  group: /\b(?:groups?|pattern|hosts?)\b/i,
  host: /\bhosts?\b/i,
  role: /\broles?\b/i,
  handler: /\bhandlers?\b/i,
  target: /\b(?:targets?|recipes?|tasks?|rule to make)\b/i,
  terraform: /\b(?:arguments?|variables?|resources?|modules?|values?|attributes?)\b/i,
};
/** How a kind is called in a line of what there is. */
const LABELS: Readonly<Partial<Record<Kind, string>>> = {
  'compose-config': 'configs and secrets',
  'helm-value': 'values',
  terraform: 'Terraform addresses',
};
const labelOf = (kind: Kind, of: string | undefined): string =>
  kind === 'object' ? plural(of ?? 'object') : (LABELS[kind] ?? plural(kind.replace('-', ' ')));
const plural = (noun: string): string =>
  /(?:s|x|ch)$/.test(noun) ? `${noun}es` : noun.replace(/(?<![aeo])y$/, 'ie').concat('s');

/** What is there in any repository. */
const GIVEN = new Set(['all', 'ungrouped', 'localhost']);
/** The names that the error itself is about. */
const MIN_WEIGHT = 48;
const MAX_LINES = 4;
const MAX_NAMES = 12;
/** What differs in more than this part is not like it. */
const MAX_AWAY = 0.6;
/** A name that more places define tells nothing of any. */
const MAX_PLACES = 3;

/** What is asked of a repository: its names by file, and what a file sees. */
export interface Defined {
  readonly files: ReadonlyMap<string, FileNames>;
  readonly visible: Repository['visible'];
}

/** Where it stands what an error names, though the tool did not find it: an object, or a key of a Secret or a ConfigMap. */
export interface DefinedAt {
  readonly line: string;
  readonly places: readonly { readonly path: string; readonly line: number }[];
}

/** `Secret cluster-secrets is in components/sops/secret.sops.yaml`, for each name that this repository defines. */
export function definedAt(
  names: readonly NameClue[],
  errorLines: readonly string[],
  { files }: Pick<Defined, 'files'>,
): DefinedAt[] {
  const all = [...files].flatMap(([path, { defines }]) => defines.map((one) => ({ ...one, path })));
  const found = new Map<string, DefinedAt>();
  for (const { text } of names.filter(({ weight, strong }) => strong && weight >= MIN_WEIGHT)) {
    const name = text.replace(/^.*\//, '').replace(/^\$\{(\w+)\}$/, '$1');
    const said = errorLines.filter((line) => line.includes(text)).join('\n');
    const kinds = new Set(kindsSaid(said, all).map(([kind, of]) => `${kind} ${of}`));
    const isMeant = (one: Name) =>
      one.name === name && (kinds.has(`${one.kind} ${one.of}`) || (one.kind === 'entry' && OF_DATA.has(one.of ?? '')));
    const places = all.filter(isMeant);
    const [first] = places;
    if (!first || places.length > MAX_PLACES) continue;
    const what = first.kind === 'object' ? `${first.of} ${name}` : `${name}, a key,`;
    found.set(what, { line: `${what} is in ${places.map(({ path }) => path).join(', ')}`, places });
  }
  return [...found.values()].slice(0, MAX_LINES);
}

/** Below these keys a manifest keeps what others read of it by key. */
const OF_DATA = new Set(['data', 'stringData']);

/** `ClusterIssuers here: ca-issuer, letsencrypt-issuer`, the likest first; `suspects`: paths that the failure points at. */
export function definitionLines(
  names: readonly NameClue[],
  errorLines: readonly string[],
  { files, visible }: Defined,
  suspects: readonly string[],
): string[] {
  const all = [...files].flatMap(([path, { defines }]) => defines.map((one) => ({ ...one, path })));
  const lines = new Map<string, string>();
  for (const { text } of names.filter(({ weight, strong }) => strong && weight >= MIN_WEIGHT)) {
    const said = errorLines.filter((line) => line.includes(text)).join('\n');
    const kinds = kindsSaid(said, all);
    const isKind = kinds.some(([, of]) => of !== undefined && text.toLowerCase().split('.')[0] === of.toLowerCase());
    if (said === '' || isKind) continue;
    for (const [kind, of] of [...kinds, ...kindsUsed(text, files, suspects)]) {
      const label = labelOf(kind, of);
      const found = kind === 'object' ? all.filter((one) => one.kind === kind && one.of === of) : undefined;
      const there = new Set(found?.map(({ name }) => name) ?? suspects.flatMap((from) => [...visible(kind, from)]));
      there.delete(ANY);
      if ([...there].every((one) => GIVEN.has(one)) || there.has(text) || lines.has(label)) continue;
      const listed = likest(text, [...there]);
      if (listed.length > 0) lines.set(label, `${label} here: ${listed.join(', ')}`);
      break;
    }
  }
  return [...lines.values()].slice(0, MAX_LINES);
}

/** Kinds that the words of an error name, those of Kubernetes first. */
function kindsSaid(said: string, all: readonly Name[]): [Kind, string | undefined][] {
  const words = new Set(said.toLowerCase().match(/[a-z]+/g));
  const kinds = new Set(all.flatMap(({ kind, of }) => (kind === 'object' && of !== undefined ? of : [])));
  const objects = [...kinds].filter((of) => words.has(of.toLowerCase()) || words.has(plural(of).toLowerCase()));
  const others = (Object.keys(NOUNS) as Kind[]).filter((kind) => NOUNS[kind]?.test(said));
  return [
    ...objects.sort((a, b) => b.length - a.length).map((of): [Kind, string] => ['object', of]),
    ...others.map((kind): [Kind, undefined] => [kind, undefined]),
  ];
}

/** Kinds as which suspected files use a name. */
const kindsUsed = (name: string, files: Defined['files'], suspects: readonly string[]): [Kind, undefined][] =>
  suspects
    .flatMap((path) => files.get(path)?.uses ?? [])
    .flatMap((use): [Kind, undefined][] => (use.name === name && use.kind !== 'file' ? [[use.kind, undefined]] : []));

/** All where they are few; else only those that are like `name`. */
function likest(name: string, there: readonly string[]): string[] {
  const away = (one: string): number =>
    distance(one.toLowerCase(), name.toLowerCase()) / Math.max(one.length, name.length);
  return there
    .map((one) => ({ one, away: away(one) }))
    .filter((each) => there.length <= MAX_NAMES || each.away <= MAX_AWAY)
    .sort((a, b) => a.away - b.away || (a.one < b.one ? -1 : 1))
    .slice(0, MAX_NAMES)
    .map(({ one }) => one);
}
