// Which lines of a log tell what went wrong: the cause, before the noise that follows it. Pure.
import { cleanLines, isBinary, type LogEnd } from './clean.ts';
import { beginsChecks, type Grade, gradeOf, isChatter, isDoneWithout, isReadable, isSpecific } from './grade.ts';
import { type LocalMask, template, withoutCheckout } from './mask.ts';
import { type Message, messages } from './messages.ts';
import { type LinesAround, withoutHost } from './speaker.ts';

/** An error as the log tells it: its headline, and the lines that belong to it. */
export interface ErrorLine {
  /** The lines as they are in the log, cleaned, without the place of the checkout; behind them which hosts say it, or that only a check failed. */
  lines: string[];
  /** What goes into the fingerprint. */
  template: string;
  /** What is said, where the lines say it among other things. */
  gist?: string;
}

export interface Picked {
  errors: ErrorLine[];
  /** How sure it is: `nothing` when no line says anything. */
  grade: Grade | 'nothing';
  around: LinesAround;
}

/** A message with what is made of it. */
class Line {
  readonly message: Message;
  /** What it says, in one text. */
  readonly text: string;
  hosts: readonly string[] | undefined;
  readonly #headline: string;
  readonly #local: readonly LocalMask[];
  #grade: Grade | undefined;
  #template: string | undefined;

  constructor(message: Message, named: ReadonlySet<string>, local: readonly LocalMask[]) {
    const [first = '', ...rest] = message.lines;
    const split = message.hosts ? undefined : withoutHost(first, named);
    const headline = split?.host === undefined ? first : split.text;
    this.message = message;
    this.text = message.gist ?? (rest.length === 0 ? headline : [headline, ...rest].join('\n'));
    this.hosts = split?.host === undefined ? message.hosts : [split.host];
    this.#headline = headline;
    this.#grade = message.grade;
    this.#local = local;
  }

  /** Like the template, made when it is asked for: of all lines that would take long. */
  get grade(): Grade {
    this.#grade ??= gradeOfAll(this.#headline, this.message.lines.slice(1));
    return this.#grade;
  }

  get template(): string {
    this.#template ??= template(this.text.replaceAll('\n', ' '), undefined, this.#local);
    return this.#template;
  }
}

/** At most so many errors make a fingerprint. */
const MAX_ERRORS = 3;
/** Lines of no interest that may stand between two errors that belong together. */
const MAX_GAP = 4;
/** Lines that one error and what belongs to it may have: a program that fails for an hour says much. */
const MAX_CLUSTER = 12;
/** Warnings from before the checks that are told with what these found. */
const MAX_WITHOUT = 2;
/** Lines of hosts that are compared. */
const MAX_HOST_LINES = 300;
/** Lines before and behind the errors that tell who was at work. */
const CONTEXT_LINES = 5;

/**
 * Picks the error lines. `green` is the end of the stage's last green log, and only breaks ties between weak candidates.
 * `local` masks what belongs to this place: where the checkout lies, the values of the cell.
 */
export function pickErrorLines(log: LogEnd, green?: LogEnd, local: readonly LocalMask[] = []): Picked {
  const lines = graded(log, local);
  const sure = pickStrong(lines);
  const { picked, grade } = sure ?? (isBinary(log) ? NOTHING : pickLikely(lines, green && graded(green, local)));
  const first = lines.indexOf(picked[0] as Line);
  const last = lines.indexOf(picked.at(-1) as Line);
  const textOf = (from: number, to: number) => {
    const texts = lines.slice(Math.max(0, from), to).map(({ text }) => text);
    return texts.join('\n');
  };
  const around = {
    before: textOf(first - CONTEXT_LINES, last + 1),
    behind: picked.length === 0 ? '' : textOf(last + 1, last + 1 + CONTEXT_LINES),
  };
  const errors = errorsOf(picked, local);
  const failedCheck = lines.find(({ text }) => text.startsWith('the command succeeded; '))?.text;
  if (failedCheck && !errors.some(({ lines: [line] }) => line === failedCheck))
    errors.at(-1)?.lines.push(`(${failedCheck})`);
  return { errors, grade, around };
}

/** The messages of a log, each with its grade; chatter between them is out, unless there is nothing else. */
function graded(log: LogEnd, local: readonly LocalMask[]): Line[] {
  const all = cleanLines(log);
  const checks = Math.max(0, all.findIndex(beginsChecks));
  // The command ended well; what it said it had to do without may be why a check does not hold.
  const without = all.slice(0, checks).filter(isDoneWithout).slice(-MAX_WITHOUT);
  const clean = [...without, ...all.slice(checks)];
  const quiet = clean.filter((line) => !isChatter(line));
  const lines = quiet.some((line) => line !== '') ? quiet : clean;
  return onceForAllHosts(messages(lines), local);
}

/** Each message once, where several hosts say the same; the last ones of a long log are enough. */
function onceForAllHosts(all: readonly Message[], local: readonly LocalMask[]): Line[] {
  const named = new Set(all.flatMap(({ hosts = [] }) => hosts));
  const lines = all.map((message) => new Line(message, named, local));
  const byTemplate = new Map<string, Line>();
  const repeated = new Set<Line>();
  const isOfHost = ({ hosts, grade }: Line) => hosts !== undefined && (grade === 'strong' || grade === 'weak');
  for (const line of lines.filter(isOfHost).slice(-MAX_HOST_LINES)) {
    const same = byTemplate.get(line.template);
    if (!same) byTemplate.set(line.template, line);
    else {
      same.hosts = [...new Set([...(same.hosts ?? []), ...(line.hosts ?? [])])];
      repeated.add(line);
    }
  }
  return repeated.size === 0 ? lines : lines.filter((line) => !repeated.has(line));
}

/** A message is as clear as its headline, or as the clearest line of its details. */
function gradeOfAll(headline: string, details: readonly string[]): Grade {
  const grade = gradeOf(headline);
  return grade === 'weak' && details.some((line) => gradeOf(line) === 'strong') ? 'strong' : grade;
}

type Choice = { picked: Line[]; grade: Picked['grade'] };

const NOTHING: Choice = { picked: [], grade: 'nothing' };

const isTelling = ({ grade }: Line): boolean => grade !== 'noise' && grade !== 'info';

function pickStrong(lines: readonly Line[]): Choice | undefined {
  const picked = cluster(lines, 'strong');
  if (picked.length === 0) return undefined;
  // Only that something failed is said: what the tool had to do without is the cause.
  const isVague = !picked.some(({ text }) => isSpecific(text));
  const isCause = (line: Line) => isDoneWithout(line.text) && isTelling(line) && !picked.includes(line);
  const without = isVague ? lines.filter(isCause) : [];
  return { picked: [...without.slice(-MAX_ERRORS), ...picked], grade: 'strong' };
}

/** Without a clear error line: what comes closest to one, rather something that a green run does not say. */
function pickLikely(lines: readonly Line[], green: readonly Line[] | undefined): Choice {
  const telling = lines.filter(isTelling);
  const usual = green && new Set(green.map((line) => line.template));
  const unusual = usual ? telling.filter((line) => !usual.has(line.template)) : telling;
  const candidates = unusual.length > 0 ? unusual : telling;
  for (const grade of ['weak', 'warning', 'wrapper', 'plain'] as const) {
    if (candidates.some((line) => line.grade === grade)) return { picked: cluster(candidates, grade), grade };
  }
  const infos = lines.filter(({ grade }) => grade === 'info');
  const telltale = infos.findLast(({ text }) => /fail|error|timed out|timeout|rc=/i.test(text));
  const last = telltale ?? lines.findLast(isAwaited) ?? infos.at(-1) ?? lines.findLast(({ text }) => isReadable(text));
  return last ? { picked: [last], grade: 'info' } : NOTHING;
}

/** The last lines of a grade, with what stands close to them; none when no line has it. */
function cluster(lines: readonly Line[], grade: Grade): Line[] {
  const end = lines.findLastIndex((line) => line.grade === grade);
  const anchor = lines[end];
  if (!anchor) return [];
  if (grade === 'wrapper') {
    const before = lines.slice(0, end).findLast((line) => line.grade === 'plain');
    return before ? [before, anchor] : [anchor];
  }
  if (grade !== 'strong' && grade !== 'weak') return [anchor];
  const before = () => tellingFrom(lines, end, -1);
  const after = () => tellingFrom(lines, end, 1);
  // What only says that something failed, or announces what follows, is often followed by what it was.
  const gap = isSpecific(anchor.text) && !/:$|\b(?:issues|problems|the following)\b/.test(anchor.text) ? 0 : MAX_GAP;
  if (!TIME_RAN_OUT.test(anchor.text)) return [...near(before(), MAX_GAP).reverse(), anchor, ...near(after(), gap)];
  const awaited = [...tellingFrom(lines, end, -1, MAX_GAP)].find(isAwaited);
  const warned = [...tellingFrom(lines, end, -1, 1)].filter(
    ({ grade, text }) => grade === 'warning' && isSpecific(text),
  );
  const causes = [...warned, ...near(before(), MAX_GAP).reverse()];
  const why = awaited ? [awaited, ...causes.filter((line) => line !== awaited && isSpecific(line.text))] : causes;
  return [...why, anchor, ...near(after(), MAX_GAP)];
}

/** Lines that tell something, from the one beside `from` on, back or forth, each graded when it is asked for. */
function* tellingFrom(lines: readonly Line[], from: number, step: 1 | -1, most = lines.length): Generator<Line> {
  let left = most;
  for (let i = from + step; i >= 0 && i < lines.length && left > 0; i += step) {
    const line = lines[i] as Line;
    if (!isTelling(line)) continue;
    left--;
    yield line;
  }
}

/** Says only that time ran out; what was waited for was said before, and how it stands often right behind. */
const TIME_RAN_OUT =
  /^(?:error: )?(?:timed out waiting for the condition\b.*|(?:context deadline exceeded|timeout|timed out)\.?)$/i;
const isAwaited = ({ text }: Line): boolean => /\bwaiting (?:for|on) \S/i.test(text);

/** The strong and weak lines at the beginning of `lines`, up to where too many others come between them. */
function near(lines: Iterable<Line>, maxGap: number): Line[] {
  const errors: Line[] = [];
  let gap = 0;
  for (const line of lines) {
    if (errors.length === MAX_CLUSTER) break;
    if (line.grade === 'strong' || line.grade === 'weak') {
      errors.push(line);
      gap = 0;
    } else if (line.grade === 'plain' && ++gap > maxGap) break;
  }
  return errors;
}

/** The errors of a cluster, each template once; the clearest and most specific ones stay. */
function errorsOf(lines: readonly Line[], local: readonly LocalMask[]): ErrorLine[] {
  const byTemplate = new Map<string, Line>();
  for (const line of lines) if (!byTemplate.has(line.template)) byTemplate.set(line.template, line);
  const all = [...byTemplate.values()];
  const withoutName = ({ template }: Line) => template.replace(/^[\w.-]+: (?=\S)/, '');
  const counts = new Map<string, number>();
  for (const line of all) counts.set(withoutName(line), (counts.get(withoutName(line)) ?? 0) + 1);
  const isListed = (line: Line) => (counts.get(withoutName(line)) ?? 0) > MAX_ERRORS;
  // Hosts, and others that all say the same, come in any order: which of their errors stay must not depend on it.
  const inAnyOrder = new Set(all.filter((line) => line.hosts || isListed(line)));
  const byName = (a: Line, b: Line) =>
    inAnyOrder.has(a) && inAnyOrder.has(b) ? (a.template < b.template ? -1 : 1) : 0;
  const best = [...all].sort((a, b) => rank(a) - rank(b) || byName(a, b)).slice(0, MAX_ERRORS);
  return all.filter((line) => best.includes(line)).map((line) => errorOf(line, local));
}

const rank = ({ grade, text }: Line): number => (grade === 'strong' ? 0 : 2) + (isSpecific(text) ? 0 : 1);

function errorOf(line: Line, local: readonly LocalMask[]): ErrorLine {
  const { message, text, hosts = [], template: key } = line;
  const { lines, quoted = [], gist } = message;
  const where = hosts.length > 1 ? [`on ${hosts.length} hosts: ${[...hosts].sort().join(', ')}`] : [];
  const cause = gist ?? (quoted.length > 0 ? text : undefined);
  const printed = [...lines, ...quoted].map((one) => withoutCheckout(one, local));
  return { lines: [...printed, ...where], template: key, ...(cause === undefined ? {} : { gist: cause }) };
}
