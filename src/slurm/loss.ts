// Why a job left no result, or will never start: each state and reason of Slurm in words, with what to do. Pure.
import type { Job } from './job.ts';

/** A step that its backend lost. It spends no try: nothing is known of the stage itself. */
export interface Loss {
  readonly code: string;
  readonly message: string;
  readonly next: string;
  /** It may well end otherwise when it is tried again; else somebody has to change something first. */
  readonly transient: boolean;
}

interface Words {
  readonly code: string;
  readonly what: string;
  readonly next: string;
  readonly transient?: boolean;
}

const ENDS: Readonly<Record<string, Words>> = {
  TIMEOUT: {
    code: 'JOB_TIMEOUT',
    what: 'ran into the time limit that Slurm has for it',
    next: 'give its spec a longer --time in ai/loop.yaml, or the stage a shorter timeout',
    transient: true,
  },
  NODE_FAIL: {
    code: 'JOB_NODE_FAIL',
    what: 'was lost with its node',
    next: 'see the node: sinfo -R',
    transient: true,
  },
  PREEMPTED: {
    code: 'JOB_PREEMPTED',
    what: 'was preempted by a job with a higher priority',
    next: 'give its spec a partition or --qos in ai/loop.yaml that is not preempted',
    transient: true,
  },
  OUT_OF_MEMORY: {
    code: 'JOB_OUT_OF_MEMORY',
    what: 'needed more memory than Slurm gave it',
    next: 'give its spec more with --mem in ai/loop.yaml',
    transient: true,
  },
  BOOT_FAIL: {
    code: 'JOB_BOOT_FAIL',
    what: 'could not start, for its node did not boot',
    next: 'see the node: sinfo -R',
    transient: true,
  },
  DEADLINE: {
    code: 'JOB_DEADLINE',
    what: 'passed the deadline that its options set',
    next: 'take --deadline out of its spec in ai/loop.yaml, or set a later one',
  },
  REVOKED: {
    code: 'JOB_REVOKED',
    what: 'was taken over by another cluster of a federation',
    next: 'give its spec options in ai/loop.yaml that keep it on this cluster',
  },
  DEPENDENCY: {
    code: 'JOB_DEPENDENCY',
    what: 'was never started, for a job that it waited for did not end well',
    next: 'see that job first',
  },
  CANCELLED: {
    code: 'JOB_CANCELLED',
    what: 'was cancelled by somebody with scancel',
    next: 'run again when you want it: mendloop',
    transient: true,
  },
  LAUNCH: {
    code: 'JOB_LAUNCH',
    what: 'could not be started on its node: the folder of its output is not there, or cannot be written',
    next: 'the repository must lie on a filesystem that every node has at the same path, writable for you (docs/more-than-one-machine.md)',
    transient: true,
  },
  CONSTRAINTS: {
    code: 'JOB_IMPOSSIBLE',
    what: 'asks for what no node has',
    next: 'change partition or options of its spec in ai/loop.yaml; what there is: sinfo -N -l',
  },
  KILLED: {
    code: 'JOB_KILLED',
    what: 'was killed on its node',
    next: 'somebody ended it there, or it needed more memory than the node would give: see its output, and --mem of its spec',
    transient: true,
  },
  EXITED: {
    code: 'JOB_NO_RESULT',
    what: 'ended without a result',
    next: 'see its output: the node needs Node.js and this repository at the same paths (docs/more-than-one-machine.md)',
    transient: true,
  },
  FORGOTTEN: {
    code: 'JOB_FORGOTTEN',
    what: 'left no result, and Slurm knows it no more',
    next: 'Slurm forgets ended jobs after MinJobAge: scontrol show config; run again: mendloop',
    transient: true,
  },
};

/** How a job that ended came to leave no result, or one that Slurm does not know. */
export function lossOf(id: string, job: Job | undefined): Loss {
  const words = ENDS[kindOf(job)] as Words;
  const where = job?.nodes ? ` on ${job.nodes}` : '';
  const slurm = job
    ? ` (${[job.state, job.reason, endOf(job)].filter((word) => word && word !== 'None').join(' ')})`
    : '';
  return { ...pick(words), message: `job ${id}${where} ${words.what}${slurm}` };
}

const LAUNCH_SIGNAL = 53;

function kindOf(job: Job | undefined): string {
  if (!job) return 'FORGOTTEN';
  if (job.reason === 'DependencyNeverSatisfied') return 'DEPENDENCY';
  if (job.reason === 'BadConstraints') return 'CONSTRAINTS';
  if (job.signal === LAUNCH_SIGNAL || job.state === 'LAUNCH_FAILED') return 'LAUNCH';
  if (job.state in ENDS) return job.state;
  return job.signal > 0 ? 'KILLED' : 'EXITED';
}

const endOf = ({ exitCode, signal }: Job): string =>
  signal > 0 ? `signal ${signal}` : exitCode > 0 ? `exit code ${exitCode}` : '';

const pick = ({ code, next, transient = false }: Words) => ({ code, next, transient });

/** Reasons that no time will change: a job that waits for one of these waits for ever. */
const NEVER: readonly { match: RegExp; words: Words }[] = [
  { match: /^DependencyNeverSatisfied$/, words: ENDS.DEPENDENCY as Words },
  {
    match: /^(BadConstraints|PartitionNodeLimit|PartitionConfig|PartitionTimeLimit)$/,
    words: ENDS.CONSTRAINTS as Words,
  },
  {
    match: /^(AccountNotAllowed|InvalidAccount|InvalidQOS|QOSNotAllowed|AssocNotAllowed|PartitionNotAvail)$/,
    words: {
      code: 'JOB_NOT_ALLOWED',
      what: 'asks for an account, QOS or partition that you may not use',
      next: 'change the options of its spec in ai/loop.yaml; what you may use: sacctmgr show assoc user=$USER',
    },
  },
  {
    match: /^(JobHeldUser|JobHeldAdmin|JobHoldMaxRequeue|launch_failed_requeued_held)$/i,
    words: {
      code: 'JOB_HELD',
      what: 'is held, so that it never starts by itself',
      next: 'release it: scontrol release <job>; or see why its last start failed: scontrol show job <job>',
    },
  },
];

/** Why a job that waits will never start, or undefined. */
export function stuckOf(job: Job): Loss | undefined {
  const words = NEVER.find(({ match }) => match.test(job.reason))?.words;
  return words && { ...pick(words), message: `job ${job.id} ${words.what} (${job.state} ${job.reason})` };
}
