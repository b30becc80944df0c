// JSON that does not parse: what people write into it by habit (trailing commas, comments), or one comma that is missing.
import { errorLines, faultyFile } from './complaints.ts';
import { isTemplate, onlyOne, type Repair, rewritten, splice } from './repair.ts';

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

export const json: Repair = async (facts) => {
  const errors = errorLines(facts);
  if (!errors.some((line) => ERRORS.some((pattern) => pattern.test(line)))) return undefined;
  const faulty = await faultyFile(facts, FILE, (text, path) => LENIENT.test(path) || isJson(text));
  const mended = faulty && !isTemplate(faulty.text) ? mendedJson(faulty.text) : undefined;
  if (!faulty || !mended) return undefined;
  // Some parsers count characters instead of lines.
  const offsets = errors.flatMap((line) => /\b(?:position|char) (\d+)/.exec(line)?.[1] ?? []);
  const lineOf = (offset: string) => faulty.text.slice(0, Number(offset)).split('\n').length;
  const lines = [...faulty.lines, ...offsets.map(lineOf)];
  // Without a file name the error may be about a network response: then its line must be that of the fault.
  if (!faulty.isNamed && !lines.some((line) => Math.abs(line - mended.line) <= 1)) return undefined;
  return rewritten(faulty, mended.text, {
    fix: `${mended.fix} in ${faulty.path}`,
    reason: 'The parser refuses the file as it is, and takes it with only this changed',
  });
};

export function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** The one repair that makes `text` parse, and the first line that it changes; undefined when none does, or it parses. */
export function mendedJson(text: string): { text: string; fix: string; line: number } | undefined {
  const tokens = isJson(text) ? undefined : tokensOf(text);
  if (!tokens) return undefined;
  const comments = tokens.filter((token) => COMMENT.test(token.text));
  const commas = trailingCommas(tokens.filter((token) => !COMMENT.test(token.text)));
  const ways = [
    { fix: 'Drop the trailing comma', text: without(text, commas) },
    { fix: 'Drop the comments, which JSON does not have', text: without(text, comments) },
    {
      fix: 'Drop comments and trailing commas, which JSON does not have',
      text: without(text, [...commas, ...comments]),
    },
    { fix: 'Add the comma that is missing', text: withComma(text, tokens) },
  ];
  const way = ways.find((one) => isJson(one.text));
  const after = way?.text.split('\n') ?? [];
  return way && { ...way, line: text.split('\n').findIndex((line, i) => line !== after[i]) + 1 };
}

/** Commas with nothing behind them but the end of what they are in. */
function trailingCommas(tokens: readonly Token[]): Token[] {
  return tokens.filter(({ text }, i) => {
    const [before, after] = [tokens[i - 1]?.text ?? '', tokens[i + 1]?.text ?? ''];
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

/** Adds the comma that is missing between two lines; unchanged unless there is exactly one such place. */
function withComma(text: string, tokens: readonly Token[]): string {
  const places = tokens.flatMap((token, i) => {
    const next = tokens[i + 1];
    const end = token.at + token.text.length;
    const between = next && ENDS_VALUE.test(token.text) && BEGINS_VALUE.test(next.text) ? text.slice(end, next.at) : '';
    return between.includes('\n') ? [end] : [];
  });
  const place = onlyOne(places);
  return place === undefined ? text : splice(text, place, 0, ',');
}

interface Token {
  readonly text: string;
  readonly at: number;
}

/** Strings, comments, marks, and words such as numbers. */
const TOKEN = /"(?:[^"\\\n]|\\.)*"|\/\/[^\n]*|\/\*[\s\S]*?\*\/|[{}[\]:,]|[^\s{}[\]:,"/]+/g;
const COMMENT = /^\//;
const ENDS_VALUE = /^[^{[:,/]/;
const BEGINS_VALUE = /^[^}\]:,/]/;

/** Every token in order; undefined when something is none. */
function tokensOf(text: string): Token[] | undefined {
  if (text.replace(TOKEN, '').trim() !== '') return undefined;
  return [...text.matchAll(TOKEN)].map(({ 0: token, index }) => ({ text: token, at: index }));
}
