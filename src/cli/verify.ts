// `mendloop verify [<stage>…]`: does it still hold?
import { EXIT } from '../errors.ts';
import { type Verification, verifyStages } from '../run/verify-stages.ts';
import type { CommandInput } from './command.ts';
import { withPorts } from './ports.ts';
import { runOptions } from './run-options.ts';

export async function run(input: CommandInput): Promise<number> {
  const { out, words: stages, commands } = input;
  const request = { ...runOptions(input), home: input.home(), command: input.line, stages, forced: false, commands };
  const results: Verification[] = [];
  const interrupted = await withPorts([], async (ports) => {
    await verifyStages(request, ports, (verification) => {
      results.push(verification);
      for (const line of lines(verification)) out.line(line);
    });
    return ports.signal.aborted;
  });
  if (out.json) out.jsonLine({ steps: results });
  if (results.length === 0) out.line('nothing is green yet, so there is nothing to verify');
  if (interrupted) return EXIT.interrupted;
  return results.every((r) => r.problems.length === 0) ? EXIT.ok : EXIT.failed;
}

function lines({ step, problems, log }: Verification): string[] {
  if (problems.length === 0) return [`${step}: holds`];
  return [`${step}: does not hold`, ...problems.map((p) => `  - ${p}`), `  log: ${log}`];
}
