// Makefiles: variables, targets, prerequisites, includes.
import { ANY } from './definition.ts';
import type { Found } from './names.ts';

const VARIABLE = /^(?:(?:override|export|private)\s+)*([^\s:=+?!#]+)\s*(?:[?+!]|:{1,3})?=/;
const RULE = /^([^\s:=#&][^:=#&]*)&?::?(?![:=])(.*)/;
const USE = /(?<!\$)(?:\$\$)*\$(?:[({]([^\s(){}:,=]+)(\s*)|([A-Za-z_]))/g;

export function makefile(text: string, found: Found): void {
  const lines = text.split(/\r?\n/);
  for (let at = 0; at < lines.length; at++) {
    const line = at + 1;
    let whole = lines[at] as string;
    while (whole.endsWith('\\') && at + 1 < lines.length) whole = `${whole.slice(0, -1)} ${lines[++at]}`;
    if (/^\s*#/.test(whole)) continue;
    uses(whole, line, found);
    if (!whole.startsWith('\t')) statement(whole.trim(), line, found);
  }
}

function statement(text: string, line: number, found: Found): void {
  const define = (name: string) => found.define('make-variable', name, line);
  const included = /^[-s]?include\s+(.*)/.exec(text)?.[1];
  if (included !== undefined) for (const path of words(included)) found.include(path);
  if (/\$[({](?:eval|foreach|call)\b/.test(text))
    for (const kind of ['make-variable', 'target'] as const)
      found.define(kind, ANY, line, kind === 'target' ? 'make' : undefined);
  const defined = /^define\s+(\S+)/.exec(text)?.[1];
  if (defined) {
    define(defined);
    return;
  }
  const variable = VARIABLE.exec(text)?.[1];
  if (variable !== undefined) {
    define(variable);
    if (/^export\b/.test(text)) found.define('env-variable', variable, line);
    return;
  }
  const exported = /^export\s+(.+)/.exec(text)?.[1];
  if (exported !== undefined) for (const name of words(exported)) found.define('env-variable', name, line);
  const [, targets, after = ''] = RULE.exec(text) ?? [];
  if (targets === undefined || /^(?:if|else|endif|vpath|unexport)/.test(text)) return;
  const own = VARIABLE.exec(after.trim())?.[1];
  // Of one target alone.
  if (own !== undefined) {
    found.guess('make-variable', own, line);
    return;
  }
  for (const name of words(targets)) if (!/^\.[A-Z_]+$/.test(name)) found.define('target', name, line, 'make');
  if (targets.startsWith('.')) return;
  for (const name of words(after.split(/[;#]/)[0] as string)) if (name !== '|') found.use('target', name, line, 'make');
}

const words = (text: string): string[] =>
  text
    .replace(/\s#.*/, '')
    .split(/\s+/)
    .filter((word) => word !== '');

function uses(text: string, line: number, found: Found): void {
  for (const [, name, space, letter] of text.includes('$') ? text.matchAll(USE) : []) {
    // `$(function words)`; of the functions only call and foreach name variables.
    if (!space) found.use('make-variable', name ?? letter ?? '', line);
  }
  for (const [, name] of text.matchAll(/\$[({]call\s+([\w.-]+)/g)) found.use('make-variable', name as string, line);
  for (const [, name] of text.matchAll(/\$\(MAKE\)\s+(?:-[Cf]\s*\S+\s+|-\S+\s+)*([\w.-]+)/g))
    found.use('target', name as string, line, 'make');
}
