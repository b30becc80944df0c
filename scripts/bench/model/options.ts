// What the model bench was asked for on its command line.
import { parseArgs } from 'node:util';
import { positiveDurationSchema } from '../../../src/config/schema-parts.ts';

export const FORMATS = ['auto', 'diff', 'whole-file', 'search-replace', 'json'] as const;

export interface BenchOptions {
  readonly host: string;
  readonly model: string;
  readonly formats: readonly string[];
  readonly only: readonly string[];
  /** Also what known fixes mend. */
  readonly all: boolean;
  readonly quick: boolean;
  readonly repeat: number;
  /** Without it by measured speed. */
  readonly timeout: string | null;
  readonly atOnce: number;
  /** A folder for what was asked and answered. */
  readonly keep: string | undefined;
  /** Where what is measured is remembered until all of it is. */
  readonly state: string | undefined;
  readonly fresh: boolean;
  readonly json: boolean;
  readonly recorded: boolean;
  readonly help: boolean;
}

export const USAGE = `npm run bench:model -- [options]     in a clone
mendloop-bench-model [options]        installed

Gives a model of yours failing stages through the whole loop, and counts what it mends: with its first answer, after
rounds (it was asked again, because its answer was refused or it took none of the changes offered), and after tries (a
fix did not help and was taken back). The first row is the one to choose by: what known fixes do not mend. Every exam
is a repository in a temporary folder; yours is not touched.

  --host URL        where Ollama listens (default: OLLAMA_HOST, else http://127.0.0.1:11434)
  --model NAME      an installed model (default: auto, which is what the loop would take)
  --quick           twelve exams, for a first look
  --repeat N        each exam N times; the table then has the least and the most of one round (default: 1)
  --all             also the exams that known fixes mend, which no model is asked about in a run
  --only WORDS      only exams whose names contain WORDS; may be given several times
  --format FORM     ${FORMATS.join(', ')}, or all of them in turn (default: auto)
  --timeout TIME    how long one answer may take in all, such as 90s (default: by measured speed, as in a run)
  --at-once N       exams at the same time (default: 1; most hosts answer one question at a time)
  --keep FOLDER     keep there what was asked, answered and decided in every exam, and its logs
  --fresh           begin anew; otherwise the same command goes on where it was interrupted
  --state FILE      where that is remembered (default: in node_modules/.cache)
  --json            one JSON object instead of the table
  --recorded        no model: recorded answers, to see the bench itself work
  --help            this text

How it is judged: every answer is read, placed and judged by the loop's own gate, and the stage runs again. Small
exams, shell and make really run, and must then do what the mended stage does. For the others stand-ins print the
tools' words until every file does what it does in the mended repository (comments, spacing, order of keys do not
count), in one of the ways that are written down as right. An exam that must be declined has none: declined is right,
applied is wrong.

Exit code: 0 measured, 1 some of it could not be measured, 2 nothing was begun, 130 interrupted.
`;

/** The options, or in `wrong` what is wrong with them. */
export function readOptions(argv: readonly string[], env: NodeJS.ProcessEnv): BenchOptions | { wrong: string } {
  const text = (fallback: string) => ({ type: 'string' as const, default: fallback });
  const flag = { type: 'boolean' as const, default: false };
  try {
    const { values } = parseArgs({
      args: [...argv],
      options: {
        ...{ host: text(env.OLLAMA_HOST || 'http://127.0.0.1:11434'), model: text('auto'), format: text('auto') },
        ...{ timeout: { type: 'string' }, 'at-once': text('1'), only: { type: 'string', multiple: true, default: [] } },
        ...{ repeat: text('1'), keep: { type: 'string' }, state: { type: 'string' } },
        ...{ quick: flag, all: flag, fresh: flag, json: flag, recorded: flag, help: flag },
      },
    });
    const { format, timeout, repeat, 'at-once': many, ...others } = values;
    const formats = format === 'all' ? FORMATS : FORMATS.filter((one) => one === format);
    if (formats.length === 0) return { wrong: `no form ${format}; there are ${FORMATS.join(', ')} and all` };
    for (const [name, number] of [
      ['at-once', many],
      ['repeat', repeat],
    ] as const) {
      if (!/^[1-9]\d?$/.test(number)) return { wrong: `--${name} ${number}: expected a number from 1 to 99` };
    }
    if (others.quick && others.only.length > 0) return { wrong: '--quick chooses twelve by itself; leave out --only' };
    if (timeout !== undefined && !positiveDurationSchema.safeParse(timeout).success) {
      return { wrong: `--timeout ${timeout}: expected a time such as 90s or 2m` };
    }
    const { keep, state } = values;
    return { ...others, keep, state, formats, timeout: timeout ?? null, repeat: Number(repeat), atOnce: Number(many) };
  } catch (error) {
    return { wrong: (error as Error).message };
  }
}
