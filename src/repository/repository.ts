// The table: names by kind, asked for with the scopes of each tool.
import { pathMatcher } from '../config/paths.ts';
import { ANY, type FileNames, KINDS, type Kind, type Name, type Repository, USED } from './definition.ts';
import { ignoredBy } from './ignored.ts';
import { includesOf, type Seen } from './includes.ts';
import { UNREAD } from './names.ts';
import { isRead, kindsIn, namesIn } from './read-file.ts';
import { scopesOf, seen } from './scopes.ts';
import { type Listing, push, treeOf } from './tree.ts';

/** What comes to the tree from elsewhere, as paths or globs; a folder covers what is below it. */
export interface Outside {
  /** From the owner's checkout. */
  readonly carried: readonly string[];
  /** By stages. */
  readonly written: readonly string[];
}

/** All that the table is made of: plain values, which can go to a thread. */
export interface RepositoryFacts {
  readonly listing: Listing;
  readonly files: ReadonlyMap<string, FileNames>;
  /** The texts of .gitignore files, by their paths. */
  readonly ignores: ReadonlyMap<string, string>;
  readonly outside: Outside;
  /** There was too much to read: no answer but the visible names is known. */
  readonly isPartial?: true;
}

const NOTHING: Outside = { carried: [], written: [] };
/** What Ansible has in every inventory. */
const BUILT_IN: Partial<Record<Kind, readonly string[]>> = { group: ['all', 'ungrouped'], host: ['localhost'] };
/** A variable of the environment can be read as one of these. */
const OF_ENVIRONMENT: readonly Kind[] = ['shell-variable', 'make-variable', 'task-variable'];
const ROLE = /^(?:.*\/)?roles\/([^/]+)\//;

export const isIgnoreFile = (path: string): boolean => /(?:^|\/)\.gitignore$/.test(path);

/** The facts of some texts; links as in a listing. */
export function factsOf(
  texts: ReadonlyMap<string, string>,
  outside = NOTHING,
  more: Partial<Listing> = {},
): RepositoryFacts {
  const listing = { files: [...texts.keys()], ...more };
  return changedFacts({ listing, files: new Map(), ignores: new Map(), outside }, texts);
}

/** The same facts with these texts in the place of what is there, or beside it. */
export function changedFacts(facts: RepositoryFacts, texts: ReadonlyMap<string, string>): RepositoryFacts {
  const read = [...texts].filter(([path]) => isRead(path)).map(([path, text]) => [path, namesIn(path, text)] as const);
  const ignores = [...texts].filter(([path]) => isIgnoreFile(path));
  return {
    ...facts,
    listing: { ...facts.listing, files: [...new Set([...facts.listing.files, ...texts.keys()])] },
    files: new Map([...facts.files, ...read]),
    ignores: new Map([...facts.ignores, ...ignores]),
  };
}

export const repositoryFromTexts = (
  texts: ReadonlyMap<string, string>,
  links?: ReadonlyMap<string, string>,
): Repository => repositoryOf(factsOf(texts, NOTHING, links && { links }));

export function repositoryOf(facts: RepositoryFacts): Repository {
  const { listing, ignores } = facts;
  const tree = treeOf(listing);
  const coming = [...facts.outside.carried, ...facts.outside.written].map((path) => path.replace(/^\.\/|\/+$/g, ''));
  const comes = pathMatcher(coming.flatMap((path) => [path, `${path}/`]));
  // A file of a known family that will come may define anything.
  const unseen = coming.filter((path) => !/[*?[{]/.test(path) && /[^/]\.[^/]+$/.test(path) && !tree.exists(path));
  const files = new Map([...facts.files, ...unseen.filter(isRead).map((path) => [path, UNREAD] as const)]);
  const isIgnored = ignoredBy(ignores);
  const mayAppear = (path: string) => isIgnored(path) || comes(path);
  const paths = [...listing.files, ...(listing.links?.keys() ?? []), ...unseen];
  const roles = new Set<string>();
  for (const path of [...paths].sort()) {
    const role = ROLE.exec(tree.linkTarget(path) === undefined ? path : `${path}/`)?.[1];
    if (role === undefined || roles.has(role)) continue;
    roles.add(role);
    const { defines, ...rest } = files.get(path) ?? { defines: [], uses: [], includes: [] };
    files.set(path, { ...rest, defines: [...defines, { kind: 'role', name: role, line: 1 }] });
  }
  const scope = scopesOf(tree, files, includesOf(tree, paths, files), mayAppear);

  const defined = namesByKind(files, ({ defines }) => defines);
  const uses = namesByKind(files, ({ uses }) => uses);
  const everywhere = seen([...files.keys()].sort());

  function namesOf(table: NamesByPath, paths: Seen, of: string | undefined): Name[] {
    return paths.flatMap(([path, prefix]) => {
      const names = (table.get(path) ?? []).filter((one) => of === undefined || one.of === undefined || one.of === of);
      return names.map((one) =>
        one.kind === 'target' && one.name !== ANY ? { ...one, name: prefix + one.name } : one,
      );
    });
  }

  /** Undefined where some of the names are not known. */
  function knownOf(table: NamesByPath, kind: Kind, paths: Seen | undefined, of?: string): string[] | undefined {
    const isUnread = ([path]: Seen[number]) => files.get(path)?.unread && kindsIn(path).includes(kind);
    if (!paths || facts.isPartial || paths.some(isUnread)) return undefined;
    const names = namesOf(table, paths, of).map(({ name }) => name);
    return names.includes(ANY) ? undefined : names;
  }

  return {
    tree,
    mayAppear,
    visible(kind, from, of) {
      const isSure = (one: Name) => one.name !== ANY && !one.maybe && (of === undefined || one.of === of);
      const sure = namesOf(defined[kind], scope(kind, from).sure, of).filter(isSure);
      return new Set([...(BUILT_IN[kind] ?? []), ...sure.map(({ name }) => name)]);
    },
    possible(kind, from, of) {
      const names = knownOf(defined[kind], kind, scope(kind, from).all, of);
      const inherited = OF_ENVIRONMENT.includes(kind) ? [...defined['env-variable'].values()].flat() : [];
      return names && new Set([...(BUILT_IN[kind] ?? []), ...names, ...inherited.map(({ name }) => name)]);
    },
    used(kind, from) {
      if (!USED.some((one) => one === kind)) return undefined;
      const isExported =
        kind === 'env-variable' || (OF_ENVIRONMENT.includes(kind) && defined['env-variable'].has(from));
      const all = isExported || kind === 'helm-value' ? everywhere : scope(kind, from).all;
      const kinds = isExported ? (['env-variable', ...OF_ENVIRONMENT] as const) : [kind];
      const sets = kinds.map((one) => knownOf(uses[one], one, all));
      return sets.includes(undefined) ? undefined : new Set(sets.flatMap((set) => set ?? []));
    },
    places: (kind, name) =>
      [...defined[kind]].flatMap(([path, names]) =>
        names.filter((one) => one.name === name && name !== ANY).map((one) => ({ ...one, path })),
      ),
  };
}

type NamesByPath = Map<string, Name[]>;

/** The names of each kind by the files they stand in, in the order of paths. */
function namesByKind(files: ReadonlyMap<string, FileNames>, list: (file: FileNames) => readonly Name[]) {
  const tables = Object.fromEntries(Object.keys(KINDS).map((kind) => [kind, new Map()])) as Record<Kind, NamesByPath>;
  for (const path of [...files.keys()].sort())
    for (const name of list(files.get(path) as FileNames)) push(tables[name.kind], path, name);
  return tables;
}
