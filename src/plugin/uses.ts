// How a name of ai/loop.yaml is used. One name is one plugin with one set of settings, unless it ships for several lists:
// then it is another plugin in each, and its settings may be given by list.
import { keyOf, LISTS, type List } from './hooks.ts';

type Settings = Readonly<Record<string, unknown>>;

/** One plugin to load. */
export interface Use {
  /** Those that name it; none when only its settings do. */
  readonly lists: readonly List[];
  /** The list for which it ships; undefined: whichever has it. */
  readonly from: List | undefined;
  readonly written: Settings | undefined;
  /** Where its settings stand, from `plugins.<name>` on. */
  readonly path: readonly string[];
}

/** `lists` name it, it ships for `ships`, and its settings are `written`. The settings are no list's when it is a fault. */
export function usesOf(
  lists: readonly List[],
  ships: readonly List[],
  written: Settings | undefined,
): readonly Use[] | { readonly fault: string } {
  if (ships.length < 2) return [{ lists, from: ships[0], written, path: [] }];
  const keys = Object.keys(written ?? {});
  const byList = ships.filter((list) => keys.includes(keyOf(list)));
  if (byList.length === 0) {
    // The same settings for every list; a name that only has settings is checked as its first.
    const used = lists.length > 0 ? lists : ships.slice(0, 1);
    return used.map((list) => ({ lists: lists.filter((one) => one === list), from: list, written, path: [] }));
  }
  const other = keys.find((key) => !byList.some((list) => keyOf(list) === key));
  if (other !== undefined) {
    return { fault: `${JSON.stringify(other)} stands beside ${byList.map(keyOf).join(', ')}; put it below them` };
  }
  const misshapen = byList.find((list) => !isMapping(written?.[keyOf(list)]));
  if (misshapen) return { fault: `expected a mapping below ${keyOf(misshapen)}` };
  return LISTS.filter((list) => lists.includes(list) || byList.includes(list)).map((list) => ({
    lists: lists.filter((one) => one === list),
    from: list,
    written: written?.[keyOf(list)] as Settings | undefined,
    path: [keyOf(list)],
  }));
}

const isMapping = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value);
