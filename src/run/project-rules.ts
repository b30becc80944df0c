// The owner's own rules for classing failures, from `classify` in ai/loop.yaml.
import { LOOP_FILE } from '../config/files.ts';
import type { LoopConfig } from '../config/loop-config.ts';
import type { ProjectRule } from '../failure/classify.ts';

/** In their order; each is known by its pattern. */
export function projectRules({ classify }: Pick<LoopConfig, 'classify'>): ProjectRule[] {
  return classify.map(({ match, class: found, transient, external }) => ({
    name: `${LOOP_FILE} classify: ${match}`,
    match: new RegExp(match, 'm'),
    class: found,
    ...{ transient, external },
  }));
}
