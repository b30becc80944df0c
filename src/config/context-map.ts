// `ai/context_map.yaml`: the stages, and the files that are nobody's to edit. What a single value may be is decided here
// and in stage.ts; what depends on two places of the file is in cross-checks.ts.
import { z } from 'zod';
import type { Frozen } from './freeze.ts';
import { globSchema, repoPathSchema } from './repo-path.ts';
import { stageSchema } from './stage.ts';

/** What a stage may be called: the name is also a folder and a word on the command line. */
export const STAGE_NAME = /^[a-z][a-z0-9_-]{0,63}$/;

/** Names a stage may not have: the commands, and folders that the loop keeps beside those of the stages. */
export const RESERVED_STAGE_NAMES: readonly string[] = [
  'all',
  'retry',
  'plan',
  'status',
  'logs',
  'fixes',
  'reset',
  'explain',
  'fingerprint',
  'check-patch',
  'redact',
  'verify',
  'get',
  'cases',
  'backlog',
  'promote',
  'rollback',
  'safe-mode',
  'doctor',
  'validate',
  'init',
  'demo',
  'report',
  'serve',
  'cron',
  'abandon',
  'gc',
  'help',
  'version',
  'executor',
];

/** The whole file. */
export const contextMapSchema = z
  .strictObject({
    stages: z
      .record(z.string().meta({ pattern: STAGE_NAME.source }), stageSchema, {
        error: 'expected a mapping of stage names to stages',
      })
      .refine((stages) => Object.keys(stages).length > 0, { error: 'expected at least one stage' })
      .describe('The stages by name; their needs decide the order'),
    protected_files: z
      .array(globSchema)
      .default([])
      .describe('Patterns of files that no fix may touch and no command may name'),
    carry: z
      .array(repoPathSchema)
      .default([])
      .describe('Untracked files and folders to link into the worktree; never edited by the AI, never sent'),
    architecture_section_keywords: z
      .record(z.string(), z.array(z.string().min(1)))
      .default({})
      .describe('Section key to the words by which its sections of the memo are found'),
  })
  .describe('The stages of this repository and what the AI may edit to mend them');

/** The context map with every default filled in, frozen all the way down. */
export type ContextMap = Frozen<z.output<typeof contextMapSchema>>;

export type { Stage } from './stage.ts';
export { type BuiltInCheck, isBuiltInCheck, type VerifyEntry } from './verify-entry.ts';
