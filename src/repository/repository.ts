// The table: names by kind, asked for with the scopes of each tool.
import { pathMatcher } from '../config/paths.ts';
import { ANY, type FileNames, type Kind, type Name, type Repository, UNREAD, USED } from './definition.ts';
import { ignoredBy } from './ignored.ts';
import { includesOf, type Seen } from './includes.ts';
import { isRead, kindsIn, namesIn } from './read-file.ts';
import { scopesOf } from './scopes.ts';
import { type Listing, type Tree, treeOf } from './tree.ts';

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
  const read = [...texts].filter(([path]) => isRead(path));
  return {
    listing: { files: [...texts.keys()], ...more },
    files: new Map(read.map(([path, text]) => [path, namesIn(path, text)])),
    ignores: new Map([...texts].filter(([path]) => isIgnoreFile(path))),
    outside,
  };
}

export const repositoryFromTexts = (
  texts: ReadonlyMap<string, string>,
  links?: ReadonlyMap<string, string>,
): Repository => repositoryOf(factsOf(texts, NOTHING, links && { links }));

export function repositoryOf({ listing, ignores, outside, isPartial, files: read }: RepositoryFacts): Repository {
  const tree = treeOf(listing);
  const coming = [...outside.carried, ...outside.written].map((path) => path.replace(/^\.\/|\/+$/g, ''));
  const comes = pathMatcher(coming.flatMap((path) => [path, `${path}/`]));
  const isIgnored = ignoredBy(ignores);
  const mayAppear = (path: string) => isIgnored(path) || comes(path);
  // A file of a known family that will come may define anything.
  const unseen = coming.filter((path) => !/[*?[{]/.test(path) && /[^/]\.[^/]+$/.test(path) && !tree.exists(path));
  const paths = [...listing.files, ...(listing.links?.keys() ?? []), ...unseen];
  const files = new Map([...read, ...unseen.filter(isRead).map((path) => [path, UNREAD] as const)]);
  for (const [name, path] of rolesIn(paths, tree)) {
    const { defines, ...rest } = files.get(path) ?? { defines: [], uses: [] };
    files.set(path, { ...rest, defines: [...defines, { kind: 'role', name, line: 1 }] });
  }
  const everywhere: Seen = [...files.keys()].sort().map((path) => [path, '']);
  const scope = scopesOf(tree, files, everywhere, includesOf(tree, paths, files), mayAppear);
  const defined = byKind(everywhere, (path) => files.get(path)?.defines ?? []);
  const used = byKind(everywhere, (path) => files.get(path)?.uses ?? []);

  function namesOf(table: NamesByPath, paths: Seen, of?: string): Name[] {
    return paths.flatMap(([path, prefix]) =>
      (table.get(path) ?? [])
        .filter((one) => of === undefined || one.of === undefined || one.of === of)
        .map((one) => (one.kind === 'target' && one.name !== ANY ? { ...one, name: prefix + one.name } : one)),
    );
  }

  /** Undefined where some of the names are not known. */
  function knownOf(table: NamesByPath, kind: Kind, paths: Seen | undefined, of?: string): string[] | undefined {
    const isUnread = ([path]: Seen[number]) => files.get(path)?.unread && kindsIn(path).includes(kind);
    if (!paths || isPartial || paths.some(isUnread)) return undefined;
    const names = namesOf(table, paths, of).map(({ name }) => name);
    return names.includes(ANY) ? undefined : names;
  }

  return {
    tree,
    mayAppear,
    visible(kind, from, of) {
      const isSure = (one: Name) => one.name !== ANY && !one.maybe && (of === undefined || one.of === of);
      const sure = namesOf(defined(kind), scope(kind, from).sure, of).filter(isSure);
      return new Set([...(BUILT_IN[kind] ?? []), ...sure.map(({ name }) => name)]);
    },
    possible(kind, from, of) {
      const names = knownOf(defined(kind), kind, scope(kind, from).all, of);
      const inherited = OF_ENVIRONMENT.includes(kind) ? [...defined('env-variable').values()].flat() : [];
      return names && new Set([...(BUILT_IN[kind] ?? []), ...names, ...inherited.map(({ name }) => name)]);
    },
    used(kind, from) {
      if (!USED.includes(kind)) return undefined;
      const isExported =
        kind === 'env-variable' || (OF_ENVIRONMENT.includes(kind) && defined('env-variable').has(from));
      const all = isExported || kind === 'helm-value' ? everywhere : scope(kind, from).all;
      const kinds = isExported ? (['env-variable', ...OF_ENVIRONMENT] as const) : [kind];
      const sets = kinds.map((one) => knownOf(used(one), one, all));
      return sets.includes(undefined) ? undefined : new Set(sets.flatMap((set) => set ?? []));
    },
    places: (kind, name) =>
      [...defined(kind)].flatMap(([path, names]) =>
        names.filter((one) => one.name === name && name !== ANY).map((one) => ({ ...one, path })),
      ),
  };
}

/** Each role, with the first file of its folder, or the link that is its folder. */
function rolesIn(paths: readonly string[], tree: Tree): Map<string, string> {
  const named = [...paths]
    .sort()
    .reverse()
    .map((path) => {
      const role = ROLE.exec(tree.linkTarget(path) === undefined ? path : `${path}/`)?.[1];
      return [role ?? '', path] as const;
    });
  return new Map(named.filter(([role]) => role !== ''));
}

type NamesByPath = ReadonlyMap<string, readonly Name[]>;

/** The names of a kind by the files that have any, in the order of paths; each kind's when it is first asked for. */
function byKind(everywhere: Seen, list: (path: string) => readonly Name[]): (kind: Kind) => NamesByPath {
  const tables = new Map<Kind, NamesByPath>();
  return (kind) => {
    const all = () => everywhere.map(([path]) => [path, list(path).filter((one) => one.kind === kind)] as const);
    const table = tables.get(kind) ?? new Map(all().filter(([, names]) => names.length > 0));
    tables.set(kind, table);
    return table;
  };
}
