// `mendloop`, `mendloop all`, `mendloop <stage>…`: run stages. `mendloop retry <stage>…`: run them again, whatever their state.
import type { Watcher } from '../console/board.ts';
import { plainWatcher } from '../console/plain.ts';
import { failUsage } from '../errors.ts';
import { canAnswer } from '../io/stdin.ts';
import { runStages } from '../run/run.ts';
import type { Answer, CommandInput } from './command.ts';
import { withPorts } from './ports.ts';
import { runOptions } from './run-options.ts';

export const run = (input: CommandInput): Promise<Answer | number> => start(input, false);

export async function retry(input: CommandInput): Promise<Answer | number> {
  if (input.words.length === 0) failUsage('retry needs a stage', 'mendloop retry <stage>');
  return start(input, true);
}

/** Runs the stages that are named (none: all) and shows how it goes; resolves to the exit code. */
async function start(input: CommandInput, forced: boolean): Promise<Answer | number> {
  const { words: stages, line: command, commands } = input;
  const request = {
    ...runOptions(input),
    home: input.home(),
    command,
    stages,
    forced,
    commands: Object.keys(commands),
  };
  if (input.dry) return (await import('./plan.ts')).show(input, request);
  const { event, live, person } = await watcher(input);
  return (await withPorts([event], (ports) => runStages(request, { ...ports, live, person }))).exit;
}

async function watcher({ out, home }: CommandInput): Promise<Watcher> {
  if (out.json) return { event: (event) => out.jsonLine(event) };
  const board = out.isTerminal && !out.quiet && (await import('../console/board.ts')).boardWatcher(out, home());
  const watch: Watcher = board || { event: plainWatcher(out, home()) };
  if (!out.isTerminal || !canAnswer()) return watch;
  const { personAt } = await import('../console/ask-person.ts');
  return { ...watch, person: personAt(out, board || { hold() {}, release() {} }) };
}
