// justfiles: variables, recipes and their parameters, imports and modules.
import { eachLine, type Found } from './names.ts';

const VARIABLE = /^(?:(export)\s+)?([A-Za-z_][\w-]*)\s*:=(.*)/;
const RECIPE = /^@?([A-Za-z_][\w-]*)(\s[^:]*)?:(?!=)(.*)/;
const PARAMETER = /[*+]?(\$?)([A-Za-z_][\w-]*)(?:\s*=\s*("[^"]*"|'[^']*'|`[^`]*`|\([^)]*\)|[^\s"'`]+))?/g;
const INSERTED = /(?<!\{)\{\{(?!\{)([^{}]*)\}\}/g;
const IN_QUOTES = /"(?:[^"\\]|\\.)*"|'[^']*'|`[^`]*`/g;
const NAME = /(?<![\w-])[A-Za-z_][\w-]*(?![\w-]*\s*\()/g;

export function justfile(text: string, found: Found): void {
  eachLine(text, found, (raw) => {
    for (const [, expression] of raw.includes('{{') ? raw.matchAll(INSERTED) : []) variables(expression, found);
    if (!/^\s|^#|^$|^set\s/.test(raw)) statement(raw, found);
  });
}

function statement(raw: string, found: Found): void {
  const [, verb, name = '', path] = /^(import|mod)\b\??\s*([\w-]*)\s*(?:["']([^"']+)["'])?/.exec(raw) ?? [];
  const [, alias] = /^alias\s+([\w-]+)\s*:=/.exec(raw) ?? [];
  const [, exported, variable, value] = VARIABLE.exec(raw) ?? [];
  if (verb) found.include(path ?? name, verb === 'mod' ? `${name}::` : '');
  else if (alias) found.define('target', alias, 'just');
  else if (variable) {
    found.define('just-variable', variable);
    if (exported) found.define('env-variable', variable);
    variables(value, found);
  } else recipeLine(raw, found);
}

function recipeLine(raw: string, found: Found): void {
  // A colon in a default value does not end the parameters.
  const masked = raw.replace(IN_QUOTES, (quoted) => '"'.padEnd(quoted.length - 1, '_').concat('"'));
  const [, recipe, parameters = '', after = ''] = RECIPE.exec(masked) ?? [];
  if (!recipe) return;
  found.define('target', recipe, 'just');
  for (const [, dollar, name, value] of parameters.matchAll(PARAMETER)) {
    found.define('just-variable', name);
    if (dollar) found.define('env-variable', name);
    variables(value, found);
  }
  // What is handed to a dependency: `(push host)`.
  for (const [, given] of after.matchAll(/\(\s*[\w:-]+([^()]*)\)/g)) variables(given, found);
}

/** The variables of an expression: not in quotes, and no function. */
function variables(expression: string | undefined, found: Found): void {
  for (const [name] of (expression ?? '').replace(IN_QUOTES, ' ').matchAll(NAME))
    if (!/^(?:if|else|assert)$/.test(name)) found.use('just-variable', name);
}
