// Parts of messages: names as words of a shell command, git's complaints, and the error that carries them.
import { mendError } from '../errors.ts';
import { complaints, machineFault, shellWord } from '../io/git.ts';

export { complaints, shellWord };

/** A commit as messages name it. */
export const short = (commit: string): string => commit.slice(0, 12);

/** What a person types to solve a conflict: `begin`, edit and add `paths`, `end`. */
export const solveConflict = (git: string, begin: string, paths: readonly string[], end: string): string[] => [
  `${git} ${begin}`,
  '# edit the files named above, then',
  ...paths.map((path) => `${git} add ${shellWord(path)}`),
  `${git} ${end}`,
];

/** What a person types to move files out of the way. */
export const moveAside = (folder: string, paths: readonly string[]): string =>
  paths.map((path) => `mv ${shellWord(`${folder}/${path}`)} ${shellWord(`${folder}/${path}.old`)}`).join('\n');

/** Throws E_GIT_FAILED, or what the machine refused git. `command`: what a person types to see it again; given as arguments, the git command itself. */
export function gitFailed(doing: string, command: string | readonly string[], stderr: string): never {
  const line = typeof command === 'string' ? command : `git ${command.map(shellWord).join(' ')}`;
  throw machineFault(stderr) ?? mendError('E_GIT_FAILED', { doing, command: line }, complaints(stderr));
}
