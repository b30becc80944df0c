// JSON that does not parse: what people write into it by habit.
import { errorLines, faultyFile } from './complaints.ts';
import { isJson, mendedJson } from './json-text.ts';
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
