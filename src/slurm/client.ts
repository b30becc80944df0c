// The only place that starts Slurm's programs. A failure is an error that quotes their output; every call has a time limit.
import { fail, MendError } from '../errors.ts';
import { groupBy } from '../io/group-by.ts';
import { runProgram } from '../io/program.ts';
import {
  type Job,
  type JobRequest,
  numberOf,
  phaseOf,
  readJobs,
  SQUEUE_ARGS,
  sbatchArgs,
  shortIds,
  submittedId,
} from './job.ts';

/**
 * What is asked of Slurm. Each call throws MendError: E_SLURM_MISSING, E_SLURM_UNREACHABLE (it may be there again in a minute;
 * a submit may have been taken all the same, which its comment tells), E_SLURM_REFUSED.
 */
export interface Slurm {
  /** Whether a controller answers now; every other call first tries for nine seconds and more to reach one. */
  isUp(): Promise<boolean>;
  /** The id of the job, or of the array. */
  submit(request: JobRequest): Promise<string>;
  /** Rejects with what submit would say, and for what no node could ever run; submits nothing. */
  rehearse(request: JobRequest): Promise<void>;
  /** Every job of this user that Slurm remembers. */
  jobs(): Promise<Job[]>;
  /**
   * Ends those jobs of this user that `isMeant` accepts, or takes them out of the queue; returns those that had not ended. Who calls
   * it looks at comments, not at numbers alone: a controller of Slurm that forgot a job gives its number to the next.
   */
  cancel(isMeant: (job: Job) => boolean): Promise<Job[]>;
  /** One more than the highest index of an array, and when its controller was started. */
  config(): Promise<{ maxArraySize: number; startedAt: string }>;
}

/** Its programs give up by themselves after nine seconds of silence; behind that one of them hangs. */
const LIMIT_MS = 30_000;
/** A line of squeue is about 150 bytes, and a cluster's whole queue some ten thousand. */
const MAX_BYTES = 64 * 2 ** 20;
const IDS_AT_ONCE = 500;

const CONTROLLER_DOWN = 'see whether its controller is up: scontrol ping\nthen start again: mendloop';
/** What Slurm's programs say when they do not get through to its controller, and where to look then; the first that matches counts. */
const NO_CONTACT: readonly { words: RegExp; next: string }[] = [
  {
    words:
      /configuration (source|file)|fetch config|cannot stat file|control machine address|unable to resolve|re-link your code|incompatible versions|plugin init/i,
    next: 'name the slurm.conf of your cluster with SLURM_CONF, or start on a machine that submits jobs',
  },
  {
    words: /authentication|munge encode|munged|sack socket/i,
    next: "see that munged runs here and has the cluster's key: munge -n | unmunge\nthen start again: mendloop",
  },
  {
    words:
      /unable to contact|connection (refused|reset|failure)|timed out|zero bytes|not connected|socket error|temporarily un|(send|receive) failure|standby mode|not responding/i,
    next: CONTROLLER_DOWN,
  },
];
/** What is wrong with a question itself. */
const WRONG_QUESTION = /unrecognized|invalid/i;

/** What became of a request to sbatch: this counts, whatever was printed before it. */
const SUBMIT_FAILED = /Batch job submission failed: (?!No error)([^;]*)/;

const NO_SUCH_NODES = /Requested node configuration is not available/;
/** States of nodes that cannot take a job now, and may later. */
const AWAY = /down|drain|fail|maint|unknown|power|reboot|inval|\*/;

export function createSlurm(env: Readonly<Record<string, string | undefined>>, limitMs = LIMIT_MS): Slurm {
  const ask = async (program: string, args: readonly string[]) => {
    const end = await runProgram(program, args, { env: slurmEnvironment(env), limitMs, maxBytes: MAX_BYTES });
    if (!end) fail('E_SLURM_MISSING', { program });
    if (end.ok) return end;
    const words = wordsOf(end.stderr.trim() || end.stdout.trim());
    const failure = SUBMIT_FAILED.exec(words)?.[1] ?? words;
    const isNoContact = NO_CONTACT.some((row) => row.words.test(failure));
    const noContact = isNoContact ? NO_CONTACT.find((row) => row.words.test(words)) : undefined;
    // Any other failure of sbatch is about the job; of the other programs it may pass in a minute.
    const isRefusal = !end.cut && !noContact && (program === 'sbatch' || WRONG_QUESTION.test(words));
    if (isRefusal) fail('E_SLURM_REFUSED', { program, words });
    const silence = `no answer in ${limitMs / 1000} s`;
    return fail('E_SLURM_UNREACHABLE', { program, words: words || silence, next: noContact?.next ?? CONTROLLER_DOWN });
  };
  const jobs = async () => readJobs((await ask('squeue', SQUEUE_ARGS)).stdout);
  const someAreAway = async () => AWAY.test((await ask('sinfo', ['--noheader', '--format=%T'])).stdout);
  return {
    isUp: () =>
      ask('scontrol', ['ping']).then(
        () => true,
        (error) => (isUnreachable(error) ? false : Promise.reject(error)),
      ),
    submit: async (request) => {
      const { stdout } = await ask('sbatch', sbatchArgs(request));
      return submittedId(stdout) ?? fail('E_SLURM_REFUSED', { program: 'sbatch', words: `no job id in ${stdout}` });
    },
    rehearse: async (request) => {
      try {
        // Parents are only known once they are submitted.
        await ask('sbatch', ['--test-only', ...sbatchArgs({ ...request, after: [] })]);
      } catch (error) {
        // Slurm says the same of what no node has and of nodes that are away for now.
        if (!(error instanceof MendError && NO_SUCH_NODES.test(error.message)) || !(await someAreAway())) throw error;
      }
    },
    jobs,
    cancel: async (isMeant) => {
      const live = (await jobs()).filter((job) => phaseOf(job) !== 'ended');
      const meant = live.filter(isMeant);
      const sizes = groupBy(live, ({ id }) => numberOf(id));
      const ids = shortIds(
        meant.map(({ id }) => id),
        (number) => sizes.get(number)?.length,
      );
      for (let at = 0; at < ids.length; at += IDS_AT_ONCE) await ask('scancel', ids.slice(at, at + IDS_AT_ONCE));
      return meant;
    },
    config: async () => {
      const { stdout } = await ask('scontrol', ['show', 'config']);
      const value = (key: string) => new RegExp(`^${key}\\s*=\\s*(\\S+)`, 'm').exec(stdout)?.[1];
      return { maxArraySize: Number(value('MaxArraySize') ?? 1001), startedAt: value('BOOT_TIME') ?? '' };
    },
  };
}

/** Whether Slurm may answer when it is asked again later. */
export const isUnreachable = (error: unknown): boolean =>
  error instanceof MendError && error.code === 'E_SLURM_UNREACHABLE';

/** What a program printed, in one line, without repetitions: some messages come again at every try. */
function wordsOf(printed: string): string {
  const lines = printed.split('\n').map((line) => line.replace(/^\w+: ((error|fatal): )?|, attempt number .*$/g, ''));
  return [...new Set(lines)].join('; ');
}

/** Without the variables that change what the programs do or print; a loop inside a job has many. */
function slurmEnvironment(env: Readonly<Record<string, string | undefined>>) {
  const changes = /^(SBATCH|SQUEUE|SCANCEL|SINFO)_|^SLURM_(?!CONF$)|^SLURMD_/;
  return Object.fromEntries(Object.entries(env).filter(([name]) => !changes.test(name)));
}
