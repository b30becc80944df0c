// What a worker of the pool gets, and how it is started: an entry of the queue names a task of a job file.
import { join } from 'node:path';
import type { Layout } from '../io/layout.ts';
import { packageEntry } from '../io/package.ts';
import { parseJson } from '../io/store.ts';
import { count, name, oneOf, shaped } from '../shape.ts';
import type { Batch } from '../slurm/crew.ts';
import { entryName, type PoolEntry } from '../slurm/pool-tasks.ts';

const isEntry = shaped({ version: oneOf([1]), spec: name, file: name, index: count });

/** The entry of a task; the same for the same task in every process. */
export function entryOf(job: string, file: string, index: number, task: { spec: string; attempt: number }): PoolEntry {
  const text = JSON.stringify({ version: 1, spec: task.spec, file, index });
  return { name: entryName(`${job}-${index}`, text), spec: task.spec, text, attempt: task.attempt };
}

/** Undefined for what is no entry. */
export function readEntry(text: string): { spec: string; file: string; index: number } | undefined {
  const entry = parseJson(text);
  return isEntry(entry) ? entry : undefined;
}

export const poolFolder = (layout: Layout, run: string): string => join(layout.jobs(run), 'pool');

/** A worker's settings, as arguments of its command. */
export interface WorkerSettings {
  readonly folder: string;
  readonly batch: Batch;
  readonly idleMs: number;
  readonly signMs: number;
}

export const workerArgv = ({ folder, batch, idleMs, signMs }: WorkerSettings): string[] => [
  process.execPath,
  packageEntry(),
  '--worker',
  folder,
  batch.spec,
  batch.name,
  String(idleMs),
  String(signMs),
];

export function readWorkerArgv([folder, spec, name, idleMs, signMs]: readonly string[]): WorkerSettings | undefined {
  const [idle, sign] = [Number(idleMs), Number(signMs)];
  const isWhole = folder && spec && name && idle > 0 && sign > 0;
  return isWhole ? { folder, batch: { spec, name }, idleMs: idle, signMs: sign } : undefined;
}
