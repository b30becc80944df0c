// What a repair is told, made of plain texts.
import type { Repair, Repaired, RepairFacts } from '../../plugins/executors/known-fixes/repair.ts';
import { type Stage, stageSchema } from '../../src/config/context-map.ts';
import type { FailureClass } from '../../src/events.ts';
import { vocabularies } from '../../src/io/gate/vocabularies.ts';
import { repositoryFromTexts } from '../../src/repository/repository.ts';

export interface Told {
  /** Files of the stage, path to text. */
  files: Record<string, string>;
  said: string | readonly string[];
  class?: FailureClass;
  command?: string | readonly string[];
  requires?: { tools?: string[]; env?: string[] };
  /** Paths of the repository besides its files. */
  tree?: readonly string[];
  path?: string;
  variables?: readonly string[];
  parses?: (text: string) => boolean;
}

export const RUN = 'stages/web/run.sh';
export const HEAD = '#!/usr/bin/env bash\nset -euo pipefail\n';

export function factsOf(told: Told): RepairFacts {
  const { command = RUN, requires = {}, parses = () => true, files } = told;
  const stage = stageSchema.parse({ command, files: ['stages/web/'], requires }) as Stage;
  const lines = typeof told.said === 'string' ? [told.said] : told.said;
  return {
    stage: { ...stage, name: 'web' },
    failure: {
      ...{ fingerprint: '0123456789abcdef', class: told.class ?? 'unknown', log: 'ai/logs/web/1.log' },
      ...{ error_lines: lines, excerpt: lines.slice(0, 2).join('\n') },
    },
    files: Object.keys(files),
    read: async (path) => files[path] as string,
    look: async (path) => files[path] ?? '',
    tree: [...Object.keys(files), ...(told.tree ?? [])],
    surroundings: { path: told.path ?? '', variables: told.variables ?? [] },
    definitions: async () => ({
      repository: repositoryFromTexts(new Map(Object.entries(files))),
      vocabulary: vocabularies,
    }),
    shell: { parses: async (text) => parses(text) },
  };
}

/** The repair's answer. */
export async function find(repair: Repair, told: Told): Promise<Repaired | undefined> {
  const answer = await repair(factsOf(told));
  return answer && 'files' in answer ? answer : undefined;
}

/** The one new text that a repair proposes; undefined when it leaves all as it is. */
export async function mended(repair: Repair, told: Told): Promise<string | undefined> {
  return Object.values((await find(repair, told))?.files ?? {})[0];
}
