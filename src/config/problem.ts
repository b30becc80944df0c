// What is wrong with a configuration file, and where: the one shape every check reports in, and how it prints.

/** One thing wrong in a file. `line` and `column` count from 1; `path` is empty when the file as a whole is meant. */
export interface Problem {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly path: string;
  readonly message: string;
}

/** The way from the top of a file to a value: keys and list indices. */
export type Path = readonly (string | number)[];

/** A problem before its position is known: `at` says whether the key or the value is to blame. */
export interface Finding {
  readonly path: Path;
  readonly at: 'key' | 'value';
  readonly message: string;
}

/** `stages.talos.verify[0].has`; a key that is not a plain word is quoted. */
export function formatPath(path: Path): string {
  return path
    .map((part, index) => {
      if (typeof part === 'number') return `[${part}]`;
      const key = /^[\w-]+$/.test(part) ? part : JSON.stringify(part);
      return index === 0 ? key : `.${key}`;
    })
    .join('');
}

/** `file:line:column: path: message`, one line. */
export function formatProblem({ file, line, column, path, message }: Problem): string {
  return `${file}:${line}:${column}: ${path === '' ? '' : `${path}: `}${message}`;
}

/** Sorted by position, without repetitions. */
export function inOrder(problems: readonly Problem[]): Problem[] {
  const unique = new Map(problems.map((problem) => [formatProblem(problem), problem]));
  return [...unique.values()].sort((a, b) => a.line - b.line || a.column - b.column);
}
