// What the YAML parser makes of a text: what it means, or where it goes wrong. Pure.
import { isMap, isScalar, isSeq, LineCounter, parseAllDocuments, visit } from 'yaml';

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
}

const BROKEN: YamlReading = { errors: [{ code: 'THROWN', line: 1, until: 1 }], meaning: undefined, begins: new Set() };

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
    if (errors.length > 0) return { errors, meaning: undefined, begins: new Set() };
    const begins = new Set<number>();
    const note = (node: unknown) => {
      const range = (node as { range?: readonly number[] | null } | null)?.range;
      if (range) begins.add(lineOf(range[0] as number));
    };
    for (const document of documents) {
      visit(document, {
        Pair: (_, { key }) => note(key),
        Seq: (_, { items }) => items.forEach(note),
        Node: (_, node) => void (isMap(node) || isSeq(node) || isScalar(node) ? note(node) : undefined),
      });
    }
    return {
      errors,
      meaning: JSON.stringify(documents.map((document) => document.toJS({ maxAliasCount: 100 }))),
      begins,
    };
  } catch {
    return BROKEN;
  }
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
