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

/** Names a home where its path would be too long, or hard to tell from others. */
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

/** A folder on PATH that is gone with the shell, or the call, that made it. */
const PASSING = /\/_npx\/|\/node-gyp-bin$|\/fnm_multishells\/|\/\.?dlx(?:-[^/]*)?\//;

/** The folders of a shell's PATH that are worth writing down: each once, and none that goes away. */
export const lastingPath = (path: string, isFolder: (path: string) => boolean): string =>
  [...new Set(path.split(':'))]
    .filter((folder) => folder.startsWith('/') && !PASSING.test(folder) && isFolder(folder))
    .join(':');

/** Whether a program stands in a cache of npx or its likes. */
export const isPassing = (path: string): boolean => PASSING.test(`${path}/`);
