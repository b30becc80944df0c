// The run that tries what a person accepted.
import { EXIT } from '../errors.ts';
import { stagesToRun, type Taken } from '../run/answer-case.ts';
import type { CommandInput } from './command.ts';
import { PORTS } from './ports.ts';
import { runRequest } from './run-options.ts';
import { runOnce } from './watched-run.ts';

/** One run of the stages whose changes were accepted, with what they need; its exit code. */
export async function runAccepted(input: CommandInput, taken: readonly Taken[]): Promise<number> {
  const stages = await stagesToRun(input.home(), taken, PORTS);
  if (stages.length === 0) return EXIT.ok;
  return (await runOnce(input, { ...runRequest(input), stages, forced: false, withNeeds: true })).exit;
}
