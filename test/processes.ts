// Processes as /proc tells of them: not every machine has ps.
import { readFileSync } from 'node:fs';

/** With its arguments; empty when it is gone. */
export const commandLine = (pid: number): string => read(`${pid}/cmdline`).replaceAll('\0', ' ').trim();

/** In the order in which they were started. */
export const childrenOf = (pid: number): number[] =>
  read(`${pid}/task/${pid}/children`).split(' ').filter(Boolean).map(Number);

function read(path: string): string {
  try {
    return readFileSync(`/proc/${path}`, 'utf8');
  } catch {
    return '';
  }
}
