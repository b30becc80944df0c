// The lines of a diff that say which file it is for, and what else it would do to it.

export interface Header {
  kind: 'git' | 'file';
  path: string | undefined;
  creates?: true;
  /** What it asks for that is never done. */
  unsupported?: string;
  /** How many lines it takes. */
  lines: number;
}

/** Lines that are a binary patch wherever they stand. */
export const UNSUPPORTED = /^(?:Binary files .* differ|GIT binary patch)$/;

const EXTENDED: [RegExp, string][] = [
  [/^(?:rename (?:from|to)|similarity index|dissimilarity index) /, 'a rename'],
  [/^copy (?:from|to) /, 'a copy'],
  [/^deleted file mode /, 'a deletion'],
  [/^(?:old|new) mode /, 'a mode line'],
  [/^new file mode (?!100644\b)/, 'a mode line'],
  [/^index \S+ (?:120000|160000)/, 'a link'],
  [UNSUPPORTED, 'a binary patch'],
];

/** What a line between the file header and the first hunk asks for that is never done. */
export const unsupportedHeader = (line: string): string | undefined =>
  EXTENDED.find(([pattern]) => pattern.test(line))?.[1];

/** Lines between files and hunks that say nothing. */
export const isBodyEnd = (line: string): boolean => /^(?:Index: \S|={30,}$|\*\*\* (?:Begin|End) )/.test(line);

/** The header that begins at `lines[at]`, if one does. */
export function fileHeader(lines: readonly string[], at: number, inHunk: boolean): Header | undefined {
  const line = lines[at] as string;
  if (line.startsWith('diff --git ')) return { kind: 'git', path: gitPath(line), lines: 1 };
  if (line.startsWith('*** ')) return patchHeader(line);
  const next = lines[at + 1] ?? '';
  if (line.startsWith('--- ') && next.startsWith('+++ ')) return pair(namedPath(line), namedPath(next));
  if (inHunk) return undefined;
  if (line.startsWith('--- ') && next.startsWith('@@')) return { kind: 'file', path: namedPath(line), lines: 1 };
  if (/^\+\+\+ [^+\s]*[./]/.test(line)) return { kind: 'file', path: namedPath(line), lines: 1 };
  return undefined;
}

function pair(from: string, to: string): Header {
  const header: Header = { kind: 'file', path: to, lines: 2 };
  if (to === '/dev/null') return { ...header, path: from, unsupported: 'a deletion' };
  if (from === '/dev/null') return { ...header, creates: true };
  const same =
    from === to || below(from) === below(to) || below(from) === to || /^\.(?:orig|old|bak)$/.test(rest(from, to));
  return same ? header : { ...header, unsupported: 'a rename' };
}

const namedPath = (line: string): string => (line.slice(4).split('\t')[0] as string).trim();
const below = (path: string): string => path.slice(path.indexOf('/') + 1);
const rest = (from: string, to: string): string =>
  below(from).startsWith(below(to)) ? below(from).slice(below(to).length) : '';

/** `diff --git a/x b/x`: both halves are the same but for their first letter, which finds a path with spaces too. */
function gitPath(line: string): string | undefined {
  const names = line.slice('diff --git '.length).trim();
  const half = (names.length - 1) / 2;
  const [from, to] = [names.slice(0, half), names.slice(half + 1)];
  return Number.isInteger(half) && names[half] === ' ' && (from === to || below(from) === below(to))
    ? to
    : names.split(' ').at(-1);
}

/** The headers of the `*** Begin Patch` form. */
function patchHeader(line: string): Header | undefined {
  const found = /^\*\*\* (Update|Add|Delete) File: (.+)$/.exec(line);
  if (found) {
    const [, verb, path = ''] = found;
    if (verb === 'Delete') return { kind: 'git', path, unsupported: 'a deletion', lines: 1 };
    return { kind: 'git', path: path.trim(), ...(verb === 'Add' ? { creates: true } : {}), lines: 1 };
  }
  return line.startsWith('*** Move to: ')
    ? { kind: 'git', path: undefined, unsupported: 'a rename', lines: 1 }
    : undefined;
}
