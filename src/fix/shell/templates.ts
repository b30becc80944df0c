// Templates inside scripts and data: an expression is one word, a statement on a line of its own is none. Lengths stay.

import { hideTemplates, isStatement, MARK, TEMPLATE } from './hide-templates.ts';

export { hideTemplates };

/**
 * `text` as the grammar can read it, of the same length: each template expression one word; and no backslash before a command's
 * name (`\\rm`), which it takes for a line that goes on.
 */
export const readable = (text: string, isPlain = false): string =>
  plainAnsi((isPlain ? text : hideTemplates(text)).replace(/([^\\\s](?:\\\\)*)\\\n(?=\S)/g, '$1'))
    .replace(/(^|\n)([ \t]*)\\(?=[A-Za-z])/g, '$1$2 ')
    .replace(/(^|[\n;&|({])([ \t]*)!(?=\s+!\s)/g, '$1$2 ')
    // The grammar reads no `!` before a compound command or a here-document; what is negated still runs.
    .replace(/(^|[\n;&|({])([ \t]*)!(?=\s+(?:(?:for|while|until|if|case|\{|\()[\s(]|[^\n]*<<))/g, '$1$2 ');

/** `$'…\\\\'` ends where bash ends it: an escaped backslash in such a string is written otherwise for the grammar. */
function plainAnsi(text: string): string {
  if (!text.includes("$'")) return text;
  let made = '';
  let quote = '';
  for (let i = 0; i < text.length; i++) {
    const c = text[i] as string;
    const two = text.slice(i, i + 2);
    if (quote === "$'" && two === '\\\\') {
      made += '\\134';
      i++;
      continue;
    }
    if (c === '\\' && quote !== "'") {
      made += two;
      i++;
      continue;
    }
    if (quote === '') {
      if (two === "$'") {
        quote = two;
        made += two;
        i++;
        continue;
      }
      if (c === '"' || c === "'") quote = c;
    } else if (c === quote.at(-1)) quote = '';
    made += c;
  }
  return made;
}

/** Statements that others stand in until their end. */
const OPENS = /^(?:if|unless|for|range|with|block|define|macro|call|filter|raw)\b|^set [\w, ]+$/;

/** For each line of a text, from 1, the template statements that it stands in, the outermost first: `if wipe`. */
export function statementsAround(text: string): (line: number) => readonly string[] {
  const open: string[] = [];
  const byLine = text.split('\n').map((line) => {
    let deepest = [...open];
    for (const [template] of line.matchAll(TEMPLATE)) {
      if (!template.startsWith('{%') && !isStatement(template)) continue;
      const statement = expressionOf(template);
      if (/^end/.test(statement)) open.pop();
      else if (/^el/.test(statement)) open.push(`${statement} of ${open.pop()}`);
      else if (OPENS.test(statement)) open.push(statement);
      if (open.length > deepest.length || /^el/.test(statement)) deepest = [...open];
    }
    return deepest;
  });
  return (line) => byLine[line - 1] ?? [];
}

const NOTHING = String.raw`(?:false|0|none|nil|""|''|\[\]|\(\)|list|\(list\)|not (?:true|1))`;
const NEVER = new RegExp(
  `^(?:if ${NOTHING}|el(?:se )?if ${NOTHING}(?: of .*)?|(?:for .* in|range(?: .*:=)?) ${NOTHING}|else of if (?:true|1))$`,
  'i',
);

/** What stands in such a statement is never part of the text, whatever is filled in. */
export const isNever = (statement: string): boolean => NEVER.test(statement);

/** What stands in such a statement is not written where it stands. */
export const isKeptApart = (statement: string): boolean => /^(?:set|macro|define) /.test(statement);

/** The expressions of a text that become words of it. */
export const expressionsIn = (text: string): string[] =>
  (text.match(TEMPLATE) ?? [])
    .filter((template) => template.startsWith('{{') && !isStatement(template))
    .map(expressionOf);

/** Without its brackets; blanks do not matter. */
const expressionOf = (template: string): string =>
  template
    .slice(2, -2)
    .replace(/^[-~+]|[-~+]$/g, '')
    .replace(/\s+/g, ' ')
    .trim();

export const isTemplated = (text: string): boolean => text.includes(MARK) || /\{\{|\{%/.test(text);
