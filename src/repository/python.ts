// Python: every name that is bound, and every name and attribute that is used.
import { ANY } from './definition.ts';
import type { Found } from './names.ts';

const NAME = /[A-Za-z_]\w*/g;
const TOKENS =
  /#.*|[rRbBuUfF]{0,2}(?:"""[\s\S]*?(?:"""|$)|'''[\s\S]*?(?:'''|$)|"(?:[^"\\\n]|\\[\s\S])*"|'(?:[^'\\\n]|\\[\s\S])*')/g;
const BOUND = /\bfor\s+([^=]*?)\s+in\b|\bas\s+\(?(\w+)|\b(\w+)\s*:=/g;
const KEYWORDS = new Set(
  'False None True and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield'.split(
    ' ',
  ),
);

export function python(text: string, found: Found): void {
  const code = text.replace(TOKENS, blanked);
  const lines = code.split(/\r?\n/);
  const define = (names: string | undefined, line: number) => {
    for (const [name] of (names ?? '').matchAll(NAME)) if (!KEYWORDS.has(name)) found.define('python-name', name, line);
  };
  let parameters = '';
  lines.forEach((one, i) => {
    const line = i + 1;
    define(/^\s*class\s+(\w+)/.exec(one)?.[1], line);
    const header = /^\s*(?:async\s+)?def\s+(\w+)(.*)/.exec(one);
    define(header?.[1], line);
    // Parameters may go on over lines until the bracket closes.
    if (header || parameters !== '') {
      parameters += header?.[2] ?? one;
      for (const [, name] of one.matchAll(/(?:[(,*]|^)\s*([A-Za-z_]\w*)\s*(?=[:,=)]|$)/g)) define(name, line);
      const depth = (parameters.match(/[([{]/g)?.length ?? 0) - (parameters.match(/[)\]}]/g)?.length ?? 0);
      if (depth <= 0 || parameters.length > 20_000) parameters = '';
    }
    imports(one, line, define, found);
    define(
      /^([^=!<>:]*?[^=!<>:\s])\s*(?::[^=]+)?(?:\/\/|\*\*|>>|<<|[-+*/%&|^@])?=(?!=)/
        .exec(one)?.[1]
        ?.replace(/\[[^\]]*\]|\w\([^)]*\)/g, ''),
      line,
    );
    for (const [, names, alias, walrus] of one.matchAll(BOUND)) define(names ?? alias ?? walrus, line);
    for (const [, names] of one.matchAll(/\blambda\s+([^:]*):/g)) define(names?.replace(/=[^,]*/g, ''), line);
    for (const [name] of one.matchAll(NAME)) if (!KEYWORDS.has(name)) found.use('python-name', name, line);
    if (/\b(?:exec|setattr|globals|locals)\s*\(|__getattr__/.test(one)) found.define('python-name', ANY, line);
  });
}

function imports(one: string, line: number, define: (names: string, line: number) => void, found: Found): void {
  const [, names] = /^\s*(?:from\s+\S+\s+)?import\s+(.*)/.exec(one) ?? [];
  if (names === undefined) return;
  for (const part of names.split(',')) define(part.replace(/.*\sas\s|\.[\w.]+/g, ''), line);
  if (/^\s*\*/.test(names)) found.define('python-name', ANY, line);
  const module = /^\s*(?:from|import)\s+\.*([\w.]+)/.exec(one)?.[1];
  if (module) found.include(`${module.replaceAll('.', '/')}.py`);
}

/** Quoted text without what it says; what an f-string inserts stays, and so do the lines. */
function blanked(token: string): string {
  if (token.startsWith('#')) return '';
  const isFormat = /^[rR]?[fF]/.test(token);
  const kept = isFormat ? [...token.matchAll(/\{([^{}]*)\}/g)].map(([, code]) => `(${code})`).join(' ') : '';
  return `""${kept.replaceAll('\n', ' ')}${'\n'.repeat(token.split('\n').length - 1)}`;
}
