// Which lines of a log tell what went wrong: the cause, before the noise that follows it. Pure.
import { cleanLines, isBinary, type LogEnd } from './clean.ts';
import { beginsChecks, type Grade, gradeOf, isChatter, isReadable } from './grade.ts';
import { template } from './mask.ts';
import { messages } from './messages.ts';

/** An error as the log tells it: its headline, and the lines that belong to it. */
export interface ErrorLine {
  /** The lines as they are in the log, cleaned. */
  lines: string[];
  /** What goes into the fingerprint. */
  template: string;
}

export interface Picked {
  errors: ErrorLine[];
  /** How sure it is: `nothing` when no line says anything. */
  grade: Grade | 'nothing';
  /** The lines just before the first of them: what was being done. */
  before: string;
}

interface Line {
  text: string;
  grade: Grade;
}

/** At most so many errors make a fingerprint. */
const MAX_ERRORS = 3;
/** Lines of no interest that may stand between two errors that belong together. */
const MAX_GAP = 4;
/** Lines that one error and what belongs to it may have: a program that fails for an hour says much. */
const MAX_CLUSTER = 12;
/** Lines before the errors that tell what was being done. */
const CONTEXT_LINES = 5;

/** Picks the error lines. `green` is the end of the stage's last green log, and only breaks ties between weak candidates. */
export function pickErrorLines(log: LogEnd, green?: LogEnd): Picked {
  const lines = graded(log);
  const sure = pickStrong(lines);
  const { picked, grade } = sure ?? (isBinary(log) ? NOTHING : pickLikely(lines, green));
  const first = lines.indexOf(picked[0] as Line);
  const before = lines.slice(Math.max(0, first - CONTEXT_LINES), Math.max(0, first)).map(({ text }) => text);
  return { errors: errorsOf(picked), grade, before: before.join('\n') };
}

/** The messages of a log, each with its grade; chatter between them is out, unless there is nothing else. */
function graded(log: LogEnd): Line[] {
  const all = cleanLines(log);
  const clean = all.slice(Math.max(0, all.findIndex(beginsChecks)));
  const quiet = clean.filter((line) => !isChatter(line));
  const lines = quiet.some((line) => line !== '') ? quiet : clean;
  return messages(lines).map((text) => ({ text, grade: gradeOfAll(text.split('\n')) }));
}

/** A message is as clear as its headline, or as the clearest line of its details. */
function gradeOfAll([headline = '', ...details]: string[]): Grade {
  const grade = gradeOf(headline);
  return grade === 'weak' && details.some((line) => gradeOf(line) === 'strong') ? 'strong' : grade;
}

type Choice = { picked: Line[]; grade: Picked['grade'] };

const NOTHING: Choice = { picked: [], grade: 'nothing' };

const isTelling = ({ grade }: Line): boolean => grade !== 'noise' && grade !== 'info';

function pickStrong(lines: readonly Line[]): Choice | undefined {
  if (!lines.some(({ grade }) => grade === 'strong')) return undefined;
  return { picked: cluster(lines.filter(isTelling), 'strong'), grade: 'strong' };
}

/** Without a clear error line: what comes closest to one, rather something that a green run does not say. */
function pickLikely(lines: readonly Line[], green: LogEnd | undefined): Choice {
  const telling = lines.filter(isTelling);
  const usual = green ? new Set(graded(green).map(({ text }) => template(text))) : undefined;
  const unusual = usual ? telling.filter(({ text }) => !usual.has(template(text))) : telling;
  const candidates = unusual.length > 0 ? unusual : telling;
  for (const grade of ['weak', 'warning', 'wrapper', 'plain'] as const) {
    if (candidates.some((line) => line.grade === grade)) return { picked: cluster(candidates, grade), grade };
  }
  const infos = lines.filter(({ grade }) => grade === 'info');
  const telltale = infos.findLast(({ text }) => /fail|error|timed out|timeout|rc=/i.test(text));
  const last = telltale ?? infos.at(-1) ?? lines.findLast(({ text }) => isReadable(text));
  return last ? { picked: [last], grade: 'info' } : NOTHING;
}

/** The last lines of a grade, with what stands close to them. */
function cluster(lines: readonly Line[], grade: Grade): Line[] {
  const end = lines.findLastIndex((line) => line.grade === grade);
  const anchor = lines[end] as Line;
  if (grade === 'wrapper') {
    const before = lines.slice(0, end).findLast((line) => line.grade === 'plain');
    return before ? [before, anchor] : [anchor];
  }
  if (grade !== 'strong' && grade !== 'weak') return [anchor];
  const [before, after] = [lines.slice(0, end).reverse(), lines.slice(end + 1)];
  if (!TIME_RAN_OUT.test(anchor.text)) return [...near(before, MAX_GAP).reverse(), anchor, ...near(after, 0)];
  const awaited = before.slice(0, MAX_GAP).find(isAwaited);
  return [...(awaited ? [awaited] : near(before, MAX_GAP).reverse()), anchor, ...near(after, MAX_GAP)];
}

/** Says only that time ran out; what was waited for was said before, and how it stands often right behind. */
const TIME_RAN_OUT =
  /^(?:error: )?(?:timed out waiting for the condition\b.*|(?:context deadline exceeded|timeout|timed out)\.?)$/i;
const isAwaited = ({ text }: Line): boolean => /\bwaiting (?:for|on) \S/i.test(text);

/** The strong and weak lines at the beginning of `lines`, up to where too many others come between them. */
function near(lines: readonly Line[], maxGap: number): Line[] {
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

/** The errors of a cluster, each template once, strong ones first to stay. */
function errorsOf(lines: readonly Line[]): ErrorLine[] {
  const byTemplate = new Map<string, Line>();
  for (const line of lines) {
    const key = template(line.text.replaceAll('\n', ' '));
    if (!byTemplate.has(key)) byTemplate.set(key, line);
  }
  const all = [...byTemplate];
  const strong = all.filter(([, { grade }]) => grade === 'strong');
  const best = [...new Set([...strong, ...all])].slice(0, MAX_ERRORS);
  const inOrder = all.filter((one) => best.includes(one));
  return inOrder.map(([key, { text }]) => ({ lines: text.split('\n'), template: key }));
}
