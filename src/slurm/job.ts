// A job as Slurm's programs take and list it: the arguments of sbatch, and what the lines of squeue mean. Pure.
import { groupBy } from '../io/group-by.ts';

/** What an owner says of a spec: where its jobs go, and options of sbatch for them. */
export interface JobPlace {
  readonly partition?: string | undefined;
  readonly options: readonly string[];
}

export interface JobRequest {
  readonly name: string;
  /** Says whose job it is: a later start finds it by this. */
  readonly comment: string;
  /** Words of sh that come first, and may end the job. */
  readonly before?: string | undefined;
  /** argv, no shell. */
  readonly command: readonly string[];
  readonly cwd: string;
  /** Where its output goes; %A, %a and %j are Slurm's. The folder must be there: Slurm makes none. */
  readonly output: string;
  readonly place: JobPlace;
  /** For an array, how many tasks it has: SLURM_ARRAY_TASK_ID, from 0 on, says to the job which one it is. */
  readonly array?: number | undefined;
  /** Jobs of ours that must end well first. Slurm starts a job whose parent it does not know: look first. */
  readonly after?: readonly string[] | undefined;
  /** How long it may run; none where the owner's options name a limit. */
  readonly minutes?: number | undefined;
}

/** argv of sbatch. The owner's options come first, so that ours count: a job that Slurm starts again would run a step twice. */
export function sbatchArgs(request: JobRequest): string[] {
  const { name, comment, cwd, output, place, array, after = [], minutes } = request;
  const hasTime = place.options.some((option) => /^(--time(=|$)|-t)/.test(option));
  return [
    ...(place.partition === undefined ? [] : [`--partition=${place.partition}`]),
    ...place.options,
    '--parsable',
    '--no-requeue',
    `--job-name=${name}`,
    `--comment=${comment}`,
    `--chdir=${cwd}`,
    `--output=${output}`,
    `--error=${output}`,
    '--open-mode=append',
    '--export=ALL',
    ...(minutes === undefined || hasTime ? [] : [`--time=${Math.max(1, Math.ceil(minutes))}`]),
    ...(array === undefined ? [] : [`--array=0-${array - 1}`]),
    ...(after.length > 0 ? [`--dependency=afterok:${after.join(':')}`, '--kill-on-invalid-dep=yes'] : []),
    `--wrap=${request.before ?? ''}exec ${request.command.map(shellWord).join(' ')}`,
  ];
}

const shellWord = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;

/** Options that would make another thing of a job than a step of ours. */
const NOT_OURS = [
  { match: /^(--array(=|$)|-a)/, why: 'cells are what `matrix` says' },
  { match: /^(--wait|-W|--test-only|--help|--usage|--version|-h$|-V$)/, why: 'sbatch would not submit and answer' },
  { match: /^(--clusters(=|$)|-M)/, why: 'squeue and scancel ask this cluster only' },
  { match: /^(--wrap(=|$)|[^-].*\s)/, why: 'what a job runs is the stage' },
  {
    match: /^(--dependency(=|$)|-d)/,
    why: 'a step waits for what its `needs` says; Slurm starts behind a job that it does not know',
  },
  { match: /^--export(=|$)/, why: 'a stage has the environment that it has on this machine' },
];

/** What is wrong with an owner's options, one message each; empty when nothing is. */
export function optionFaults(options: readonly string[]): string[] {
  return options.flatMap((option) => {
    const rule = NOT_OURS.find(({ match }) => match.test(option));
    return rule ? [`${option} cannot be given: ${rule.why}`] : [];
  });
}

/** The job id that sbatch --parsable printed, or undefined. */
export const submittedId = (stdout: string): string | undefined => /^(\d+)(?:;.*)?$/m.exec(stdout)?.[1];

export interface Job {
  /** As sbatch gave it; a task of an array is <array>_<index>. */
  readonly id: string;
  readonly state: string;
  /** Why it waits, or what ended it. */
  readonly reason: string;
  readonly exitCode: number;
  /** 0: none. 53 is Slurm's own for a job that could not be started. */
  readonly signal: number;
  readonly nodes: string;
  readonly comment: string;
}

/** argv of squeue: every job of this user that Slurm remembers, the ended ones and each task of an array too. */
export const SQUEUE_ARGS = [
  ...['--me', '--noheader', '--states=all', '--array'],
  '--Format=JobArrayID:|,State:|,Reason:|,exit_code:|,NodeList:|,Comment:',
];

/** What squeue printed for SQUEUE_ARGS. A line that describes no job (part of a comment with line breaks) is skipped. */
export function readJobs(stdout: string): Job[] {
  return stdout.split('\n').flatMap((line) => {
    const match = /^(\d+(?:_\d+)?)\|([A-Z_]+)\|([^|]*)\|(\d+)\|([^|]*)\|(.*)$/.exec(line);
    const [, id = '', state = '', reason = '', status = '0', nodes = '', comment = ''] = match ?? [];
    // A wait status: the signal is in the lower seven bits, else the exit code in the byte above.
    const signal = Number(status) & 0x7f;
    const exitCode = signal === 0 ? (Number(status) >> 8) & 0xff : 0;
    return match ? [{ id, state, reason, exitCode, signal, nodes, comment: comment.trimEnd() }] : [];
  });
}

const WAITING = ['PENDING', 'CONFIGURING', 'REQUEUED', 'REQUEUE_HOLD', 'REQUEUE_FED', 'SPECIAL_EXIT', 'RESV_DEL_HOLD'];
const RUNNING = ['RUNNING', 'COMPLETING', 'SUSPENDED', 'STOPPED', 'SIGNALING', 'STAGE_OUT', 'RESIZING'];

/** COMPLETING runs: something of it may still be on its node. */
export function phaseOf({ state }: Pick<Job, 'state'>): 'waiting' | 'running' | 'ended' {
  if (WAITING.includes(state)) return 'waiting';
  return RUNNING.includes(state) ? 'running' : 'ended';
}

/** The same jobs by fewer ids: an array by its number where all of its tasks, `sizeOf` of them, are there. */
export function shortIds(ids: readonly string[], sizeOf: (number: string) => number | undefined): string[] {
  return [...groupBy(ids, numberOf)].flatMap(([number, group]) => (group.length === sizeOf(number) ? [number] : group));
}

/** Of a task of an array, the array's. */
export const numberOf = (id: string): string => id.split('_')[0] as string;
