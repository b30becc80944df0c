// The plugins that ship, by list and name. Each is imported only when the owner's lists name it.

/** `<list>/<name>` → `() => import('../../plugins/<list>/<name>.ts')`. One name may ship for several lists, each time as another plugin. */
export type BuiltIns = ReadonlyMap<string, () => Promise<unknown>>;

/** A name that ships but is not in here is a part of the loop itself, as `local` is. */
export const BUILT_INS: BuiltIns = new Map<string, () => Promise<unknown>>([
  ['executors/known-fixes', () => import('../../plugins/executors/known-fixes.ts')],
  ['executors/ollama', () => import('../../plugins/executors/ollama.ts')],
  ['executors/api', () => import('../../plugins/executors/api.ts')],
  ['executors/command', () => import('../../plugins/executors/command.ts')],
  ['escalations/case-file', () => import('../../plugins/escalations/case-file.ts')],
  ['escalations/api', () => import('../../plugins/escalations/api.ts')],
  ['escalations/command', () => import('../../plugins/escalations/command.ts')],
  ['notifiers/webhook', () => import('../../plugins/notifiers/webhook.ts')],
  ['notifiers/ntfy', () => import('../../plugins/notifiers/ntfy.ts')],
  ['notifiers/command', () => import('../../plugins/notifiers/command.ts')],
]);
