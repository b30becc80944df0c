// Why a stage's own script could not be started, when the tree tells it: missing, or not executable.
import { posix } from 'node:path';
import type { Tree } from '../plan/inputs.ts';

export interface ScriptHint {
  error: 'E_STAGE_SCRIPT_MISSING' | 'E_STAGE_SCRIPT_NOT_EXECUTABLE';
  what: string;
  next: string;
}

const CANNOT_EXECUTE = 126;
const NOT_FOUND = 127;

/** A hint for exit codes 126 and 127 of a command that begins with a path of the repository. */
export function scriptHint(
  command: string | readonly string[],
  exitCode: number | null,
  tree: Tree,
): ScriptHint | undefined {
  const path = scriptOf(command);
  if (!path) return undefined;
  const found = tree.get(path);
  if (exitCode === NOT_FOUND && !found) {
    return {
      error: 'E_STAGE_SCRIPT_MISSING',
      what: `${path} is not in the commit the stages run from`,
      next: `git add ${path} && git commit, then run again`,
    };
  }
  if (exitCode === CANNOT_EXECUTE && found?.mode === '100644') {
    return {
      error: 'E_STAGE_SCRIPT_NOT_EXECUTABLE',
      what: `${path} is not executable`,
      next: `chmod +x ${path} && git add ${path} && git commit, then run again`,
    };
  }
  return undefined;
}

/** The path of the repository that a command begins with, or undefined when it begins with something else. */
export function scriptOf(command: string | readonly string[]): string | undefined {
  const first = typeof command === 'string' ? (command.trim().split(/\s+/)[0] ?? '') : (command[0] ?? '');
  const plain = first.includes('/') && !first.startsWith('/') && !/["'$`\\;&|<>(){}~]/.test(first);
  return plain ? posix.normalize(first) : undefined;
}
