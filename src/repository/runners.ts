// What make, just, env files and Terraform define and use.
import { ANY } from './definition.ts';
import { eachLine, type Found, type LineRow, lines, unquoted } from './rows.ts';
import { withoutDocuments } from './scripts.ts';

const VARIABLE = String.raw`(?:(?:override|export|private)\s+)*([^\s:=+?!#]+)\s*(?:[?+!]|:{1,3})?=`;
const TARGETS = String.raw`(?!if|else|endif|vpath|unexport|\.[A-Z_]+\b)[^\s:=#&][^:=#&]*`;
const COMPUTES = /^(?!\t).*\$[({](?:eval|foreach|call)\b/g;
const MAKE_USE = /(?<!\$)(?:\$\$)*\$(?:[({](?:call\s+)?([^\s(){}:,=@<^*?%+|]+)(?![^(){}:,=])|([A-Za-z_]))/g;
const MAKE: readonly LineRow[] = [
  [MAKE_USE, 'use', 'make-variable'],
  [/^ *[-s]?include\s+([^=#]+)/g, 'use', 'file'],
  [/^ *define\s+([^\s=]+)/g, 'define', 'make-variable'],
  [/^ *export\s+([^=#]+)(?:#.*)?$/g, 'define', 'env-variable'],
  [new RegExp(`^ *${VARIABLE}`, 'g'), 'define', 'make-variable'],
  [new RegExp(`^ *(?:\\w+\\s+)?export\\s+${VARIABLE}`, 'g'), 'define', 'env-variable'],
  [new RegExp(`^ *(${TARGETS})&?::?(?![:=]|\\s*${VARIABLE})`, 'g'), 'define', 'target', undefined, 'make'],
  // `target: NAME = value`: for that target alone.
  [new RegExp(`^ *${TARGETS}::?\\s*${VARIABLE}`, 'g'), 'guess', 'make-variable'],
  [COMPUTES, 'define', 'make-variable', ANY],
  [COMPUTES, 'define', 'target', ANY, 'make'],
];
const COMMENT = /^[^\S\n]*#.*/gm;

export const makefile = (text: string, found: Found): void =>
  lines(MAKE)(text.replace(/\\\r?\n/g, '\v').replace(COMMENT, ''), found);

const JUST_VARIABLE = /(?<![\w-])(?!(?:if|else|assert)\b)[A-Za-z_][\w-]*(?![\w-]*\s*\()/;
const PARAMETERS = /^@?[A-Za-z_][\w-]*(\s[^:]*):(?!=)/g;
/** What defaults of parameters are made of, and what is handed to a dependency: `(push host)`. */
const IN_HEADER = new RegExp(
  `(?<==\\s*(?:\\([^)]{0,200})?|\\(\\s*[\\w:-]+\\s[^()]{0,200})(${JUST_VARIABLE.source})`,
  'g',
);
const IN_RECIPES: readonly LineRow[] = [
  [/(?<!\{)\{\{(?!\{)([^{}]*)\}\}/g, 'use', 'just-variable', unquoted(JUST_VARIABLE)],
];
const JUST: readonly LineRow[] = [
  [/^alias\s+([\w-]+)\s*:=/g, 'define', 'target', undefined, 'just'],
  [/^(?:export\s+)?([A-Za-z_][\w-]*)\s*:=/g, 'define', 'just-variable'],
  [/^export\s+([A-Za-z_][\w-]*)\s*:=/g, 'define', 'env-variable'],
  [/^(?!set\s|alias\s)[A-Za-z_].*?:=(.*)/g, 'use', 'just-variable', unquoted(JUST_VARIABLE)],
  [/^@?([A-Za-z_][\w-]*)(?:\s[^:]*)?:(?!=)/g, 'define', 'target', undefined, 'just'],
  [PARAMETERS, 'define', 'just-variable', /([A-Za-z_][\w-]*)(?:\s*=\s*(?:\([^)]*\)|\S+))?/g],
  [PARAMETERS, 'define', 'env-variable', /\$([A-Za-z_][\w-]*)/g],
  [/^@?[A-Za-z_][\w-]*((?:\s[^:]*)?:(?!=).*)/g, 'use', 'just-variable', IN_HEADER],
];

export function justfile(text: string, found: Found): void {
  const read = /^(?:import|mod\b\??\s*([\w-]+))\??[^\S\n]*(?:["']([^"'\n]+)["'])?/gm;
  for (const [, name, path = name] of text.matchAll(read)) found.use('file', path, name && `${name}::`);
  lines(IN_RECIPES)(text, found);
  // A colon in a default value does not end the parameters.
  lines(JUST)(text.replace(/"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|`[^`\n]*`/g, "''"), found);
}

const ENV_NAME = /^\s*(?:export\s+)?([A-Za-z_][\w.]*)\s*[=:]/g;
const ENV: readonly LineRow[] = [
  [ENV_NAME, 'define', 'env-variable'],
  [ENV_NAME, 'define', 'shell-variable'],
  [ENV_NAME, 'define', 'make-variable'],
  [/\$(?:\{[#!]?)?([A-Za-z_]\w*)/g, 'use', 'env-variable'],
];
export const envFile = (text: string, found: Found): void => lines(ENV)(text.replace(COMMENT, ''), found);

/** A text, a comment. */
const QUIET = /"(?:[^"\\\n]|\\.)*"|\/\*[\s\S]*?(?:\*\/|$(?![\s\S]))|(?:#|\/\/).*/gm;
const BLOCK = /^\s*(variable|module|resource|data|ephemeral)\s+"?([\w-]+)"?\s*(?:"?([\w-]+)"?)?\s*\{/;

const ROOT: Readonly<Record<string, string>> = { variable: 'var', resource: '' };

export function terraform(text: string, found: Found): void {
  let depth = 0;
  let inLocals = false;
  const quiet = (one: string) => (/^"[\w-]*"$/.test(one) ? one : `""${one.replace(/[^\n]/g, '')}`);
  eachLine(withoutDocuments(text).replace(QUIET, quiet), found, (line) => {
    if (depth === 0) {
      const [, kind = '', ...labels] = BLOCK.exec(line) ?? [];
      const address = [ROOT[kind] ?? kind, ...labels].filter(Boolean).join('.');
      if (kind === 'variable' || kind === 'module' || labels[1]) found.define('terraform', address);
      inLocals = /^\s*locals\b/.test(line);
    }
    const local = depth === 0 ? /^\s*locals\s*\{\s*([\w-]+)\s*=/ : /^\s*([\w-]+)\s*=(?!=)/;
    const [, name] = (inLocals && depth <= 1 && local.exec(line)) || [];
    if (name) found.define('terraform', `local.${name}`);
    depth = Math.max(0, depth + (line.match(/[{[(]/g)?.length ?? 0) - (line.match(/[}\])]/g)?.length ?? 0));
  });
}
