// Makefiles: variables, targets, includes.
import { ANY } from './definition.ts';
import type { Found } from './names.ts';

const VARIABLE = /^((?:(?:override|export|private)\s+)*)([^\s:=+?!#]+)\s*(?:[?+!]|:{1,3})?=/;
const RULE = /^(?!if|else|endif|vpath|unexport)([^\s:=#&][^:=#&]*)&?::?(?![:=])(.*)/;
const USE = /(?<!\$)(?:\$\$)*\$(?:[({](?:call\s+)?([^\s(){}:,=@<^*?%+|]+)(?![^(){}:,=])|([A-Za-z_]))/g;

export function makefile(text: string, found: Found): void {
  const lines = text.split(/\r?\n/);
  for (let at = 0; at < lines.length; at++) {
    found.line = at + 1;
    let whole = lines[at] as string;
    while (whole.endsWith('\\') && at + 1 < lines.length) whole = `${whole.slice(0, -1)} ${lines[++at]}`;
    if (/^\s*#/.test(whole)) continue;
    for (const [, name, letter] of whole.includes('$') ? whole.matchAll(USE) : [])
      found.use('make-variable', name ?? letter);
    if (!whole.startsWith('\t')) statement(whole.trim(), found);
  }
}

function statement(text: string, found: Found): void {
  if (/\$[({](?:eval|foreach|call)\b/.test(text)) {
    found.define('make-variable', ANY);
    found.define('target', ANY, 'make');
  }
  const [, keyword, after = ''] = /^([-s]?include|define|export)\s+([^=]+)$/.exec(text) ?? [];
  const [, modifiers, variable] = VARIABLE.exec(text) ?? [];
  if (keyword === 'define') found.define('make-variable', words(after)[0]);
  else if (keyword === 'export') for (const name of words(after)) found.define('env-variable', name);
  else if (keyword) for (const path of words(after)) found.include(path);
  else if (variable) {
    found.define('make-variable', variable);
    if (modifiers?.includes('export')) found.define('env-variable', variable);
  } else rule(text, found);
}

function rule(text: string, found: Found): void {
  const [, targets = '', after = ''] = RULE.exec(text) ?? [];
  const [, , own] = VARIABLE.exec(after.trim()) ?? [];
  // `target: NAME = value`: for that target alone.
  if (own) found.guess('make-variable', own);
  else if (!/^\.[A-Z_]+\b/.test(targets)) for (const name of words(targets)) found.define('target', name, 'make');
}

const words = (text: string): string[] => text.replace(/\s#.*/, '').split(/\s+/);
