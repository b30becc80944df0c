// The ways to change one thing in a source: what each mutant replaces, found by its tokens. TypeScript has no parser to use here;
// esbuild tells afterwards whether a mutant is still a program, and another one.

/** Every mutant of `source`: its place, the text there, what it becomes, and what that is called. */
export function mutantsOf(source) {
  const tokens = tokensOf(source);
  const found = [];
  const add = (start, end, text, kind) =>
    found.push({ start, end, text, kind, line: source.slice(0, start).split('\n').length });
  for (const [at, { text, start, end }] of tokens.entries()) {
    if (FLIPPED[text] && (!/[<>]/.test(text) || isSpaced(source, start, end)))
      add(start, end, FLIPPED[text], 'comparison');
    else if (JOINED[text]) add(start, end, JOINED[text], 'and/or');
    else if (CONSTANTS[text]) add(start, end, CONSTANTS[text], 'constant');
    else if (/^\d[\d_]*$/.test(text)) add(start, end, String(Number(text.replaceAll('_', '')) + 1), 'off by one');
    else if (text === 'if' && tokens[at + 1]?.text === '(') {
      const close = closing(tokens, at + 1);
      if (close) add(tokens[at + 1].start, close.end, `(!${source.slice(tokens[at + 1].start, close.end)})`, 'negated');
    }
  }
  for (const { start, end, text } of statements(source))
    add(start, end, text, text === '' ? 'dropped' : 'dropped return');
  return found;
}

const FLIPPED = { '===': '!==', '!==': '===', '<': '<=', '<=': '<', '>': '>=', '>=': '>' };
const JOINED = { '&&': '||', '||': '&&' };
const CONSTANTS = { true: 'false', false: 'true' };

/** A comparison is written with spaces around it, the brackets of a type are not. */
const isSpaced = (source, start, end) => source[start - 1] === ' ' && source[end] === ' ';

function closing(tokens, open) {
  let depth = 0;
  for (const token of tokens.slice(open)) {
    if (token.text === '(') depth += 1;
    if (token.text === ')' && --depth === 0) return token;
  }
  return undefined;
}

/** Statements that stand on one line: a call, an assignment, a jump without its value. */
function* statements(source) {
  let at = 0;
  for (const line of source.split('\n')) {
    const [, indent = '', word = ''] = /^(\s+)(?:if \(.*\) )?([\w$]+)/.exec(line) ?? [];
    const start = at + indent.length;
    const end = at + line.length;
    at = end + 1;
    if (indent === '' || !line.endsWith(';') || /^\s*(?:\/\/|\*)/.test(line)) continue;
    if (/^\s+return .+;$/.test(line)) yield { start, end, text: 'return;' };
    else if (/^\s+(?:throw|continue|break)\b.*;$|^\s+if \(.*\) (?:return|throw|continue|break)\b.*;$/.test(line))
      yield { start, end, text: '' };
    else if (
      /^\s+(?:await )?[\w$.?[\]]+(?:\(.*\)| [-+|&?]*= .+);$/.test(line) &&
      !/^(?:const|let|return|type|export|import)$/.test(word)
    )
      yield { start, end, text: '' };
  }
}

/** Words, numbers and operators, without comments, strings, templates and regular expressions. */
function tokensOf(source) {
  const tokens = [];
  let at = 0;
  const SKIPPED = [
    /\s+/y,
    /\/\/[^\n]*/y,
    /\/\*[\s\S]*?\*\//y,
    /'(?:[^'\\\n]|\\.)*'/y,
    /"(?:[^"\\\n]|\\.)*"/y,
    /`(?:[^`\\]|\\[\s\S])*`/y,
  ];
  const REGEX = /\/(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/y;
  const TOKEN = /[\w$]+|===|!==|=>|<=|>=|&&|\|\||\?\?|[^\s\w$]/y;
  const match = (pattern) => {
    pattern.lastIndex = at;
    return pattern.exec(source)?.[0];
  };
  while (at < source.length) {
    const previous = tokens.at(-1)?.text ?? '';
    const mayBeRegex = !/^[\w$)\]]+$/.test(previous) || /^(?:return|typeof|case|of|in)$/.test(previous);
    const skipped = SKIPPED.map(match).find(Boolean) ?? (mayBeRegex ? match(REGEX) : undefined);
    const text = skipped ?? match(TOKEN) ?? source[at];
    if (!skipped) tokens.push({ text, start: at, end: at + text.length });
    at += text.length;
  }
  return tokens;
}
