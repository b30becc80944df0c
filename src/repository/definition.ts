// What a repository defines, by kind: the one table behind the gate's proofs, prompts and known fixes.
import type { Tree } from './tree.ts';

/** Every kind of name that a file may define and another place may use, and what its `of` says. */
export const KINDS = {
  object: "a Kubernetes object's name; of: its kind",
  service: 'a service of a compose project',
  volume: 'a volume that a compose project declares',
  network: 'a network that a compose project declares',
  'compose-config': 'a config or secret that a compose project declares',
  group: 'a group of an Ansible inventory; of: the group that it is a child of, or a role that it is used with',
  host: 'a host of an Ansible inventory',
  role: 'an Ansible role in a roles folder',
  handler: 'an Ansible handler, by name or by what it listens to',
  'ansible-variable': 'a variable of inventory, vars, defaults, set_fact, register or vars_prompt',
  target: 'a target of make, a recipe of just, a task of a Taskfile; of: make, just or task',
  'shell-variable': 'a variable that a script assigns, reads or takes as a parameter of a for loop',
  'shell-function': 'a function of a script',
  'make-variable': 'a variable of a Makefile',
  'just-variable': 'a variable or parameter of a justfile',
  'task-variable': 'a variable of a Taskfile',
  'env-variable': 'a variable that an env file sets, or that a script or a file of make or just exports',
  entry: 'a key at the top of a file of plain data, or right below it; of: the key above it',
  'helm-value': 'a value at the top of a file of values, as charts here use it',
  terraform:
    'an address in Terraform: var.x, local.x, module.x, data.type.name, type.name, each.key and the like are not',
  'python-name': 'anything that Python binds: function, class, variable, parameter, attribute, import',
  file: 'another file that is read into this one, as it is named there; of: what it puts before the names of its targets',
} as const;
export type Kind = keyof typeof KINDS;

/** Whether all uses of a kind are read: where a definition may be a slip. */
export const isUsed = (kind: Kind): boolean => /-variable$|^shell-function$|^helm-value$/.test(kind);

/** Stands for names that are computed: there are more than those that are listed. Never in a set that is handed out. */
export const ANY = '*';

/** One name that a file defines, or uses. `line` is counted from 1. */
export interface Name {
  readonly kind: Kind;
  readonly name: string;
  readonly of?: string;
  /** The namespace of an object, where its manifest says so. */
  readonly inside?: string;
  readonly line: number;
  /** It only looks like a definition (an assignment in a quoted text): possible, but not visible. */
  readonly maybe?: true;
}

/** What one file defines and uses. Made from its path and text alone, so it can be kept by the blob's id. */
export interface FileNames {
  readonly defines: readonly Name[];
  readonly uses: readonly Name[];
}

export type Files = ReadonlyMap<string, FileNames>;

/**
 * A repository at one commit, as far as proofs look at it. What comes from elsewhere (the environment, charts, packages, the
 * cluster) is in none of its answers. Undefined is an answer: it cannot be known.
 */
export interface Repository {
  readonly tree: Tree;
  /** Whether a file may come to stand at `path` that git does not have: ignored, carried, or written by a stage. */
  mayAppear(path: string): boolean;
  /** The names of `kind` that the file `from` can use for certain. */
  visible(kind: Kind, from: string, of?: string): ReadonlySet<string>;
  /** These, and all that it might be able to use. */
  possible(kind: Kind, from: string, of?: string): ReadonlySet<string> | undefined;
  /** The names of `kind` that `from`, or a file that can see what `from` defines, uses; undefined also of a kind whose uses are not read. */
  used(kind: Kind, from: string): ReadonlySet<string> | undefined;
  /** Every name of a kind, or every place where one is defined, whichever file could use it, in the order of paths. */
  everywhere(kind: Kind): readonly (Name & { readonly path: string })[];
  places(kind: Kind, name: string): readonly (Name & { readonly path: string })[];
}
