// Everything a plugin can do, in one table: which list of ai/loop.yaml calls for it, what it may answer, how the answers of
// several plugins combine, what its failure means, and how long it may take.
import type { z } from 'zod';
import {
  backendSchema,
  checkSchema,
  classRulesSchema,
  escalationSchema,
  nothingSchema,
  proposalSchema,
} from './answers.ts';
import type { HookName } from './contract.ts';

/** The keys of ai/loop.yaml that name plugins, and what one such plugin is called. */
export const KINDS = {
  executors: 'executor',
  escalations: 'escalation',
  notifiers: 'notifier',
  backends: 'backend',
} as const;

export type List = keyof typeof KINDS;
export type Kind = (typeof KINDS)[List];

export const LISTS = Object.keys(KINDS) as readonly List[];

/** The key under which ai/loop.yaml names plugins of a list. */
export const keyOf = (list: List): string => (list === 'backends' ? 'backend' : list);

export interface Hook {
  /** null: any plugin may have it. */
  readonly list: List | null;
  readonly answer: z.ZodType;
  /** Whether the answer must be plain data; it is then copied before anyone looks at it. */
  readonly plain: boolean;
  /** `all`: every plugin is called, in order; `first`: in order, until one does not pass; `one`: there is only one. */
  readonly combine: 'all' | 'first' | 'one';
  /** `stops`: the run does not start; `provider`: as if it could not be reached, no try is spent; `ignored`: only noted. */
  readonly failure: 'stops' | 'provider' | 'ignored';
  readonly timeoutMs: number;
}

const SECOND = 1000;

export const HOOKS: Readonly<Record<HookName, Hook>> = {
  classify: {
    list: null,
    answer: classRulesSchema,
    plain: true,
    combine: 'all',
    failure: 'stops',
    timeoutMs: 10 * SECOND,
  },
  check: {
    list: null,
    answer: checkSchema,
    plain: true,
    combine: 'all',
    failure: 'ignored',
    timeoutMs: 10 * SECOND,
  },
  propose: {
    list: 'executors',
    answer: proposalSchema,
    plain: true,
    combine: 'first',
    failure: 'provider',
    timeoutMs: 300 * SECOND,
  },
  escalate: {
    list: 'escalations',
    answer: escalationSchema,
    plain: true,
    combine: 'first',
    failure: 'provider',
    timeoutMs: 600 * SECOND,
  },
  notify: {
    list: 'notifiers',
    answer: nothingSchema,
    plain: false,
    combine: 'all',
    failure: 'ignored',
    timeoutMs: 30 * SECOND,
  },
  backend: {
    list: 'backends',
    answer: backendSchema,
    plain: false,
    combine: 'one',
    failure: 'stops',
    timeoutMs: 30 * SECOND,
  },
};

export const HOOK_NAMES = Object.keys(HOOKS) as readonly HookName[];

/** The hook that a plugin must have to stand in `list`. */
export const hookOf = (list: List): HookName => HOOK_NAMES.find((name) => HOOKS[name].list === list) as HookName;
