// justfiles: variables, recipes and their parameters, imports and modules.
import type { Found } from './names.ts';

const VARIABLE = /^(?:(export)\s+|unexport\s+)?([A-Za-z_][\w-]*)\s*:=(.*)/;
const RECIPE = /^@?([A-Za-z_][\w-]*)((?:\s+[^\s:][^:]*(?::[^:=][^:]*)*?)?)\s*:(?!=)(.*)/;
const PARAMETER = /[*+]?(\$?)([A-Za-z_][\w-]*)(?:\s*=\s*("[^"]*"|'[^']*'|`[^`]*`|\([^)]*\)|[^\s"'`]+))?/g;
const INSERTED = /(?<!\{)\{\{(?!\{)([^{}]*)\}\}/g;
const IN_QUOTES = /"(?:[^"\\]|\\.)*"|'[^']*'|`[^`]*`/g;

export function justfile(text: string, found: Found): void {
  text.split(/\r?\n/).forEach((raw, i) => {
    for (const [, expression = ''] of raw.includes('{{') ? raw.matchAll(INSERTED) : []) names(expression, i + 1, found);
    if (!/^\s|^#|^$|^set\s/.test(raw)) statement(raw, i + 1, found);
  });
}

function statement(raw: string, line: number, found: Found): void {
  const [, verb, rest] = /^(import|mod)\??\s+(.*)/.exec(raw) ?? [];
  const [, alias, recipe] = /^alias\s+([\w-]+)\s*:=\s*([\w:-]+)/.exec(raw) ?? [];
  const [, exported, variable, value] = VARIABLE.exec(raw) ?? [];
  if (verb !== undefined && rest !== undefined) reads(verb, rest, found);
  else if (alias !== undefined && recipe !== undefined) {
    found.define('target', alias, line, 'just');
    found.use('target', recipe, line, 'just');
  } else if (variable !== undefined && value !== undefined) {
    found.define('just-variable', variable, line);
    if (exported) found.define('env-variable', variable, line);
    names(value, line, found);
  } else recipeLine(raw, line, found);
}

function reads(verb: string, rest: string, found: Found): void {
  const path = /["']([^"']+)["']/.exec(rest)?.[1];
  const name = /^[\w-]+/.exec(rest)?.[0];
  if (verb === 'import') found.include(path ?? '');
  else if (name) found.include(path ?? name, `${name}::`);
}

function recipeLine(raw: string, line: number, found: Found): void {
  // A colon in a default value does not end the parameters.
  const masked = raw.replace(IN_QUOTES, (quoted) => '"'.padEnd(quoted.length - 1, '_').concat('"'));
  const [, recipe, parameters = '', after = ''] = RECIPE.exec(masked) ?? [];
  if (recipe === undefined) return;
  found.define('target', recipe, line, 'just');
  for (const [, dollar, name, value] of parameters.matchAll(PARAMETER)) {
    found.define('just-variable', name as string, line);
    if (dollar) found.define('env-variable', name as string, line);
    names(value ?? '', line, found);
  }
  const dependencies = after.replace(/#.*/, '');
  for (const [whole] of dependencies.matchAll(/\([^()]*\)|[A-Za-z_][\w:-]*/g)) {
    const [name = '', ...rest] = whole.replace(/^\(/, '').replace(/\)$/, '').trim().split(/\s+/);
    found.use('target', name, line, 'just');
    names(rest.join(' '), line, found);
  }
}

/** The variables of an expression: not in quotes, and no function. */
function names(expression: string, line: number, found: Found): void {
  for (const [name] of expression.replace(IN_QUOTES, ' ').matchAll(/(?<![\w-])[A-Za-z_][\w-]*(?![\w-]*\s*\()/g))
    if (!/^(?:if|else|assert)$/.test(name)) found.use('just-variable', name, line);
}
