// Which files' names a file can use, kind by kind, as the tool that reads them has it.
import { isComposeName } from './compose.ts';
import type { FileNames, Kind } from './definition.ts';
import type { Includes, Seen } from './includes.ts';
import { isEnvFile, kindsIn } from './read-file.ts';
import { foldersAbove, type Tree } from './tree.ts';

export interface Scope {
  /** The files whose names can be used for certain. */
  readonly sure: Seen;
  /** All whose names may be; undefined where that is not known. */
  readonly all: Seen | undefined;
}

/** The folder of the role that a file is in. */
const roleOf = (path: string): string | undefined => /^(.*?(?:^|\/)roles\/[^/]+)\//.exec(path)?.[1];

const folderOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')));
const inFolder = (folder: string, name: string): string => (folder === '' ? name : `${folder}/${name}`);
export const seen = (paths: Iterable<string>): Seen => [...paths].map((path) => [path, '']);

/** Where nothing else is said below, a kind has the names of all files. */
export function scopesOf(
  tree: Tree,
  files: ReadonlyMap<string, FileNames>,
  includes: Includes,
  mayAppear: (path: string) => boolean,
): (kind: Kind, from: string) => Scope {
  const all = [...files.keys()].sort();
  const everything = seen(all);
  const where = (isIn: (path: string) => boolean): Seen => seen(all.filter(isIn));
  const same = (paths: Seen): Scope => ({ sure: paths, all: paths });
  const below = (folder: string) => where((path) => folder === '' || path.startsWith(`${folder}/`));

  function connected(from: string, ofVariables: boolean): Scope {
    const own = includes.below(from);
    const roots = includes.above(from, true).filter((path) => includes.above(path, true).length === 0);
    const [first = [], ...others] = roots.map((path) => includes.below(path));
    const common = first.filter(([path]) => others.every((other) => other.some(([one]) => one === path)));
    const reached = [...own, ...includes.above(from).flatMap(includes.below)];
    return { sure: [...own, ...common], all: includes.isOpen(reached, ofVariables) ? undefined : reached };
  }

  /** Without the files whose names need a prefix. */
  function variables(from: string): Scope {
    const { sure, all } = connected(from, true);
    return { sure: sure.filter(([, prefix]) => prefix === ''), all };
  }

  function shell(from: string, ofVariables: boolean): Scope {
    const { sure, all } = connected(from, ofVariables);
    // A script that nothing starts by itself may be read by one that computes what it reads.
    const isRead =
      !tree.isExecutable(from) &&
      includes.blind.some((path) => path !== from && kindsIn(path).includes('shell-function'));
    return { sure, all: isRead ? undefined : all };
  }

  function targets(from: string): Scope {
    const { sure, all } = connected(from, false);
    if (!/\.ya?ml$/.test(from)) return { sure, all };
    // Of a Taskfile, `:task` is one of the outermost file.
    const outermost = includes.above(from).filter((path) => includes.above(path).length === 0);
    const named = (outermost.length === 0 ? [from] : outermost).flatMap(includes.below);
    const absolute = named.map(([path, prefix]) => [path, `:${prefix}`] as const);
    return { sure: [...sure, ...(outermost.length < 2 ? absolute : [])], all: all && [...all, ...absolute] };
  }

  function composeProject(from: string): Scope {
    const beside = all.filter((path) => isComposeName(path) && folderOf(path) === folderOf(from));
    const scopes = [from, ...beside].map((path) => connected(path, false));
    const reached = scopes.flatMap((scope) => scope.all ?? []);
    const sure = (isComposeName(from) ? scopes : scopes.slice(0, 1)).flatMap((scope) => scope.sure);
    return { sure, all: scopes.every((scope) => scope.all) ? reached : undefined };
  }

  function handlers(from: string): Scope {
    const role = roleOf(from);
    return { sure: role === undefined ? connected(from, false).sure : below(role), all: everything };
  }

  function ansibleProject(from: string): Scope {
    const isProject = (folder: string) =>
      ['ansible.cfg', 'playbooks', 'roles'].some((name) => tree.exists(inFolder(folder, name)));
    const project = below(['', ...foldersAbove(from)].findLast(isProject) ?? '').map(([path]) => path);
    const sees = seesGroupsOf(files, from);
    const own = new Set(includes.below(from).map(([path]) => path));
    return {
      sure: seen(project.filter((path) => own.has(path) || roleOf(path) === (roleOf(from) ?? 0) || sees(path))),
      all: everything,
    };
  }

  function environment(from: string): Scope {
    const folders = ['', ...foldersAbove(from)];
    const named = new Set(includes.below(from).map(([path]) => path));
    const sure = where((path) => isEnvFile(path) && (folders.includes(folderOf(path)) || named.has(path)));
    return { sure, all: folders.some((folder) => mayAppear(inFolder(folder, '.env'))) ? undefined : everything };
  }

  function python(from: string): Scope {
    const modules = where((path) => path.endsWith('.py'));
    return { sure: files.get(from)?.includes.length ? modules : seen([from]), all: modules };
  }

  const scopes: Partial<Record<Kind, (from: string) => Scope>> = {
    service: composeProject,
    volume: composeProject,
    network: composeProject,
    'compose-config': composeProject,
    handler: handlers,
    'ansible-variable': ansibleProject,
    target: targets,
    'shell-variable': (from) => shell(from, true),
    'shell-function': (from) => shell(from, false),
    'make-variable': variables,
    'just-variable': variables,
    'task-variable': variables,
    'env-variable': environment,
    terraform: (from) => same(where((path) => folderOf(path) === folderOf(from))),
    entry: (from) => same(seen([from])),
    // A release has the values of its file and the defaults of its chart.
    'helm-value': (from) =>
      same(where((path) => path === from || tree.isFolder(inFolder(folderOf(path), 'templates')))),
    'python-name': python,
  };
  return (kind, from) => scopes[kind]?.(from) ?? same(everything);
}

/** Whether every host of the plays that are in the file `from`, or have its role, has the variables of a file of a group. */
function seesGroupsOf(files: ReadonlyMap<string, FileNames>, from: string): (path: string) => boolean {
  const role = /(?:^|\/)roles\/([^/]+)\//.exec(from)?.[1];
  const hosts = [...files].flatMap(([path, { plays = [] }]) =>
    plays
      .filter(({ roles }) => (role === undefined ? path === from : roles.includes(role)))
      .flatMap(({ hosts }) => hosts),
  );
  const groups = [...files.values()].flatMap(({ defines }) => defines.filter(({ kind }) => kind === 'group'));
  const aboveOf = (host: string) => {
    const above = new Set([host]);
    for (const one of above) for (const { name, of } of groups) if (name === one && of) above.add(of);
    return above;
  };
  const shared = hosts.map(aboveOf);
  return (path) => {
    const group = /(?:^|\/)group_vars\/([^/.]+)/.exec(path)?.[1];
    if (group === undefined) return false;
    return group === 'all' || (shared.length > 0 && shared.every((above) => above.has(group)));
  };
}
