// The one way to stdout and stderr: plain text for people, JSON on request, colour only where it is welcome.
import { Chalk } from 'chalk';
import { fitText } from './fit-text.ts';
import { type Colours, ourColours, plainJson, plainText } from './plain-text.ts';

type ErrorFacts = { code: string; message: string; exit: number; next?: string; problems?: readonly string[] };

export interface Output {
  readonly json: boolean;
  readonly quiet: boolean;
  /** Stdout is a terminal a person looks at. */
  readonly isTerminal: boolean;
  readonly colour: Colours;
  /** An answer: `text` for people, `value` as one line of JSON with --json. `forScripts`: as it is, but on a terminal. */
  answer(text: string, value: unknown, forScripts?: boolean): void;
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
  // A closed stdout (`| head`) must not end a run.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
  // In some containers a terminal has no size: draw nothing there.
  const drawable = process.stdout.isTTY === true && process.stdout.columns > 0;
  const isTerminal = drawable && !process.env.CI && process.env.TERM !== 'dumb';
  const colour = ourColours(new Chalk({ level: isTerminal && !process.env.NO_COLOR ? 1 : 0 }));
  const write = (text: string) => void process.stdout.write(`${text}\n`);
  const writeJson = (value: unknown) =>
    write(process.stdout.isTTY ? plainJson(JSON.stringify(value)) : JSON.stringify(value));
  const fitting = (text: string, { isTTY, columns }: NodeJS.WriteStream) =>
    isTTY && columns > 0 ? fitText(plainText(text), columns) : plainText(text);
  const errorLine = (text: string) => void process.stderr.write(`${fitting(text, process.stderr)}\n`);
  return {
    ...options,
    isTerminal,
    colour,
    answer: (text, value, forScripts = false) => {
      if (options.json) writeJson(value);
      else if (forScripts) write(process.stdout.isTTY ? plainText(text) : text);
      else write(fitting(text, process.stdout));
    },
    line: (text) => {
      if (!options.json && !options.quiet) write(fitting(text, process.stdout));
    },
    jsonLine: writeJson,
    error: (text, { code, message, exit, next, problems }) => {
      if (options.json) writeJson({ error: { code, message, exit, next, problems } });
      else errorLine(text);
    },
    errorLine,
  };
}
