// A fix is shown to the person at the terminal, who says whether it is applied.
import type { Output } from '../io/output.ts';
import { askLine } from '../io/stdin.ts';
import type { AskPerson, Suggestion } from '../stage/run.ts';
import { paintedDiff } from './painted-diff.ts';

type Word = Awaited<ReturnType<AskPerson>>;

const QUESTION = 'apply it? [y]es, [n]o, [l]ater (kept as a case): ';
const WORDS: Readonly<Record<string, Word>> = {
  y: 'apply',
  yes: 'apply',
  n: 'decline',
  no: 'decline',
  l: 'leave',
  later: 'leave',
  '': 'leave',
};
const MAX_QUESTIONS = 3;

/** Something that draws on the same terminal, and can be paused. */
export interface Quiet {
  hold(): void;
  release(): void;
}

/** Asks one question at a time. No answer, or an unknown one, means later: nothing is changed. */
export function personAt(out: Output, drawing: Quiet): AskPerson {
  let turn: Promise<unknown> = Promise.resolve();
  return (suggestion, signal) => {
    const mine = turn.then(() => ask(suggestion, signal));
    turn = mine;
    return mine;
  };

  async function ask(suggestion: Suggestion, signal: AbortSignal): Promise<Word> {
    drawing.hold();
    try {
      for (const line of shown(suggestion)) out.errorLine(line);
      for (let asked = 0; asked < MAX_QUESTIONS && !signal.aborted; asked++) {
        const answer = await askLine(QUESTION, signal);
        if (answer === undefined) break;
        const word = WORDS[answer.trim().toLowerCase()];
        if (word) return word;
      }
      return 'leave';
    } finally {
      drawing.release();
    }
  }

  function shown({ step, excerpt, plugin, note, diff, ask }: Suggestion): string[] {
    return [
      '',
      out.colour.bold(`${step} failed, and ${plugin} suggests: ${note.fix}`),
      ...excerpt.split('\n').map((line) => `  | ${line}`),
      `  because: ${note.reason}`,
      `  you are asked (${ask.code}): ${ask.reasons.join('; ')}`,
      '',
      ...paintedDiff(diff, out.colour).map((line) => `  ${line}`),
      '',
    ];
  }
}
