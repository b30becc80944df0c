// Shell text → its simple commands, as far as the judging set needs them: which words stand together, and which quoted texts
// may be commands themselves. The one place to change when a better reader of shell is there.
import { shellSegments } from '../gate/shell-words.ts';

export interface SimpleCommand {
  /** Quotes taken off; a quoted text of several words stands as `…` and is one of `texts`. */
  readonly words: readonly string[];
  readonly texts: readonly string[];
  /** It prints into the command after it. */
  readonly piped: boolean;
}

const HERE_DOCUMENT = /<<-?\s*["']?(\w+)/;
const SHELL_WORD = /(?:^|[\s/;&|])(?:ba|z|da|k)?sh(?:\s|$)|\bssh\s/;
/** `$(dirname "$0")` and its like: a folder that only the shell knows. */
const FOLDER_OF = /\$\(\s*(?:dirname|cd|realpath|readlink|pwd|git\s+rev-parse)\b[^()]*\)/g;
const MAX_NESTING = 4;
const MAX_CHARS = 200_000;

/** Every simple command of `text`, also those in substitutions. Variables in braces lose these, and folders found out become `$HERE`. */
export function readShell(text: string): SimpleCommand[] {
  let plain = withoutHereDocuments(text.slice(0, MAX_CHARS));
  plain = plain.replace(/\$\{#?!?(\w+)[^{}]*\}/g, '$$$1');
  for (let i = 0; i < MAX_NESTING; i++) plain = plain.replace(FOLDER_OF, '$$HERE');
  return shellSegments(plain).segments.map(({ words, strings, next }) => ({
    words,
    texts: strings,
    piped: next === '|' || next === '|&',
  }));
}

/** A command that is no shell text: its words are what they are. */
export const readArgv = (argv: readonly string[]): SimpleCommand[] => [
  { words: argv, texts: argv.filter((word) => /\s/.test(word)), piped: false },
];

/** What goes into a file or onto the screen is no command; what a shell is fed is. */
function withoutHereDocuments(text: string): string {
  let end: string | undefined;
  let isFed = false;
  return text
    .split('\n')
    .filter((line) => {
      if (end !== undefined) {
        const isLast = line.trim() === end;
        if (isLast) end = undefined;
        return isFed && !isLast;
      }
      end = HERE_DOCUMENT.exec(line.replaceAll('<<<', ''))?.[1];
      isFed = SHELL_WORD.test(line);
      return true;
    })
    .join('\n');
}
