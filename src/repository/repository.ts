// The table: names by kind, asked for with the scopes of each tool.
import { pathMatcher } from '../config/paths.ts';
import { ANY, type Files, isUsed, type Kind, type Name, type Repository } from './definition.ts';
import { ignoredBy } from './ignored.ts';
import { includesOf, type Seen } from './includes.ts';
import { isRead, namesIn, unknownNames } from './read-file.ts';
import { scopesOf } from './scopes.ts';
import { type Listing, treeOf } from './tree.ts';

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
  const read = [...texts].filter(([path]) => isRead(path));
  return {
    listing: { files: [...texts.keys()], ...more },
    files: new Map(read.map(([path, text]) => [path, namesIn(path, text)])),
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

  const all = (kind: Kind) =>
    everywhere.flatMap((place) =>
      namesOf('defines', kind, [place]).flatMap((one) => (isNamed(one) ? { ...one, path: place[0] } : [])),
    );

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
      const inherited = OF_ENVIRONMENT.includes(kind)
        ? namesOf('defines', 'env-variable', everywhere).filter(isNamed)
        : [];
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
    everywhere: all,
    places: (kind, name) => all(kind).filter((one) => one.name === name),
  };
}
