// The gate and the reader of shell, off the loop's thread: one worker, started when it is first needed, asked one question at a time, and ended when an
// answer takes too long.
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { ASKS, type Edit } from '../../fix/edit.ts';
import type { Destroying } from '../../fix/gate/destroys.ts';
import { refusalByForm } from '../../fix/gate/judge.ts';
import type { GateRules, Verdict } from '../../fix/gate/rules.ts';
import type { CommandText, Reading } from '../../fix/shell/read-commands.ts';
import type { RepositoryFacts } from '../../repository/repository.ts';
import { requireAddressSpace } from '../address-space.ts';
import { readText } from '../store.ts';
import type { Question } from './worker.ts';

/** The folder of the bundle that has the worker; not defined when the sources run as they are. */
declare const BUNDLE_URL: string | undefined;

/**
 * Processor time of its thread that an answer may take, so that a busy machine makes no difference; where the system does not
 * tell, time by the clock.
 */
const LIMIT_MS = 2_000;
/** On a machine that is busy with other things no answer is waited for longer than this. */
const MAX_WALL_MS = 20_000;
const LOOK_MS = 25;

/** What the worker that lives was last told of the repository. */
let told: RepositoryFacts | undefined;

/**
 * The verdict on `edits` in the repository that `facts` describe; the same facts again are not sent again. What is not read in time
 * is the owner's to decide. Rejects when the grammar cannot be loaded.
 */
export async function judge(
  edits: readonly Edit[],
  rules: GateRules,
  facts: RepositoryFacts,
  unparsed: readonly string[] = [],
): Promise<Verdict> {
  const refusal = refusalByForm(edits, rules);
  if (refusal) return refusal;
  const verdict = await inTurn<Verdict>(() => {
    const isKnown = told === facts;
    told = facts;
    return { edits, rules, unparsed, ...(isKnown ? {} : { facts }) };
  });
  return verdict ?? { ok: true, shapes: [], ask: { code: 'unread', reasons: [ASKS.unread] } };
}

/** The commands of a text or argv; undefined when it could not be read in time. Rejects when the grammar cannot be loaded. */
export const readCommands = (shell: CommandText): Promise<Reading | undefined> => inTurn<Reading>(() => ({ shell }));

/** What of a file destroys; undefined when it could not be read in time. Rejects when the grammar cannot be loaded. */
export const readDestroying = (path: string, text: string): Promise<Destroying[] | undefined> =>
  inTurn<Destroying[]>(() => ({ path, text }));

let turn: Promise<unknown> = Promise.resolve();

/** The question is made when its turn has come: a worker that was ended meanwhile has forgotten what it was told. */
function inTurn<T>(question: () => Question): Promise<T | undefined> {
  const mine = turn.then(async () => {
    const worker = await readyWorker();
    return within<T>(LIMIT_MS, worker, question());
  });
  turn = mine.catch(() => undefined);
  return mine;
}

interface Thread {
  readonly worker: Worker;
  /** How long it has computed, in ms. */
  spent(): number;
}

let current: Promise<Thread> | undefined;

function readyWorker(): Promise<Thread> {
  current ??= start();
  return current;
}

/** Address space that the thread and its grammar reserve; almost nothing of it is memory. */
const ADDRESS_SPACE = 13 * 1024 ** 3;

async function start(): Promise<Thread> {
  requireAddressSpace('the thread that reads commands and judges fixes', ADDRESS_SPACE);
  const bundled = typeof BUNDLE_URL === 'undefined' ? undefined : new URL('gate-worker.mjs', BUNDLE_URL);
  // A Node that strips no types itself is told how in each thread.
  const hooks = fileURLToPath(new URL('../../../scripts/typescript.mjs', import.meta.url));
  const worker = bundled
    ? new Worker(bundled)
    : new Worker(new URL('./worker.ts', import.meta.url), { execArgv: ['--import', hooks] });
  try {
    const [task] = await once(worker, 'message');
    worker.unref();
    return { worker, spent: () => processorMs(String(task)) ?? performance.now() };
  } catch (error) {
    current = undefined;
    throw error;
  }
}

function processorMs(task: string): number | undefined {
  const text = task === '' ? undefined : readText(`${task}/schedstat`);
  const [nanoseconds] = text?.split(' ') ?? [];
  return nanoseconds === undefined ? undefined : Number(nanoseconds) / 1e6;
}

/** The answer, or undefined when it took longer than `limitMs`: then the worker is ended. Rejects when the worker fails. */
async function within<T>(limitMs: number, { worker, spent }: Thread, question: Question): Promise<T | undefined> {
  const began = spent();
  const wall = performance.now();
  const stop = new AbortController();
  const timer = setInterval(() => {
    if (spent() - began > limitMs || performance.now() - wall > MAX_WALL_MS) stop.abort();
  }, LOOK_MS);
  // The thread holds the process only while it is waited for.
  worker.ref();
  try {
    const answer = once(worker, 'message', { signal: stop.signal });
    worker.postMessage(question);
    return (await answer)[0];
  } catch (error) {
    end(worker);
    if (!stop.signal.aborted) throw error;
    return undefined;
  } finally {
    clearInterval(timer);
    worker.unref();
  }
}

function end(worker: Worker): void {
  current = undefined;
  told = undefined;
  void worker.terminate();
}
