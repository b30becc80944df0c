// Texts that a shell runs and that have several parts: a plain shell counts the last part alone, a stage's shell every one. Pure.

const QUOTED = /'[^']*'|"(?:\\.|[^"\\])*"|\\[\s\S]/g;
const COMMENT = /(^|\s)#[^\n]*/g;
const PIPE = /(?<![|>])\|(?!\|)/;
const GOES_ON = /(&&|\|\||\|&?)\s*\n/g;

/** The text without what cannot part commands: quotes, comments, ends of lines within one command. */
const bare = (text: string): string => text.replace(QUOTED, 'x').replace(COMMENT, '$1').replace(GOES_ON, '$1 ');

export const hasPipe = (command: string | readonly string[]): boolean =>
  typeof command === 'string' && PIPE.test(bare(command));

/** Whether a text does the same in a plain shell only with `set -e`, or for a command with `pipefail`. */
export function needsStrictShell(command: string, kind: 'command' | 'check'): boolean {
  const text = bare(command);
  const [, options = ''] = /^\s*set -(\S+[^\n;]*)/.exec(text) ?? [];
  const isSeveral = text.split(/\n|;/).filter((part) => part.trim() !== '').length > 1;
  if (isSeveral && !/^[a-z]*e/.test(options)) return true;
  return kind === 'command' && PIPE.test(text) && !/pipefail/.test(options);
}
