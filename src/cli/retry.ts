// `mendloop retry <stage>…`: run stages again, whatever their state.
import { fail } from '../errors.ts';
import type { CommandInput } from './command.ts';
import { start } from './run.ts';

export async function run(input: CommandInput): Promise<number> {
  if (input.words.length === 0) fail('E_USAGE', { what: 'retry needs a stage', next: 'mendloop retry <stage>' });
  return start(input, input.words, true);
}
