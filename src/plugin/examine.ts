// What a plugin's file exported → its hooks, or everything that is wrong with it. Pure, but for getters of a stranger.
import { z } from 'zod';
import { described } from '../config/problem.ts';
import { didYouMean } from '../config/suggest.ts';
import type { HookName } from './contract.ts';
import { HOOK_NAMES, HOOKS, hookOf, KINDS, keyOf, type List } from './hooks.ts';
import { thrown } from './thrown.ts';

/** A hook, bound to its plugin. */
export type HookFunction = (context: unknown) => unknown;

/** A plugin that may be called. */
export interface LoadedPlugin {
  readonly name: string;
  readonly hooks: Examined['hooks'];
  /** Its settings with their defaults: plain data, frozen. */
  readonly options: unknown;
}

export interface Examined {
  readonly hooks: Readonly<Partial<Record<HookName, HookFunction>>>;
  readonly options: z.ZodType | undefined;
  readonly problems: readonly string[];
}

const KEYS = ['name', 'kind', 'options', ...HOOK_NAMES];
const NOTHING = { hooks: {}, options: undefined };

/** `lists` are those that name the plugin; none when only its settings do. Never throws. */
export function examine(exported: unknown, name: string, lists: readonly List[]): Examined {
  if (typeof exported !== 'object' || exported === null || Array.isArray(exported)) {
    return { ...NOTHING, problems: [`its default export is ${typeName(exported)}; expected a plugin`] };
  }
  try {
    return looked(exported, name, lists);
  } catch (error) {
    return { ...NOTHING, problems: [`reading its default export threw: ${thrown(error)}`] };
  }
}

function looked(exported: object, name: string, lists: readonly List[]): Examined {
  // Each property is read once: a getter could answer differently the next time.
  const parts: Record<string, unknown> = Object.fromEntries(Object.entries(exported));
  const hooks = Object.fromEntries(
    HOOK_NAMES.flatMap((hook) => {
      const part = parts[hook];
      return typeof part === 'function' ? [[hook, (context: unknown) => part.call(exported, context)]] : [];
    }),
  );
  const problems = shapeProblems(parts, name);
  const options = parts.options as z.ZodType | undefined;
  return { hooks, options, problems: problems.length > 0 ? problems : placeProblems(parts, lists) };
}

/** What is wrong with it wherever it is named. */
function shapeProblems(parts: Record<string, unknown>, name: string): string[] {
  const unknown = Object.keys(parts).filter((key) => !KEYS.includes(key));
  const present = HOOK_NAMES.filter((hook) => parts[hook] !== undefined);
  const kinds: readonly unknown[] = Object.values(KINDS);
  return [
    parts.name !== name && `its name is ${described(parts.name)}; expected ${JSON.stringify(name)}`,
    parts.kind !== undefined &&
      !kinds.includes(parts.kind) &&
      `its kind is ${described(parts.kind)}; expected one of ${kinds.join(', ')}`,
    parts.options !== undefined && !(parts.options instanceof z.ZodType) && 'its options are not a schema of zod 4',
    ...unknown.map((key) => `it has an unknown hook ${JSON.stringify(key)}${didYouMean(key, KEYS, 'allowed')}`),
    ...present
      .filter((hook) => typeof parts[hook] !== 'function')
      .map((hook) => `its ${hook} is ${typeName(parts[hook])}; expected a function`),
    present.length + unknown.length === 0 && `it has no hook; expected one of ${HOOK_NAMES.join(', ')}`,
  ].filter((problem) => problem !== false);
}

/** What is wrong with the lists it stands in. */
function placeProblems(parts: Record<string, unknown>, lists: readonly List[]): string[] {
  const present = HOOK_NAMES.filter((hook) => parts[hook] !== undefined);
  const lacking = lists.filter((list) => !present.includes(hookOf(list)));
  // Settings alone keep a plugin ready without using it.
  const unused = lists.length === 0 ? [] : present.map((hook) => HOOKS[hook].list).filter((list) => list !== null);
  const [own] = (Object.keys(KINDS) as List[]).filter((list) => KINDS[list] === parts.kind);
  const foreign = own === undefined ? [] : lists.filter((list) => list !== own);
  if (foreign.length > 0) {
    return foreign.map((list) => `it is of kind ${parts.kind}, but named under ${keyOf(list)}`);
  }
  if (lacking.length > 0) {
    return lacking.map(
      (list) => `it is named under ${keyOf(list)}, but has no hook ${hookOf(list)}; it has ${present.join(', ')}`,
    );
  }
  return unused
    .filter((list) => !lists.includes(list))
    .map((list) => `it has the hook ${hookOf(list)}, but is not named under ${keyOf(list)}`);
}

function typeName(value: unknown): string {
  if (value === null || value === undefined) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
