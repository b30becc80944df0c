// Lines → messages: what a program says over several lines becomes one, its headline first. Pure.
import { OFFENDING, TASK_HEADER, taskResultAt } from './ansible.ts';
import { CHECK_FAILED, type Grade, gradeOf, isFrame } from './grade.ts';
import { withoutHost } from './speaker.ts';

/** What a program says at once. */
export interface Message {
  /** As they are in the log, cleaned. */
  lines: string[];
  /** Lines of source that it repeats: they are shown, and are no part of what is said. */
  quoted?: string[];
  /** What is said, without what surrounds it: goes into fingerprint and class instead of the lines. */
  gist?: string;
  /** The hosts that say it. */
  hosts?: string[];
  /** Where the kind of message tells it. */
  grade?: Grade;
}

/** What becomes of the lines from `i` on: the message they make, if any, and the index of the line behind them. */
interface Joined {
  message?: Message;
  next: number;
}

/** What was read so far. */
interface Progress {
  out: Message[];
  /** The last line that is no finding: a linter's findings are about the file it names. */
  header: string | undefined;
  /** The task of Ansible that is at work. */
  task: string | undefined;
  /** Paragraphs below an error belong to it. */
  isTerraform: boolean;
}

/** Undefined when the line at `i` is not of its kind. May add to the last message. */
type Join = (lines: readonly string[], i: number, progress: Progress) => Joined | undefined;

/** Lines after a headline that may belong to it. */
const MAX_DETAIL = 6;
/** Messages back from a Go dump to the panic it belongs to, or from a suggestion to the error it is for. */
const MAX_BETWEEN = 4;
/** Lines of a Go dump in which the first frame of the program itself is looked for. */
const MAX_DUMP = 24;
/** Changed lines that are told of a diff, and lines of a paragraph. */
const MAX_CHANGED = 8;

/** Every message of the log. Source text, stack frames and innocent lines that errors quote are left out. */
export function messages(lines: readonly string[]): Message[] {
  const isTerraform = lines.some((line) =>
    /\b(?:Terraform|OpenTofu)\b|^Initializing (?:the backend|provider|modules)/.test(line),
  );
  const progress: Progress = { out: [], header: undefined, task: undefined, isTerraform };
  for (let i = 0; i < lines.length; ) {
    const { message, next } = joinAt(lines, i, progress);
    if (message !== undefined) progress.out.push(message);
    if (!FINDING.test(lines[next - 1] as string)) progress.header = lines[next - 1];
    i = next;
  }
  return progress.out;
}

function joinAt(lines: readonly string[], i: number, progress: Progress): Joined {
  for (const join of JOINS) {
    const joined = join(lines, i, progress);
    if (joined) return joined;
  }
  return { message: { lines: [lines[i] as string] }, next: i + 1 };
}

const isError = (grade: Grade): boolean => grade === 'strong' || grade === 'weak';
const isErrorLine = (line: string): boolean => isError(gradeOf(line));
const isErrorMessage = ({ lines: [first = ''], grade }: Message): boolean => isError(grade ?? gradeOf(first));

/** Terraform and OpenTofu draw a box around each error, and wrap its text to the width of the terminal. */
const box: Join = (lines, i) => {
  if (!/^\s*╷\s*$/.test(lines[i] as string)) return undefined;
  let until = i + 1;
  while (until < lines.length && !/^\s*╵/.test(lines[until] as string)) until++;
  const inside = lines.slice(i + 1, until).filter((line) => /^\s*│/.test(line));
  const texts = inside.map((line) => line.replace(/^\s*│\s?/, '').trimEnd());
  return { message: { lines: unwrapped(texts) }, next: until + 1 };
};

/** Sentences that were wrapped at the width of the terminal, each in one line again; an empty line parts them. */
const unwrapped = (lines: readonly string[]): string[] =>
  lines.reduce<string[]>((joined, line, i) => {
    const goesOn = i > 0 && lines[i - 1] !== '' && /^[\w"'(]/.test(line) && /^["A-Z]/.test(joined.at(-1) ?? '');
    if (goesOn && !/^\w+: /.test(line)) joined.push(`${joined.pop()} ${line}`);
    else if (line !== '') joined.push(line);
    return joined;
  }, []);

/** The stacks behind a Go panic: only the first file that is not of the runtime counts, for there the fix is. */
const dump: Join = (lines, i, { out }) => {
  if (!/^goroutine \d+ \[/.test(lines[i] as string)) return undefined;
  const latest = out.slice(-MAX_BETWEEN);
  const panic = latest.findLast(({ lines: [first = ''] }) => /^(?:panic|fatal error): /.test(first));
  const files = lines.slice(i + 1, i + MAX_DUMP).map((line) => /^\s+(\S+\.go):\d+/.exec(line)?.[1]);
  const ownFile = files.find((file) => file && !/\/(?:runtime|usr\/local\/go|usr\/lib\/go)\b/.test(file));
  if (ownFile && panic) panic.lines.push(ownFile);
  return { next: i + 1 };
};

/** A Python traceback: frames and source are left out, the exception below them stays. */
const traceback: Join = (lines, i) => {
  const line = lines[i] as string;
  if (!/^\s*(?:Traceback \(most recent call last\):|File ".{0,300}", line \d+)/.test(line)) return undefined;
  const indent = (text = '') => text.length - text.trimStart().length;
  // All of it may be indented, as part of what another program tells; a frame is itself further in than the exception.
  const margin = Math.max(0, /^\s*File/.test(line) ? indent(line) - 1 : indent(line));
  let next = i + 1;
  while (indent(lines[next]) > margin) next++;
  return { next };
};

/** A line of source with carets below it: what the error right above it is about. */
const quotation: Join = (lines, i, { out }) => {
  if (!/^\s*[\^~]+\s*$/.test(lines[i + 1] ?? '')) return undefined;
  const above = out.at(-1);
  if (above && above.lines.at(-1) === lines[i - 1] && isErrorMessage(above))
    above.quoted = [...(above.quoted ?? []), lines[i] as string, lines[i + 1] as string];
  return { next: i + 2 };
};

const FINDING = /^\s+\d+:\d+\s+(?:error|warning)\b/;

/** A finding of a linter, which names the file once, above all findings in it. */
const finding: Join = (lines, i, { header }) => {
  const line = lines[i] as string;
  if (!FINDING.test(line)) return undefined;
  return {
    message: { lines: header !== undefined && /^\S/.test(header) ? [line, `in ${header}`] : [line] },
    next: i + 1,
  };
};

/** An error that ends in a colon, and what it announces. */
const headline: Join = (lines, i) => {
  const line = lines[i] as string;
  if (!/(?::|=>|\bwhile loading YAML\.)$/.test(line) || !isErrorLine(line)) return undefined;
  const text = [line];
  const answers: HostAnswer[] = [];
  let opens = true;
  let next = i + 1;
  // What is listed may stand apart.
  if (lines[next] === '' && /^[*•-] /.test(lines[next + 1] ?? '')) next++;
  for (; next < lines.length && text.length <= MAX_DETAIL; next++) {
    const below = lines[next] as string;
    if (isFrame(below)) continue;
    const belongs = /^\s|^[*•-] /.test(below) || (opens && ['plain', 'weak'].includes(gradeOf(below)));
    if (below === '' || !belongs) break;
    opens = below.endsWith(':');
    const answer = hostAnswer(below);
    const isRepeated = answer !== undefined && answers.some(({ text: earlier }) => earlier === answer.text);
    if (answer) answers.push(answer);
    if (!isRepeated) text.push(below);
  }
  return { message: answers.length > 1 ? answeredByHosts(text, answers) : { lines: text }, next };
};

/** `* 10.0.0.2: …`: what one of several hosts answered. */
interface HostAnswer {
  host: string;
  text: string;
}

const BULLET = /^\s*[*•-] /;

function hostAnswer(line: string): HostAnswer | undefined {
  const { host, text } = withoutHost(line.replace(BULLET, ''), new Set());
  return host === undefined || !BULLET.test(line) ? undefined : { host, text };
}

/** Known by what was answered, however many hosts did: one answer reads as it does from a single host. */
function answeredByHosts(lines: string[], answers: readonly HostAnswer[]): Message {
  const texts = [...new Set(answers.map(({ text }) => text))].sort();
  const [headline = '', ...below] = lines;
  const head = texts.length > 1 ? headline : headline.replace(/\b\d+ errors occurred/, '1 error occurred');
  const others = below.filter((line) => hostAnswer(line) === undefined);
  const hosts = answers.map(({ host }) => host);
  // An address is masked like any other.
  const front = /^\d/.test(hosts[0] ?? '') ? hosts[0] : '<host>';
  return { lines, gist: [head, ...texts.map((text) => `\t* ${front}: ${text}`), ...others].join('\n'), hosts };
}

/** Where an error is, on a line of its own below it. */
const place: Join = (lines, i, { out }) => {
  const line = lines[i] as string;
  const above = out.at(-1);
  if (!/^\s+(?:in ["']|on \S+ line |--> |at line |from ")/.test(line) || !isErrorLine(above?.lines[0] ?? ''))
    return undefined;
  above?.lines.push(line);
  return { next: i + 1 };
};

/** A task of Ansible that failed on a host: known by what is wrong and by its task, not by the host. */
const task: Join = (lines, i, progress) => {
  const line = lines[i] as string;
  const header = TASK_HEADER.exec(line)?.[0];
  if (header) {
    progress.task = header;
    return { next: i + 1 };
  }
  const result = taskResultAt(lines, i);
  if (!result) return undefined;
  const { host, cause, next, isIgnored } = result;
  if (isIgnored) return { next: next + 1 };
  const where = progress.task ? [`in ${progress.task}`] : [];
  const gist = [cause || 'FAILED', ...where].join('\n');
  return {
    message: { lines: [...result.lines, ...where], gist, hosts: [host], grade: cause ? 'strong' : 'weak' },
    next,
  };
};

/** Where Ansible wraps a line, without a terminal. */
const ANSIBLE_WIDTH = 78;

/** A warning of Ansible, which is no host's word; what it wrapped into the next lines is no message of its own. */
const warning: Join = (lines, i) => {
  if (!ANSIBLE_WARNING.test(lines[i] as string)) return undefined;
  let next = i + 1;
  const isRest = (line: string) =>
    /^[^\s[]/.test(line) &&
    `${lines[next - 1]} ${line.split(' ', 1)}`.length > ANSIBLE_WIDTH &&
    !['strong', 'noise'].includes(gradeOf(line));
  while (isRest(lines[next] ?? '')) next++;
  const text = lines.slice(i, next).join(' ');
  const gist = text.replace(ANSIBLE_WARNING, '');
  return { message: { lines: lines.slice(i, next), gist, hosts: [], grade: gradeOf(text) }, next };
};
const ANSIBLE_WARNING = /^\[(?:DEPRECATION )?WARNING\]: /;

const REQUIRES = /^mendloop: requires: /;

/** Everything that is missing before the command is one failure. */
const requires: Join = (lines, i) => {
  if (!REQUIRES.test(lines[i] as string)) return undefined;
  let next = i + 1;
  while (REQUIRES.test(lines[next] ?? '')) next++;
  return { message: { lines: lines.slice(i, next), grade: 'strong' }, next };
};

/** The loop's own line about a check that failed, in words. */
const check: Join = (lines, i) => {
  const [, command = '', ended = ''] = CHECK_FAILED.exec(lines[i] as string) ?? [];
  if (command === '') return undefined;
  const text = `the command succeeded; the check \`${command}\` failed (${ended})`;
  return { message: { lines: [text], grade: 'wrapper' }, next: i + 1 };
};

const HUNK = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/;

/** A diff: the file, and the lines that differ; those around them are innocent. */
const diff: Join = (lines, i) => {
  if (!/^--- \S/.test(lines[i] as string) || !/^\+\+\+ \S/.test(lines[i + 1] ?? '') || !HUNK.test(lines[i + 2] ?? '')) {
    return undefined;
  }
  const changed = [lines[i + 1] as string];
  let next = i + 2;
  for (let hunk = HUNK.exec(lines[next] ?? ''); hunk; hunk = HUNK.exec(lines[next] ?? '')) {
    let [before, after] = [Number(hunk[1] ?? 1), Number(hunk[2] ?? 1)];
    for (next++; next < lines.length && before + after > 0; next++) {
      const sign = (lines[next] as string)[0];
      if (sign !== '+') before--;
      if (sign !== '-') after--;
      if (sign === '+' || sign === '-') changed.push(lines[next] as string);
    }
  }
  return { message: { lines: changed.slice(0, MAX_CHANGED + 1), grade: 'warning' }, next };
};

const CARETS = /^\s*\^-*\^? (SC\d+ \(\w+\): .*)$/;

/** A finding of shellcheck: place, source, and what is wrong below it. */
const sourceFinding: Join = (lines, i) => {
  if (!/^In \S.{0,200} line \d+:$/.test(lines[i] as string)) return undefined;
  let next = i + 1;
  while (next < lines.length && next - i < MAX_DETAIL && !CARETS.test(lines[next] as string)) next++;
  const texts = [lines[i] as string];
  for (let carets = CARETS.exec(lines[next] ?? ''); carets; carets = CARETS.exec(lines[++next] ?? ''))
    texts.push(carets[1] as string);
  return texts.length > 1 ? { message: { lines: texts, grade: 'weak' }, next } : undefined;
};

const SUGGESTION =
  /\b(?:did you mean|did you mistype|perhaps you meant|maybe you meant|you might have meant|with a similar name|most similar)\b(?<=^.{0,120})/i;

/** What a tool thinks was meant belongs to the error above it, also with an empty line between them. */
const suggestion: Join = (lines, i, { out }) => {
  const line = lines[i] as string;
  if (!SUGGESTION.test(line) || isErrorLine(line)) return undefined;
  const above = out.slice(-MAX_BETWEEN).findLast(isErrorMessage);
  if (!above) return undefined;
  let next = i + 1;
  above.lines.push(line.trim());
  const isOpen = /[:?]$/.test(line) && !/[`'"]\S+[`'"]\?$/.test(line);
  for (; isOpen && (lines[next] ?? '') !== '' && next <= i + 3; next++)
    above.lines.push((lines[next] as string).trim());
  return { next };
};

const MAX_QUOTED = 12;

/** Where Ansible found it: file and line are told, the quoted source is left out. */
const offending: Join = (lines, i, { out }) => {
  const file = OFFENDING.exec(lines[i] as string)?.[1];
  if (!file) return undefined;
  out.findLast(isErrorMessage)?.lines.push(`in ${file}`);
  const here = lines.slice(i, i + MAX_QUOTED).findIndex((line) => /^\s*\^ here/.test(line));
  return { next: here === -1 ? i + 1 : i + here + 1 };
};

/** Terraform without its box: where, and what, in paragraphs of their own below the error. */
const paragraphs: Join = (lines, i, { isTerraform }) => {
  if (!/^Error: \S/.test(lines[i] as string) || lines[i + 1] !== '') return undefined;
  const texts = [lines[i] as string];
  let next = i + 2;
  const take = () => {
    for (; (lines[next] ?? '') !== '' && texts.length <= 2 * MAX_CHANGED; next++)
      texts.push((lines[next] as string).trim());
  };
  const hasPlace = /^ {2}(?:on|with) \S/.test(lines[next] ?? '');
  if (hasPlace) {
    take();
    if (lines[next] === '') next++;
  }
  if (hasPlace || isTerraform)
    if (/^["A-Z]/.test(lines[next] ?? '') && !/^(?:Error|Warning|Usage): /.test(lines[next] ?? '')) take();
  return texts.length > 1 ? { message: { lines: texts, grade: 'strong' }, next } : undefined;
};

/** The first that knows the line reads it. */
const JOINS: readonly Join[] = [
  ...[box, task, warning, requires, check, diff, sourceFinding, suggestion, offending, dump, traceback, quotation],
  ...[finding, paragraphs, headline, place],
];
