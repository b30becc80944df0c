// Lines → messages: what a program says over several lines becomes one text, its headline first. Pure.
import { type Grade, gradeOf, isFrame } from './grade.ts';

/** What becomes of the lines from `i` on: the message they make, if any, and the index of the line behind them. */
interface Joined {
  text?: string;
  next: number;
}

/** What was read so far. */
interface Progress {
  out: string[];
  /** The last line that is no finding: a linter's findings are about the file it names. */
  header: string | undefined;
}

/** Undefined when the line at `i` is not of its kind. May add to the last message. */
type Join = (lines: readonly string[], i: number, progress: Progress) => Joined | undefined;

/** Lines after a headline that may belong to it. */
const MAX_DETAIL = 6;
/** Messages back from a Go dump to the panic it belongs to. */
const MAX_BETWEEN = 4;
/** Lines of a Go dump in which the first frame of the program itself is looked for. */
const MAX_DUMP = 24;

/** Every message of the log, its lines parted by `\n`. Source text and stack frames that errors quote are left out. */
export function messages(lines: readonly string[]): string[] {
  const progress: Progress = { out: [], header: undefined };
  for (let i = 0; i < lines.length; ) {
    const { text, next } = joinAt(lines, i, progress);
    if (text !== undefined) progress.out.push(text);
    if (!FINDING.test(lines[next - 1] as string)) progress.header = lines[next - 1];
    i = next;
  }
  return progress.out;
}

function joinAt(lines: readonly string[], i: number, progress: Progress): Joined {
  for (const join of [box, dump, traceback, quotation, finding, headline, place]) {
    const joined = join(lines, i, progress);
    if (joined) return joined;
  }
  return { text: lines[i] as string, next: i + 1 };
}

const isError = (grade: Grade): boolean => grade === 'strong' || grade === 'weak';
const isErrorLine = (line: string): boolean => isError(gradeOf(line));

/** Terraform and OpenTofu draw a box around each error, and wrap its text to the width of the terminal. */
const box: Join = (lines, i) => {
  if (!/^\s*╷\s*$/.test(lines[i] as string)) return undefined;
  let until = i + 1;
  while (until < lines.length && !/^\s*╵/.test(lines[until] as string)) until++;
  const inside = lines.slice(i + 1, until).filter((line) => /^\s*│/.test(line));
  const texts = inside.map((line) => line.replace(/^\s*│\s?/, '').trimEnd()).filter((line) => line !== '');
  return { text: texts.join('\n'), next: until + 1 };
};

/** The stacks behind a Go panic: only the first file that is not of the runtime counts, for there the fix is. */
const dump: Join = (lines, i, { out }) => {
  if (!/^goroutine \d+ \[/.test(lines[i] as string)) return undefined;
  const latest = out.slice(-MAX_BETWEEN);
  const panic = latest.findLastIndex((text) => /^(?:panic|fatal error): /.test(text));
  const files = lines.slice(i + 1, i + MAX_DUMP).map((line) => /^\s+(\S+\.go):\d+/.exec(line)?.[1]);
  const ownFile = files.find((file) => file && !/\/(?:runtime|usr\/local\/go|usr\/lib\/go)\b/.test(file));
  if (ownFile && panic !== -1) out[out.length - latest.length + panic] += `\n${ownFile}`;
  return { next: i + 1 };
};

/** A Python traceback: frames and source are left out, the exception below them stays. */
const traceback: Join = (lines, i) => {
  if (!/^Traceback \(most recent call last\):|^\s*File ".{0,300}", line \d+/.test(lines[i] as string)) return undefined;
  let next = i + 1;
  while (/^\s/.test(lines[next] ?? '')) next++;
  return { next };
};

/** A line of source with carets below it. */
const quotation: Join = (lines, i) => (/^\s*[\^~]+\s*$/.test(lines[i + 1] ?? '') ? { next: i + 2 } : undefined);

const FINDING = /^\s+\d+:\d+\s+(?:error|warning)\b/;

/** A finding of a linter, which names the file once, above all findings in it. */
const finding: Join = (lines, i, { header }) => {
  const line = lines[i] as string;
  if (!FINDING.test(line)) return undefined;
  return { text: header !== undefined && /^\S/.test(header) ? `${line}\nin ${header}` : line, next: i + 1 };
};

/** An error that ends in a colon, and what it announces. */
const headline: Join = (lines, i) => {
  const line = lines[i] as string;
  if (!/(?::|=>)$/.test(line) || !isErrorLine(line)) return undefined;
  const text = [line];
  let opens = true;
  let next = i + 1;
  for (; next < lines.length && text.length <= MAX_DETAIL; next++) {
    const below = lines[next] as string;
    if (isFrame(below)) continue;
    const belongs = /^\s|^[*•-] /.test(below) || (opens && ['plain', 'weak'].includes(gradeOf(below)));
    if (below === '' || !belongs) break;
    opens = below.endsWith(':');
    text.push(below);
  }
  return { text: text.join('\n'), next };
};

/** Where an error is, on a line of its own below it. */
const place: Join = (lines, i, { out }) => {
  const line = lines[i] as string;
  const above = out.at(-1)?.split('\n', 1)[0] ?? '';
  if (!/^\s+(?:in ["']|on \S+ line |--> |at line |from ")/.test(line) || !isErrorLine(above)) return undefined;
  out.push(`${out.pop()}\n${line}`);
  return { next: i + 1 };
};
