// The rules of all plugins that class failures, asked for once, before the first stage.
import type { ProjectRule } from '../failure/classify.ts';
import { callHook } from './call.ts';
import type { LoadedPlugin } from './examine.ts';

export interface Rules {
  readonly rules: readonly ProjectRule[];
  readonly problems: readonly string[];
}

/** In the order of the plugins, and of each plugin's own list. Never throws. */
export async function classRules(plugins: readonly LoadedPlugin[], timeoutMs?: number): Promise<Rules> {
  const rules: ProjectRule[] = [];
  const problems: string[] = [];
  for (const plugin of plugins.filter(({ hooks }) => hooks.classify)) {
    const called = await callHook(plugin, 'classify', {}, { timeoutMs });
    if ('failed' in called) problems.push(called.failed);
    else rules.push(...called.answer.map((rule) => projectRule(plugin.name, rule)));
  }
  return { rules, problems };
}

type Written = Omit<ProjectRule, 'name' | 'match'> & { readonly match: string };

const projectRule = (plugin: string, { match, class: found, transient, external }: Written): ProjectRule => ({
  name: `classify of the plugin ${plugin}: ${match}`,
  // As in ai/loop.yaml: ^ and $ are those of a line.
  match: new RegExp(match, 'm'),
  class: found,
  ...{ transient, external },
});
