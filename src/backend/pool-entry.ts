// What a worker of the pool gets, and how it is started: an entry of the queue names a task of a job file.
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { Layout } from '../io/layout.ts';
import { packageEntry, packageVersion } from '../io/package.ts';
import type { Entry } from '../io/queue-folder.ts';
import { parseJson } from '../io/store.ts';
import { count, name, oneOf, shaped } from '../shape.ts';
import type { Handed } from './slurm-attempts.ts';

export const poolFolder = (layout: Layout, run: string): string => join(layout.jobs(run), 'pool');

const isEntry = shaped({ version: oneOf([1]), spec: name, job: name, index: count });
const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 16);

/** The entry of a task, the same in every process; its name has the hash of its text, by which a worker knows that it read what was written. */
export function entryOf({ job, index, task }: Pick<Handed, 'job' | 'index' | 'task'>): Entry {
  const text = JSON.stringify({ version: 1, spec: task.spec, job, index });
  return { name: `${job}-${index}.${hashOf(text)}`, text };
}

/** Undefined for what is no entry of this spec. */
export function readEntry({ name: given, text = '' }: { name: string; text: string | undefined }, spec: string) {
  const entry = parseJson(text);
  const isMeant =
    given.endsWith(`.${hashOf(text)}`) && isEntry(entry) && entry.spec === spec && /^\d+$/.test(entry.job);
  return isMeant ? entry : undefined;
}

/** Workers that were submitted together. */
export interface Batch {
  readonly spec: string;
  /** Unique, unlike Slurm's number: it may give one again that it has forgotten. */
  readonly name: string;
}

/** What a worker is called in files: its job as squeue names it, and its batch. */
export const workerId = (jobId: string, batch: string): string => `${jobId}-${batch}`;

/** A worker's settings, as arguments of its command. */
export interface WorkerSettings {
  readonly folder: string;
  readonly batch: Batch;
  readonly idleMs: number;
  readonly signMs: number;
  /** Of the program that started it. */
  readonly version: string;
}

export const workerArgv = ({ folder, batch, idleMs, signMs }: Omit<WorkerSettings, 'version'>): string[] => [
  ...[process.execPath, packageEntry(), '--worker', folder, batch.spec, batch.name],
  ...[String(idleMs), String(signMs), packageVersion()],
];

export function readWorkerArgv(words: readonly string[]): WorkerSettings | undefined {
  const [folder, spec, batch, idleMs, signMs, version] = words;
  const [idle, sign] = [Number(idleMs), Number(signMs)];
  const isWhole = folder && spec && batch && version && idle > 0 && sign > 0;
  return isWhole ? { folder, batch: { spec, name: batch }, idleMs: idle, signMs: sign, version } : undefined;
}
