// Which files' names a file can use, kind by kind, as the tool that reads them has it.
import type { Files, Kind } from './definition.ts';
import { isComposeName } from './forms.ts';
import type { Includes, Seen } from './includes.ts';
import { isEnvFile, kindsIn } from './read-file.ts';
import { folderOf, foldersAbove, type Tree } from './tree.ts';

/** The files whose names can be used for certain, and all whose names may be: undefined where that is not known. */
type Scope = { readonly sure: Seen; readonly all: Seen | undefined };

/** The folder of the role that a file is in. */
const roleOf = (path: string): string | undefined => /^(.*?(?:^|\/)roles\/[^/]+)\//.exec(path)?.[1];
const inFolder = (folder: string, name: string): string => (folder === '' ? name : `${folder}/${name}`);
const isIn = (paths: Seen, path: string): boolean => paths.some(([one]) => one === path);
const same = (all: Seen): Scope => ({ sure: all, all });

export function scopesOf(tree: Tree, files: Files, everything: Seen, includes: Includes, mayAppear: Tree['exists']) {
  const where = (isIn: (path: string) => boolean): Seen => everything.filter(([path]) => isIn(path));

  /** What the file reads, and what all that read it have; `all`: what any of these has. Names of variables have no prefix. */
  function connected(from: string, ofVariables: boolean): Scope {
    const own = includes.below(from);
    const roots = includes.above(from, true).filter((path) => includes.above(path, true).length === 0);
    const [first = [], ...others] = roots.map(includes.below);
    const common = first.filter(([path]) => others.every((other) => isIn(other, path)));
    const all = [...own, ...includes.above(from).flatMap(includes.below)];
    const sure = [...own, ...common].filter(([, prefix]) => !ofVariables || prefix === '');
    return { sure, all: includes.isOpen(all, ofVariables) ? undefined : all };
  }

  function shell(from: string, kind: Kind): Scope {
    const { sure, all } = connected(from, kind === 'shell-variable');
    // A script that nothing starts by itself may be read by one that computes what it reads.
    const readsAnything = (path: string) => path !== from && kindsIn(path).includes('shell-function');
    return { sure, all: !tree.isExecutable(from) && includes.blind.some(readsAnything) ? undefined : all };
  }

  function targets(from: string): Scope {
    const { sure, all } = connected(from, false);
    if (!/\.ya?ml$/.test(from)) return { sure, all };
    // Of a Taskfile, `:task` is one of the outermost file.
    const [outermost = from, ...others] = includes.above(from).filter((path) => includes.above(path).length === 0);
    const named = [outermost, ...others].flatMap(includes.below);
    const absolute = named.map(([path, prefix]) => [path, `:${prefix}`] as const);
    return { sure: others.length > 0 ? sure : [...sure, ...absolute], all: all && [...all, ...absolute] };
  }

  /** The compose files of a folder are one project. */
  function composeProject(from: string): Scope {
    const beside = where((path) => isComposeName(path) && folderOf(path) === folderOf(from));
    const scopes = [from, ...beside.map(([path]) => path)].map((path) => connected(path, false));
    const sure = (isComposeName(from) ? scopes : scopes.slice(0, 1)).flatMap((scope) => scope.sure);
    return { sure, all: scopes.every(({ all }) => all) ? scopes.flatMap(({ all = [] }) => all) : undefined };
  }

  function ansibleProject(from: string): Scope {
    const marks = ['ansible.cfg', 'playbooks', 'roles'];
    const isProject = (folder: string) => marks.some((name) => tree.exists(inFolder(folder, name)));
    const project = inFolder(['', ...foldersAbove(from)].findLast(isProject) ?? '', '');
    const own = includes.below(from);
    const sees = seesGroupsOf(files, from);
    const isSeen = (path: string) => isIn(own, path) || roleOf(path) === (roleOf(from) ?? 0) || sees(path);
    return { sure: where((path) => path.startsWith(project) && isSeen(path)), all: everything };
  }

  function environment(from: string): Scope {
    const folders = ['', ...foldersAbove(from)];
    const own = includes.below(from);
    const sure = where((path) => isEnvFile(path) && (folders.includes(folderOf(path)) || isIn(own, path)));
    return { sure, all: folders.some((folder) => mayAppear(inFolder(folder, '.env'))) ? undefined : everything };
  }

  const handlers = (from: string) =>
    roleOf(from) ? where((path) => roleOf(path) === roleOf(from)) : connected(from, false).sure;
  const python = where((path) => path.endsWith('.py'));
  const imports = (path: string) => files.get(path)?.uses.some(({ kind }) => kind === 'python-name');
  // A release has the values of its file and the defaults of its chart.
  const isChart = (path: string) => tree.isFolder(inFolder(folderOf(path), 'templates'));
  const scopes: readonly (readonly [kinds: readonly Kind[], scope: (from: string, kind: Kind) => Scope])[] = [
    [['service', 'volume', 'network', 'compose-config'], composeProject],
    [['make-variable', 'just-variable', 'task-variable'], (from) => connected(from, true)],
    [['shell-variable', 'shell-function'], shell],
    [['target'], targets],
    [['ansible-variable'], ansibleProject],
    [['handler'], (from) => ({ sure: handlers(from), all: everything })],
    [['env-variable'], environment],
    [['python-name'], (from) => ({ sure: imports(from) ? python : [[from, '']], all: python })],
    [['terraform'], (from) => same(where((path) => folderOf(path) === folderOf(from)))],
    [['helm-value'], (from) => same(where((path) => path === from || isChart(path)))],
    [['entry'], (from) => same([[from, '']])],
  ];
  // Any other kind has the names of all files.
  return (kind: Kind, from: string): Scope =>
    scopes.find(([kinds]) => kinds.includes(kind))?.[1](from, kind) ?? same(everything);
}

/** Whether every host of the plays that are in the file `from`, or have its role, has the variables of a file of a group. */
function seesGroupsOf(files: Files, from: string): (path: string) => boolean {
  const role = roleOf(from)?.replace(/.*\//, '');
  const hosts = [...files].flatMap(([path, { uses }]) =>
    uses.flatMap(({ kind, name, of }) => (kind === 'group' && of === role && (role ?? path === from) ? name : [])),
  );
  const groups = [...files.values()].flatMap(({ defines }) => defines.filter(({ kind }) => kind === 'group'));
  const groupsOf = (host: string) => {
    const above = new Set([host]);
    for (const one of above) for (const { name, of } of groups) if (name === one && of) above.add(of);
    return above;
  };
  const shared = hosts.map(groupsOf);
  return (path) => {
    const group = /(?:^|\/)group_vars\/([^/.]+)/.exec(path)?.[1];
    return group === 'all' || (group !== undefined && shared.length > 0 && shared.every((one) => one.has(group)));
  };
}
