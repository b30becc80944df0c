// Jinja in any file: variables that expressions and conditions use, and those that a template sets.
import type { Found } from './found.ts';
import { eachLine, unquoted } from './rows.ts';

const INSERTED = /\{\{([^{}]*(?:\{[^{}]*\}[^{}]*)*)\}\}|\{%-?\s*([^{}]*(?:\{[^{}]*\}[^{}]*)*)%\}/g;
const SET = /^(?:(?:set|for)\s+([\w\s,]+?)(?:\s*=|\s+in\b|\s*-?$)|macro\s+\w+\s*\((.*)\))/;
/** No attribute, no filter, no test, no function, no argument's name. */
const VARIABLE = unquoted(/(?<![\w.])(?<!\|\s*)(?<!\bis (?:not )?)[A-Za-z_]\w*(?!\w)(?!\s*\(|\s*=(?!=))/);
const WORDS = new Set(
  `and or not in is if elif else for set endset block endblock macro endmacro raw endraw call endcall filter endfilter with endwith
  endfor endif include import from do recursive ignore missing true True false False none None`.split(/\s+/),
);
const BLOCK = /^(end)?(?:for|macro|block|call|filter)\b/;

/** What `{{ }}` and `{% %}` of a text use, and `set`, `for` and `macro` define. */
export function jinja(text: string, found: Found): void {
  let blocks = 0;
  eachLine(text, found, (line) => {
    for (const [, expression, statement = ''] of line.includes('{') ? line.matchAll(INSERTED) : []) {
      for (const name of variablesIn(expression ?? statement)) found.use('ansible-variable', name);
      const [block, end] = BLOCK.exec(statement) ?? [];
      if (block) blocks += end ? -1 : 1;
      const [, names, parameters] = SET.exec(statement) ?? [];
      // What a block sets is gone behind it.
      const bind = blocks > 0 ? found.guess : found.define;
      for (const name of (names ?? parameters ?? '').split(','))
        bind('ansible-variable', name.replace(/=.*/, '').trim());
    }
  });
}

/** The variables of an expression without brackets around it. */
export const variablesIn = (expression: string): string[] =>
  Array.from(expression.matchAll(VARIABLE), ([, name = '']) => name).filter((name) => !WORDS.has(name));
