// Everything a plugin can do, in one table: which list of ai/loop.yaml calls for it, what it may answer, and how long it may
// take; and `definePlugin`, which gives each hook its types.
import { z } from 'zod';
import {
  type Backend,
  backendSchema,
  type ClassRules,
  type Context,
  checkSchema,
  classRulesSchema,
  type Escalation,
  escalationSchema,
  type HookName,
  type Proposal,
  proposalSchema,
} from './contract.ts';

/** The keys of ai/loop.yaml that name plugins, and what one such plugin is called. */
export const KINDS = {
  executors: 'executor',
  escalations: 'escalation',
  notifiers: 'notifier',
  backends: 'backend',
} as const;

export type List = keyof typeof KINDS;

export const LISTS = Object.keys(KINDS) as readonly List[];

/** The key under which ai/loop.yaml names plugins of a list. */
export const keyOf = (list: List): string => (list === 'backends' ? 'backend' : list);

export interface Hook {
  /** null: any plugin may have it. */
  readonly list: List | null;
  readonly answer: z.ZodType;
  /** Whether the answer must be plain data; it is then copied before anyone looks at it. */
  readonly plain: boolean;
  readonly timeoutMs: number;
}

/** What a notifier returns does not matter: it told somebody, or it threw. */
const anything = z.unknown().transform(() => undefined);

export const HOOKS: Readonly<Record<HookName, Hook>> = {
  classify: { list: null, answer: classRulesSchema, plain: true, timeoutMs: 10_000 },
  check: { list: null, answer: checkSchema, plain: true, timeoutMs: 10_000 },
  propose: { list: 'executors', answer: proposalSchema, plain: true, timeoutMs: 300_000 },
  escalate: { list: 'escalations', answer: escalationSchema, plain: true, timeoutMs: 600_000 },
  notify: { list: 'notifiers', answer: anything, plain: false, timeoutMs: 30_000 },
  backend: { list: 'backends', answer: backendSchema, plain: false, timeoutMs: 30_000 },
};

export const HOOK_NAMES = Object.keys(HOOKS) as readonly HookName[];

/** The hook that a plugin must have to stand in `list`. */
export const hookOf = (list: List): HookName => HOOK_NAMES.find((name) => HOOKS[name].list === list) as HookName;

type Eventually<T> = T | Promise<T>;

/** What a plugin file exports by default: its name is that of its file, each hook is optional, and at least one is there. */
export interface Plugin<O extends z.ZodType = z.ZodType> {
  readonly name: string;
  /** Only for readers, and checked: which list may name it. */
  readonly kind?: (typeof KINDS)[List];
  /** The settings it takes under `plugins.<name>` in ai/loop.yaml; without it, none. They must be plain data. */
  readonly options?: O;
  /** Rules that class failures, asked for once, before the first stage. When it fails, the run does not start. */
  classify?(context: Context<'classify', z.output<O>>): Eventually<ClassRules>;
  /** For `doctor`: who would be asked, in one line. Throws what is wrong, and what to do. */
  check?(context: Context<'check', z.output<O>>): Eventually<string>;
  /** A fix for a failure. Throws when whoever it asks cannot be reached: that is no try. */
  propose?(context: Context<'propose', z.output<O>>): Eventually<Proposal>;
  /** A fix, a request for diagnostics, or a hand-over, for a failure that keeps coming back. Throws as `propose` does. */
  escalate?(context: Context<'escalate', z.output<O>>): Eventually<Escalation>;
  /** Tells a person. Throws when it could not, which is only noted. */
  notify?(context: Context<'notify', z.output<O>>): unknown;
  /** Where commands run. When it fails, the run does not start. */
  backend?(context: Context<'backend', z.output<O>>): Eventually<Backend>;
}

/** Returns `plugin` as it is: only there so that an editor knows the types of every hook. */
export function definePlugin<O extends z.ZodType>(plugin: Plugin<O>): Plugin<O> {
  return plugin;
}
