// Jinja in any file: variables that expressions and conditions use, and those that a template sets.
import { eachLine, type Found } from './names.ts';

const INSERTED = /\{\{([^{}]*(?:\{[^{}]*\}[^{}]*)*)\}\}|\{%-?\s*([^{}]*(?:\{[^{}]*\}[^{}]*)*)%\}/g;
const SET = /^(?:(?:set|for)\s+([\w\s,]+?)(?:\s*=|\s+in\b|\s*-?$)|macro\s+\w+\s*\((.*)\))/;
const TEXT = /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/g;
/** No attribute, no filter, no test, no function, no argument's name. */
const VARIABLE = /(?<![\w.])(?<!\|\s*)(?<!\bis (?:not )?)[A-Za-z_]\w*(?!\w)(?!\s*\(|\s*=(?!=))/g;
const WORD = /^(?:and|or|not|in|is|if|elif|else|for|(?:end)?(?:set|block|macro|raw|call|filter|with)|end(?:for|if))$/;
const RARE = /^(?:include|import|from|do|recursive|ignore|missing|[tT]rue|[fF]alse|[nN]one)$/;

const BEGINS = /^(?:for|macro|block|call|filter)\b/;
const ENDS = /^end(?:for|macro|block|call|filter)\b/;

/** What `{{ }}` and `{% %}` of a text use, and `set`, `for` and `macro` define. */
export function jinja(text: string, found: Found): void {
  let blocks = 0;
  eachLine(text, found, (line) => {
    for (const [, expression, statement = ''] of line.includes('{') ? line.matchAll(INSERTED) : []) {
      condition(expression ?? statement, found);
      if (BEGINS.test(statement)) blocks++;
      else if (ENDS.test(statement)) blocks--;
      const [, names, parameters] = SET.exec(statement) ?? [];
      // What a block sets is gone behind it.
      const bind = blocks > 0 ? found.guess : found.define;
      for (const name of (names ?? parameters ?? '').split(','))
        bind('ansible-variable', name.replace(/=.*/, '').trim());
    }
  });
}

/** The variables of an expression without brackets around it. */
export function condition(text: string, found: Found): void {
  for (const [name] of text.replace(TEXT, "''").matchAll(VARIABLE))
    if (!WORD.test(name) && !RARE.test(name)) found.use('ansible-variable', name);
}
