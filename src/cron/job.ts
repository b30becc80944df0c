// What is scheduled: which program, in which environment, when.
import { createHash } from 'node:crypto';
import type { Times } from './times.ts';

export interface Job {
  readonly home: string;
  readonly times: Times;
  /** What the run finds in its environment, PATH above all: a scheduler gives it next to nothing. */
  readonly env: Readonly<Record<string, string>>;
  readonly argv: readonly string[];
  /** ISO time, to the minute. */
  readonly since: string;
}

/** A short id for a home. */
export const idOf = (home: string): string => createHash('sha256').update(home).digest('hex').slice(0, 12);

/** The comment by which a job is found again. */
export const markOf = ({ home, since }: Pick<Job, 'home' | 'since'>): string =>
  `# mendloop cron ${idOf(home)} since ${since}`;

export type SchedulerKind = 'crontab' | 'systemd';

/** A job as it was found. */
export interface Schedule extends Pick<Job, 'env' | 'argv' | 'since'> {
  readonly kind: SchedulerKind;
  /** As the scheduler writes it. */
  readonly when: string;
  /** Undefined when its owner changed them to some that we do not read. */
  readonly times: Times | undefined;
  readonly parts: readonly Part[];
}

/** A line of crontab, or a file. */
export interface Part {
  readonly path?: string;
  readonly text: string;
}

/** What a schedule is made of, as people are told. */
export const partNames = (parts: readonly Part[]): string[] =>
  parts.map(({ path, text }) => path ?? `the line of your crontab: ${text}`);

/** Temporary folders on PATH, such as those of fnm or npx. */
const PASSING = /\/_npx\/|\/node-gyp-bin$|\/fnm_multishells\/|\/\.?dlx(?:-[^/]*)?\//;

/** The PATH of a shell without temporary, missing and repeated folders. */
export const lastingPath = (path: string, isFolder: (path: string) => boolean): string =>
  [...new Set(path.split(':'))]
    .filter((folder) => folder.startsWith('/') && !PASSING.test(folder) && isFolder(folder))
    .join(':');

/** Whether a program is in a cache of npx or the like. */
export const isPassing = (path: string): boolean => PASSING.test(`${path}/`);
