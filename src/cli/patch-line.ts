// One line of `check-patch --jsonl`: what it must hold, or what is wrong with it.

export interface PatchLine {
  id: string | number;
  /** The file of an answer that names none. */
  path: string | undefined;
  files: ReadonlyMap<string, string>;
  /** Symbolic links: path → target. */
  links: ReadonlyMap<string, string>;
  answer: string;
  allow: readonly string[];
  protect: readonly string[];
  max_files: number | undefined;
  max_lines: number | undefined;
}

/** Never throws. `id` comes back with a problem when the line has one. */
export function readPatchLine(text: string): { value: PatchLine } | { problem: string; id?: string | number } {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { problem: `not JSON: ${(error as Error).message}` };
  }
  if (!isObject(value)) return { problem: 'expected an object' };
  const { id, path, files, links, answer, allow, protect, max_files, max_lines } = value;
  if (typeof id !== 'string' && typeof id !== 'number') return { problem: 'id: expected a text or a number' };
  const problems = [
    ...(isAbsent(path) || typeof path === 'string' ? [] : ['path: expected a text']),
    ...(isTexts(files) ? [] : ['files: expected an object of texts by path']),
    ...(isAbsent(links) || isTexts(links) ? [] : ['links: expected an object of targets by path']),
    ...(typeof answer === 'string' ? [] : ['answer: expected a text']),
    ...(isList(allow) ? [] : ['allow: expected a list of patterns']),
    ...(isAbsent(protect) || isList(protect) ? [] : ['protect: expected a list of patterns']),
    ...(isAbsent(max_files) || isCount(max_files) ? [] : ['max_files: expected a whole number']),
    ...(isAbsent(max_lines) || isCount(max_lines) ? [] : ['max_lines: expected a whole number']),
  ];
  if (problems.length > 0) return { problem: problems.join('; '), id };
  return {
    value: {
      id,
      path: (path as string | null | undefined) ?? undefined,
      files: new Map(Object.entries(files as Record<string, string>)),
      links: new Map(Object.entries((links ?? {}) as Record<string, string>)),
      answer: answer as string,
      allow: allow as string[],
      protect: (protect ?? []) as string[],
      max_files: (max_files as number | null | undefined) ?? undefined,
      max_lines: (max_lines as number | null | undefined) ?? undefined,
    },
  };
}

const isAbsent = (value: unknown): boolean => value === undefined || value === null;
const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isTexts = (value: unknown): boolean =>
  isObject(value) && Object.values(value).every((text) => typeof text === 'string');
const isList = (value: unknown): boolean => Array.isArray(value) && value.every((item) => typeof item === 'string');
const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 0;
