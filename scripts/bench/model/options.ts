// What the model bench was asked for on its command line.
import { parseArgs } from 'node:util';
import { positiveDurationSchema } from '../../../src/config/duration.ts';

export const FORMATS = ['auto', 'diff', 'whole-file', 'search-replace', 'json'] as const;

export interface BenchOptions {
  readonly host: string;
  readonly model: string;
  readonly formats: readonly string[];
  readonly only: readonly string[];
  readonly timeout: string;
  readonly atOnce: number;
  /** A folder for what was asked and answered. */
  readonly keep: string | undefined;
  readonly json: boolean;
  readonly recorded: boolean;
  readonly help: boolean;
}

export const USAGE = `npm run bench:model -- [options]

Runs sixty broken stages through the whole loop with a model of yours, and counts what it fixed, what was refused and what
it got wrong. Every stage is a small repository in a temporary folder; yours is not touched.

  --host URL        where Ollama listens (default: OLLAMA_HOST, else http://127.0.0.1:11434)
  --model NAME      an installed model (default: auto, which is what the loop would take)
  --format FORM     ${FORMATS.join(', ')}, or all of them in turn (default: auto)
  --timeout TIME    how long one answer may take, such as 90s (default: 120s)
  --only WORDS      only stages whose names contain WORDS; may be given several times
  --at-once N       stages at the same time (default: 1; most hosts answer one question at a time)
  --keep FOLDER     keep there what was asked, answered and decided for every stage, and its logs
  --json            one JSON object instead of the table
  --recorded        no model: recorded answers, to see the bench itself work
  --help            this text

Exit code: 0 measured, 1 some of it could not be measured, 2 nothing was begun.
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
        ...{ timeout: text('120s'), 'at-once': text('1'), only: { type: 'string', multiple: true, default: [] } },
        keep: { type: 'string' },
        ...{ json: flag, recorded: flag, help: flag },
      },
    });
    const { host, model, format, timeout, 'at-once': many, only, keep, json, recorded, help } = values;
    const formats = format === 'all' ? FORMATS : FORMATS.filter((one) => one === format);
    if (formats.length === 0) return { wrong: `no form ${format}; there are ${FORMATS.join(', ')} and all` };
    if (!/^[1-9]\d?$/.test(many)) return { wrong: `--at-once ${many}: expected a number from 1 to 99` };
    if (!positiveDurationSchema.safeParse(timeout).success) {
      return { wrong: `--timeout ${timeout}: expected a time such as 90s or 2m` };
    }
    return { host, model, formats, only, timeout, atOnce: Number(many), keep, json, recorded, help };
  } catch (error) {
    return { wrong: (error as Error).message };
  }
}
