// What a person reads of a run: events in, the lines of stdout and stderr out.
import { Chalk } from 'chalk';
import { plainWatcher } from '../../src/console/plain.ts';
import type { LoopEvent } from '../../src/events.ts';
import type { Output } from '../../src/io/output.ts';

export interface Printed {
  out: string[];
  err: string[];
}

/** An output that keeps what is printed. */
export function captured(quiet = false): { output: Output; printed: Printed } {
  const printed: Printed = { out: [], err: [] };
  const output: Output = {
    json: false,
    quiet,
    isTerminal: false,
    colour: new Chalk({ level: 0 }),
    answer: (text) => void printed.out.push(text),
    line: (text) => {
      if (!quiet) printed.out.push(text);
    },
    jsonLine: (value) => void printed.out.push(JSON.stringify(value)),
    error: (text) => void printed.err.push(text),
    errorLine: (text) => void printed.err.push(text),
  };
  return { output, printed };
}

/** The lines of a run watched without a terminal. */
export function plainLines(events: readonly LoopEvent[], { home = '/nowhere', quiet = false } = {}): Printed {
  const { output, printed } = captured(quiet);
  const { event: watch } = plainWatcher(output, home);
  for (const event of events) watch(event);
  return printed;
}
