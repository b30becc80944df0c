// Paths in commands and patterns. Which words of a command could be paths of the repository: better one too many than one
// too few, since callers compare them with files that exist or with patterns of files that must not be touched.
import { normalize } from 'node:path/posix';
import picomatch from 'picomatch';

const BETWEEN_WORDS = /[\s;&|()<>=,`{}]+/;
/** A word as a shell reads it: what is quoted or escaped does not part it. */
const SHELL_WORD = /(?:'[^']*'|"(?:\\[\s\S]|[^"\\])*"|\\[\s\S]|[^\s;&|()<>=,`{}'"\\])+/g;
const ROOT_VARIABLE = /\$(?:MENDLOOP_ROOT|PWD|\{MENDLOOP_ROOT\}|\{PWD\})["']?\//g;

/** Every word of a shell command or argv as written, without quotes, once each. An argv item also counts as a whole. */
export function rawWords(command: string | readonly string[]): string[] {
  const items = typeof command === 'string' ? [command] : command;
  const words = items.flatMap((item) => {
    const text = item.replace(ROOT_VARIABLE, '');
    // Quotes may join (stages/"talos"/run.sh) or part words ('a''b' in another language inside -c '…'): both readings count.
    const readings = [text.replace(/["'\\]/g, ''), text.replace(/["'\\]/g, ' ')];
    const split = readings.flatMap((reading) => reading.split(BETWEEN_WORDS));
    return [...(typeof command === 'string' ? [] : [text]), ...split, ...spacedWords(item)];
  });
  return [...new Set(words)].filter((word) => word !== '');
}

/** Words with spaces in them, also those of a text that is quoted as a whole: bash -c 'cat "my file"'. */
function spacedWords(text: string): string[] {
  const quoted = (text.match(SHELL_WORD) ?? []).filter((word) => /["'\\]/.test(word) && /\s/.test(word));
  return quoted.flatMap((word) => {
    const bare = word.replace(/\\([\s\S])|["']/g, '$1');
    const inside = /^(["'])([\s\S]*)\1$/.exec(word)?.[2] ?? '';
    return [bare.replace(ROOT_VARIABLE, ''), ...(/["'\\]/.test(inside) ? spacedWords(inside) : [])];
  });
}

/** The words that could be paths relative to the repository root, normalised (`./a//b` is `a/b`), once each. */
export function commandWords(command: string | readonly string[]): string[] {
  const paths = rawWords(command)
    .filter((word) => !word.startsWith('-') && !word.startsWith('/'))
    .map((word) => normalize(word).replace(/\/$/, ''))
    .filter((path) => path !== '.' && path !== '..' && !path.startsWith('../'));
  return [...new Set(paths)];
}

/** True when the last part of `path` has "wipe" as a word of its own: wipe_proxmox.sh, disk-wipe, wipeDisks.sh. */
export function isWipeScript(path: string): boolean {
  const name = path.replace(/\/+$/, '').split('/').at(-1) ?? '';
  const words = name.replace(/([a-z0-9])([A-Z])/g, '$1 $2').toLowerCase();
  return /(?:^|[^a-z])wipe(?:$|[^a-z])/.test(words);
}

/** A command as people read it: the text itself, or argv with spaces between. */
export function commandText(command: string | readonly string[]): string {
  return typeof command === 'string' ? command : command.join(' ');
}

const MAX_PATTERN_LENGTH = 4096;

/** Whether a path (relative, normalised) matches any of `globs`. A trailing `/` means the tree below; dot files count. Never throws. */
export function pathMatcher(
  globs: readonly string[],
  options: { readonly ignoreCase?: boolean } = {},
): (path: string) => boolean {
  const patterns = globs
    .map((glob) => glob.replace(/^(?:\.\/)+/, '').replace(/\/+$/, '/**'))
    // picomatch throws on these; neither can be the name of anything.
    .filter((pattern) => pattern !== '' && pattern.length <= MAX_PATTERN_LENGTH);
  if (patterns.length === 0) return () => false;
  return picomatch(patterns, { dot: true, nonegate: true, nocase: options.ignoreCase ?? false });
}

const WILDCARD = /[*?[{(!]/;

export const isGlob = (pattern: string): boolean => WILDCARD.test(pattern);

/** The part of a glob before its first wildcard, as a folder. */
export function globFolder(glob: string): string {
  const parts = glob.split('/');
  const wild = parts.findIndex(isGlob);
  return parts.slice(0, wild === -1 ? parts.length - 1 : wild).join('/') || '.';
}

export interface Carry {
  readonly carry: readonly string[];
  /** Those of them whose values are nobody's secret. */
  readonly not_secret?: readonly string[];
}

/** The carried paths whose values must not leave this machine, and those whose values may. */
export const splitCarry = ({ carry, not_secret = [] }: Carry): { carry: string[]; open: string[] } => ({
  carry: carry.filter((path) => !not_secret.includes(path)),
  open: carry.filter((path) => not_secret.includes(path)),
});
