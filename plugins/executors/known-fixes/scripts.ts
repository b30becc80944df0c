// Scripts: where a line runs a command, whether it stops at a failure, and which script a stage starts. Pure.
import { posix } from 'node:path';
import { onlyPlace } from './repair.ts';

/** What a name of a command is made of; a word ends where none of it stands. */
const PART = /[\w./@%+:-]/;

/** What may stand before a command on its line. */
export const BEFORE_COMMAND =
  /(?:^|[;&|({`!]|\$\(|["']|\b(?:then|do|else|elif|if|while|until|exec|time|command|nohup|sudo|env|eval)|(?:^|[\s;&|(])[A-Za-z_]\w*=\S*)\s*$/;

/** Where `word` is run as a command in `line`, when that is the only place where it stands; else undefined. */
export function commandPlace(line: string, word: string): number | undefined {
  const at = onlyPlace(line, word, PART);
  if (at === undefined) return undefined;
  const before = line.slice(0, at);
  const glued = /[^\s;&|({`!"'$]$/.test(before);
  return !glued && BEFORE_COMMAND.test(before) && !/(?:^|\s)#/.test(before) ? at : undefined;
}

/** Whether the script stops at the first command that fails. */
export const stopsAtFailure = (text: string): boolean =>
  /^[ \t]*set[ \t]+(?:-\w+[ \t]+)*(?:-\w*e\w*|-o[ \t]+errexit)\b/m.test(text) || /^#!.*\s-\w*e/.test(text);

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
