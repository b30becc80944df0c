// From what a run left behind to one word: fixed, refused, wrong, or not measured.

export type Word = 'fixed' | 'refused' | 'wrong' | 'not measured';

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
}

/** Exit codes of runs that did their work: all green, failed, a human is needed. */
const WORKED: readonly (number | null)[] = [0, 1, 3];

/** The outcome, or `green` when it depends on what the branch holds. */
export function outcomeOf({ exit, status, events, said }: Left): Outcome | 'green' {
  const of = (type: string) => events.filter((event) => event.type === type);
  if (!WORKED.includes(exit) || !['green', 'failed', 'give_up'].includes(status ?? '')) {
    return missed(`the run ended with ${exit}: ${said}`);
  }
  const applied = of('fix.committed').length;
  const down = of('plugin.failed').at(-1);
  if (status === 'green') {
    if (applied === 0) return missed('the stage did not fail');
    const verified = of('fix.judged').some(({ data }) => data.outcome === 'verified');
    return verified ? 'green' : { word: 'wrong', why: 'green, but no fix was found to be the reason' };
  }
  // What was applied before the host failed might have been followed by something better.
  if (down) return missed(String(down.data.reason));
  if (of('plugin.said').length + of('fix.refused').length === 0) return missed('no model was asked');
  if (applied === 0) return { word: 'refused', why: reasonOf(of('fix.refused').at(-1)) };
  const ends = of('fix.reverted').map(({ data }) => String(data.outcome ?? 'taken back'));
  return { word: 'wrong', why: `${applied} applied, ${[...new Set(ends)].join(', ') || 'not green'}` };
}

const missed = (why: string): Outcome => ({ word: 'not measured', why: oneLine(why) });

function reasonOf(last: Seen | undefined): string {
  if (!last) return 'the model proposed no change';
  const { code, reasons } = last.data as { code?: string; reasons?: string[] };
  return oneLine(`${code ?? 'refused'}: ${reasons?.[0] ?? ''}`);
}

export const oneLine = (text: string): string => {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length > 160 ? `${line.slice(0, 160)}…` : line;
};
