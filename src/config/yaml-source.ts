// YAML text → plain value, and the line and column of every key and value in it. Knows nothing of what the file is for.
import { type Document, LineCounter, parseDocument } from 'yaml';
import { MAX_BYTES } from './files.ts';
import { formatPath, type Path, type Problem } from './problem.ts';
import { deepOffset } from './yaml-depth.ts';
import { faultsBelow, type YamlFault } from './yaml-faults.ts';
import { positions, type YamlPositions } from './yaml-positions.ts';

const MAX_ALIASES = 100;

/** A parsed file. `value` is undefined when there is nothing in it. */
export interface YamlSource extends YamlPositions {
  readonly value: unknown;
}

/** Reads `text`. Without a `source` the problems are such that nothing more can be said about the file. Never throws. */
export function readYaml(text: string, file: string): { source?: YamlSource; problems: Problem[] } {
  const unreadable = contentFault(text);
  if (unreadable !== undefined) {
    const before = text.slice(0, unreadable.offset).split('\n');
    const column = (before.at(-1)?.length ?? 0) + 1;
    return { problems: [{ file, line: before.length, column, path: '', message: unreadable.message }] };
  }
  const lines = new LineCounter();
  const problem = (offset: number, message: string, path: Path = []): Problem => {
    const { line, col } = lines.linePos(Math.min(offset, text.length));
    return { file, line: Math.max(1, line), column: Math.max(1, col), path: formatPath(path), message };
  };
  try {
    // Uniqueness is checked in yaml-faults.ts: the parser's own check compares every key with every other.
    const doc = parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: false, logLevel: 'error' });
    const syntax = syntaxFaults(doc).map(({ offset, message }) => problem(offset, message));
    const faults = faultsBelow(doc.contents);
    const faultProblem = ({ offset, path, message, first }: YamlFault): Problem => {
      const where = first === undefined ? '' : `; first in line ${lines.linePos(first).line}`;
      return problem(offset, `${message}${where}`, path);
    };
    const problems = [...firstOfEachLine(syntax), ...faults.map(faultProblem)];
    if (doc.errors.some(({ code }) => code !== 'MULTIPLE_DOCS')) return { problems: firstOfEachLine(syntax) };
    if (faults.some(({ fatal }) => fatal)) return { problems };
    const value: unknown = doc.toJS({ maxAliasCount: MAX_ALIASES }) ?? undefined;
    return { source: { value, ...positions(doc, lines) }, problems };
  } catch (error) {
    return { problems: [problem(0, thrown(error))] };
  }
}

/** What is wrong with the text before it is parsed. */
function contentFault(text: string): { offset: number; message: string } | undefined {
  const bytes = Buffer.byteLength(text);
  if (bytes > MAX_BYTES)
    return { offset: 0, message: `the file has ${bytes} bytes; the limit is ${MAX_BYTES} (1 MiB)` };
  const nul = text.indexOf('\0');
  if (nul >= 0) return { offset: nul, message: 'binary content (a NUL byte); expected YAML text' };
  const deep = deepOffset(text);
  return deep === undefined ? undefined : { offset: deep, message: 'nested too deeply' };
}

function syntaxFaults(doc: Document.Parsed): { offset: number; message: string }[] {
  return [...doc.errors, ...doc.warnings].map(({ code, message, pos }) => {
    const text = `${message.charAt(0).toLowerCase()}${message.slice(1).split('\n')[0]}`;
    if (code === 'TAB_AS_INDENT') return { offset: pos[0], message: 'tab used for indentation; use spaces' };
    if (code === 'MULTIPLE_DOCS')
      return { offset: pos[0], message: 'a second document starts here; expected only one' };
    return { offset: pos[0], message: `not valid YAML: ${text}` };
  });
}

/** One slip often makes the parser complain several times on the same line. */
function firstOfEachLine(problems: readonly Problem[]): Problem[] {
  const lines = new Set<number>();
  return problems.filter(({ line }) => !lines.has(line) && lines.add(line));
}

function thrown(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  if (message.startsWith('Excessive alias'))
    return `aliases (*) expand too far; at most ${MAX_ALIASES} uses of an anchor`;
  if (error instanceof RangeError) return 'nested too deeply';
  return `not valid YAML: ${message.charAt(0).toLowerCase()}${message.slice(1)}`;
}
