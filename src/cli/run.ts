// `mendloop`, `mendloop all`, `mendloop <stage>…`: run stages.
import type { Subscriber } from '../events.ts';
import { runStages } from '../run/run-stages.ts';
import type { CommandInput } from './command.ts';
import { withPorts } from './ports.ts';
import { runOptions } from './run-options.ts';

export async function run(input: CommandInput): Promise<number> {
  return start(input, input.words, false);
}

/** Runs `stages` (none: all) and tells how it goes; resolves to the exit code. */
export async function start(input: CommandInput, stages: readonly string[], forced: boolean): Promise<number> {
  const { line: command, commands } = input;
  const request = { ...runOptions(input), home: input.home(), command, stages, forced, commands };
  if (input.options['dry-run']) return (await import('./plan.ts')).show(input, request);
  const watch = await watcher(input);
  return (await withPorts([watch], (ports) => runStages(request, ports))).exit;
}

async function watcher({ out, home }: CommandInput): Promise<Subscriber> {
  if (out.json) return (event) => out.jsonLine(event);
  if (out.isTerminal && !out.quiet) return (await import('../console/board.ts')).boardWatcher(out, home());
  return (await import('../console/plain.ts')).plainWatcher(out, home());
}
