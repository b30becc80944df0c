// The plugins that ai/loop.yaml names, loaded and checked: all of them, or one error with everything that is wrong.
import { type LoopConfig, SHIPPED } from '../config/loop-config.ts';
import { nearest } from '../config/suggest.ts';
import { fail } from '../errors.ts';
import type { ProjectRule } from '../failure/classify.ts';
import { isMapping } from '../shape.ts';
import { BUILT_INS, type BuiltIns } from './built-ins.ts';
import { callHook } from './call.ts';
import { keyOf, LISTS, type List } from './contract.ts';
import { checkSettings, examine, type LoadedPlugin, type Problems, type Use } from './examine.ts';
import { defaultExport, locate, ownExport } from './import-plugin.ts';

export interface Plugins {
  readonly executors: readonly LoadedPlugin[];
  readonly escalations: readonly LoadedPlugin[];
  readonly notifiers: readonly LoadedPlugin[];
  /** undefined: the loop's own. */
  readonly backend: LoadedPlugin | undefined;
  /** What they say on classing failures; comes after the owner's own rules and before the built-in ones. */
  readonly rules: readonly ProjectRule[];
}

/** The owner's `plugins/` as committed on the base: the whole tree, in a folder of its own for each commit. */
export interface OwnPlugins {
  readonly folder: string;
  /** The repository is the running package: its files with shipped names are the shipped ones. */
  readonly isPackage: boolean;
}

export interface LoadInput {
  readonly loop: Pick<LoopConfig, 'executors' | 'escalations' | 'notifiers' | 'backend' | 'plugins'>;
  /** undefined: there is no such folder on the base. */
  readonly own: OwnPlugins | undefined;
  readonly shipped?: Readonly<Record<List, readonly string[]>>;
  readonly builtIns?: BuiltIns;
  readonly importLimitMs?: number;
}

/** Throws E_PLUGIN with every problem of every plugin. A plugin that is not named is not loaded. */
export async function loadPlugins(input: LoadInput): Promise<Plugins> {
  const { loop } = input;
  const named: Record<List, readonly string[]> = { ...loop, backends: [loop.backend] };
  const names = new Set([...LISTS.flatMap((list) => named[list]), ...Object.keys(loop.plugins)]);
  const loaded: Loaded[] = [];
  const problems: string[] = [];
  for (const name of names) {
    const lists = LISTS.filter((list) => named[list].includes(name));
    const results = await loadName(name, lists, input);
    loaded.push(...results.filter((result) => 'plugin' in result));
    // Settings for all lists are wrong in each of them, and told once.
    const wrong = new Set(results.flatMap((result) => ('problems' in result ? result.problems : [])));
    problems.push(...[...wrong].map((problem) => `${name}: ${problem}`));
  }
  const classed = await classRules(loaded.map(({ plugin }) => plugin));
  problems.push(...classed.problems);
  if (problems.length > 0) fail('E_PLUGIN', { count: problems.length }, problems);
  const pick = (list: List) => {
    const inList = loaded.filter(({ lists }) => lists.includes(list)).map(({ plugin }) => plugin);
    return named[list].flatMap((name) => inList.find((plugin) => plugin.name === name) ?? []);
  };
  return {
    executors: pick('executors'),
    escalations: pick('escalations'),
    notifiers: pick('notifiers'),
    backend: pick('backends')[0],
    rules: classed.rules,
  };
}

/** A plugin, and the lists that it is loaded for. */
type Loaded = { readonly lists: readonly List[]; readonly plugin: LoadedPlugin };

async function loadName(name: string, lists: readonly List[], input: LoadInput): Promise<(Loaded | Problems)[]> {
  const { shipped = SHIPPED, loop } = input;
  const ships = LISTS.filter((list) => shipped[list].includes(name));
  const uses = usesOf(lists, ships, Object.hasOwn(loop.plugins, name) ? loop.plugins[name] : undefined);
  if ('fault' in uses) return [{ problems: [`plugins.${name}: ${uses.fault}`] }];
  const results: (Loaded | Problems)[] = [];
  for (const use of uses) results.push(await loadUse(name, use, ships, input));
  return results;
}

/**
 * How a name that `lists` name is used. It is one plugin with one set of settings, unless it ships for several lists: then it is
 * another plugin in each, and its settings may be given by list.
 */
function usesOf(lists: readonly List[], ships: readonly List[], written: Use['written']): Use[] | { fault: string } {
  if (ships.length < 2) return [{ lists, from: ships[0], written, path: [] }];
  const keys = Object.keys(written ?? {});
  const byList = ships.filter((list) => keys.includes(keyOf(list)));
  const useIn = (from: List) => ({ from, lists: lists.filter((list) => list === from) });
  if (byList.length === 0) {
    // The same settings for every list; a name that only has settings is checked as its last, which allows the most.
    const used = lists.length > 0 ? lists : ships.slice(-1);
    return used.map((list) => ({ ...useIn(list), written, path: [] }));
  }
  const other = keys.find((key) => !byList.some((list) => keyOf(list) === key));
  if (other !== undefined) {
    return { fault: `${JSON.stringify(other)} stands beside ${byList.map(keyOf).join(', ')}; put it below them` };
  }
  const settings = (list: List) => written?.[keyOf(list)] as Use['written'];
  const misshapen = byList.find((list) => !isMapping(settings(list)));
  if (misshapen) return { fault: `expected a mapping below ${keyOf(misshapen)}` };
  const used = LISTS.filter((list) => lists.includes(list) || byList.includes(list));
  return used.map((list) => ({ ...useIn(list), written: settings(list), path: [keyOf(list)] }));
}

async function loadUse(name: string, use: Use, ships: readonly List[], input: LoadInput): Promise<Loaded | Problems> {
  const imported = await importUse(name, use, ships, input);
  if (!imported) return { problems: [], ...checkSettings(name, undefined, use) };
  const result = 'fault' in imported ? { problems: [imported.fault] } : examine(imported.exported, name, use);
  return 'problems' in result ? result : { lists: use.lists, plugin: result };
}

/** undefined: it is a part of the loop itself, as `local` is. */
async function importUse(name: string, { lists, from }: Use, ships: readonly List[], input: LoadInput) {
  const { own, shipped = SHIPPED, builtIns = BUILT_INS, importLimitMs } = input;
  const located = await locate(own?.folder, name);
  if ('refused' in located) return { fault: located.refused };
  const [file] = located.files;
  if (ships.length > 0) {
    const wrong = lists.find((list) => !ships.includes(list));
    if (file !== undefined && !own?.isPackage) {
      return { fault: `plugins/${file} has the name of a plugin that ships; give it another` };
    }
    if (wrong) return { fault: `it ships for ${ships.map(keyOf).join(', ')}, but is named under ${keyOf(wrong)}` };
    const load = builtIns.get(`${from}/${name}`);
    return load && defaultExport(load, 'the shipped plugin', importLimitMs);
  }
  if (own === undefined || file === undefined) return { fault: missing(name, lists, shipped) };
  const paths = located.files.map((path) => `plugins/${path}`);
  if (paths.length > 1) return { fault: `there is more than one: ${paths.join(', ')}` };
  return ownExport(own.folder, file, importLimitMs);
}

function missing(name: string, lists: readonly List[], shipped: Readonly<Record<List, readonly string[]>>): string {
  const under = lists.length > 0 ? lists.map(keyOf).join(', ') : 'plugins';
  const file = ['plugins', ...lists.slice(0, 1), name].join('/');
  const near = nearest(name, [...new Set(LISTS.flatMap((list) => shipped[list]))]);
  const hint = near === undefined ? '' : `; did you mean ${JSON.stringify(near)}?`;
  return `named under ${under}, but it does not ship and is not in ${file}.ts, .mjs or .js${hint}`;
}

/** In the order of the plugins, and of each plugin's own list. Never throws. */
async function classRules(plugins: readonly LoadedPlugin[]) {
  const rules: ProjectRule[] = [];
  const problems: string[] = [];
  for (const plugin of plugins.filter(({ hooks }) => hooks.classify)) {
    const called = await callHook(plugin, 'classify', {});
    if ('failed' in called) problems.push(called.failed);
    for (const rule of 'answer' in called ? called.answer : []) {
      const name = `classify of the plugin ${plugin.name}: ${rule.match}`;
      // As in ai/loop.yaml: ^ and $ are those of a line.
      rules.push({ ...rule, name, match: new RegExp(rule.match, 'm') });
    }
  }
  return { rules, problems };
}
