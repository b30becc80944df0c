// Shell scripts: variables and functions, what they use, what they source.
import { ANY } from './definition.ts';
import type { Found } from './found.ts';
import { type LineRow, lines, QUIET_LINE, SPACE_LINE } from './rows.ts';

/** Where a command begins; what stands in quotes there begins none. */
const AT = String.raw`(?:^|[;&|){}]|(?<!=)\(|(?<![\w-])(?:then|do|else|elif|if|while|until|time|!)\s)\s*`;
const SET = String.raw`[A-Za-z_]\w*(?:\[[^\]]*\])?\+?=[^\s;&|(){}]*`;
const command = (rest: string) => new RegExp(`${AT}(?:${SET}\\s+)*${rest}`, 'g');
const WORDS = String.raw`\s+([^;&|(){}]*)`;
/** Of `NAME`, `NAME=value` and `"$name=value"`: the name, or what makes it. */
const NAME = /(?<!\S)(?!-)([A-Za-z_]\w*|[^\s$]*\$)/g;
const COMMANDS: readonly LineRow[] = [
  // Before a command, it is a variable of that command alone.
  [new RegExp(`${AT}(${SET}(?:\\s+${SET})*)\\s*(?=$|[;&|(){}])`, 'g'), 'define', 'shell-variable', NAME],
  [command(`(?:export|readonly)${WORDS}`), 'define', 'shell-variable', NAME],
  [command(`export${WORDS}`), 'define', 'env-variable', NAME],
  // What a function declares for itself no other place can use.
  [command(`(?:local|declare|typeset)${WORDS}`), 'guess', 'shell-variable', NAME],
  [command(`(?:read|mapfile|readarray)${WORDS}`), 'define', 'shell-variable', NAME],
  [command(String.raw`(?:for|select|getopts\s+\S+|printf\s+-v)\s+(\S+)`), 'define', 'shell-variable', NAME],
  [command(String.raw`function\s+([^\s;&|(){}]+)`), 'define', 'shell-function'],
  [/(?<![\w-])([\w-]+)[ \t]*\(\)/g, 'define', 'shell-function'],
  [command(String.raw`(?:source|\.)\s+([^\s;&|(){}]+)`), 'use', 'file'],
  [command(String.raw`eval\b`), 'define', 'shell-variable', ANY],
  [command(String.raw`eval\b`), 'define', 'shell-function', ANY],
];
const ARITHMETIC = /\(\(([^()]*)\)\)/g;
/** Uses, also in comments; assignments in arithmetic and in expansions, and those in texts that another shell may read. */
const ANYWHERE: readonly LineRow[] = [
  // Any word may be the name of a function that is called, but where it is defined.
  [/(?<![\w-])(?<!\bfunction[ \t]+)([A-Za-z_][\w-]*)(?![\w-]|[ \t]*\(\))/g, 'use', 'shell-function'],
  [/\$\{?#?([A-Za-z_]\w*)/g, 'use', 'shell-variable'],
  [/\$\{![A-Za-z_]/g, 'use', 'shell-variable', ANY],
  [ARITHMETIC, 'use', 'shell-variable', /([A-Za-z_]\w*)/g],
  [ARITHMETIC, 'define', 'shell-variable', /([A-Za-z_]\w*)\s*(?:[-+*/%&|^]?=(?!=)|\+\+|--)/g],
  [/\$\{(\w+):?=/g, 'define', 'shell-variable'],
  [/(?:^|[\s;&|("'`])([A-Za-z_]\w*)(?:\[[^\]\n]{0,80}\])?\+?=(?!=)/g, 'guess', 'shell-variable'],
];

/** A comment, an escaped sign, quoted text, an expansion: what parts words or commands in them parts nothing. */
const WHOLE = /(?<=^|[\s;&|(])#.*|\\[\s\S]|'[^']*'|"(?:[^"\\]|\\[\s\S])*"|\$\{[^}\n]{0,200}\}/gm;

export function shell(text: string, found: Found): void {
  lines(ANYWHERE)(text, found);
  const plain = withoutDocuments(text).replace(WHOLE, (whole) => {
    if (whole.startsWith('#')) return '';
    return whole === '\\\n' ? SPACE_LINE : whole.replace(/\n/g, QUIET_LINE).replace(/[\s;&|(){}]/g, '_');
  });
  lines(COMMANDS)(plain, found);
}

const DOCUMENT = /(?<!<)<<-?[^\S\n]*\\?["']?([A-Za-z_]\w*)/g;

/** The same lines without the texts of here-documents. */
function withoutDocuments(text: string): string {
  const all = text.split('\n');
  const there = new Set(all.map((line) => line.trim()));
  const ends: string[] = [];
  const kept = all.map((line) => {
    if (ends.length > 0) {
      if (line.trim() === ends[0]) ends.shift();
      return '';
    }
    for (const [, end = ''] of /^\s*#/.test(line) ? [] : line.matchAll(DOCUMENT)) if (there.has(end)) ends.push(end);
    return line;
  });
  return kept.join('\n');
}
