// From what a run left behind to one word (fixed, declined, refused, wrong, late, or not measured) and how soon it came to
// that.
import { shownFiles } from '../../../src/outbound/shown-files.ts';
import type { RightChange } from './exam.ts';

export type Word = 'fixed' | 'declined' | 'refused' | 'wrong' | 'late' | 'not measured';

/** With the first answer, after rounds in which an answer was refused, or after tries whose fix was none. */
export type Soon = 'first' | 'rounds' | 'tries';

export interface Outcome {
  readonly word: Word;
  readonly why: string;
}

/** What is looked at of a run's events. */
export interface Seen {
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export interface Left {
  /** The exit code of the run. */
  readonly exit: number | null;
  /** Of the stage, as `stages.json` has it; undefined when the run did not get that far. */
  readonly status: string | undefined;
  readonly events: readonly Seen[];
  /** What the last lines of the run's output were, for a run that did not get that far. */
  readonly said: string;
  /** Nothing that may be changed can mend it. */
  readonly mustDecline: boolean;
}

/** Exit codes of runs that did their work: all green, failed, a human is needed. */
const WORKED: readonly (number | null)[] = [0, 1, 3];

/** The outcome, or `green` when it depends on what the branch holds. */
export function outcomeOf({ exit, status, events, said, mustDecline }: Left): Outcome | 'green' {
  const of = (type: string) => events.filter((event) => event.type === type);
  if (!WORKED.includes(exit) || !['green', 'failed', 'give_up'].includes(status ?? '')) {
    return missed(`the run ended with ${exit}: ${said}`);
  }
  const applied = of('fix.committed').length;
  const down = of('plugin.failed').at(-1);
  if (status === 'green') {
    if (applied === 0) return missed('the stage did not fail');
    const isKept = of('fix.judged').some(({ data }) => data.outcome === 'kept');
    return isKept ? 'green' : { word: 'wrong', why: 'green, but no fix was found to be the reason' };
  }
  // What was applied before the host failed might have been followed by something better.
  if (down) return isLate(String(down.data.reason)) ? late(String(down.data.reason)) : missed(String(down.data.reason));
  if (of('plugin.said').length + of('fix.refused').length === 0) return missed('no model was asked');
  if (applied === 0) return nothingApplied(events, mustDecline);
  const ends = of('fix.judged').map(({ data }) => String(data.outcome));
  return { word: 'wrong', why: `${applied} applied, ${[...new Set(ends)].join(', ') || 'not green'}` };
}

/** A model that did not answer in its time lost: that is what it would do at night. */
const isLate = (reason: string): boolean =>
  / (?:tokens? came\b|nothing more came for |tokens came in the last )/.test(reason);
const late = (why: string): Outcome => ({ word: 'late', why: oneLine(why) });

const missed = (why: string): Outcome => ({ word: 'not measured', why: oneLine(why) });

const isAnswer = ({ type }: Seen): boolean => ['fix.refused', 'fix.suggested', 'plugin.passed'].includes(type);

function nothingApplied(events: readonly Seen[], mustDecline: boolean): Outcome {
  const last = events.filter(isAnswer).at(-1);
  if (last?.type === 'plugin.passed' && mustDecline) return { word: 'declined', why: '' };
  return { word: 'refused', why: oneLine(reasonOf(last)) };
}

function reasonOf(last: Seen | undefined): string {
  type Told = { code?: string; reasons?: string[]; reason?: string; ask?: { code: string; reasons: string[] } };
  const { code, reasons, reason, ask }: Told = last?.data ?? {};
  if (last?.type === 'fix.suggested') return `the owner is asked: ${ask?.code ?? ''}: ${ask?.reasons[0] ?? ''}`;
  if (last?.type === 'fix.refused') return `${code ?? 'refused'}: ${reasons?.[0] ?? ''}`;
  return reason ?? 'the model proposed no change';
}

/** How soon it was fixed or declined. */
export function soonOf(word: Word, events: readonly Seen[]): Soon | null {
  if (word !== 'fixed' && word !== 'declined') return null;
  const firstTry = events.slice(0, events.findIndex(({ type }) => type === 'try.ended') + 1 || undefined);
  if (word === 'declined') {
    const answers = firstTry.filter(isAnswer).map(({ type }) => type);
    return answers[0] === 'plugin.passed' ? 'first' : answers.includes('plugin.passed') ? 'rounds' : 'tries';
  }
  const count = (of: string) => events.filter(({ type }) => type === of).length;
  const inVain = events.filter(({ type, data }) => type === 'fix.judged' && data.outcome !== 'kept').length;
  if (inVain + count('try.ended') > 0) return 'tries';
  // Each answer counts its tokens once, also one that was refused or asked for again.
  return count('model.used') > count('fix.committed') ? 'rounds' : 'first';
}

/** Why answers were not applied: a code for each; `ask` for what the owner would have to be asked about. */
export const refusalsOf = (events: readonly Seen[]): string[] =>
  events.flatMap(({ type, data }) =>
    type === 'fix.refused' ? [String(data.code)] : type === 'fix.suggested' ? ['ask'] : [],
  );

/** Whether a prompt shows the lines that have to change: a model that is not shown them can only guess. */
export function isShown(prompt: string, { path, before, after }: RightChange): boolean {
  const shown = shownFiles(prompt).find((file) => file.path === path);
  const stays = new Set(after.split('\n'));
  const lines = new Set(shown?.lines.values());
  return shown !== undefined && before.split('\n').every((line) => stays.has(line) || lines.has(line));
}

export const oneLine = (text: string): string => {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length > 160 ? `${line.slice(0, 160)}…` : line;
};
