// The table: names by kind, asked for with the scopes of each tool; and what git ignores, by the texts of .gitignore files.
import picomatch from 'picomatch';
import { pathMatcher } from '../config/paths.ts';
import { ANY, type Files, isUsed, type Kind, type Name, type Repository } from './definition.ts';
import { includesOf, type Seen } from './includes.ts';
import { isRead, namesIn, unknownNames } from './read-file.ts';
import { scopesOf } from './scopes.ts';
import { foldersAbove, type Listing, treeOf } from './tree.ts';

type Texts = ReadonlyMap<string, string>;
/** What comes from the owner's checkout or is written by stages, as paths or globs; a folder covers what is below it. */
export type Outside = Readonly<Record<'carried' | 'written', readonly string[]>>;

/** All that the table is made of: plain values, which can go to a thread. */
export interface RepositoryFacts {
  readonly listing: Listing;
  readonly files: Files;
  /** The texts of .gitignore files, by their paths. */
  readonly ignores: Texts;
  readonly outside: Outside;
  /** There was too much to read: no answer but the visible names is known. */
  readonly isPartial?: true;
}

/** A variable of the environment can be read as one of these. */
const OF_ENVIRONMENT: readonly Kind[] = ['shell-variable', 'make-variable', 'task-variable'];
const isNamed = ({ name }: Name): boolean => name !== ANY;
const ROLE = /^(?:.*\/)?roles\/([^/]+)\//;

export const isIgnoreFile = (path: string): boolean => /(?:^|\/)\.gitignore$/.test(path);
/** The facts of some texts; links as in a listing. */
export function factsOf(texts: Texts, outside?: Outside, more?: Partial<Listing>): RepositoryFacts {
  return {
    listing: { files: [...texts.keys()], ...more },
    files: new Map([...texts].flatMap(([path, text]) => (isRead(path) ? [[path, namesIn(path, text)]] : []))),
    ignores: new Map([...texts].filter(([path]) => isIgnoreFile(path))),
    outside: outside ?? { carried: [], written: [] },
  };
}

export const repositoryFromTexts = (texts: Texts, links: Texts = new Map()): Repository =>
  repositoryOf(factsOf(texts, undefined, { links }));

export function repositoryOf({ listing, ignores, outside, isPartial, files: read }: RepositoryFacts): Repository {
  const tree = treeOf(listing);
  const coming = [...outside.carried, ...outside.written].map((path) => path.replace(/^\.\/|\/+$/g, ''));
  const comes = pathMatcher(coming.flatMap((path) => [path, `${path}/`]));
  const isIgnored = ignoredBy(ignores);
  const mayAppear = (path: string) => isIgnored(path) || comes(path);
  // A file of a known family that will come may define anything.
  const unseen = coming.filter((path) => !/[*?[{]/.test(path) && /[^/]\.[^/]+$/.test(path) && !tree.exists(path));
  const paths = [...listing.files, ...(listing.links?.keys() ?? []), ...unseen];
  const files = new Map([...read, ...unseen.filter(isRead).map((path) => [path, unknownNames(path)] as const)]);
  const everywhere: Seen = [...files.keys()].sort().map((path) => [path, '']);
  const scope = scopesOf(tree, files, everywhere, includesOf(tree, paths, files), mayAppear);
  /** A role is a folder, or a link to one, in a roles folder; groups and the host are in every inventory. */
  const given: Partial<Record<Kind, readonly string[]>> = {
    role: paths.flatMap((path) => ROLE.exec(tree.linkTarget(path) === undefined ? path : `${path}/`)?.[1] ?? []),
    group: ['all', 'ungrouped'],
    host: ['localhost'],
  };

  /** The names of a kind that some files define or use, as they are seen; `of` leaves out those of another one. */
  function namesOf(list: 'defines' | 'uses', kind: Kind, paths: Seen, of?: string): Name[] {
    return paths.flatMap(([path, prefix]) =>
      (files.get(path)?.[list] ?? [])
        .filter((one) => one.kind === kind && (of === undefined || one.of === undefined || one.of === of))
        .map((one) => (kind === 'target' && one.name !== ANY ? { ...one, name: prefix + one.name } : one)),
    );
  }

  /** Undefined where some of the names are not known. */
  function known(list: 'defines' | 'uses', kind: Kind, paths: Seen | undefined, of?: string): string[] | undefined {
    const names = namesOf(list, kind, paths ?? [], of).map(({ name }) => name);
    return !paths || isPartial || names.includes(ANY) ? undefined : names;
  }

  const placed = (kind: Kind, place: Seen[number]) =>
    namesOf('defines', kind, [place]).flatMap((one) => (isNamed(one) ? { ...one, path: place[0] } : []));
  return {
    tree,
    mayAppear,
    visible(kind, from, of) {
      const isSure = (one: Name) => isNamed(one) && !one.maybe && (of === undefined || one.of === of);
      const sure = namesOf('defines', kind, scope(kind, from).sure, of).filter(isSure);
      return new Set([...(given[kind] ?? []), ...sure.map(({ name }) => name)]);
    },
    possible(kind, from, of) {
      const names = known('defines', kind, scope(kind, from).all, of);
      const isInherited = OF_ENVIRONMENT.includes(kind);
      const inherited = isInherited ? namesOf('defines', 'env-variable', everywhere).filter(isNamed) : [];
      return names && new Set([...(given[kind] ?? []), ...names, ...inherited.map(({ name }) => name)]);
    },
    used(kind, from) {
      if (!isUsed(kind)) return undefined;
      const exports = files.get(from)?.defines.some((one) => one.kind === 'env-variable');
      const isExported = kind === 'env-variable' || (OF_ENVIRONMENT.includes(kind) && exports);
      const all = isExported || kind === 'helm-value' ? everywhere : scope(kind, from).all;
      const kinds = isExported ? (['env-variable', ...OF_ENVIRONMENT] as const) : [kind];
      const sets = kinds.map((one) => known('uses', one, all));
      return sets.includes(undefined) ? undefined : new Set(sets.flatMap((set) => set ?? []));
    },
    everywhere: (kind) => everywhere.flatMap((place) => placed(kind, place)),
    places: (kind, name) => everywhere.flatMap((place) => placed(kind, place).filter((one) => one.name === name)),
  };
}

/** Whether it ignores a path or takes it in again; undefined where it says nothing of it. */
type Rule = (path: string, isFolder: boolean) => boolean | undefined;
const MAX_LENGTH = 4096;

/** Whether a file or folder at a path is ignored; `texts` are those of .gitignore files by their paths. */
export function ignoredBy(texts: ReadonlyMap<string, string>): (path: string) => boolean {
  // The last word counts, and of files that of the one further down.
  const files = [...texts].sort(([a], [b]) => a.split('/').length - b.split('/').length);
  const rules = files.flatMap(([path, text]) => rulesOf(path.slice(0, path.lastIndexOf('/') + 1), text)).reverse();
  const isIgnored = (path: string, isFolder: boolean) =>
    rules.find((rule) => rule(path, isFolder) !== undefined)?.(path, isFolder) ?? false;
  // Nothing below an ignored folder can be taken in again.
  return (path) =>
    foldersAbove(path).some((folder) => isIgnored(folder, true)) || isIgnored(path, false) || isIgnored(path, true);
}

/** The rules of a file in the folder `below`, which has a slash behind it or is ''. */
function rulesOf(below: string, text: string): Rule[] {
  return text.split(/\r?\n/).flatMap((line) => {
    if (line.startsWith('#') || line.length > MAX_LENGTH) return [];
    const [, not = '', bare = '', slashes = ''] = /^(!?)(.*?)(\/*)$/.exec(line.replace(/(?<!\\)\s+$/, '')) ?? [];
    if (bare === '') return [];
    const glob = bare.includes('/') ? bare.replace(/^\//, '') : `**/${bare}`;
    const options = { dot: true, nonegate: true, nobrace: true, noextglob: true, strictSlashes: true };
    // Signs that only picomatch knows are what they are.
    const isLike = picomatch(glob.replace(/\\?([(){}+@|])/g, '\\$1').replaceAll('[!', '[^'), options);
    const isMeant = (path: string) => path.startsWith(below) && isLike(path.slice(below.length));
    return [(path, isFolder) => ((isFolder || slashes === '') && isMeant(path) ? not === '' : undefined)];
  });
}
