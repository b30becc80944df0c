// The right words of each kind: what the repository defines, and what tools know by themselves. Pure.
import { KUSTOMIZATION } from './misspelt-path.ts';
import { isAlike, isSlip } from './near.ts';
import type { Kind, Report } from './reports.ts';
import { variablesIn } from './script-words.ts';
import { cronRewrites, imageRewrites } from './spelling.ts';
import {
  ANSIBLE_KEYWORDS,
  ANSIBLE_MODULES,
  API_VERSIONS,
  FIELDS,
  FILTERS,
  KINDS,
  MAGIC_VARIABLES,
} from './vocabulary.ts';
import { entriesOf, type YamlEntry } from './yaml-tree.ts';

/** All texts of the repository by their paths, and the variables that the loop's environment has. */
export interface Repository {
  readonly texts: ReadonlyMap<string, string>;
  readonly variables: readonly string[];
}

/** Where the wrong word stands. */
export interface WordPlace {
  readonly path: string;
  readonly text: string;
  /** The line before the word. */
  readonly before: string;
}

type Definitions = (report: Report, repository: Repository, place: WordPlace) => Iterable<string>;

/** What a wrong word of each kind may have been meant to be. */
export const DEFINITIONS: Readonly<Record<Kind, Definitions>> = {
  variable: ({ word }, repository, { path }) =>
    path.endsWith('.tf')
      ? matched(repository, /\.tf$/, TERRAFORM_NAMES)
      : [...variables(repository), ...(/[a-z]/.test(word) ? MAGIC_VARIABLES : repository.variables)],
  attribute: (_, repository, { before, path }) => {
    if (path.endsWith('.tf'))
      return /\bmodule\.\w+\.$/.test(before) ? matched(repository, /\.tf$/, [/^output "(\w+)"/gm]) : [];
    const owner = /(\w+)(?:\.|\[['"])$/.exec(before)?.[1];
    return yaml(repository).flatMap(({ key, children }) => (key === owner ? children.map((child) => child.key) : []));
  },
  filter: () => FILTERS,
  handler: (_, repository) =>
    yaml(repository, (path, entry) => entry.path.includes('handlers') || /(?:^|\/)handlers\//.test(path)).flatMap(
      ({ key, value }) => (key === 'name' || key === 'listen' ? String(value) : []),
    ),
  role: (_, { texts }) => [...texts.keys()].flatMap((path) => /(?:^|\/)roles\/([^/]+)\//.exec(path)?.[1] ?? []),
  module: ({ word }, repository) => {
    const qualified = yaml(repository).flatMap(({ key }) => (/^\w+\.\w+\.\w+$/.test(key) && key !== word ? key : []));
    const prefix = /^ansible\.(?:builtin|legacy)\./.exec(word)?.[0];
    return [...qualified, ...ANSIBLE_MODULES.map((name) => (prefix ?? '') + name)];
  },
  keyword: () => ANSIBLE_KEYWORDS,
  key: (report, repository, place) =>
    report.given ?? [...(report.hint ? [report.hint] : keysLike(report, repository, place))],
  value: ({ given = [] }) => given,
  group: (_, repository) => [
    ...matched(repository, INVENTORY, [/^\[([\w-]+)/gm]),
    ...yaml(repository, (path) => INVENTORY.test(path)).flatMap(({ key, path }) =>
      path.length === 1 || path.at(-2) === 'children' || path.at(-2) === 'hosts' ? key : [],
    ),
  ],
  section: ({ type = '' }, repository) => {
    const name = `${type.replaceAll(' ', '_')}s`;
    return yaml(repository).flatMap(({ path, key, value, is }) => {
      const isIn = (depth: number) => path.at(depth)?.toLowerCase() === name;
      if (isIn(-2) && key === 'name' && is === 'scalar') return String(value);
      return isIn(-2) && path.length < 4 ? key : [];
    });
  },
  object: ({ type = '' }, repository) => objects(repository, type),
  // The target of a patch is defined by another file.
  patch: ({ type = '', word }, repository) => objects(repository, type).filter((name) => name !== word),
  required: ({ word }) => [word],
  repository: (_, repository) => [
    ...matched(repository, /./, [/\bhelm repo add (?:-\S+ )*([\w-]+)/g]),
    ...yaml(repository).flatMap(({ path, value }) => (path.join('.') === 'repositories.name' ? String(value) : [])),
  ],
  target: (_, repository) => [
    ...matched(repository, /(?:^|\/)(?:GNU)?[Mm]akefile$|\.mk$/, [/^([\w.-]+)\s*:(?!=)/gm]),
    ...matched(repository, /(?:^|\/)\.?justfile$|\.just$/i, [/^@?([\w-]+)[^:=\n]*:(?!=)/gm]),
    ...yaml(repository, (path) => /Taskfile\b|\.ya?ml$/i.test(path)).flatMap(({ path, key }) =>
      path.length === 2 && path[0] === 'tasks' ? key : [],
    ),
  ],
  stage: (_, __, { text }) => [...text.matchAll(/^FROM \S+ AS ([\w.-]+)/gim)].map(([, name]) => name as string),
  kind: (_, repository) => [
    ...KINDS,
    ...yaml(repository).flatMap(({ path, value }) => (path.join('.') === 'spec.names.kind' ? String(value) : [])),
  ],
  version: ({ word }, repository) => [
    ...API_VERSIONS,
    ...yaml(repository).flatMap(({ key, value }) => (key === 'apiVersion' && value !== word ? String(value) : [])),
  ],
  resource: ({ type }, repository) =>
    matched(repository, /\.tf$/, [new RegExp(`^(?:resource|data) "${type}" "(\\w+)"`, 'gm')]),
  python: ({ hint = '' }, _, { text }) => [
    hint,
    ...[...text.matchAll(/^\s*(?:def |class |import |for |from \S+ import )?(\w+)(?= ?=[^=]|\(|:| in |$)/gm)].map(
      ([, name]) => name as string,
    ),
  ],
  zone: () => ['UTC', 'Etc/UTC', ...Intl.supportedValuesOf('timeZone')],
  image: ({ word }) => imageRewrites(word),
  cron: ({ word }) => cronRewrites(word),
};

const INVENTORY = /(?:^|\/)(?:inventor(?:y|ies)|hosts)(?:[./]|$)/;
const TERRAFORM_NAMES = [/^variable "(\w+)"/gm, /^ {2}(\w+)\s+=/gm];
const HOLDS_VARIABLES =
  /(?:^|\/)(?:(?:group_vars|host_vars|vars|defaults|inventory|inventories)\/|(?:[\w-]+[-_.])?(?:vars|variables|values|settings)\.ya?ml$)/;
const VARIABLE_BLOCKS =
  /^(?:vars|env|environment|substitute|data|stringData|variables|hosts|(?:ansible\.builtin\.)?set_fact)$/;
const NAME = /^[A-Za-z_]\w*$/;
const JINJA = [/\{%-?\s*set\s+(\w+)/g, /\{%-?\s*for\s+(\w+)\s+in\b/g, /\{%-?\s*for\s+\w+,\s*(\w+)\s+in\b/g];
const ASSIGNED = [/^\s*(?:export\s+)?([A-Za-z_]\w*)\s*[:?+]?=/gm, /^\S+(?:\s+\w+=\S+)*?\s+(\w+)=\S/gm];

function variables(repository: Repository): string[] {
  const scripts = [...repository.texts].flatMap(([path, text]) =>
    /\.(?:sh|bash)$/.test(path) ? [...variablesIn(text)] : [],
  );
  const registered = yaml(repository).flatMap((entry) => {
    const { key, path, value } = entry;
    if (key === 'register' || key === 'loop_var') return String(value);
    const parents = path.slice(-3, -1);
    return parents.some((parent) => VARIABLE_BLOCKS.test(parent)) && NAME.test(key) ? key : [];
  });
  const files = yaml(repository, (path) => HOLDS_VARIABLES.test(path)).flatMap(({ path, key }) =>
    path.length === 1 && NAME.test(key) ? key : [],
  );
  return [
    ...scripts,
    ...registered,
    ...files,
    ...matched(repository, /./, JINJA),
    ...matched(repository, /\.env\b|(?:^|\/)env$|[Mm]akefile$|\.mk$|justfile$|\.ini$|(?:^|\/)hosts$/, ASSIGNED),
  ];
}

/** Names of Kubernetes objects of a kind, as an error writes it: small, perhaps in the plural. */
function objects(repository: Repository, type: string): string[] {
  const all = yaml(repository);
  const kindOf = ({ siblings }: YamlEntry) =>
    String(siblings.find(({ key }) => key === 'kind')?.value ?? '').toLowerCase();
  const generated = all.flatMap(({ path, key, value }) =>
    path.join('.') === `${type === 'secret' ? 'secret' : 'configMap'}Generator.name` && key === 'name'
      ? String(value)
      : [],
  );
  const named = all
    .filter(({ path }) => path.length === 1 && path[0] === 'metadata')
    .filter((entry) => [kindOf(entry), `${kindOf(entry)}s`].includes(type))
    .flatMap(({ children }) => children.flatMap(({ key, value }) => (key === 'name' ? String(value) : [])));
  return [...named, ...(/^(?:secret|configmap)s?$/.test(type) ? generated : [])];
}

/** Keys that may stand where the place is, by the tool that reads its file. */
function keysLike(
  { word, path: way = [] }: Report,
  repository: Repository,
  { path, text }: WordPlace,
): Iterable<string> {
  if (path.endsWith('.tf')) return matched(repository, /\.tf$/, [/^\s*(\w+)\s*(?==|\{)/gm]);
  if (/(?:^|\/)(?:docker-)?compose[\w.-]*\.ya?ml$/.test(path)) return FIELDS.compose;
  if (/(?:^|\/)Taskfile[\w.-]*\.ya?ml$/i.test(path)) return FIELDS.taskfile;
  if (/^(?:machine|cluster):/m.test(text)) return FIELDS.talos;
  if (/^(?:apiVersion|kind|resources):/m.test(text) || KUSTOMIZATION.test(path)) return kubernetesKeys(way);
  if (/\.(?:service|timer|socket|mount)(?:\.j2)?$/.test(path)) return FIELDS.systemd;
  // For a file of an unknown tool, the keys that it uses elsewhere. That list is open, so only a clear slip counts.
  return [...text.matchAll(/^\s*(?:- )*["']?([\w-]+)/gm)].flatMap(([, key = '']) =>
    key !== word && (isSlip(word, key) || isAlike(word, key)) ? key : [],
  );
}

/** The keys of the mapping that the error names, if it names one. */
function kubernetesKeys(way: readonly string[]): Iterable<string> {
  const last = way.at(-1) ?? '';
  if (/^(?:init)?[cC]ontainers$/.test(last)) return FIELDS.container;
  if (last === 'metadata') return FIELDS.metadata;
  if (way.slice(-2).join('.') === 'template.spec') return FIELDS.pod;
  return [...FIELDS.container, ...FIELDS.pod, ...FIELDS.workload, ...FIELDS.metadata, ...FIELDS.kubernetes];
}

/** What the patterns capture in the texts of files whose path matches. */
function matched({ texts }: Repository, file: RegExp, patterns: readonly RegExp[]): string[] {
  return [...texts].flatMap(([path, text]) =>
    file.test(path) ? patterns.flatMap((pattern) => [...text.matchAll(pattern)].map(([, name]) => name as string)) : [],
  );
}

const parsed = new WeakMap<Repository, (readonly [path: string, entries: readonly YamlEntry[]])[]>();

/** Entries of every YAML file, of those that `isWanted`. */
function yaml(repository: Repository, isWanted: (path: string, entry: YamlEntry) => boolean = () => true): YamlEntry[] {
  let files = parsed.get(repository);
  if (!files) {
    const texts = [...repository.texts].filter(([path]) => /\.ya?ml$/i.test(path));
    files = texts.map(([path, text]) => [path, entriesOf(text)] as const);
    parsed.set(repository, files);
  }
  return files.flatMap(([path, entries]) => entries.filter((entry) => isWanted(path, entry)));
}
