// Python: every name that is bound.
import { ANY } from './definition.ts';
import { eachLine, type Found } from './names.ts';

const NAME = /[A-Za-z_]\w*/g;
const LONG_TEXT = /[fF]?(?:"""[\s\S]*?(?:"""|$)|'''[\s\S]*?(?:'''|$))/;
const TEXT = /#.*|[fF]?(?:"(?:[^"\\\n]|\\[\s\S])*"|'(?:[^'\\\n]|\\[\s\S])*')/;
const TOKENS = new RegExp(`${LONG_TEXT.source}|${TEXT.source}`, 'g');
const BOUND = /\bfor\s+([^=]{1,200}?)\s+in\b|\bas\s+\(?(\w+)|\b(\w+)\s*:=|^\s*class\s+(\w+)/g;
const PARAMETER = /(?:[(,*]|^)\s*([A-Za-z_]\w*)\s*(?=[:,=)]|$)/g;
const ASSIGNED = /^([^=!<>:]*?[^=!<>:\s])\s*(?::[^=]+)?(?:\/\/|\*\*|>>|<<|[-+*/%&|^@])?=(?!=)/;
const CALL_OR_INDEX = /\[[^\]]*\]|\w\([^)]*\)/g;
const KEYWORDS = new Set(
  `False None True and as assert async await break class continue def del elif else except finally for from global if
  import in is lambda nonlocal not or pass raise return try while with yield`.split(/\s+/),
);

export function python(text: string, found: Found): void {
  const define = (list = '') => {
    for (const [name] of list.matchAll(NAME)) if (!KEYWORDS.has(name)) found.define('python-name', name);
  };
  let parameters = '';
  eachLine(text.replace(TOKENS, blanked), found, (line) => {
    const [, header, rest] = /^\s*(?:async\s+)?def\s+(\w+)(.*)/.exec(line) ?? [];
    define(header);
    // Parameters may go on over lines until the bracket closes.
    if (header || parameters !== '') {
      parameters += rest ?? line;
      for (const [, name] of line.matchAll(PARAMETER)) define(name);
      const depth = (parameters.match(/[([{]/g)?.length ?? 0) - (parameters.match(/[)\]}]/g)?.length ?? 0);
      if (depth <= 0 || parameters.length > 20_000) parameters = '';
    }
    const [, module, imported] = /^\s*(?:from\s+\.*([\w.]*)\s+)?import\s+(.*)/.exec(line) ?? [];
    for (const part of imported?.split(',') ?? []) define(part.replace(/.*\sas\s|\.[\w.]+/g, ''));
    if (imported) found.include(`${(module || (/[\w.]+/.exec(imported)?.[0] ?? '')).replaceAll('.', '/')}.py`);
    if (/^\*/.test(imported ?? '') || /\b(?:exec|setattr|globals|locals)\s*\(/.test(line))
      found.define('python-name', ANY);
    define(ASSIGNED.exec(line)?.[1]?.replace(CALL_OR_INDEX, ''));
    for (const [, loop, alias, walrus, type] of line.matchAll(BOUND)) define(loop ?? alias ?? walrus ?? type);
    for (const [, lambda] of line.matchAll(/\blambda\s+([^:]{0,200}):/g)) define(lambda?.replace(/=[^,]*/g, ''));
  });
}

/** Quoted text without what it says; what an f-string inserts stays: it may bind a name. */
function blanked(token: string): string {
  if (token.startsWith('#')) return '';
  const kept = /^[fF]/.test(token) ? Array.from(token.matchAll(/\{([^{}\n]*)\}/g), ([, code]) => `(${code})`) : [];
  return `""${kept.join(' ')}${token.replace(/[^\n]/g, '')}`;
}
