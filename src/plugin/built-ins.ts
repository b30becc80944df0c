// The plugins that ship, by name. Each is imported only when the owner's lists name it.

/** name → `() => import('../../plugins/<list>/<name>.ts')`. */
export type BuiltIns = ReadonlyMap<string, () => Promise<unknown>>;

/** A name that ships but is not in here is a part of the loop itself, as `local` is. */
export const BUILT_INS: BuiltIns = new Map<string, () => Promise<unknown>>([
  ['known-fixes', () => import('../../plugins/executors/known-fixes.ts')],
  ['ollama', () => import('../../plugins/executors/ollama.ts')],
  ['command', () => import('../../plugins/executors/command.ts')],
]);
