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
  /(?:s|x|ch)$/.test(noun) ? `${noun}es` : noun.replace(/y$/, 'ie').concat('s');

/** What is there in any repository. */
const GIVEN = new Set(['all', 'ungrouped', 'localhost']);
/** The names that the error itself is about. */
const MIN_WEIGHT = 48;
const MAX_LINES = 4;
const MAX_NAMES = 12;

/** What is asked of a repository: its names by file, and what a file sees. */
export interface Defined {
  readonly files: ReadonlyMap<string, FileNames>;
  readonly visible: Repository['visible'];
}

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
      lines.set(label, `${label} here: ${likest(text, [...there]).join(', ')}`);
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

const likest = (name: string, there: readonly string[]): string[] =>
  there
    .map((one) => ({ one, away: distance(one.toLowerCase(), name.toLowerCase()) / Math.max(one.length, name.length) }))
    .sort((a, b) => a.away - b.away || (a.one < b.one ? -1 : 1))
    .slice(0, MAX_NAMES)
    .map(({ one }) => one);
