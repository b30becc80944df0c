// YAML that does not parse, when of all small repairs exactly one makes it parse.
import { isScalar, LineCounter, parseAllDocuments, visit } from 'yaml';
import { faultyFile } from './complaints.ts';
import { isMadeByTemplate, isTemplate, lineAt, type Repair, rewritten, withLine } from './repair.ts';
import {
  closedValue,
  hasTabs,
  indentOf,
  plainBlanks,
  quotedItem,
  quotedSentence,
  reindented,
  withoutDuplicate,
  withoutStray,
  withoutTabs,
} from './yaml-edits.ts';

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
  if (broken.errors.length === 0 || !agree(text, broken, named)) return undefined;
  // Tabs are no matter of templates, where these only fill in values.
  if (isTemplate(text) && (!hasTabs(text) || isMadeByTemplate(text))) return undefined;
  const parsing = candidates(text, broken, named).flatMap((candidate) => {
    const reading = readYaml(candidate.text);
    const { meaning } = reading;
    return meaning !== undefined && stands(candidate, reading) ? [{ ...candidate, meaning }] : [];
  });
  if (new Set(parsing.map(({ meaning }) => meaning)).size !== 1) return undefined;
  // Of candidates with the same meaning, take the one that is indented like the rest.
  const even = parsing.filter((candidate) => uneven(candidate.text, text) === 0);
  const [first, ...more] = even.length > 0 ? even : parsing;
  const isCertain = more.every((other) => other.text === first?.text || other.fix === first?.fix);
  return first && isCertain ? { text: first.text, fix: first.fix } : undefined;
}

/** Whether the changed line is a key or item, and no key near it lost its value. */
function stands({ line }: Candidate, { begins, empty }: YamlReading): boolean {
  if (line === undefined) return true;
  return begins.has(line) && ![...empty].some((one) => Math.abs(one - line) <= NEARBY_LINES);
}

function candidates(text: string, { errors }: YamlReading, named: readonly number[]): Candidate[] {
  const at = (line: number, edit: (source: string) => string | undefined, fix: string): Candidate[] => {
    const mended = edit(lineAt(text, line));
    return mended === undefined ? [] : [{ text: withLine(text, line, mended), line, fix }];
  };
  const near = around([...errors.flatMap(({ line, until }) => [line, until]), ...named]);
  const local = near.flatMap((line) => [
    ...reindented(text, line).map((mended) => ({ text: mended, line, fix: `Indent line ${line} as its siblings` })),
    ...withoutStray(text, line).map((mended) => ({
      text: withLine(text, line, mended),
      line,
      fix: `Give the bracket in line ${line} its partner, or drop it`,
    })),
    ...at(line, quotedSentence, `Quote the value in line ${line}, which holds a colon`),
    ...at(line, quotedItem, `Quote the item in line ${line}, which holds a #`),
  ]);
  const open = text.split('\n').flatMap((_, i) => at(i + 1, closedValue, `Close the quote in line ${i + 1}`));
  const twice = errors.flatMap(({ code, line }) => {
    const mended = code === 'DUPLICATE_KEY' ? withoutDuplicate(text, line) : undefined;
    const fix = `Drop line ${line}, which repeats a key with the same value`;
    return mended === undefined ? [] : [{ text: mended, fix }];
  });
  const tabs = withoutTabs(text).map((mended) => ({ text: mended, fix: 'Indent with spaces instead of tabs' }));
  const blanks = plainBlanks(text).map((mended) => ({ text: mended, fix: 'Write plain blanks' }));
  return [...tabs, ...blanks, ...twice, ...local, ...open];
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

export const yaml: Repair = async (facts) => {
  const isClear = facts.failure.class === 'yaml_parse_error';
  if (!isClear && !facts.failure.error_lines.some((line) => PARSE_ERROR.test(line))) return undefined;
  const faulty = await faultyFile(facts, FILE, (text) => readYaml(text).errors.length === 0);
  if (!faulty) return undefined;
  // Without a file name, the line number must match.
  if (faulty.lines.length === 0 && !(faulty.isNamed && isClear)) return undefined;
  const mended = mendedYaml(faulty.text, faulty.lines);
  if (!mended) return { unsure: `${faulty.path} does not parse, and no small change is certain to be what is meant` };
  return rewritten(faulty, mended.text, {
    fix: `${mended.fix} ${/\d$/.test(mended.fix) ? 'of' : 'in'} ${faulty.path}`,
    reason: 'The parser stumbles there, and no other small change makes the file parse',
  });
};

/** What the parser makes of a text. */
interface YamlReading {
  /** Where it stumbles: the line, from 1, and the one where what it was reading ends. */
  readonly errors: readonly { readonly code: string; readonly line: number; readonly until: number }[];
  /** What the documents mean, as one text to compare; undefined when there are errors. */
  readonly meaning?: string;
  /** Lines on which a key or an item begins. */
  readonly begins: ReadonlySet<number>;
  /** Lines with a key that has no value. */
  readonly empty: ReadonlySet<number>;
}

/** Never throws: what the parser cannot take counts as broken. */
export function readYaml(text: string): YamlReading {
  const [begins, empty] = [new Set<number>(), new Set<number>()];
  try {
    const lines = new LineCounter();
    const parsed = parseAllDocuments(text, { lineCounter: lines, prettyErrors: false, logLevel: 'silent' });
    const documents = 'empty' in parsed ? [] : [...parsed];
    const lineOf = (offset: number) => Math.max(1, lines.linePos(offset).line);
    const errors = documents
      .flatMap((document) => document.errors)
      .map(({ code, pos }) => ({ code, line: lineOf(pos[0]), until: lineOf(Math.max(pos[0], pos[1] - 1)) }));
    if (errors.length > 0) return { errors, begins, empty };
    const note = (node: unknown, into: Set<number>) => {
      const start = (node as { range?: readonly number[] | null } | null)?.range?.[0];
      if (start !== undefined) into.add(lineOf(start));
    };
    for (const document of documents) {
      visit(document, {
        Pair: (_, { key, value }) => {
          note(key, begins);
          if (isScalar(value) && value.value === null && !value.source) note(key, empty);
        },
        Seq: (_, { items }) => {
          for (const item of items) note(item, begins);
        },
      });
    }
    const meaning = JSON.stringify(documents.map((document) => document.toJS({ maxAliasCount: 100 })));
    return { errors, meaning, begins, empty };
  } catch {
    return { errors: [{ code: 'THROWN', line: 1, until: 1 }], begins: new Set(), empty: new Set() };
  }
}
