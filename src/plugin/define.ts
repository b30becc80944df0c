// What a plugin file exports by default.
import type { z } from 'zod';
import type { Backend, ClassRules, Context, Escalation, Proposal } from './contract.ts';
import type { Kind } from './hooks.ts';

type Eventually<T> = T | Promise<T>;

/** A plugin: its name is that of its file, each hook is optional, and at least one is there. */
export interface Plugin<O extends z.ZodType = z.ZodType> {
  readonly name: string;
  /** Only for readers, and checked: which list may name it. */
  readonly kind?: Kind;
  /** The settings it takes under `plugins.<name>` in ai/loop.yaml; without it, none. They must be plain data. */
  readonly options?: O;
  /** Rules that class failures, asked for once, before the first stage. */
  classify?(context: Context<'classify', z.output<O>>): Eventually<ClassRules>;
  /** For `doctor`: who would be asked, in one line. Throws what is wrong, and what to do. */
  check?(context: Context<'check', z.output<O>>): Eventually<string>;
  /** A fix for a failure. Throws when whoever it asks cannot be reached: that is no try. */
  propose?(context: Context<'propose', z.output<O>>): Eventually<Proposal>;
  /** A fix, a wish for diagnostics, or a hand-over, for a failure that keeps coming back. */
  escalate?(context: Context<'escalate', z.output<O>>): Eventually<Escalation>;
  /** Tells a person. Throws when it could not. */
  notify?(context: Context<'notify', z.output<O>>): unknown;
  /** Where commands run. */
  backend?(context: Context<'backend', z.output<O>>): Eventually<Backend>;
}

/** Returns `plugin` as it is: only there so that an editor knows the types of every hook. */
export function definePlugin<O extends z.ZodType>(plugin: Plugin<O>): Plugin<O> {
  return plugin;
}
