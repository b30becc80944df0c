// A unified diff, however damaged → what it asks of each file. Numbers are read as claims, never counted on.
import { type Change, type Hunk, type HunkLine, type OrRefusal, type Refusal, refuse } from '../edit.ts';
import { saysLeftOut } from './ellipsis.ts';

type DiffChange = Extract<Change, { form: 'diff' }>;
type ReadDiff = OrRefusal<{ changes: DiffChange[] }>;

const NUMBERS = /^@@+\s*-(\d+)(?:,(\d+))?(?:\s+\+(\d+)(?:,(\d+))?)?/;

/** Reads a stretch of lines. `fenced`: every line belongs to the diff; otherwise prose may stand around it. */
export function readUnifiedDiff(lines: readonly string[], fenced: boolean, path?: string): ReadDiff {
  const changes: DiffChange[] = [];
  let file: DiffChange | undefined = fenced ? { form: 'diff', path, hunks: [] } : undefined;
  let hunk: string[] | undefined;
  let claimed: number | undefined;
  let bad: Refusal | undefined;

  const endHunk = () => {
    if (!file || !hunk) return;
    const read = readBody(fenced ? hunk : hunk.slice(0, chatterFrom(hunk)), claimed);
    if (read && 'ok' in read) bad ??= read;
    else if (read) file.hunks.push(read);
    hunk = undefined;
    claimed = undefined;
  };
  const endFile = () => {
    endHunk();
    if (file && (file.hunks.length > 0 || file.creates)) changes.push(file);
  };

  for (let i = 0; i < lines.length; i++) {
    const line = lines[i] as string;
    const header: Header | undefined = fileHeader(lines, i, hunk !== undefined);
    if (header) {
      if (header.unsupported) return refuse('unsupported', `${header.unsupported} is not taken: ${line.slice(0, 200)}`);
      const goesOn = file && file.hunks.length === 0 && !hunk && header.kind !== 'git';
      if (!goesOn) {
        endFile();
        file = { form: 'diff', path: header.path, hunks: [] };
      } else if (file && header.path !== undefined) file.path = header.path;
      if (header.creates && file) file.creates = true;
      i += header.lines - 1;
      continue;
    }
    if (line.startsWith('@@')) {
      endHunk();
      file ??= { form: 'diff', path, hunks: [] };
      hunk = [];
      const start = NUMBERS.exec(line)?.[1];
      claimed = start === undefined ? undefined : Number(start);
      continue;
    }
    if (!file) continue;
    if (!hunk) {
      const what = unsupportedHeader(line);
      if (what) return refuse('unsupported', `${what} is not taken: ${line.slice(0, 200)}`);
      if (isBodyEnd(line) || line.trim() === '') continue;
      if (/^new file mode /.test(line)) file.creates = true;
      if (/^(?:index [0-9a-f.]+|new file mode )/.test(line)) continue;
      hunk = [];
    }
    if (UNSUPPORTED.test(line)) return refuse('unsupported', `binary patches are not taken`);
    if (isBodyEnd(line)) endHunk();
    else hunk.push(line);
  }
  endFile();
  return bad ?? { ok: true, changes };
}

/** The lines below a hunk header; undefined when they change nothing. */
function readBody(body: readonly string[], claimed: number | undefined): Hunk | Refusal | undefined {
  const hunk: Hunk = { lines: [], ...(claimed === undefined ? {} : { oldStart: claimed }) };
  for (const raw of withoutTail(body)) {
    const last = hunk.lines.at(-1);
    if (raw.startsWith('\\')) {
      if (last) hunk.noFinalNewline = last.op !== '-';
      continue;
    }
    const line = readLine(raw);
    if (line.op === '+' && saysLeftOut(line.text)) {
      const shown = JSON.stringify(line.text.trim());
      return refuse('unreadable', `an added line stands for others that were left out: ${shown}`);
    }
    hunk.lines.push(line);
  }
  return hunk.lines.some(({ op }) => op !== ' ') ? hunk : undefined;
}

function readLine(raw: string): HunkLine {
  const op = raw[0];
  if (op === '+' || op === '-' || op === ' ') return { op, text: raw.slice(1) };
  return { op: ' ', text: raw, ...(raw === '' ? {} : { bare: true }) };
}

/** Blank lines at the end come from the fence or the prose, not from the file. */
function withoutTail(body: readonly string[]): readonly string[] {
  return body.slice(0, body.findLastIndex((line) => line !== '') + 1);
}

const SAYS = /^(?:\*\*|#+ |> )?(?:Fix|Reason|Note|Explanation|Summary|Changes?)\b[^:]{0,30}:/;
const SENTENCE = /^(?:[A-Z*`>#]|\d+\. ).*\s\S+\s\S+.*[.!:?*)]$/;

const isProse = (line: string): boolean => SAYS.test(line) || SENTENCE.test(line);
const isBullet = (line: string): boolean => /^[-*] [A-Z`*]/.test(line);

/** Where the diff ends and what the model says about it begins; only where no changed line can follow is anything cut off. */
function chatterFrom(body: readonly string[]): number {
  const lastChanged = body.findLastIndex((line) => /^[+-]/.test(line) && !isBullet(line));
  for (let i = lastChanged + 1; i < body.length; i++) {
    const line = body[i] as string;
    if (/^(?:\*\*)?(?:Fix|Reason)(?:\*\*)?:/.test(line) || (body[i - 1] === '' && isProse(line))) return i;
  }
  return body.length;
}

interface Header {
  kind: 'git' | 'file';
  path: string | undefined;
  creates?: true;
  /** What it asks for that is never done. */
  unsupported?: string;
  /** How many lines it takes. */
  lines: number;
}

/** Lines that are a binary patch wherever they stand. */
const UNSUPPORTED = /^(?:Binary files .* differ|GIT binary patch)$/;

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
const unsupportedHeader = (line: string): string | undefined => EXTENDED.find(([pattern]) => pattern.test(line))?.[1];

/** Lines between files and hunks that say nothing. */
const isBodyEnd = (line: string): boolean => /^(?:Index: \S|={30,}$|\*\*\* (?:Begin|End) )/.test(line);

/** The header that begins at `lines[at]`, if one does. */
function fileHeader(lines: readonly string[], at: number, inHunk: boolean): Header | undefined {
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
  const halves = Number.isInteger(half) && names[half] === ' ' && (from === to || below(from) === below(to));
  return halves ? to : names.split(' ').at(-1);
}

/** The headers of the `*** Begin Patch` form. */
function patchHeader(line: string): Header | undefined {
  if (line.startsWith('*** Move to: ')) return { kind: 'git', path: undefined, unsupported: 'a rename', lines: 1 };
  const [, verb, path] = /^\*\*\* (Update|Add|Delete) File: (.+)$/.exec(line) ?? [];
  if (path === undefined) return undefined;
  if (verb === 'Delete') return { kind: 'git', path, unsupported: 'a deletion', lines: 1 };
  return { kind: 'git', path: path.trim(), ...(verb === 'Add' ? { creates: true } : {}), lines: 1 };
}
