// `ai/context_map.yaml`: the stages, and the files that are nobody's to edit. Every key with its default, its limits and the
// words an editor shows for it; what depends on two places of the file is in parse.ts.
import * as z from 'zod';
import { MAX_DURATION_MS } from './duration.ts';
import type { Frozen } from './freeze.ts';
import { flag, globSchema, list, outputPathSchema, positiveDurationSchema, repoPathSchema } from './schema-parts.ts';
import { unattendedSchema } from './unattended.ts';
import { commandSchema, shellSchema, verifyEntrySchema } from './verify-entry.ts';

export { type BuiltInCheck, isBuiltInCheck, type VerifyEntry } from './verify-entry.ts';

/** Text of this pattern; `expected` says which. */
const word = (pattern: RegExp, expected: string) => z.string().regex(pattern, { error: `expected ${expected}` });

// The values of an axis become names of folders and environment values, hence the narrow alphabet.
const AXIS_VALUE = 'a value of up to 64 letters, digits, ".", "_" and "-"';

const axisSchema = z
  .array(
    z
      .union([z.string(), z.number(), z.boolean()], { error: `expected ${AXIS_VALUE}` })
      .transform(String)
      .pipe(word(/^(?!\.{1,2}$)[A-Za-z0-9._-]{1,64}$/, AXIS_VALUE)),
    { error: 'expected a list of values' },
  )
  .min(1, { error: 'expected at least one value' })
  .superRefine((values, ctx) => {
    for (const [index, value] of values.entries()) {
      const message = `${JSON.stringify(value)} is listed twice`;
      if (values.indexOf(value) < index) ctx.addIssue({ code: 'custom', path: [index], message });
    }
  });

const matrixSchema = z.record(
  word(/^[a-z][a-z0-9_]*$/, 'an axis name of a-z, 0-9 and "_" that starts with a letter, such as host'),
  axisSchema,
);

const requiresSchema = z.strictObject({
  env: list(
    word(/^[A-Za-z_][A-Za-z0-9_]*$/, 'the name of an environment variable'),
    'Environment variables that must be set',
  ),
  tools: list(word(/^[^\s/-][^\s/]*$/, 'the name of a program on PATH'), 'Programs that must be on PATH'),
  files: list(repoPathSchema, 'Files that must exist'),
});

const retrySchema = z.strictObject({
  max_attempts: z
    .int()
    .min(1)
    .optional()
    .describe('Attempts in total, the first included. Default 1, or 3 with on_failure: retry'),
  backoff_ms: z.int().min(0).max(MAX_DURATION_MS).default(0).describe('Milliseconds to wait before the second attempt'),
  backoff_multiplier: z.number().min(1).default(1).describe('Each later wait is this many times the one before'),
  max_backoff_ms: z.int().min(0).max(MAX_DURATION_MS).default(60_000).describe('No wait is longer than this'),
});

const outputsSchema = z.record(
  word(/^[A-Za-z][A-Za-z0-9_-]*$/, 'an output name of letters, digits, "_" and "-"'),
  outputPathSchema,
);

const keysSchema = z
  .strictObject({
    description: z.string().default('').describe('What the stage is for, in a few words'),
    command: commandSchema.describe(
      'What the stage runs: text for bash in the worktree root, or a list (argv, no shell)',
    ),
    needs: list(z.string(), 'Stages that must be green before this one'),
    files: list(
      globSchema,
      'Patterns of the files the AI may edit to mend this stage; a trailing / means the tree below',
    ),
    verify: list(verifyEntrySchema, 'What must hold for the stage to be green'),
    success_criteria: list(z.string(), 'What success looks like, in words, for people and models'),
    architecture_sections: list(z.string(), 'Sections of the memo that a case about this stage includes'),
    diagnostics: list(shellSchema, 'Read-only commands that show the state of things'),
    requires: requiresSchema.prefault({}).describe('What must be there before the stage starts'),
    outputs: outputsSchema.default({}).describe('Files the stage publishes: name to path below $MENDLOOP_OUT'),
    spec: z.string().min(1).default('default').describe('Resource key: which kind of worker runs the stage'),
    matrix: matrixSchema.default({}).describe('Axes that multiply the stage: one step for each combination of values'),
    timeout: positiveDurationSchema.prefault('15m').describe('How long an attempt may take, such as 90s or 1h30m'),
    on_failure: z
      .enum(['halt', 'skip', 'retry'])
      .default('halt')
      .describe('What a failure that could not be mended does to the run'),
    retry: retrySchema.prefault({}).describe('Blind reruns before anything else; only with on_failure: retry'),
    priority: z.int().default(0).describe('Among stages that could start, the higher goes first'),
    unattended: unattendedSchema
      .optional()
      .describe('As in ai/loop.yaml, for this stage alone; without it, none where rerun is false'),
    always: flag(false, 'Run even when green'),
    rerun: flag(true, 'false: not idempotent; after a failure or an interruption only a human runs it again'),
  })
  .describe('A stage');

/** A stage: raw keys in, every default filled in, durations in milliseconds. */
export const stageSchema = keysSchema.transform(({ retry, ...stage }) => ({
  ...stage,
  retry: { ...retry, max_attempts: retry.max_attempts ?? (stage.on_failure === 'retry' ? 3 : 1) },
}));

/** What a fix may do beyond the limits of the loop; only an item of the work queue says so. */
export interface WiderLimits {
  readonly files?: number;
  readonly lines?: number;
  readonly new_folders?: number;
  /** Programs that are not new for it. */
  readonly programs?: readonly string[];
}

/** A stage with every default filled in; `timeout` is in milliseconds. */
export type Stage = Frozen<z.output<typeof stageSchema>> & { readonly wider?: WiderLimits };

/** What a stage may be called: the name is also a folder and a word on the command line. */
export const STAGE_NAME = /^[a-z][a-z0-9_-]{0,63}$/;

/** Names a stage may not have: the commands, and folders that the loop keeps beside those of the stages. */
export const RESERVED_STAGE_NAMES: readonly string[] = [
  'all retry plan status logs fixes reset explain fingerprint check-patch redact verify get cases backlog promote',
  'rollback safe-mode doctor validate init demo report serve cron abandon gc help version executor',
].flatMap((line) => line.split(' '));

/** Commands that came after stages could have their names: such a stage runs as `mendloop -- <stage>`. */
export const LATER_COMMANDS: readonly string[] = ['completions', 'metrics', 'run', 'runs', 'show', 'uninstall'];

const carryEntrySchema = z.union(
  [
    repoPathSchema,
    z.strictObject({
      path: repoPathSchema.describe('The file or folder'),
      secret: flag(true, 'false: local configuration; its values are not masked in what a model is told'),
    }),
  ],
  { error: 'expected a path, or a mapping with path and secret: false' },
);

/** The whole file. */
export const contextMapSchema = z
  .strictObject({
    stages: z
      .record(z.string().meta({ pattern: STAGE_NAME.source }), stageSchema, {
        error: 'expected a mapping of stage names to stages',
      })
      .refine((stages) => Object.keys(stages).length > 0, { error: 'expected at least one stage' })
      .describe('The stages by name; their needs decide the order'),
    protected_files: list(globSchema, 'Patterns of files that no fix may touch and no command may name'),
    carry: list(
      carryEntrySchema,
      'Untracked files and folders to link into the worktree; never edited by the AI, never sent',
    ),
    architecture_section_keywords: z
      .record(z.string(), z.array(z.string().min(1)))
      .default({})
      .describe('Section key to the words by which its sections of the memo are found'),
  })
  .describe('The stages of this repository and what the AI may edit to mend them')
  .transform(({ carry, ...map }) => ({
    ...map,
    carry: carry.map((entry) => (typeof entry === 'string' ? entry : entry.path)),
    /** Of the carried paths those whose values are nobody's secret. */
    not_secret: carry.flatMap((entry) => (typeof entry === 'string' || entry.secret ? [] : [entry.path])),
  }));

/** The context map with every default filled in, frozen all the way down. */
export type ContextMap = Frozen<z.output<typeof contextMapSchema>>;
