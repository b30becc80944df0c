// Why a job left no result, or will never start: each state and reason of Slurm in words, with what to do. A loss is one of three kinds:
// it passes by itself, somebody has to change something first, or a person ended the job. Pure.
import type { Job } from './job.ts';

/** A step that its backend lost. It spends no try: nothing is known of the stage itself. */
export interface Loss {
  readonly code: string;
  readonly message: string;
  /** The same without the job, as it is told of many; and the nodes. */
  readonly what: string;
  readonly host?: string;
  readonly next: string;
  /** True: another try may succeed; false: something has to be changed first. */
  readonly transient: boolean;
}

const passing = (what: string, next: string) => ({ what, next, transient: true });
const lasting = (what: string, next: string) => ({ what, next, transient: false });

/** What to do where nodes do not see the repository. */
export const SHARE_IT =
  'the repository must lie on a filesystem that every node has at the same path, writable for you (docs/more-than-one-machine.md)';

/** By kind, which is a state of Slurm where there is one; `JOB_<kind>` is the code of the loss. */
const WORDS = {
  TIMEOUT: lasting(
    'ran into the time limit that Slurm has for it',
    'give its spec a longer --time in ai/loop.yaml, or the stage a shorter timeout',
  ),
  NODE_FAIL: passing('was lost with its node', 'see the node: sinfo -R'),
  PREEMPTED: passing(
    'was preempted by a job with a higher priority',
    'give its spec a partition or --qos in ai/loop.yaml that is not preempted',
  ),
  OUT_OF_MEMORY: lasting('needed more memory than Slurm gave it', 'give its spec more with --mem in ai/loop.yaml'),
  BOOT_FAIL: passing('could not start, for its node did not boot', 'see the node: sinfo -R'),
  DEADLINE: lasting(
    'passed the deadline that its options set',
    'take --deadline out of its spec in ai/loop.yaml, or set a later one',
  ),
  REVOKED: lasting(
    'was taken over by another cluster of a federation',
    'give its spec options in ai/loop.yaml that keep it on this cluster',
  ),
  DEPENDENCY: lasting('was never started, for a job that it waited for did not end well', 'see that job first'),
  // A person's word: what somebody ended is not submitted again.
  CANCELLED: lasting('was cancelled by somebody with scancel', 'run again when you want it: mendloop'),
  CONTROLLER: passing(
    "was ended while Slurm's controller was away or came back",
    'see why it was away: scontrol ping, and its log',
  ),
  LAUNCH: passing(
    'could not be started on its node: the folder of its output is not there, or cannot be written',
    SHARE_IT,
  ),
  IMPOSSIBLE: lasting(
    'asks for what no node has',
    'change partition or options of its spec in ai/loop.yaml; what there is: sinfo -N -l',
  ),
  NOT_ALLOWED: lasting(
    'asks for an account, QOS or partition that you may not use',
    'change the options of its spec in ai/loop.yaml; what you may use: sacctmgr show assoc user=$USER',
  ),
  HELD: lasting(
    'is held, so that it never starts by itself',
    'release it: scontrol release <job>; or see why its last start failed: scontrol show job <job>',
  ),
  KILLED: passing(
    'was killed on its node',
    'somebody ended it there, or it needed more memory than the node would give: see its output, and --mem of its spec',
  ),
  NO_RESULT: passing(
    'ended without a result',
    'see its output: the node needs Node.js and this repository at the same paths (docs/more-than-one-machine.md)',
  ),
  FORGOTTEN: passing(
    'left no result, and Slurm knows it no more',
    'Slurm forgets ended jobs after MinJobAge: scontrol show config; run again: mendloop',
  ),
};
type Kind = keyof typeof WORDS;

/** What else is known of how a job ended. */
export interface LossFacts {
  /** The end of what it printed. */
  readonly output?: string;
  /** Slurm's controller did not answer at some time since it was submitted. */
  readonly wasAway?: boolean;
  /** It waited, and the controller is the one that took it: a task of an array that is cancelled while it waits is listed no more. */
  readonly isWaitingGone?: boolean;
}

/** Words of Slurm and the kernel in the output of a job that was killed for its memory. */
const MEMORY = /oom.?kill|out of memory|exceeded (?:job|step) memory limit/i;

/** How a job that ended came to leave no result, or one that Slurm does not know. */
export function lossOf(id: string, job: Job | undefined, facts: LossFacts = {}): Loss {
  const { output = '', wasAway = false, isWaitingGone = false } = facts;
  const slurm = job ? [job.state, job.reason, endOf(job)].filter((word) => word && word !== 'None') : [];
  const seen = !job && isWaitingGone ? 'CANCELLED' : kindOf(job);
  const isShort = seen === 'KILLED' && MEMORY.test(output);
  const kind = isShort ? 'OUT_OF_MEMORY' : seen === 'CANCELLED' && wasAway ? 'CONTROLLER' : seen;
  const lines = seen === 'NO_RESULT' ? output.trim().split('\n') : [];
  const last = lines.findLast((line) => /^(?:error|fatal)\b/i.test(line)) ?? lines.at(-1);
  return loss(kind, id, job?.nodes, slurm, last);
}

function loss(kind: Kind, id: string, host: string | undefined, slurm: readonly string[], last = ''): Loss {
  const { what, next, transient } = WORDS[kind];
  const how = slurm.length > 0 ? ` (${slurm.join(' ')})` : '';
  const message = `job ${id}${host ? ` on ${host}` : ''} ${what}${how}${last && `: ${last}`}`;
  return { code: `JOB_${kind}`, message, what, ...(host && { host }), next, transient };
}

const LAUNCH_SIGNAL = 53;

function kindOf(job: Job | undefined): Kind {
  if (!job) return 'FORGOTTEN';
  if (job.reason === 'DependencyNeverSatisfied') return 'DEPENDENCY';
  if (job.reason === 'BadConstraints') return 'IMPOSSIBLE';
  if (job.signal === LAUNCH_SIGNAL || job.state === 'LAUNCH_FAILED') return 'LAUNCH';
  if (job.state in WORDS) return job.state as Kind;
  return job.signal > 0 ? 'KILLED' : 'NO_RESULT';
}

const endOf = ({ exitCode, signal }: Job): string =>
  signal > 0 ? `signal ${signal}` : exitCode > 0 ? `exit code ${exitCode}` : '';

/** Reasons that no time will change: a job that waits for one of these waits for ever. */
const NEVER: readonly [RegExp, Kind][] = [
  [/^DependencyNeverSatisfied$/, 'DEPENDENCY'],
  [/^(BadConstraints|PartitionNodeLimit|PartitionConfig|PartitionTimeLimit)$/, 'IMPOSSIBLE'],
  [/^(AccountNotAllowed|InvalidAccount|InvalidQOS|QOSNotAllowed|AssocNotAllowed|PartitionNotAvail)$/, 'NOT_ALLOWED'],
  [/^(JobHeldUser|JobHeldAdmin|JobHoldMaxRequeue|launch_failed_requeued_held)$/i, 'HELD'],
];

/** Why a job that waits will never start, or undefined. */
export function stuckOf(job: Job): Loss | undefined {
  const kind = NEVER.find(([match]) => match.test(job.reason))?.[1];
  return kind && loss(kind, job.id, '', [job.state, job.reason]);
}
