// Pages and their fenced blocks. The first word behind a fence says what a block is, the rest how it is checked:
//   console            lines with `$ ` run, `> ` goes on with one, the rest is what it prints; `…` stands for any lines
//   console exit=3     the last command ends with this code; without it each ends with 0
//   console recorded   also in the recording
//   yaml, js, ts       the first line is a comment with the path; `write` puts it there before the next block runs
//   … write=PATH       a file without such a line
//   cron, text         nothing to run
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PACKAGE } from '../e2e/scenario.ts';

export const LANGUAGES: readonly string[] = ['console', 'yaml', 'js', 'ts', 'sh', 'cron', 'text'];

export interface Block {
  page: string;
  /** Of its first line of text, from 1. */
  line: number;
  language: string;
  words: string[];
  text: string;
}

export interface Command {
  command: string;
  /** What the page shows below it; undefined when nothing. */
  shown: string[] | undefined;
}

export const readPage = (page: string): string => readFileSync(join(PACKAGE, page), 'utf8');

/** Every fenced block of a page, without the indent of the list that it stands in. */
export function blocksOf(page: string): Block[] {
  const text = readPage(page);
  return [...text.matchAll(/^( *)```([^\n]+)\n([\s\S]*?)^\1```$/gm)].map(
    ({ index, 1: indent = '', 2: info, 3: body }) => {
      const [language = '', ...words] = (info ?? '').split(' ');
      const line = text.slice(0, index).split('\n').length + 1;
      return { page, line, language, words, text: (body ?? '').replaceAll(new RegExp(`^${indent}`, 'gm'), '') };
    },
  );
}

/** What a console block runs. Throws when it shows something before its first command. */
export function commandsOf({ page, line, text }: Block): Command[] {
  const commands: Command[] = [];
  for (const row of text.trimEnd().split('\n')) {
    const last = commands.at(-1);
    if (row.startsWith('$ ')) commands.push({ command: row.slice(2), shown: undefined });
    else if (!last) throw new Error(`${page}:${line} begins with no command: ${row}`);
    else if (row.startsWith('> ') && !last.shown) last.command += `\n${row.slice(2)}`;
    else last.shown = [...(last.shown ?? []), row];
  }
  return commands;
}

/** Where the text of a block belongs: as its info says, or the comment in its first line. */
export const pathOf = ({ words, text }: Block): string | undefined =>
  words.find((word) => word.startsWith('write='))?.slice('write='.length) ??
  /^(?:#|\/\/) ((?:[\w.-]+\/)*[\w.-]+)\n/.exec(text)?.[1];

/** Whether a session writes the block to its place. */
export const isWritten = ({ words }: Block): boolean => words.some((word) => /^write(?:=|$)/.test(word));
