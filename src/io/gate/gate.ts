// The gate and the reader of shell, off the loop's thread: one worker, started when it is first needed, asked one question at a time, and ended when an
// answer takes too long.
import { once } from 'node:events';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { type Edit, refuse } from '../../fix/edit.ts';
import type { Destroying } from '../../fix/gate/destroys.ts';
import type { Judged } from '../../fix/gate/judge.ts';
import { mayBeSourced } from '../../fix/gate/language.ts';
import { mentions } from '../../fix/gate/mentions.ts';
import type { GateRules, Verdict } from '../../fix/gate/rules.ts';
import type { CommandText, Reading } from '../../fix/shell/read-commands.ts';
import { readText } from '../store.ts';
import type { GateQuestion, Question } from './worker.ts';

/** The folder of the bundle that has the worker; not defined when the sources run as they are. */
declare const BUNDLE_URL: string | undefined;

/**
 * Processor time of its thread that a verdict may take, so that a busy machine makes no difference; where the system does not
 * tell, time by the clock.
 */
const LIMIT_MS = 800;
/** The same for the second look at a change that has names which only the repository knows. */
const SECOND_LIMIT_MS = 300;
/** On a machine that is busy with other things no answer is waited for longer than this. */
const MAX_WALL_MS = 20_000;
const LOOK_MS = 25;

/** The lines of the repository that have one of these names. */
export type LookUp = (names: readonly string[]) => Promise<string>;

/**
 * The verdict on `edits`. `lookUp` finds who runs them and what the repository knows; without it only `rules` say so. Rejects when
 * the grammar cannot be loaded.
 */
export async function judge(
  edits: readonly Edit[],
  rules: GateRules,
  unparsed: readonly string[] = [],
  lookUp?: LookUp,
): Promise<Verdict> {
  if (!lookUp) return (await verdictOn({ edits, rules, unparsed })).verdict;
  const names = edits.filter(({ path, before }) => mayBeSourced(path, before ?? '')).map(({ path }) => basename(path));
  const here = names.length === 0 ? rules : { ...rules, callers: await lookUp(names) };
  const { verdict, unknown } = await verdictOn({ edits, rules: here, unparsed });
  if (unknown.length === 0 || (verdict.ok && !verdict.ask)) return verdict;
  const lines = await lookUp(unknown);
  const mentioned = unknown.filter((name) => mentions(lines, name));
  if (mentioned.length === 0) return verdict;
  const knowing = { edits, rules: { ...here, known: [...(rules.known ?? []), ...mentioned] }, unparsed };
  const again = await inTurn<Judged>(knowing, SECOND_LIMIT_MS);
  // Without what the repository knows the gate is only stricter.
  return again?.verdict ?? verdict;
}

const verdictOn = async (question: GateQuestion): Promise<Judged> =>
  (await inTurn<Judged>(question)) ?? {
    verdict: refuse('too_complex', 'the change could not be read in the time there is for it; make it simpler'),
    unknown: [],
  };

/** The commands of a text or argv; undefined when it could not be read in time. Rejects when the grammar cannot be loaded. */
export const readCommands = (shell: CommandText): Promise<Reading | undefined> => inTurn<Reading>({ shell });

/** What of a file destroys; undefined when it could not be read in time. Rejects when the grammar cannot be loaded. */
export const readDestroying = (path: string, text: string): Promise<Destroying[] | undefined> =>
  inTurn<Destroying[]>({ path, text });

let turn: Promise<unknown> = Promise.resolve();

function inTurn<T>(question: Question, limitMs = LIMIT_MS): Promise<T | undefined> {
  const mine = turn.then(async () => within<T>(limitMs, await readyWorker(), question));
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

async function start(): Promise<Thread> {
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
  void worker.terminate();
}
