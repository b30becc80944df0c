// Which script of the repository a stage starts, and how. Pure.
import { posix } from 'node:path';

const SHELLS = new Set(['bash', 'sh', 'dash', '/bin/bash', '/bin/sh', '/usr/bin/bash', '/usr/bin/sh']);

const wordsOf = (command: string | readonly string[]): readonly string[] =>
  typeof command === 'string' ? command.trim().split(/\s+/) : command;

const isPlain = (word: string): boolean => word !== '' && !word.startsWith('/') && !/["'$`\\;&|<>(){}~*?]/.test(word);

/** The script that a command begins with, also behind the name of a shell; undefined when it begins with something else. */
export function scriptOf(command: string | readonly string[]): string | undefined {
  const words = wordsOf(command);
  const first = SHELLS.has(words[0] ?? '') ? words[1] : words[0];
  return first !== undefined && isPlain(first) && /[/.]/.test(first) ? posix.normalize(first) : undefined;
}

/** The shell that a command gives its script to, whatever the script's own first line says. */
export function shellOf(command: string | readonly string[]): string | undefined {
  const [first = ''] = wordsOf(command);
  return SHELLS.has(first) ? posix.basename(first) : undefined;
}
