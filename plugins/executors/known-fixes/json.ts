// JSON that does not parse: what people write into it by habit (trailing commas, comments), or one comma that is missing.
import { errorLines, faultyFile } from './complaints.ts';
import { type Repair, type RepairFacts, rewritten } from './repair.ts';
import { isTemplate } from './source-text.ts';

const FILE = /\.json$/i;
/** Files that are read with comments and trailing commas in them. */
const LENIENT = /(?:^|\/)(?:[tj]sconfig(?:\.[\w-]+)?\.json|\.vscode\/[^/]+|devcontainer\.json|\.eslintrc\.json)$/;

const ERRORS = [
  /^(?:jq: )?(?:parse )?error\b.* at line \d+, column \d+$/,
  /\bJSONDecodeError\b|\bExpecting (?:property name|value|',' delimiter)|\bIllegal trailing comma\b/,
  /\bin JSON at position \d+|\bis not valid JSON\b|\bUnexpected end of JSON input\b/,
  /\binvalid character '.{1,6}' (?:looking for|after|in)\b/,
  /^mendloop: verify: json /,
];

export const json: Repair = {
  name: 'json',
  async find(facts) {
    if (!errorLines(facts).some((line) => ERRORS.some((pattern) => pattern.test(line)))) return undefined;
    const faulty = await faultyFile(facts, FILE, (text, path) => LENIENT.test(path) || isJson(text));
    const mended = faulty && !isTemplate(faulty.text) ? mendedJson(faulty.text) : undefined;
    if (!faulty || !mended) return undefined;
    const { path, text, lines, isNamed } = faulty;
    // An error that names no file may be about an answer from the network: then the line must be that of the fault.
    if (!isNamed && !isNear(mended.line, [...lines, ...linesAtOffsets(facts, text)])) return undefined;
    return rewritten(path, text, mended.text, {
      fix: `${mended.fix} in ${path}`,
      reason: 'The parser refuses the file as it is, and takes it with only this changed',
    });
  },
};

const isNear = (line: number, lines: readonly number[]): boolean => lines.some((one) => Math.abs(one - line) <= 1);

/** Some parsers count characters instead of lines. */
function linesAtOffsets(facts: RepairFacts, text: string): number[] {
  const offsets = errorLines(facts).flatMap((line) => /\b(?:position|char) (\d+)/.exec(line)?.[1] ?? []);
  return offsets.map((offset) => text.slice(0, Number(offset)).split('\n').length);
}

interface MendedJson {
  readonly text: string;
  readonly fix: string;
  /** The first line that changes. */
  readonly line: number;
}

export const isJson = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

/** The one repair that makes `text` parse; undefined when none of them does, or it parses. */
export function mendedJson(text: string): MendedJson | undefined {
  const tokens = isJson(text) ? undefined : tokensOf(text);
  if (!tokens) return undefined;
  const commas = trailing(tokens);
  const comments = tokens.filter(({ kind }) => kind === 'comment');
  const ways: readonly (readonly [string, string | undefined])[] = [
    ['Drop the trailing comma', commas.length === 0 ? undefined : without(text, commas)],
    ['Drop the comments, which JSON does not have', comments.length === 0 ? undefined : without(text, comments)],
    [
      'Drop comments and trailing commas, which JSON does not have',
      commas.length * comments.length === 0 ? undefined : without(text, [...commas, ...comments]),
    ],
    ['Add the comma that is missing', withComma(text, tokens)],
  ];
  const [way] = ways.filter((one): one is [string, string] => one[1] !== undefined && isJson(one[1]));
  return way && { fix: way[0], text: way[1], line: firstChange(text, way[1]) };
}

function firstChange(before: string, after: string): number {
  let at = 0;
  while (at < before.length && before[at] === after[at]) at++;
  return before.slice(0, at).split('\n').length;
}

/** Commas with nothing behind them but the end of what they are in. */
function trailing(tokens: readonly Token[]): Token[] {
  const plain = tokens.filter(({ kind }) => kind !== 'comment');
  return plain.filter(({ text }, i) => {
    const [before, after] = [plain[i - 1]?.text ?? '', plain[i + 1]?.text ?? ''];
    return text === ',' && /^[}\]]$/.test(after) && !/^[{[,:]$/.test(before);
  });
}

/** The text without `tokens`; a line of which nothing is left goes too. */
function without(text: string, tokens: readonly Token[]): string {
  const sorted = [...tokens].sort((a, b) => b.at - a.at);
  return sorted.reduce((rest, { at, text: token }) => {
    const begin = rest.lastIndexOf('\n', at - 1) + 1;
    const stop = rest.indexOf('\n', at + token.length);
    const end = stop === -1 ? rest.length : stop;
    const left = rest.slice(begin, at) + rest.slice(at + token.length, end);
    if (left.trim() === '') return rest.slice(0, begin) + rest.slice(Math.min(end + 1, rest.length));
    const line = token === ',' ? left : left.trimEnd();
    return rest.slice(0, begin) + line + rest.slice(end);
  }, text);
}

/** With a comma between a value that ends a line and the string, list or mapping that begins the next; only if it is the one place. */
function withComma(text: string, tokens: readonly Token[]): string | undefined {
  const places = tokens.flatMap((token, i) => {
    const next = tokens[i + 1];
    const end = token.at + token.text.length;
    const ends = token.kind === 'string' || token.kind === 'word' || /^[}\]]$/.test(token.text);
    const begins = next !== undefined && (next.kind === 'string' || next.kind === 'word' || /^[{[]$/.test(next.text));
    return ends && begins && text.slice(end, next.at).includes('\n') ? [end] : [];
  });
  const [only] = places;
  return only !== undefined && places.length === 1 ? `${text.slice(0, only)},${text.slice(only)}` : undefined;
}

interface Token {
  readonly kind: 'string' | 'word' | 'mark' | 'comment';
  readonly text: string;
  readonly at: number;
}

const TOKEN = /"(?:[^"\\\n]|\\.)*"|\/\/[^\n]*|\/\*[\s\S]*?\*\/|[{}[\]:,]|[^\s{}[\]:,"/]+/g;

/** Every token in order; undefined when something is none. */
function tokensOf(text: string): Token[] | undefined {
  const tokens = [...text.matchAll(TOKEN)].map(({ 0: token, index }) => ({
    kind: kindOf(token),
    text: token,
    at: index,
  }));
  const bare = tokens.reduceRight(
    (rest, { at, text: token }) => rest.slice(0, at) + rest.slice(at + token.length),
    text,
  );
  return bare.trim() === '' ? tokens : undefined;
}

function kindOf(text: string): Token['kind'] {
  if (text.startsWith('"')) return 'string';
  if (/^\/[/*]/.test(text)) return 'comment';
  return /^[{}[\]:,]$/.test(text) ? 'mark' : 'word';
}
