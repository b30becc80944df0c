// What the YAML parser makes of a text: what it means, or where it goes wrong. Pure.
import { type Document, isScalar, LineCounter, parseAllDocuments, visit } from 'yaml';

/** Where the parser stumbled, in lines from 1. */
export interface YamlError {
  readonly code: string;
  readonly line: number;
  /** The line where what it was reading ends. */
  readonly until: number;
}

export interface YamlReading {
  readonly errors: readonly YamlError[];
  /** What the documents mean, as one text to compare; undefined when there are errors. */
  readonly meaning: string | undefined;
  /** Lines on which a key or an item begins. */
  readonly begins: ReadonlySet<number>;
  /** Lines with a key that has no value. */
  readonly empty: ReadonlySet<number>;
}

const NO_LINES = { begins: new Set<number>(), empty: new Set<number>() };
const BROKEN: YamlReading = { errors: [{ code: 'THROWN', line: 1, until: 1 }], meaning: undefined, ...NO_LINES };

/** Never throws: what the parser cannot take counts as broken. */
export function readYaml(text: string): YamlReading {
  try {
    const lines = new LineCounter();
    const parsed = parseAllDocuments(text, { lineCounter: lines, prettyErrors: false, logLevel: 'silent' });
    const documents = 'empty' in parsed ? [] : [...parsed];
    const lineOf = (offset: number) => Math.max(1, lines.linePos(offset).line);
    const errors = documents
      .flatMap((document) => document.errors)
      .map(({ code, pos }) => ({ code, line: lineOf(pos[0]), until: lineOf(Math.max(pos[0], pos[1] - 1)) }));
    if (errors.length > 0) return { errors, meaning: undefined, ...NO_LINES };
    const meaning = JSON.stringify(documents.map((document) => document.toJS({ maxAliasCount: 100 })));
    return { errors, meaning, ...linesOf(documents, lineOf) };
  } catch {
    return BROKEN;
  }
}

function linesOf(documents: readonly Document.Parsed[], lineOf: (offset: number) => number) {
  const begins = new Set<number>();
  const empty = new Set<number>();
  const startOf = (node: unknown) => (node as { range?: readonly number[] | null } | null)?.range?.[0];
  const note = (node: unknown, into: Set<number>) => {
    const start = startOf(node);
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
  return { begins, empty };
}

/** How far a line is indented, in spaces; undefined for a blank line and a comment. */
export function indentOf(line: string): number | undefined {
  return /^\s*(?:#|$)/.test(line) ? undefined : (/^ */.exec(line)?.[0].length ?? 0);
}

/** The step by which a text is indented: the smallest that there is, two spaces when there is none. */
export function indentStep(lines: readonly string[]): number {
  const depths = lines.map((line) => indentOf(line) ?? 0).filter((depth) => depth > 1);
  return depths.length === 0 ? 2 : Math.min(...depths);
}
