// A failed attempt's log → who this failure is: error lines, class, fingerprint. Stateless: the same log gives the same
// answer on any machine on any day.
import { createHash } from 'node:crypto';
import type { AttemptEnd } from '../events.ts';
import { type Classified, classify, type ProjectRule } from './classify.ts';
import { isBinary, type LogEnd } from './clean.ts';
import { type ErrorLine, type Picked, pickErrorLines } from './error-lines.ts';
import type { Grade } from './grade.ts';
import { readEnd } from './log-end.ts';
import { type LocalMask, MASK_REASONS, type Masked, template } from './mask.ts';

/** Goes into every fingerprint: counting up gives all failures new ones, for a change in what is picked or masked of many. */
export const ALGORITHM = 3;

export interface FailureInput {
  stage: string;
  ended: AttemptEnd;
  /** The end of the log; undefined when there is none. */
  log: LogEnd | undefined;
  /** The end of the stage's last green log. */
  green?: LogEnd | undefined;
  /** What belongs to this checkout and this cell of a matrix, and so to no fingerprint. */
  local?: readonly LocalMask[] | undefined;
  /** The project's own rules, before the built-in ones. */
  rules?: readonly ProjectRule[] | undefined;
}

/** A failure, known by its fingerprint. */
export interface Failure extends Classified {
  fingerprint: string;
  /** What the log says went wrong, at most three errors, each as many lines as it has. */
  errors: readonly Readonly<ErrorLine>[];
  /** How sure that is. */
  grade: Grade | 'nothing';
  /** Why the log says nothing, when it does. */
  silence?: Silence;
}

/** Why a log has no error lines: two different reasons are two different failures. */
type Silence = 'no log' | 'empty log' | 'no text' | 'only progress';

const NOTHING_PICKED: Picked = { errors: [], grade: 'nothing', around: { before: '', behind: '' } };

/** Never throws. */
export function identify(input: FailureInput): Failure {
  const { log, green, local, stage, ended, rules } = input;
  const { errors, grade, around } = log ? pickErrorLines(log, green, local) : NOTHING_PICKED;
  const text = errors.map(({ lines, gist }) => gist ?? lines.join('\n')).join('\n');
  const silence = errors.length === 0 ? whySilent(log) : undefined;
  return {
    fingerprint: hash(stage, endOf(ended), silence ? [`<${silence}>`] : errors.map((error) => error.template)),
    ...classify({ errors: text, around, exitCode: ended.exit_code }, rules),
    errors,
    grade,
    ...(silence ? { silence } : {}),
  };
}

/** Templates are a set: what runs side by side prints in any order. */
function hash(stage: string, end: string, templates: readonly string[]): string {
  const parts = [`mendloop ${ALGORITHM}`, stage, end, ...[...templates].sort()];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 16);
}

/** The one thing of how it ended that another fix would be needed for. */
export function endOf({ exit_code, signal, timed_out }: AttemptEnd): string {
  if (timed_out) return 'timeout';
  if (signal) return `signal ${signal}`;
  return exit_code === null ? 'no exit code' : `exit ${exit_code}`;
}

function whySilent(log: LogEnd | undefined): Silence {
  if (!log) return 'no log';
  if (log.text.trim() === '') return 'empty log';
  return isBinary(log) ? 'no text' : 'only progress';
}

/** What was masked in its error lines, and why, each once. */
export function masksOf({ errors }: Failure): (Masked & { why: string })[] {
  const masks = new Map<string, Masked & { why: string }>();
  const add = (one: Masked) => masks.set(`${one.mask} ${one.text}`, { ...one, why: MASK_REASONS[one.mask] });
  for (const { lines, gist } of errors) template((gist ?? lines.join(' ')).replaceAll('\n', ' '), add);
  return [...masks.values()];
}

/** Bytes from the end. The first is enough for nearly every failure; the last bounds time and memory for all. */
export const WINDOWS = [64 * 1024, 512 * 1024] as const;

/** Reads the last bytes of a log; undefined when there is none. */
export type ReadEnd = (bytes: number) => LogEnd | undefined;

/** As for `identify`, with the last green log to be read when it matters. */
type WindowedInput = Omit<FailureInput, 'log' | 'green'> & { green?: ReadEnd | undefined };

/** Identifies a failure from as little of its log as it takes. Never throws unless `read` does. */
export function identifyFrom(read: ReadEnd, input: WindowedInput): Failure {
  const [first, last] = WINDOWS;
  const log = read(first);
  const sure = identify({ ...input, log, green: undefined });
  if (sure.grade === 'strong' || (!log?.cut && !input.green)) return sure;
  return identify({ ...input, log: log?.cut ? read(last) : log, green: input.green?.(first) });
}

/** Reads from bytes in memory as from a file that holds them; `cut` when they are only the end of it. */
export function endOfBytes(all: Buffer, cut = false): ReadEnd {
  return (bytes) => {
    const end = readEnd(all.length, bytes, (from, to) => all.subarray(from, to));
    return { ...end, cut: cut || end.cut };
  };
}
