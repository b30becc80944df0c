// What a plugin's file exported → a plugin that may be called, or everything that is wrong with it and its settings. Pure, but
// for the getters of whoever wrote it.
import * as z from 'zod';
import { frozenCopy } from '../config/freeze.ts';
import { check, described, formatPath } from '../config/problem.ts';
import { didYouMean } from '../config/suggest.ts';
import { HOOK_NAMES, HOOKS, type HookName, hookOf, KINDS, keyOf, LISTS, type List } from './contract.ts';

/** A plugin that may be called. */
export interface LoadedPlugin {
  readonly name: string;
  /** Each bound to its plugin. */
  readonly hooks: Readonly<Partial<Record<HookName, (context: unknown) => unknown>>>;
  /** Its settings with their defaults: plain data, frozen. */
  readonly options: unknown;
}

/** How a name of ai/loop.yaml is used: one plugin to load. */
export interface Use {
  /** Those that name it; none when only its settings do. */
  readonly lists: readonly List[];
  /** The list for which it ships; undefined: whichever has it. */
  readonly from: List | undefined;
  readonly written: Readonly<Record<string, unknown>> | undefined;
  /** Where its settings stand, from `plugins.<name>` on. */
  readonly path: readonly string[];
}

export type Problems = { readonly problems: readonly string[] };

const KEYS = ['name', 'kind', 'options', ...HOOK_NAMES];

/** Never throws. */
export function examine(exported: unknown, name: string, use: Use): LoadedPlugin | Problems {
  if (typeof exported !== 'object' || exported === null || Array.isArray(exported)) {
    return { problems: [`its default export is ${typeName(exported)}; expected a plugin`] };
  }
  try {
    // Each property is read once: a getter could answer differently the next time.
    const parts: Parts = Object.fromEntries(Object.entries(exported));
    const shape = shapeProblems(parts, name);
    const problems = shape.length > 0 ? shape : placeProblems(parts, use.lists);
    if (problems.length > 0) return { problems };
    const settings = checkSettings(name, parts.options as z.ZodType | undefined, use);
    if ('problems' in settings) return settings;
    const bound = HOOK_NAMES.flatMap((hook) => {
      const part = parts[hook];
      return typeof part === 'function' ? [[hook, (context: unknown) => part.call(exported, context)]] : [];
    });
    return { name, hooks: Object.fromEntries(bound), ...settings };
  } catch (error) {
    return { problems: [`reading its default export threw: ${thrownLine(error)}`] };
  }
}

type Parts = Readonly<Record<string, unknown>>;

/** What is wrong with it wherever it is named. */
function shapeProblems(parts: Parts, name: string): string[] {
  const unknown = Object.keys(parts).filter((key) => !KEYS.includes(key));
  const present = hooksIn(parts);
  const kinds: readonly unknown[] = Object.values(KINDS);
  const isKind = parts.kind === undefined || kinds.includes(parts.kind);
  return [
    parts.name !== name && `its name is ${described(parts.name)}; expected ${JSON.stringify(name)}`,
    !isKind && `its kind is ${described(parts.kind)}; expected one of ${kinds.join(', ')}`,
    parts.options !== undefined && !(parts.options instanceof z.ZodType) && 'its options are not a schema of zod 4',
    ...unknown.map((key) => `it has an unknown hook ${JSON.stringify(key)}${didYouMean(key, KEYS, 'allowed')}`),
    ...present.map(
      (hook) => typeof parts[hook] !== 'function' && `its ${hook} is ${typeName(parts[hook])}; expected a function`,
    ),
    present.length + unknown.length === 0 && `it has no hook; expected one of ${HOOK_NAMES.join(', ')}`,
  ].filter((problem) => problem !== false);
}

const hooksIn = (parts: Parts): HookName[] => HOOK_NAMES.filter((hook) => parts[hook] !== undefined);

/** What is wrong with the lists it stands in. */
function placeProblems(parts: Parts, lists: readonly List[]): string[] {
  const present = hooksIn(parts);
  const fitting = LISTS.find((list) => KINDS[list] === parts.kind);
  const foreign = lists.filter((list) => fitting !== undefined && list !== fitting);
  if (foreign.length > 0) return foreign.map((list) => `it is of kind ${parts.kind}, but named under ${keyOf(list)}`);
  const lacking = lists.filter((list) => !present.includes(hookOf(list)));
  if (lacking.length > 0) {
    const has = `it has ${present.join(', ')}`;
    return lacking.map((list) => `it is named under ${keyOf(list)}, but has no hook ${hookOf(list)}; ${has}`);
  }
  // Settings alone keep a plugin ready without using it.
  const usable = lists.length === 0 ? [] : present.flatMap((hook) => HOOKS[hook].list ?? []);
  return usable
    .filter((list) => !lists.includes(list))
    .map((list) => `it has the hook ${hookOf(list)}, but is not named under ${keyOf(list)}`);
}

function typeName(value: unknown): string {
  if (value === null || value === undefined) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

/** The settings with their defaults, frozen; or every problem by its path in ai/loop.yaml. Never throws. */
export function checkSettings(
  name: string,
  schema: z.ZodType | undefined,
  { written = {}, path: below }: Pick<Use, 'written' | 'path'>,
): { readonly options: unknown } | Problems {
  if (schema === undefined) {
    const keys = Object.keys(written);
    if (keys.length === 0) return { options: Object.freeze({}) };
    return { problems: [`it takes no settings, but plugins.${name} has ${keys.join(', ')}`] };
  }
  try {
    const checked = check(schema, written);
    if ('value' in checked) return { options: frozenCopy(checked.value) };
    const at = (path: readonly (string | number)[]) => formatPath(['plugins', name, ...below, ...path]);
    return { problems: checked.findings.map(({ path, message }) => `${at(path)}: ${message}`) };
  } catch (error) {
    return { problems: [`its options cannot be used: ${thrownLine(error)}`] };
  }
}

export const oneLine = (text: string): string => text.replace(/[\s\p{Cc}]+/gu, ' ').trim();

const MAX_THROWN_LENGTH = 300;

/** What a plugin threw, as one line for a person. Never throws, whatever `error` is. */
export function thrownLine(error: unknown): string {
  try {
    const text = error instanceof Error ? String(error.message).trim() || String(error.name) : String(error);
    const line = oneLine(text);
    if (line === '') return 'nothing that could be shown';
    return line.length > MAX_THROWN_LENGTH ? `${line.slice(0, MAX_THROWN_LENGTH - 3)}...` : line;
  } catch {
    return 'something that cannot be shown';
  }
}
