// A unified diff, however damaged → what it asks of each file. Numbers are read as claims, never counted on.
import { type Change, type Hunk, type HunkLine, type Refusal, refuse } from '../edit.ts';
import { chatterFrom } from './chatter.ts';
import { fileHeader, type Header, isBodyEnd, UNSUPPORTED, unsupportedHeader } from './diff-headers.ts';
import { saysLeftOut } from './ellipsis.ts';

type DiffChange = Extract<Change, { form: 'diff' }>;

const NUMBERS = /^@@+\s*-(\d+)(?:,(\d+))?(?:\s+\+(\d+)(?:,(\d+))?)?/;

/** Reads a stretch of lines. `fenced`: every line belongs to the diff; otherwise prose may stand around it. */
export function readUnifiedDiff(
  lines: readonly string[],
  fenced: boolean,
  path?: string,
): { ok: true; changes: DiffChange[] } | Refusal {
  const changes: DiffChange[] = [];
  let file: DiffChange | undefined = fenced ? { form: 'diff', path, hunks: [] } : undefined;
  let hunk: string[] | undefined;
  let claimed: number | undefined;
  let bad: Refusal | undefined;

  const endHunk = () => {
    if (!file || !hunk) return;
    const body = fenced ? hunk : hunk.slice(0, chatterFrom(hunk));
    const read = readBody(body, claimed);
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
  if (bad) return bad;
  return { ok: true, changes };
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
      return refuse(
        'unreadable',
        `an added line stands for others that were left out: ${JSON.stringify(line.text.trim())}`,
      );
    }
    hunk.lines.push(line);
  }
  return hunk.lines.some(({ op }) => op !== ' ') ? hunk : undefined;
}

function readLine(raw: string): HunkLine {
  const op = raw[0];
  if (op === '+' || op === '-' || op === ' ') return { op, text: raw.slice(1) };
  if (op === undefined || op === '\t') return { op: ' ', text: raw, ...(raw === '' ? {} : { bare: true }) };
  return { op: ' ', text: raw, bare: true };
}

/** Blank lines at the end come from the fence or the prose, not from the file. */
function withoutTail(body: readonly string[]): readonly string[] {
  let end = body.length;
  while (end > 0 && body[end - 1] === '') end--;
  return body.slice(0, end);
}
