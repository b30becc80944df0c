// The jobs of a run as its journal tells of them: which attempts were handed on, under which number of the scheduler's, and which
// of them nobody has heard of since. Pure.
import type { LoopConfig } from '../config/loop-config.ts';
import type { LoopEvent } from '../events.ts';
import type { JobPlace } from '../slurm/job.ts';

export interface OpenJob {
  /** Its number in the run, and the name of its folder. */
  readonly job: string;
  readonly backend: string;
  /** The scheduler's; undefined: it is not known whether it was submitted. */
  readonly id: string | undefined;
  /** The steps whose jobs it waits for. */
  readonly after: readonly string[];
  /** Index in the job → the attempt, of those whose end is not known. */
  readonly open: ReadonlyMap<number, { readonly step: string; readonly attempt: number }>;
}

/** Every job that some attempt is still open of, and how many the run had. */
export function openJobs(events: readonly LoopEvent[]): { jobs: OpenJob[]; count: number } {
  const jobs = new Map<string, OpenJob & { open: Map<number, { step: string; attempt: number }> }>();
  const close = (isOver: (step: string, attempt: number, job: string) => boolean) => {
    for (const { job, open } of jobs.values()) {
      for (const [index, { step, attempt }] of open) if (isOver(step, attempt, job)) open.delete(index);
    }
  };
  for (const event of events) {
    if (event.type === 'job.intended') {
      const { job, backend, after, tasks } = event.data;
      jobs.set(job, { job, backend, after, id: undefined, open: new Map(tasks.entries()) });
    }
    if (event.type === 'job.submitted') {
      const intended = jobs.get(event.data.job);
      if (intended) jobs.set(intended.job, { ...intended, id: event.data.id });
    }
    if (event.type === 'job.withdrawn') {
      const { job, steps } = event.data;
      close((step, _, of) => of === job && steps.includes(step));
    }
    if (event.type === 'attempt.ended' || event.type === 'attempt.lost')
      close((step, attempt) => step === event.step && attempt === event.attempt);
  }
  return { jobs: [...jobs.values()].filter(({ open }) => open.size > 0), count: jobs.size };
}

/** Workers of a pool are jobs of the run, of no step: its jobs have numbers from 1. */
export const WORKER_JOB = '0';

/** What a job of the scheduler says of itself, so that a later start knows it: whose it is, of which run, and which one. */
export const jobComment = (home: string, run: string, job: string, label: string): string =>
  `mendloop ${run} ${job} ${label} ${home}`;

/** What the comment of a job of this home says; undefined for anybody else's. */
export function readComment(comment: string, home: string): { run: string; job: string; label: string } | undefined {
  const before = comment.endsWith(` ${home}`) ? comment.slice(0, -home.length - 1) : '';
  const [, run, job, label] = /^mendloop (\S+) (\d+) (.*)$/s.exec(before) ?? [];
  return run && job && label ? { run, job, label } : undefined;
}

/** Where jobs of a spec go. */
export function placeOf({ specs }: LoopConfig['slurm'], spec: string): JobPlace {
  const { partition, options } = specs[spec] ?? { partition: null, options: [] };
  return { partition: partition ?? undefined, options };
}

const SIGN_MS = 5_000;

/** How often a process that makes attempts shows a sign of life: often enough to be seen within the grace. */
export const signMs = ({ grace }: LoopConfig['slurm']): number => Math.min(SIGN_MS, grace / 3);
