// Whether what jobs need is where they run: one job for each place they go to reads a word in home and writes one back. Proved, not
// assumed, and remembered, for most clusters let no job start at once.
import { createHash, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { fail } from '../errors.ts';
import { identify } from '../io/identity.ts';
import type { Layout } from '../io/layout.ts';
import { packageEntry } from '../io/package.ts';
import { toolVersion } from '../io/program.ts';
import { parseJson, privateFolder, readText, removeAll, writeAtomic } from '../io/store.ts';
import { isTexts, listOf, name, shaped, text } from '../shape.ts';
import type { Slurm } from '../slurm/client.ts';
import { type JobPlace, phaseOf } from '../slurm/job.ts';
import { lossOf, stuckOf } from '../slurm/loss.ts';
import type { EndJobsPorts } from '../slurm/watch.ts';

export interface ProbePorts extends EndJobsPorts {
  readonly slurm: Slurm;
  readonly layout: Layout;
  readonly signal: AbortSignal;
  /** How long its job may wait for a place. */
  readonly limitMs: number;
  /** How long an answer may be late behind the end of its job. */
  readonly graceMs: number;
}

const POLL_MS = 500;
const MAX_RETRIES = 3;
/** Ends of a job that say nothing of where it ran. */
const LOST = ['JOB_CANCELLED', 'JOB_NODE_FAIL', 'JOB_PREEMPTED', 'JOB_BOOT_FAIL', 'JOB_KILLED', 'JOB_FORGOTTEN'];
/** What was proved so long ago is proved again. */
const PROOF_LIFETIME_MS = 7 * 86_400_000;

const NOT_HELD =
  'take --hold out of the options of its spec in ai/loop.yaml; where it has none, ask who runs the cluster why jobs are held';

const isAnswer = shaped({ word: name, host: text, problems: listOf(text) });

/** Throws E_NOT_SHARED when a job that goes to `place` cannot work for this home, and MendError when Slurm refuses it. */
export async function proveShared(place: JobPlace, ports: ProbePorts): Promise<void> {
  const { layout, clock } = ports;
  const provedFile = join(layout.state, 'slurm-proved.json');
  const key = createHash('sha256')
    .update(JSON.stringify([place, process.execPath, packageEntry()]))
    .digest('hex');
  const proved = parseJson(readText(provedFile) ?? '');
  const times = isTexts(proved) ? proved : {};
  const age = clock.now() - Date.parse(times[key] ?? '');
  if (age >= 0 && age < PROOF_LIFETIME_MS) return;
  const folder = join(layout.state, 'probe');
  privateFolder(folder);
  try {
    // A cancelled job or a failed node says nothing of home.
    for (let tries = 1; (await probe(place, folder, ports, tries > MAX_RETRIES)) === 'lost'; ) tries += 1;
  } finally {
    removeAll(folder);
  }
  writeAtomic(provedFile, JSON.stringify({ ...times, [key]: new Date(clock.now()).toISOString() }));
}

/** `lost`: the job was, unless this `isLast`. When it throws, or the signal aborts, no job is left. */
async function probe(place: JobPlace, folder: string, ports: ProbePorts, isLast: boolean): Promise<'seen' | 'lost'> {
  const { slurm, layout } = ports;
  const comment = `mendloop probe ${layout.home}`;
  const word = randomBytes(8).toString('hex');
  writeAtomic(join(folder, 'asked'), word);
  try {
    const id = await slurm.submit({
      name: 'mendloop-probe',
      comment,
      command: [process.execPath, packageEntry(), '--probe', folder],
      cwd: layout.home,
      output: join(folder, 'output'),
      place,
      minutes: 1,
    });
    return await answered({ id, word, folder, isLast, place }, ports);
  } catch (error) {
    // One whose submit got no answer may be there all the same.
    // What went wrong first is what is reported.
    await slurm.cancel((job) => job.comment === comment).catch(() => {});
    throw error;
  }
}

interface Probe {
  readonly id: string;
  readonly word: string;
  readonly folder: string;
  readonly isLast: boolean;
  readonly place: JobPlace;
}

async function answered({ id, word, folder, isLast, place }: Probe, ports: ProbePorts): Promise<'seen' | 'lost'> {
  const { slurm, layout, clock, signal } = ports;
  const refuse = (words: string, next?: string): never =>
    fail('E_NOT_SHARED', { home: layout.home, words, ...(next && { next }) });
  const until = clock.monotonic() + ports.limitMs;
  let shown = '';
  for (let overSince: number | undefined; ; await clock.sleep(POLL_MS, signal)) {
    const answer = parseJson(readText(join(folder, 'answer')) ?? '');
    if (isAnswer(answer) && answer.word === word) {
      return answer.problems.length > 0 ? refuse(`on ${answer.host}: ${answer.problems.join('; ')}`) : 'seen';
    }
    signal.throwIfAborted();
    const job = (await slurm.jobs()).find((listed) => listed.id === id);
    const isWaiting = job !== undefined && phaseOf(job) === 'waiting';
    const waits = isWaiting && job.reason !== 'None' ? `, and waits (${job.reason})` : '';
    const text = `job ${id} is to prove that nodes see this repository${waits}`;
    if (text !== shown) ports.progress?.(text);
    shown = text;
    const stuck = isWaiting ? stuckOf(job) : undefined;
    // The job is cancelled: it cannot be released.
    const next = stuck?.code === 'JOB_HELD' ? NOT_HELD : stuck?.next;
    if (stuck) fail('E_SLURM_REFUSED', { program: 'sbatch', words: stuck.message, ...(next && { next }) });
    if (clock.monotonic() > until)
      refuse(
        `job ${id}, which was to prove that they can, had no turn (limits.run_minutes)`,
        `see whether the partition has room: sinfo${place.partition ? ` --partition=${place.partition}` : ''}\nthen start again: mendloop`,
      );
    if (job && phaseOf(job) !== 'ended') continue;
    overSince ??= clock.monotonic();
    if (clock.monotonic() - overSince < ports.graceMs) continue;
    const loss = lossOf(id, job);
    if (!isLast && LOST.includes(loss.code)) return 'lost';
    const last = readText(join(folder, 'output'))?.trim().split('\n').at(-1);
    refuse([loss.message, last].filter(Boolean).join('; '));
  }
}

/** What the job of a probe does: says that it read the word, and what it lacks. Throws MendError when it cannot. */
export async function answerProbe(folder: string): Promise<void> {
  const word = readText(join(folder, 'asked'));
  const { host } = identify(process.pid);
  if (word === undefined) fail('E_NOT_SHARED', { home: folder, words: `${host} does not see it` });
  const git = await toolVersion('git', '--version');
  const problems = git ? [] : ['git is not on PATH'];
  writeAtomic(join(folder, 'answer'), JSON.stringify({ word, host, problems }));
}
