// Words of shell scripts (commands in a line, functions and variables that a text defines, files that it reads), and the
// script that a stage starts. Pure.
import { posix } from 'node:path';
import { onlyPlace } from './repair.ts';

/** What a name of a command is made of; a word ends where none of it stands. */
const PART = /[\w./@%+:-]/;

/** What may stand before a command on its line. */
const BEFORE_COMMAND =
  /(?:^|[;&|({`!]|\$\(|["']|\b(?:then|do|else|elif|if|while|until|exec|time|command|nohup|sudo|env|eval)|(?:^|[\s;&|(])[A-Za-z_]\w*=\S*)\s*$/;

/** Where `word` is run as a command in `line`, when that is the only place where it stands; else undefined. */
export function commandPlace(line: string, word: string): number | undefined {
  const at = onlyPlace(line, word, PART);
  if (at === undefined) return undefined;
  const before = line.slice(0, at);
  const glued = /[^\s;&|({`!"'$]$/.test(before);
  return !glued && BEFORE_COMMAND.test(before) && !/(?:^|\s)#/.test(before) ? at : undefined;
}

const FUNCTION = /^[ \t]*(?:function[ \t]+([\w:.-]+)|([\w:.-]+)[ \t]*\(\))/gm;

/** Names of the functions that a script defines. */
export const functionsIn = (text: string): string[] =>
  [...text.matchAll(FUNCTION)].map(([, one, other]) => (one ?? other) as string);

const NAME = '([A-Za-z_]\\w*)';
const SETS = [
  new RegExp(`(?:^|[\\s;&|({])${NAME}(?:\\[[^\\]]*\\])?\\+?=`, 'gm'),
  new RegExp(`\\b(?:for|select)\\s+${NAME}\\b`, 'g'),
  new RegExp(`\\bprintf\\s+-v\\s+${NAME}`, 'g'),
  new RegExp(`\\$\\{${NAME}:?=`, 'g'),
];
const DECLARES = /\b(?:read|local|declare|export|readonly|typeset|mapfile|readarray|getopts)\b([^\n;|&<>]*)/g;

/** Names of the variables that a script sets. */
export function variablesIn(text: string): Set<string> {
  const code = text.replace(/(^|\s)#.*$/gm, '$1');
  const names = SETS.flatMap((pattern) => [...code.matchAll(pattern)].map(([, name]) => name as string));
  const words = [...code.matchAll(DECLARES)].flatMap(([, declared = '']) => declared.split(/\s+/));
  return new Set([...names, ...words.flatMap((word) => new RegExp(`^${NAME}(?:=.*)?$`).exec(word)?.[1] ?? [])]);
}

const SOURCED = /(?:^|[;&|({]|\bthen|\bdo)[ \t]*(?:\.|source)[ \t]+["']?([^\s"';&|<>()]+)/gm;

/** Files that a script reads as scripts, as written. */
export const sourcedIn = (text: string): string[] => [...text.matchAll(SOURCED)].map(([, path]) => path as string);

/** How often a name stands in a script, as a word of its own. */
export const usesOf = (name: string, text: string): number =>
  [...text.matchAll(new RegExp(`(?<!\\w)${name.replace(/\W/g, '\\$&')}(?!\\w)`, 'g'))].length;

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
