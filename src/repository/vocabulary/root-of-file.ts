// Which vocabulary a YAML document without a kind has, by its file's path and its keys.

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

/** The tool that has a root which is no kind. */
export const toolOfRoot = (root: string): string | undefined => RULES.find((rule) => rule.root === root)?.tool;

/** `keysOf`: what a root has at its top. */
export function rootOfFile(
  path: string,
  keys: readonly string[],
  keysOf: (root: string) => ReadonlySet<string> | undefined,
): string | undefined {
  if (keys.length === 0) return undefined;
  const name = path.replace(/^.*\//, '');
  const isLike = (rule: Rule) => {
    if (!rule.like?.test(path) || !keys.some((key) => rule.keys?.includes(key))) return false;
    return keys.filter((key) => keysOf(rule.root)?.has(key)).length * 2 >= keys.length;
  };
  return (RULES.find((rule) => rule.name?.test(name)) ?? RULES.find(isLike))?.root;
}
