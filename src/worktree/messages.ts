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
