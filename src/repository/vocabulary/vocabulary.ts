// What tools define: keys by their place, modules, words. The files beside this one have it, each made by scripts/vocabularies.mjs;
// what they do not say is not known, and no file is complete for every version of its tool.

export type Vocabularies = ReturnType<typeof vocabulariesFrom>;

/** What a YAML document says of itself; the keys of its top level. */
type DocumentHead = { readonly apiVersion?: string; readonly kind?: string; readonly keys: readonly string[] };

type Names<T> = Readonly<Record<string, T>>;
/** A file: trees of keys, modules of Ansible, or words. */
interface Vocabulary {
  readonly roots?: Names<string>;
  /** Key → type of its value, '' when that is not known; `*` stands for any other key. */
  readonly types?: Names<Names<string>>;
  readonly modules?: Names<readonly string[]>;
  readonly redirects?: Names<string>;
  readonly words?: Names<readonly string[]>;
}

const COMPOSE = /^(?:docker-|podman-)?compose\b.*\.ya?ml$/;
/** The roots of documents without a kind. The file's name settles it alone; a path that is like it, with one of the keys. */
const ROOTS: Names<{ tool: string; name?: RegExp; like?: RegExp; keys?: readonly string[] }> = {
  compose: { tool: 'compose', name: COMPOSE, like: /compose|docker|podman|stack/i, keys: ['services'] },
  kustomization: { tool: 'kustomize', name: /^(?:kustomization\.ya?ml|Kustomization)$/ },
  talconfig: { tool: 'talhelper', name: /^talconfig\.ya?ml$/ },
  prometheus: { tool: 'prometheus', like: /prometheus[^/]*$/i, keys: ['global', 'scrape_configs', 'rule_files'] },
  rules: { tool: 'prometheus', like: /rules?\b|alerts?\b/i, keys: ['groups'] },
  machineconfig: { tool: 'talos', like: /talos|machine|control-?plane|worker/i, keys: ['machine', 'cluster'] },
};
/** The tools that define kinds. */
const OF_KINDS = ['kubernetes', 'flux', 'cert-manager', 'talos'];
const BUILT_IN = 'ansible.builtin.';
const COLLECTIONS = ['ansible.posix', 'community.docker', 'community.general', 'community.proxmox', 'kubernetes.core'];

/** The vocabularies that `read` reads and parses, `compose.json` for compose: each once, when it is first needed. */
export function vocabulariesFrom(read: (tool: string) => unknown) {
  const files = new Map<string, Vocabulary>();
  const fileOf = (tool: string): Vocabulary => {
    if (!files.has(tool)) files.set(tool, read(tool) as Vocabulary);
    return files.get(tool) ?? {};
  };
  const treeOf = (root: string): Vocabulary | undefined => {
    const tool = own(ROOTS, root)?.tool;
    return (tool ? [tool] : OF_KINDS).map(fileOf).find(({ roots }) => own(roots, root) !== undefined);
  };

  /** The keys known at a place: the steps from its root, without indices. Undefined below free keys or a value, or of an unknown root. */
  function keysAt(root: string, path: readonly string[]): ReadonlySet<string> | undefined {
    const { roots, types } = treeOf(root) ?? {};
    const bodyOf = (type: string | undefined) => (type ? types?.[type] : undefined);
    const body = path.reduce((above, key) => bodyOf(own(above, key) ?? above?.['*']), bodyOf(own(roots, root)));
    const keys = Object.keys(body ?? {}).filter((key) => key !== '*');
    return keys.length > 0 ? new Set(keys) : undefined;
  }

  /** The root that a YAML document of the file `path` has: `compose`, or `Deployment:apps/v1` by its own words. */
  function rootOf(path: string, { apiVersion, kind, keys }: DocumentHead): string | undefined {
    if (apiVersion?.startsWith('kustomize.config.k8s.io/')) return 'kustomization';
    if (apiVersion !== undefined && kind !== undefined)
      return treeOf(`${kind}:${apiVersion}`) && `${kind}:${apiVersion}`;
    const isKnown = (root: string) => keys.filter((key) => keysAt(root, [])?.has(key)).length * 2 >= keys.length;
    const has = (words: readonly string[] = []) => keys.some((key) => words.includes(key));
    const rows = keys.length > 0 ? Object.entries(ROOTS) : [];
    const byName = rows.find(([, { name }]) => name?.test(path.replace(/^.*\//, '')));
    return (byName ?? rows.find(([root, row]) => row.like?.test(path) && has(row.keys) && isKnown(root)))?.[0];
  }

  /** The arguments of a module under any of its names, undefined when it is not known. */
  function moduleArguments(module: string): ReadonlySet<string> | undefined {
    const name = module.includes('.') ? module.replace(/^ansible\.legacy\./, BUILT_IN) : BUILT_IN + module;
    const collection = COLLECTIONS.find((each) => name.startsWith(`${each}.`));
    if (!collection && !name.startsWith(BUILT_IN)) return undefined;
    const { modules, redirects } = fileOf(collection ?? 'ansible');
    const found = own(modules, name);
    const moved = own(redirects, collection ? name : name.slice(BUILT_IN.length));
    return found ? new Set(found) : moved === undefined ? undefined : moduleArguments(moved);
  }

  /** Every module by its full name, and by the short and old ones that Ansible takes for it. */
  function modules(): ReadonlySet<string> {
    const names = (tool: string) => Object.keys({ ...fileOf(tool).modules, ...fileOf(tool).redirects });
    const short = (name: string) => (name.startsWith(BUILT_IN) ? [name, name.slice(BUILT_IN.length)] : [name]);
    return new Set(['ansible', ...COLLECTIONS].flatMap(names).flatMap(short));
  }

  return {
    keysAt,
    rootOf,
    modules,
    /** Every kind of Kubernetes' API that is known, as `Deployment:apps/v1`. */
    kinds: (): readonly string[] => OF_KINDS.flatMap((tool) => Object.keys(fileOf(tool).roots ?? {})),
    moduleArguments,
    /** Every key of a root, at any place: of a text that has no tree. */
    allKeys: (root: string): ReadonlySet<string> =>
      new Set(Object.values(treeOf(root)?.types ?? {}).flatMap(Object.keys)),
    /** Words of a kind: ansible (play, block, task, handler, role, loop_control), caddy (directive, subdirective, option, module), programs (program). */
    words: (tool: string, kind: string): ReadonlySet<string> => new Set(own(fileOf(tool).words, kind)),
  };
}

const own = <T>(names: Names<T> | undefined, name: string): T | undefined =>
  names && Object.hasOwn(names, name) ? names[name] : undefined;
