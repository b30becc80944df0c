// Jinja in any file: variables that expressions and conditions use, and those that a template sets.
import type { Found } from './names.ts';

const INSERTED = /\{\{([^{}]*(?:\{[^{}]*\}[^{}]*)*)\}\}|\{%-?\s*([^{}]*(?:\{[^{}]*\}[^{}]*)*)%\}/g;
const TEXT = /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/g;
/** No attribute, no filter, no test, no function, no argument's name. */
const VARIABLE = /(?<![\w.])(?<!\|\s*)(?<!\bis (?:not )?)[A-Za-z_]\w*(?!\w)(?!\s*\(|\s*=(?!=))/g;
const WORDS = new Set(
  'and or not in is if elif else endif for endfor set endset block endblock macro endmacro include import from raw endraw call endcall filter endfilter true false none True False None do recursive with endwith ignore missing'.split(
    ' ',
  ),
);

/** What `{{ }}` and `{% %}` of a text use, and `set`, `for` and `macro` define. */
export function jinja(text: string, found: Found): void {
  let blocks = 0;
  text.split('\n').forEach((line, i) => {
    for (const [, expression, statement] of line.includes('{') ? line.matchAll(INSERTED) : []) {
      condition(expression ?? statement ?? '', i + 1, found);
      const [, names] = /^(?:set|for)\s+([\w\s,]+?)(?:\s*=|\s+in\b|$)/.exec(statement ?? '') ?? [];
      const [, parameters] = /^macro\s+\w+\s*\((.*)\)/.exec(statement ?? '') ?? [];
      const begins = /^(?:for|macro|block|call|filter)\b/.test(statement ?? '');
      if (begins) blocks++;
      if (/^end(?:for|macro|block|call|filter)\b/.test(statement ?? '')) blocks--;
      // What a block sets is gone behind it.
      const bind = blocks > 0 ? found.guess : found.define;
      for (const name of (names ?? parameters ?? '').split(','))
        bind('ansible-variable', name.replace(/=.*/, '').trim(), i + 1);
    }
  });
}

/** The variables of an expression without brackets around it. */
export function condition(text: string, line: number, found: Found): void {
  for (const [group] of text.matchAll(/\bgroups(?:\.\w+|\[['"][^'"]+['"]\])/g))
    found.use('group', group.replace(/^groups[.[]['"]?|['"]?\]$/g, ''), line);
  for (const [name] of text.replace(TEXT, "''").matchAll(VARIABLE))
    if (!WORDS.has(name)) found.use('ansible-variable', name, line);
}
