// The one way to stdout and stderr: text for people, JSON on request, colour only where it is welcome.
import { Chalk, type ChalkInstance } from 'chalk';

type ErrorFacts = { code: string; message: string; exit: number; next?: string; problems?: readonly string[] };

export interface Output {
  readonly json: boolean;
  readonly quiet: boolean;
  /** Stdout is a terminal a person looks at. */
  readonly isTerminal: boolean;
  readonly colour: ChalkInstance;
  /** An answer: `text` for people, `value` as one line of JSON with --json. */
  answer(text: string, value: unknown): void;
  /** A line of progress; not with --json, not with --quiet. */
  line(text: string): void;
  /** One JSON value on its own line of stdout. */
  jsonLine(value: unknown): void;
  /** An error: text on stderr; with --json one JSON object on stdout. */
  error(text: string, value: ErrorFacts): void;
  /** A line on stderr, whatever the options. */
  errorLine(text: string): void;
}

export function openOutput(options: { json: boolean; quiet: boolean }): Output {
  // A reader that went away (`| head`) is no reason to end a run.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
  // A terminal without a size (some containers) shows nothing that is drawn.
  const drawable = process.stdout.isTTY === true && process.stdout.columns > 0;
  const isTerminal = drawable && !process.env.CI && process.env.TERM !== 'dumb';
  const colour = new Chalk({ level: isTerminal && !process.env.NO_COLOR ? 1 : 0 });
  const write = (text: string) => void process.stdout.write(`${text}\n`);
  return {
    ...options,
    isTerminal,
    colour,
    answer: (text, value) => (options.json ? write(JSON.stringify(value)) : write(text)),
    line: (text) => {
      if (!options.json && !options.quiet) write(text);
    },
    jsonLine: (value) => write(JSON.stringify(value)),
    error: (text, { code, message, exit, next, problems }) => {
      if (options.json) write(JSON.stringify({ error: { code, message, exit, next, problems } }));
      else process.stderr.write(`${text}\n`);
    },
    errorLine: (text) => void process.stderr.write(`${text}\n`),
  };
}
