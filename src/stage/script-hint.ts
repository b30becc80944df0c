// Why a stage's own script could not be started, when the tree tells it: missing, or not executable.
import { posix } from 'node:path';
import type { Tree } from '../plan/inputs.ts';

const CANNOT_EXECUTE = 126;
const NOT_FOUND = 127;

/** A hint for exit codes 126 and 127 of a command that begins with a path of the repository. */
export function scriptHint(command: string | readonly string[], exitCode: number | null, tree: Tree) {
  const path = scriptOf(command);
  if (!path) return undefined;
  const entry = tree.get(path);
  const commit = `git add ${path} && git commit, then run again`;
  if (exitCode === NOT_FOUND && !entry) {
    return { error: 'E_STAGE_SCRIPT_MISSING', what: `${path} is not in the commit the stages run from`, next: commit };
  }
  if (exitCode === CANNOT_EXECUTE && entry?.mode === '100644') {
    const next = `chmod +x ${path} && ${commit}`;
    return { error: 'E_STAGE_SCRIPT_NOT_EXECUTABLE', what: `${path} is not executable`, next };
  }
  return undefined;
}

/** The path of the repository that a command begins with, or undefined when it begins with something else. */
export function scriptOf(command: string | readonly string[]): string | undefined {
  const first = typeof command === 'string' ? (command.trim().split(/\s+/)[0] ?? '') : (command[0] ?? '');
  const plain = first.includes('/') && !first.startsWith('/') && !/["'$`\\;&|<>(){}~]/.test(first);
  return plain ? posix.normalize(first) : undefined;
}
