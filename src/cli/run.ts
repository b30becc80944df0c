// `mendloop`, `mendloop all`, `mendloop <stage>…`: run stages.
import type { Subscriber } from '../events.ts';
import { systemClock } from '../io/clock.ts';
import { LAB_TOOLS } from '../io/package.ts';
import { stopSignals } from '../io/signals.ts';
import { runStages } from '../run/run-stages.ts';
import { Stop } from '../run/stop.ts';
import type { CommandInput } from './command.ts';
import { COMMANDS } from './commands.ts';
import { runOptions } from './run-options.ts';

/** How long TERM is given before KILL. */
export const GRACE_MS = 5000;

export async function run(input: CommandInput): Promise<number> {
  return start(input, input.words, false);
}

/** Runs `stages` (none: all) and tells how it goes; resolves to the exit code. */
export async function start(input: CommandInput, stages: readonly string[], forced: boolean): Promise<number> {
  const request = {
    ...runOptions(input),
    home: input.home(),
    command: input.line,
    stages,
    forced,
    commands: Object.keys(COMMANDS),
  };
  if (input.options['dry-run']) return (await import('./plan.ts')).show(input, request);
  const { signal, dispose } = stopSignals((name) => new Stop('INTERRUPTED', `interrupted by ${name}`));
  try {
    const report = await runStages(request, {
      clock: systemClock,
      env: process.env,
      labTools: LAB_TOOLS,
      subscribers: [await watcher(input)],
      signal,
      graceMs: GRACE_MS,
    });
    return report.exit;
  } finally {
    dispose();
  }
}

async function watcher({ out, home }: CommandInput): Promise<Subscriber> {
  if (out.json) return (event) => out.jsonLine(event);
  if (out.isTerminal && !out.quiet) return (await import('../console/board.ts')).boardWatcher(out, home());
  return (await import('../console/plain.ts')).plainWatcher(out, home());
}
