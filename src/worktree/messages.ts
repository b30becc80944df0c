// Parts of messages: names as words of a shell command, git's complaints, and the error that carries them.
import { fail } from '../errors.ts';

/** `text` quoted where a POSIX shell would read it as more than itself; newlines and other control characters escaped. */
export function shellWord(text: string): string {
  if (/^[\w@%+=:,./-]+$/.test(text) && !text.startsWith('-')) return text;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not reach a terminal as they are
  if (/[\u0000-\u001f\u007f]/.test(text)) {
    const escaped = JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'");
    return `$'${escaped}'`;
  }
  return `'${text.replaceAll("'", "'\\''")}'`;
}

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

/** What git complained about, one problem a line. */
export function complaints(stderr: string): string[] {
  const lines = stderr.split('\n').map((line) => line.trim());
  return lines.filter((line) => line !== '' && !line.startsWith('at '));
}

/** Throws E_GIT_FAILED. `command`: what a person types to see it again; given as arguments, the git command itself. */
export function gitFailed(doing: string, command: string | readonly string[], stderr: string): never {
  const line = typeof command === 'string' ? command : `git ${command.map(shellWord).join(' ')}`;
  fail('E_GIT_FAILED', { doing, command: line }, complaints(stderr));
}
