// `mendloop`, `mendloop all`, `mendloop <stage>…`: run stages. `mendloop retry <stage>…`: run them again, whatever their state.
import { EXIT, failUsage, formatError, MendError } from '../errors.ts';
import type { Answer, CommandInput } from './command.ts';
import { runRequest } from './run-options.ts';
import { runOnce } from './watched-run.ts';

export const run = (input: CommandInput): Promise<Answer | number> => start(input, false);

export async function retry(input: CommandInput): Promise<Answer | number> {
  if (input.words.length === 0) failUsage('retry needs a stage', 'mendloop retry <stage>');
  return start(input, true);
}

/** Runs the stages that are named (none: all) and shows how it goes; resolves to the exit code. */
async function start(input: CommandInput, forced: boolean): Promise<Answer | number> {
  const { words: stages } = input;
  const request = { ...runRequest(input), stages, forced };
  if (input.dry) return (await import('./plan.ts')).show(input, request);
  const { exit, afterGreen } = await runOnce(input, request);
  // A run's exit is that of its stages, whatever becomes of the queue.
  if (exit === EXIT.ok && stages.length === 0 && afterGreen > 0 && request.ai) await goOnWithQueue(input, afterGreen);
  return exit;
}

async function goOnWithQueue(input: CommandInput, most: number): Promise<void> {
  const { backlog } = await import('./by-hand.ts');
  await backlog.workThrough(input, most).catch((error) => {
    if (!(error instanceof MendError)) throw error;
    input.out.error(formatError(error), error);
  });
}
