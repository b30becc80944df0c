// The tokens of a JSON text, comments among them. Pure.

export interface Token {
  readonly kind: 'string' | 'word' | 'mark' | 'comment';
  readonly text: string;
  readonly at: number;
}

const TOKEN = /"(?:[^"\\\n]|\\.)*"|\/\/[^\n]*|\/\*[\s\S]*?\*\/|[{}[\]:,]|[^\s{}[\]:,"/]+/g;

/** Every token in order; undefined when something is none. */
export function tokensOf(text: string): Token[] | undefined {
  const tokens = [...text.matchAll(TOKEN)].map(({ 0: found, index }) => ({
    kind: kindOf(found),
    text: found,
    at: index,
  }));
  const bare = tokens.reduceRight(
    (rest, { at, text: found }) => rest.slice(0, at) + rest.slice(at + found.length),
    text,
  );
  return bare.trim() === '' ? tokens : undefined;
}

function kindOf(text: string): Token['kind'] {
  if (text.startsWith('"')) return 'string';
  if (/^\/[/*]/.test(text)) return 'comment';
  return /^[{}[\]:,]$/.test(text) ? 'mark' : 'word';
}
