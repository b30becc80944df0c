// YAML that does not parse, when of all small repairs exactly one makes it parse.
import { faultyFile } from './complaints.ts';
import { type Repair, rewritten } from './repair.ts';
import { isTemplate, lineAt, withLine } from './source-text.ts';
import { indentOf, readYaml, type YamlReading } from './yaml-document.ts';
import { closedValue, quotedItem, quotedSentence, reindented, withoutDuplicate, withoutTabs } from './yaml-edits.ts';

const FILE = /\.ya?ml$/i;
const PARSE_ERROR = /\bya?ml\b|mapping values are not allowed|did not find expected|cannot start any token/i;

/** Lines around a change in which a key without a value means that the change is at the wrong line. */
const NEARBY_LINES = 3;

/** A text that may be what was meant; `line` is the only one that changes, if it is one. */
interface Candidate {
  readonly text: string;
  readonly line?: number;
  readonly fix: string;
}

/** The one repair that makes `text` parse, with what it does; undefined when there is none, or a choice. `named`: lines that errors name. */
export function mendedYaml(text: string, named: readonly number[]): { text: string; fix: string } | undefined {
  const broken = readYaml(text);
  if (broken.errors.length === 0 || isTemplate(text) || !agree(text, broken, named)) return undefined;
  const parsing = candidates(text, broken, named).flatMap((candidate) => {
    const reading = readYaml(candidate.text);
    return reading.meaning !== undefined && stands(candidate, reading)
      ? [{ ...candidate, meaning: reading.meaning }]
      : [];
  });
  if (new Set(parsing.map(({ meaning }) => meaning)).size !== 1) return undefined;
  // What means the same may still be written in two ways: the one that is indented like the rest is meant.
  const even = parsing.filter((candidate) => uneven(candidate.text, text) === 0);
  const [first, ...more] = even.length > 0 ? even : parsing;
  return first && more.every(({ text: other, fix }) => other === first.text || fix === first.fix)
    ? { text: first.text, fix: first.fix }
    : undefined;
}

/** Whether the line that was changed is one of its own, and no key near it was left without what belongs to it. */
function stands({ line }: Candidate, { begins, empty }: YamlReading): boolean {
  if (line === undefined) return true;
  return begins.has(line) && ![...empty].some((one) => Math.abs(one - line) <= NEARBY_LINES);
}

function candidates(text: string, { errors }: YamlReading, named: readonly number[]): Candidate[] {
  const at = (line: number, mended: string | undefined, fix: string): Candidate[] =>
    mended === undefined ? [] : [{ text: withLine(text, line, mended), line, fix }];
  const near = around([...errors.flatMap(({ line, until }) => [line, until]), ...named]);
  const all = text.split('\n').map((_, i) => i + 1);
  const local = near.flatMap((line) => [
    ...reindented(text, line).map((mended) => ({ text: mended, line, fix: `Indent line ${line} as its siblings` })),
    ...at(line, quotedSentence(lineAt(text, line) ?? ''), `Quote the value in line ${line}, which holds a colon`),
    ...at(line, quotedItem(lineAt(text, line) ?? ''), `Quote the item in line ${line}, which holds a #`),
  ]);
  const open = all.flatMap((line) =>
    at(line, closedValue(lineAt(text, line) ?? ''), `Close the quote in line ${line}`),
  );
  const twice = errors.flatMap(({ code, line }) => {
    const mended = code === 'DUPLICATE_KEY' ? withoutDuplicate(text, line) : undefined;
    return mended === undefined
      ? []
      : [{ text: mended, fix: `Drop line ${line}, which repeats a key with the same value` }];
  });
  const tabs = withoutTabs(text).map((mended) => ({ text: mended, fix: 'Indent with spaces instead of tabs' }));
  return [...tabs, ...twice, ...local, ...open];
}

const around = (lines: readonly number[]): number[] => [
  ...new Set(lines.flatMap((line) => [line - 1, line, line + 1])),
];

/** Whether the lines that errors name are those where this parser stumbles too; numbers may begin anew in each document. */
function agree(text: string, { errors }: YamlReading, named: readonly number[]): boolean {
  const starts = [0, ...text.split('\n').flatMap((line, i) => (/^---(?:\s|$)/.test(line) ? [i, i + 1] : []))];
  const isNear = (number: number) =>
    errors.some(({ line, until }) => starts.some((start) => number + start >= line - 2 && number + start <= until + 2));
  return named.length === 0 || named.some(isNear);
}

/** How many lines are not indented by whole steps of what most lines of `like` are indented by. */
function uneven(text: string, like: string): number {
  const depths = (of: string) => of.split('\n').map((line) => indentOf(line) ?? 0);
  const odd = (of: readonly number[], step: number) => of.filter((depth) => depth % step !== 0).length;
  const [step] = [2, 4, 3].sort((a, b) => odd(depths(like), a) - odd(depths(like), b));
  return odd(depths(text), step as number);
}

export const yaml: Repair = {
  name: 'yaml',
  async find(facts) {
    const isClear = facts.failure.class === 'yaml_parse_error';
    if (!isClear && !facts.failure.error_lines.some((line) => PARSE_ERROR.test(line))) return undefined;
    const faulty = await faultyFile(facts, FILE, (text) => readYaml(text).errors.length === 0);
    if (!faulty) return undefined;
    const { path, text, lines, isNamed } = faulty;
    // Without a name, the line is all that ties the error to the file.
    if (lines.length === 0 && !(isNamed && isClear)) return undefined;
    const mended = mendedYaml(text, lines);
    return rewritten(path, text, mended?.text, {
      fix: `${mended?.fix} of ${path}`,
      reason: 'The parser stumbles there, and no other small change makes the file parse',
    });
  },
};
