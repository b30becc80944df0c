// Templates inside scripts and data: an expression is one word, a statement on a line of its own is none. Lengths stay.

/** Stands for every character of a template that becomes text. */
const MARK = '\ue000';
/** What templates say besides values: conditions, loops, blocks; and what ends them. */
const STATEMENTS = new Set(
  'if elif else for range with block define template include macro set import from raw'.split(' '),
);
const TEMPLATE = /\{\{[^\n]*?\}\}|\{%[^\n]*?%\}|\{#[^\n]*?#\}/g;

/** With brackets inside it is an expression of just: `{{ if a == b { "c" } else { "d" } }}`. */
function isStatement(template: string): boolean {
  const [, word] = /^\{[{%][-~]?\s*(\w+|\$\w+\s*:?=)/.exec(template) ?? [];
  if (word === undefined || template.slice(2).includes('{')) return false;
  return word.startsWith('$') || word === 'end' || STATEMENTS.has(word.replace(/^end/, ''));
}

export function hideTemplates(text: string): string {
  if (!text.includes('{{') && !text.includes('{%') && !text.includes('{#')) return text;
  // A line that goes on behind a statement goes on without it, too.
  const joined = text.replace(/\\(\{[{%][^\n]*?[%}]\})(?=[ \t]*\n)/g, (whole, template: string) =>
    isStatement(template) ? `${' '.repeat(template.length)}\\` : whole,
  );
  return joined.replace(TEMPLATE, (template, at: number) => {
    const isAlone =
      /(?:^|\n)[ \t]*$/.test(text.slice(Math.max(0, at - 200), at)) &&
      /^[ \t]*(?:\n|$)/.test(text.slice(at + template.length, at + template.length + 200));
    // What only decides about text makes none itself.
    if (template.startsWith('{#') || isStatement(template) || (isAlone && template.startsWith('{%')))
      return ' '.repeat(template.length);
    return MARK.repeat(template.length);
  });
}

const QUOTED = /\$'(?:\\[\s\S]|[^'\\])*'|\\[\s\S]|'[^']*'|"(?:\\[\s\S]|[^"\\])*"/g;

/** `text` as the grammar can read it, line for line: without templates, and without what the grammar takes for something else. */
export const readable = (text: string): string =>
  hideTemplates(text)
    .replace(/([^\\\s](?:\\\\)*)\\\n(?=\S)/g, '$1')
    // It would not end `$'…\\'` where bash does.
    .replace(QUOTED, (quoted) => (quoted.startsWith("$'") ? quoted.replaceAll('\\\\', '\\134') : quoted))
    // `\rm` is no line that goes on.
    .replace(/(^|\n)([ \t]*)\\(?=[A-Za-z])/g, '$1$2 ')
    // It reads no second `!`, and none before a compound command or a here-document; what is negated still runs.
    .replace(/(^|[\n;&|({])([ \t]*)!(?=\s+(?:!\s|(?:for|while|until|if|case|\{|\()[\s(]|[^\n]*<<))/g, '$1$2 ');
