// `ai/loop.yaml`: how the loop behaves. Every key is optional; the defaults name only what this version ships.
import * as z from 'zod';
import { FAILURE_CLASSES } from '../events.ts';
import type { Frozen } from './freeze.ts';
import { checkedText, durationSchema, flag, list, positiveDurationSchema } from './schema-parts.ts';
import { unattendedSchema } from './unattended.ts';

/** What this version ships, by kind. */
export const SHIPPED: Readonly<Record<'executors' | 'escalations' | 'notifiers' | 'backends', readonly string[]>> = {
  executors: ['known-fixes', 'ollama', 'api', 'command'],
  escalations: ['case-file', 'api', 'command'],
  notifiers: ['webhook', 'ntfy', 'command'],
  backends: ['local', 'slurm-dag', 'slurm-pool'],
};

/** Who is asked when the owner names nobody: what needs no settings and leaves neither this machine nor its network. */
export const DEFAULTS: Readonly<Record<'executors' | 'escalations' | 'notifiers', readonly string[]>> = {
  executors: ['known-fixes', 'ollama'],
  escalations: ['case-file'],
  notifiers: [],
};

/** The branch that fixes go to when the owner names none. */
export const DEFAULT_BRANCH = 'ai/orchestrator-stage1';

/** True when `git check-ref-format --branch` accepts the name; `@`, its short form of HEAD, is none. */
export function isBranchName(name: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: git refuses them
  if (name === '' || /[\x00-\x20\x7f~^:?*[\\]|\.\.|@\{|\/\//.test(name)) return false;
  if (/^[-/]|[./]$/.test(name) || name === '@' || name === 'HEAD') return false;
  return name.split('/').every((part) => !part.startsWith('.') && !part.endsWith('.lock'));
}

const branchNameSchema = z
  .string({ error: 'expected a branch name' })
  .refine(isBranchName, { error: (issue) => `${JSON.stringify(issue.input)} is not a valid git branch name` });

/** What a plugin's name looks like: that of a file, without its ending. It can never lead out of a folder. */
export const PLUGIN_NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;

// Shipped or the owner's own: whether there is such a plugin is known when it is loaded.
const pluginName = z
  .string()
  .regex(PLUGIN_NAME, { error: 'expected the name of a plugin: letters, digits, "-" and "_", at most 64' });

const pluginList = (kind: 'executors' | 'escalations' | 'notifiers') =>
  z
    .array(pluginName)
    .refine((names) => new Set(names).size === names.length, { error: 'a name is listed twice' })
    .default([...DEFAULTS[kind]]);

/** Why a text does not compile as a regular expression, or undefined when it does. */
function patternFault(text: string): string | undefined {
  try {
    if (!new RegExp(text).test('')) return undefined;
    return `${JSON.stringify(text)} matches the empty text, so it would match everything`;
  } catch (error) {
    return `not a regular expression: ${(error as Error).message.split(': ').at(-1)?.toLowerCase()}`;
  }
}

const patternSchema = checkedText('a regular expression', patternFault);

const count = (min: number, normal: number, about: string, max = Number.MAX_SAFE_INTEGER) =>
  z.int().min(min).max(max).default(normal).describe(about);

const orNull = <T extends z.ZodType>(schema: T, about: string) => schema.nullable().default(null).describe(about);

const limitsSchema = z.strictObject({
  executor_tries: count(0, 3, 'Tries of the executors on one fingerprint'),
  escalation_calls: count(0, 3, 'Calls of the escalations for one fingerprint'),
  stage_attempts: count(1, 20, 'Attempts of one stage in one run, whatever their reason; at most 20', 20),
  executor_files: count(1, 1, 'Files that one fix of an executor may change'),
  changed_lines: count(1, 100, 'Lines that one fix may change'),
  run_minutes: count(1, 240, 'Minutes that a run may take', 34_560),
  day_tries: count(0, 60, 'Tries in one day (UTC)'),
  day_tokens: count(0, 2_000_000, 'Tokens that models may use in one day (UTC)'),
  day_dollars: orNull(
    z.number().min(0),
    'Dollars that hosted models may cost in one day (UTC), by the prices you tell; null: no limit',
  ),
  max_steps: count(1, 1024, 'Steps in one plan'),
  max_compute_retries: count(0, 3, 'Retries of a step that was found failed or lost by its backend'),
});

/** sbatch would take what begins with a dash for an option. */
const partition = z
  .string()
  .regex(/^[^-\s][^\s]*$/, { error: 'expected the name of a partition, or several with commas' });

const slurmSchema = z.strictObject({
  specs: z
    .record(
      z.string().min(1),
      z.strictObject({
        partition: orNull(partition, 'Where its jobs go; null: where Slurm puts jobs that name none'),
        options: list(z.string().min(1), 'Options of sbatch, a word each'),
        workers: orNull(z.int().min(1), 'Most workers of slurm-pool; null: only the total, `workers`, counts'),
      }),
    )
    .default({})
    .describe('What a `spec` of a stage means, by its name'),
  grace: positiveDurationSchema.prefault('30s').describe('How long a heartbeat, or the result of a job, may be late'),
  stale: positiveDurationSchema
    .prefault('900s')
    .describe('Silence after which a worker or Slurm itself counts as gone'),
  idle: positiveDurationSchema.prefault('60s').describe('How long a worker without work stays'),
});

/** A rule that classes failures, the owner's or a plugin's. */
export const classRuleSchema = z
  .strictObject({
    match: patternSchema.describe('A regular expression that an error line matches'),
    class: z.enum(FAILURE_CLASSES).describe('The class of a failure with such a line'),
    transient: flag(false, 'It may pass by itself: wait and run again'),
    external: flag(false, 'Nothing in the repository could fix it'),
    advice: z.string().min(1).optional().describe('With external: the one thing that the human must do'),
  })
  .describe('A rule that classes failures');

const bound = (about: string) => orNull(z.int().min(1), `${about}; null: no limit`);

const retentionSchema = z.strictObject({
  days: bound('Days that runs, closed cases and patches that are over are kept'),
  keep_runs: bound('Runs that are kept, the newest'),
  max_mb: bound('Megabytes that all of these may take'),
});

/** The whole file. */
export const loopConfigSchema = z
  .strictObject({
    lab: z.enum(['real', 'simulated']).default('real').describe('Drive the real tools, or stand-ins for them'),
    unattended: unattendedSchema
      .default('repairs')
      .describe('What may run before you have seen it: none, proven repairs, or all that is not always asked about'),
    branch: branchNameSchema.default(DEFAULT_BRANCH).describe('The branch that fixes are committed to'),
    base: branchNameSchema
      .nullable()
      .default(null)
      .describe('The branch the fixes are for; null: the one checked out when the AI branch was made'),
    backend: pluginName
      .default('local')
      .describe('Where steps run: local, slurm-dag, slurm-pool, or a plugin of your own'),
    workers: count(1, 1, 'Steps that may run at the same time'),
    executors: pluginList('executors').describe('Who is asked for a fix first, in this order'),
    escalations: pluginList('escalations').describe('Who is asked when a failure keeps coming back, in this order'),
    notifiers: pluginList('notifiers').describe('Who is told when a human is needed'),
    limits: limitsSchema.prefault({}).describe('Limits that no run exceeds'),
    wait: z
      .strictObject({
        backoff: z
          .array(durationSchema)
          .prefault(['30s', '60s', '120s'])
          .describe('How long to wait before each rerun after a transient failure; its length is how many reruns'),
      })
      .prefault({})
      .describe('Waiting out transient failures'),
    retry_failed: flag(true, 'Try steps again that were found failed when a run starts'),
    git: z
      .strictObject({
        hooks: flag(false, 'Run git hooks on the commits of the loop'),
        sign: flag(false, 'Sign the commits of the loop'),
        push: orNull(
          z.string().refine(isBranchName, { error: 'expected the name of a git remote, such as origin' }),
          'The remote that `promote --push` pushes the AI branch to, for a pull request; null: none',
        ),
        protected: flag(false, 'The base takes changes only by pull request: `promote` shows --push first'),
      })
      .prefault({})
      .describe('How the loop commits, and where it may push'),
    plugins: z
      .record(pluginName, z.record(z.string(), z.unknown()))
      .default({})
      .describe('Settings of each plugin, by its name'),
    classify: list(classRuleSchema, 'Rules that class failures, before the built-in ones'),
    slurm: slurmSchema.prefault({}).describe('How steps become jobs of Slurm'),
    redact: list(patternSchema, 'More regular expressions of texts that never leave the machine'),
    backlog: z
      .strictObject({ after_green: count(0, 0, 'Items of the work queue that follow a green run of all stages') })
      .prefault({})
      .describe('The work queue in ai/backlog'),
    logs: z
      .strictObject({
        max_mb: count(4, 200, 'Megabytes of one log at most; of a longer one beginning and end are kept', 1_000_000),
      })
      .prefault({})
      .describe('The logs of attempts'),
    retention: orNull(retentionSchema, 'How much of earlier runs is kept; null: nothing is removed by itself'),
  })
  .describe('How mendloop behaves in this repository');

/** How the loop behaves, every default filled in, durations in milliseconds, frozen all the way down. */
export type LoopConfig = Frozen<z.output<typeof loopConfigSchema>>;
