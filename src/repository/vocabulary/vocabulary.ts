// What tools define: keys by their place, modules, words. The files beside this one have it, each made by scripts/vocabularies.mjs;
// what they do not say is not known, and no file is complete for every version of its tool.

/** The parsed file of a tool: `compose.json` for compose. Throws when it cannot be read. */
export type ReadVocabulary = (tool: string) => unknown;

export interface Vocabularies {
  /**
   * The keys known at a place: the steps from the root, without the indices of lists. Undefined where nothing is known: below a
   * map of free keys, below a value, in a root that no vocabulary has.
   */
  keysAt(root: string, path: readonly string[]): ReadonlySet<string> | undefined;
  /** Every key of a root, at any place: of a text that has no tree. */
  allKeys(root: string): ReadonlySet<string>;
  /** The root that a YAML document of the file `path` has: `compose`, or `Deployment:apps/v1` by its own words. */
  rootOf(path: string, document: DocumentHead): string | undefined;
  /** Every module by its full name, and by the short and old ones that Ansible takes for it. */
  modules(): ReadonlySet<string>;
  /** The arguments of a module under any of its names, undefined when it is not known. */
  moduleArguments(module: string): ReadonlySet<string> | undefined;
  /** Words of a kind: ansible (play, block, task, handler, role, loop_control), caddy (directive, subdirective, option, module), programs (program). */
  words(tool: string, kind: string): ReadonlySet<string>;
}

export interface DocumentHead {
  readonly apiVersion?: string;
  readonly kind?: string;
  /** Of the top level. */
  readonly keys: readonly string[];
}

type Names<T> = Readonly<Record<string, T>>;
/** Types are key → type of its value, '' when that is not known; `*` stands for any other key. */
interface Tree {
  readonly roots: Names<string>;
  readonly types: Names<Names<string>>;
}
interface Modules {
  readonly redirects: Names<string>;
  readonly modules: Names<readonly string[]>;
}
interface Words {
  readonly words: Names<readonly string[]>;
}

/** Which root a YAML document without a kind has, by its file's path and its keys. */
interface Rule {
  readonly root: string;
  readonly tool: string;
  /** The file's name, which settles it alone. */
  readonly name?: RegExp;
  /** A path like this settles it when one of `keys` is there, and half of what is there is known. */
  readonly like?: RegExp;
  readonly keys?: readonly string[];
}

const COMPOSE = /^(?:docker-|podman-)?compose\b.*\.ya?ml$/;
const RULES: readonly Rule[] = [
  { root: 'compose', tool: 'compose', name: COMPOSE, like: /compose|docker|podman|stack/i, keys: ['services'] },
  { root: 'kustomization', tool: 'kustomize', name: /^(?:kustomization\.ya?ml|Kustomization)$/ },
  { root: 'talconfig', tool: 'talhelper', name: /^talconfig\.ya?ml$/ },
  {
    root: 'prometheus',
    tool: 'prometheus',
    like: /prometheus[^/]*$/i,
    keys: ['global', 'scrape_configs', 'rule_files'],
  },
  { root: 'rules', tool: 'prometheus', like: /rules?\b|alerts?\b/i, keys: ['groups'] },
  { root: 'machineconfig', tool: 'talos', like: /talos|machine|control-?plane|worker/i, keys: ['machine', 'cluster'] },
];

const BUILT_IN = 'ansible.builtin.';
const COLLECTIONS = ['ansible.posix', 'community.docker', 'community.general', 'community.proxmox', 'kubernetes.core'];
/** The tools that define kinds. */
const OF_KINDS = ['kubernetes', 'flux', 'cert-manager', 'talos'];
/** The vocabularies that `read` reads: each once, when it is first needed. */
export function vocabulariesFrom(read: ReadVocabulary): Vocabularies {
  const files = new Map<string, unknown>();
  const fileOf = <T>(tool: string): T => {
    if (!files.has(tool)) files.set(tool, read(tool));
    return files.get(tool) as T;
  };
  let allModules: ReadonlySet<string> | undefined;
  return { keysAt, allKeys, rootOf, modules, moduleArguments, words };

  function keysAt(root: string, path: readonly string[]): ReadonlySet<string> | undefined {
    const tree = treeOf(root);
    const bodyOf = (type: string | undefined) => (type ? tree?.types[type] : undefined);
    const step = (body: Names<string> | undefined, key: string) => bodyOf(body && (own(body, key) ?? body['*']));
    const body = path.reduce(step, bodyOf(tree && own(tree.roots, root)));
    const keys = Object.keys(body ?? {}).filter((key) => key !== '*');
    return keys.length > 0 ? new Set(keys) : undefined;
  }

  function allKeys(root: string): ReadonlySet<string> {
    const { types = {} } = treeOf(root) ?? {};
    return new Set(Object.values(types).flatMap(Object.keys));
  }

  function treeOf(root: string): Tree | undefined {
    const tool = RULES.find((rule) => rule.root === root)?.tool;
    const tools = tool ? [tool] : OF_KINDS;
    return tools.map((each) => fileOf<Tree>(each)).find(({ roots }) => own(roots, root) !== undefined);
  }

  function rootOf(path: string, { apiVersion, kind, keys }: DocumentHead): string | undefined {
    if (apiVersion?.startsWith('kustomize.config.k8s.io/')) return 'kustomization';
    if (apiVersion !== undefined && kind !== undefined) {
      const root = `${kind}:${apiVersion}`;
      return treeOf(root) && root;
    }
    const name = path.replace(/^.*\//, '');
    const isLike = (rule: Rule) => {
      if (!rule.like?.test(path) || !keys.some((key) => rule.keys?.includes(key))) return false;
      return keys.filter((key) => keysAt(rule.root, [])?.has(key)).length * 2 >= keys.length;
    };
    return keys.length > 0 ? (RULES.find((rule) => rule.name?.test(name)) ?? RULES.find(isLike))?.root : undefined;
  }

  function modules(): ReadonlySet<string> {
    allModules ??= new Set(['ansible', ...COLLECTIONS].flatMap(namesIn));
    return allModules;
  }

  function namesIn(tool: string): string[] {
    const { modules, redirects } = fileOf<Modules>(tool);
    const names = Object.keys(modules);
    const short = tool === 'ansible' ? names.map((name) => name.slice(BUILT_IN.length)) : [];
    return [...names, ...short, ...Object.keys(redirects)];
  }

  function moduleArguments(module: string): ReadonlySet<string> | undefined {
    const name = module.includes('.') ? module.replace(/^ansible\.legacy\./, BUILT_IN) : `${BUILT_IN}${module}`;
    const collection = COLLECTIONS.find((each) => name.startsWith(`${each}.`));
    if (!collection && !name.startsWith(BUILT_IN)) return undefined;
    const file = fileOf<Modules>(collection ?? 'ansible');
    const found = own(file.modules, name);
    if (found) return new Set(found);
    const moved = own(file.redirects, collection ? name : name.slice(BUILT_IN.length));
    return moved === undefined ? undefined : moduleArguments(moved);
  }

  function words(tool: string, kind: string): ReadonlySet<string> {
    return new Set(own(fileOf<Words>(tool).words, kind));
  }
}

const own = <T>(names: Names<T>, name: string): T | undefined => (Object.hasOwn(names, name) ? names[name] : undefined);
