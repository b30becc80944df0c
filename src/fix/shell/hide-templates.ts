// Templates inside scripts and data: an expression is one word, a statement or comment is none. Lengths stay.

/** Stands for every character of a template that becomes text. */
const MARK = '\ue000';
const TEMPLATE = /\{\{[^\n]*?\}\}|\{%[^\n]*?%\}|\{#[^\n]*?#\}/g;
/** What only decides about text; with brackets inside it is an expression of just: `{{ if a == b { "c" } else { "d" } }}`. */
const STATEMENT =
  /^\{(?:[%#]|\{[-~]?\s*(?:(?:if|else|range|with|block|define|template|include|end)\b|\$\w+\s*:?=)[^{]*$)/;

export const hideTemplates = (text: string): string =>
  text.replace(TEMPLATE, (template) => (STATEMENT.test(template) ? ' ' : MARK).repeat(template.length));

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
