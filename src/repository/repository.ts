// The table itself: which files' names a file can use, by the rules of each tool.
import { isComposeName } from './compose.ts';
import { ANY, type FileNames, type Kind, type Name, type Repository } from './definition.ts';
import { ignoredBy } from './ignored.ts';
import { includesOf, type Seen } from './includes.ts';
import { isEnvFile, isRead, namesIn, UNREAD } from './read-file.ts';
import { foldersAbove, type Listing, treeOf } from './tree.ts';
import picomatch from 'picomatch';

/** What comes to the tree from elsewhere, as paths or globs; a folder covers what is below it. */
export interface Outside {
  /** Carried from the owner's checkout. */
  readonly carried: readonly string[];
  /** Written by stages. */
  readonly written: readonly string[];
}

/** All that the table is made of: plain values, which can go to a thread. */
export interface RepositoryFacts {
  readonly listing: Listing;
  readonly files: ReadonlyMap<string, FileNames>;
  /** The texts of .gitignore files. */
  readonly ignores: ReadonlyMap<string, string>;
  readonly outside: Outside;
  /** Not all files of interest are in `files`. */
  readonly isPartial?: boolean;
}

interface Scope {
  /** The files whose names can be used for certain, with what stands before the names of targets. */
  readonly sure: Seen;
  /** All whose names may be; undefined where that is not known. */
  readonly all: Seen | undefined;
}

const folderOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')));
const isGlob = (text: string): boolean => /[*?[{]/.test(text);
const seen = (paths: Iterable<string>): Seen => new Map([...paths].map((path) => [path, '']));

export function repositoryOf(facts: RepositoryFacts): Repository {
  const { listing, ignores, outside } = facts;
  const tree = treeOf(listing);
  const coming = [...outside.carried, ...outside.written].map((path) => path.replace(/^\.\/|\/+$/g, ''));
  // A single file that will be there may define anything of its family.
  const unseen = coming.filter((path) => !isGlob(path) && !tree.exists(path) && isRead(path) && /[^/]\./.test(path));
  const files = new Map([...facts.files, ...unseen.map((path) => [path, UNREAD] as const)]);
  const all = [...files.keys()].sort();
  const everything = seen(all);
  const includes = includesOf(tree, [...listing.files, ...(listing.links?.keys() ?? []), ...unseen], files);
  const isIgnored = ignoredBy(ignores);
  const comes = coming.filter((path) => path !== '').map((path) => picomatch([path, `${path}/**`], { dot: true, nonegate: true }));
  const mayAppear = (path: string) => isIgnored(path) || comes.some((matches) => matches(path));

  const where = (isIn: (path: string) => boolean): Seen => seen(all.filter(isIn));
  const same = (paths: Seen): Scope => ({ sure: paths, all: paths });
  const below = (folder: string) => (path: string) => folder === '' || path.startsWith(`${folder}/`);

  /** The file, what it reads, and what all have read that read it; possibly what one of those has. */
  function connected(from: string, isShell = false): Scope {
    const own = includes.below(from);
    const above = [...includes.above(from)];
    const first = above.filter((path) => includes.above(path).size === 0).map((path) => includes.below(path));
    const common = [...(first[0]?.keys() ?? [])].filter((path) => first.every((each) => each.has(path)));
    const reached = [...own, ...above.flatMap((path) => [...includes.below(path)])];
    // A script that is not run by itself may be read by one that computes what it reads.
    const mayBeRead = isShell && !tree.isExecutable(from) && includes.blind.some((path) => !own.has(path));
    return { sure: new Map([...seen(common), ...own]), all: mayBeRead ? undefined : new Map(reached.reverse()) };
  }

  function targets(from: string): Scope {
    const { sure, all } = connected(from);
    return { sure, all };
  }

  function composeProject(from: string): Scope {
    const folder = folderOf(from);
    const beside = all.filter((path) => folderOf(path) === folder && isComposeName(path));
    const project = isComposeName(from) ? beside : [from];
    const joined = (paths: readonly string[]) => seen(paths.flatMap((path) => [...connected(path).all?.keys() ?? []]));
    return { sure: joined([from, ...project]), all: joined([from, ...beside]) };
  }

  function handlers(from: string): Scope {
    const role = /^(.*?(?:^|\/)roles\/[^/]+)\//.exec(from)?.[1];
    return { sure: role === undefined ? connected(from).sure : where(below(role)), all: everything };
  }

  function ansibleProject(from: string): Scope {
    const isProject = (folder: string) =>
      ['ansible.cfg', 'playbooks', 'roles'].some((name) => tree.exists(folder === '' ? name : `${folder}/${name}`));
    const project = ['', ...foldersAbove(from)].reverse().find(isProject) ?? '';
    return { sure: where(below(project)), all: everything };
  }

  function environment(from: string): Scope {
    const folders = ['', ...foldersAbove(from)];
    const own = connected(from).sure;
    const sure = where((path) => isEnvFile(path) && (folders.includes(folderOf(path)) || own.has(path)));
    const isOpen = folders.some((folder) => mayAppear(folder === '' ? '.env' : `${folder}/.env`));
    return { sure, all: isOpen ? undefined : everything };
  }

  function pythonFiles(from: string): Scope {
    const python = where((path) => path.endsWith('.py'));
    return { sure: files.get(from)?.includes.length ? python : seen([from]), all: python };
  }

  const sameFolder = (from: string) => same(where((path) => folderOf(path) === folderOf(from)));
  const SCOPES: Readonly<Record<Kind, (from: string) => Scope>> = {
    object: () => same(everything),
    'object-key': () => same(everything),
    role: () => same(everything),
    group: () => same(everything),
    host: () => same(everything),
    service: composeProject,
    volume: composeProject,
    network: composeProject,
    'compose-config': composeProject,
    handler: handlers,
    'ansible-variable': ansibleProject,
    target: targets,
    'shell-variable': (from) => connected(from, true),
    'shell-function': (from) => connected(from, true),
    'make-variable': connected,
    'just-variable': connected,
    'task-variable': connected,
    'env-variable': environment,
    terraform: sameFolder,
    'python-name': pythonFiles,
  };
  throw new Error('unfinished');
}
