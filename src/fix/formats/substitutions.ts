// `s` commands of sed, perl, ed and vi, and sentences that say what replaces what: both name a part of a line.
import type { Change, Replacement } from '../edit.ts';
import { isPath } from './fences.ts';

const S_COMMAND =
  /(?:^|[\s;'"{])(?::?%?|\d+(?:,\d+)?|,|g?\/((?:[^/\\]|\\.)*)\/)\s*s([/|#,@!~;:])((?:(?!\2)[^\\\n]|\\.)*)\2((?:(?!\2)[^\\\n]|\\.)*)\2/g;
const RUNS = /\b(?:sed|perl|ed|ex|vim?)\b/;
const ALONE = /^\s*(?::?%?|\d+(?:,\d+)?|,|g?\/.*\/)s([/|#,@!~;:]).*\1[gIipe\d]*\s*$/;

/** The changes that `s` commands ask for; a line counts when it runs a program that knows them, or is nothing else. */
export function readSubstitutions(lines: readonly string[], files: ReadonlySet<string> = new Set()): Change[] {
  return lines.flatMap((line) => {
    const runs = RUNS.test(line);
    if (line.length > 2000 || (!runs && !ALONE.test(line))) return [];
    const extended = /\bperl\b|\s-[a-zA-Z]*[Er]/.test(line);
    const blocks = [...line.matchAll(S_COMMAND)].flatMap(([, address = '', , pattern = '', replacement = '']) => {
      const block = replacementOf(pattern === '' ? address : pattern, replacement, extended);
      return block ? [block] : [];
    });
    if (blocks.length === 0) return [];
    const words = runs ? line.replaceAll(S_COMMAND, ' ').split(/[\s'"`]+/) : [];
    const path = words.findLast((word) => (isPath(word) || files.has(word)) && !/^[/s]?[/|#]/.test(word));
    return [{ form: 'search-replace', path, blocks } as const];
  });
}

/** What one command does; undefined when its expression is not a plain one. */
function replacementOf(pattern: string, replacement: string, extended: boolean): Replacement | undefined {
  const literal = literalOf(pattern, extended);
  const usesGroups = /\\\d|(?:^|[^\\])&/.test(replacement);
  const plain = replacement.replaceAll(/\\(.)/g, (_, letter) =>
    letter === 'n' ? '\n' : letter === 't' ? '\t' : letter,
  );
  if (literal !== undefined && !usesGroups) return { search: literal, replace: plain, within: true };
  const search = expressionOf(pattern, extended);
  if (search === undefined) return undefined;
  const meaning: Readonly<Record<string, string>> = { '&': '$&', $: '$$', '\\n': '\n', '\\t': '\t' };
  const replace = replacement.replaceAll(/\\\d|\\.|[&$]/g, (sign) =>
    /\d/.test(sign) ? `$${sign.slice(1)}` : (meaning[sign] ?? sign.slice(1)),
  );
  return { search, replace, within: true, pattern: true };
}

/** The text that an expression stands for when it has nothing but letters, escapes, dots and anchors at its ends. */
function literalOf(pattern: string, extended: boolean): string | undefined {
  const inner = pattern.replace(/^\^/, '').replace(/([^\\])\$$/, '$1');
  const bare = inner.replaceAll(/\\[./\\*[\]$^&"'|#,@!~:;{}()+?-]/g, '');
  const special = extended ? /[*[\]\\+?(){}|]/ : /[*[\\]/;
  if (special.test(bare) || (!extended && /\\[(){}+?|]/.test(inner))) return undefined;
  return inner.replaceAll(/\\(.)/g, '$1');
}

const MAX_PATTERN = 200;

/** The same expression for us; undefined for one that could take long, or that is written in another way. */
function expressionOf(pattern: string, extended: boolean): string | undefined {
  if (pattern.length > MAX_PATTERN || /[*+?})]\s*[*+{]|\\[dwbB<>]/.test(pattern)) return undefined;
  // In a basic expression a bracket means itself, and an escaped one groups.
  const source = extended
    ? pattern
    : pattern.replaceAll(/\\([(){}+?|])|([(){}+?|])/g, (_, own, text) => own ?? `\\${text}`);
  const spelled = source.replaceAll('[[:space:]]', '\\s').replaceAll('\\/', '/');
  try {
    new RegExp(spelled);
    return spelled;
  } catch {
    return undefined;
  }
}

const GAP = String.raw`[^§\n]{0,60}?`;
const VERBS = String.raw`\b(?:replac|chang|renam|correct|fix|switch|updat|modif|swap|turn|edit|substitut|convert|set)\w*\b`;
/** Sentences in which §old§ and §new§ are quoted. */
const SENTENCES: readonly [RegExp, 'old first' | 'new first'][] = [
  [new RegExp(`${VERBS}${GAP}§(.+?)§${GAP}\\b(?:with|to|by|into|as)\\b${GAP}§(.+?)§`, 'gi'), 'old first'],
  [new RegExp(`\\bfrom\\b${GAP}§(.+?)§${GAP}\\bto\\b${GAP}§(.+?)§`, 'gi'), 'old first'],
  [/§(.+?)§\s*(?:->|=>|→|⟶|➜)\s*§(.+?)§/g, 'old first'],
  // A row of a table with nothing but the two.
  [/^\|\s*§(.+?)§\s*\|\s*§(.+?)§\s*\|\s*$/gm, 'old first'],
  [
    new RegExp(
      `§(.+?)§${GAP}\\b(?:becomes?|(?:should|must|has to|needs to|ought to)\\b[^§\\n]{0,12}\\b(?:be|read|say))\\b${GAP}§(.+?)§`,
      'gi',
    ),
    'old first',
  ],
  [new RegExp(`§(.+?)§${GAP}\\b(?:instead of|rather than|in place of)\\b${GAP}§(.+?)§`, 'gi'), 'new first'],
];
const QUOTES: readonly RegExp[] = [/`+([^`\n]+)`+/g, /["“]([^"“”\n]+)["”]/g, /(?<!\w)'([^'\n]+)'(?!\w)/g];

/** A sentence is found in no time in so much, and nobody says in more what replaces what. */
const MAX_PARAGRAPH = 1_000;

/** The changes that sentences ask for; quotes of one kind only are looked at, code before others. */
export function readSentences(lines: readonly string[]): Change[] {
  const text = lines
    .join('\n')
    .replaceAll(/\n(?=[^\s|])/g, ' ')
    .replaceAll('§', ' ')
    .split('\n')
    .filter((paragraph) => paragraph.length <= MAX_PARAGRAPH)
    .join('\n');
  for (const quotes of QUOTES) {
    const marked = text.replaceAll(quotes, '§$1§');
    const replacements = new Map<string, Replacement>();
    for (const [sentence, order] of SENTENCES) {
      for (const [, first = '', second = ''] of marked.matchAll(sentence)) {
        const [search, replace] = order === 'old first' ? [first, second] : [second, first];
        if (search !== replace) replacements.set(JSON.stringify([search, replace]), { search, replace, within: true });
      }
    }
    const blocks = [...replacements.values()];
    if (blocks.length > 0) return [{ form: 'search-replace', path: undefined, blocks }];
  }
  return [];
}
