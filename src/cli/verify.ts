// `mendloop verify [<stage>…]`: does it still hold?
import { EXIT } from '../errors.ts';
import { systemClock } from '../io/clock.ts';
import { LAB_TOOLS } from '../io/package.ts';
import { stopSignals } from '../io/signals.ts';
import { Stop } from '../run/stop.ts';
import { type Verification, verifyStages } from '../run/verify-stages.ts';
import type { CommandInput } from './command.ts';
import { GRACE_MS } from './run.ts';
import { runOptions } from './run-options.ts';

export async function run(input: CommandInput): Promise<number> {
  const { out, words: stages } = input;
  const request = { ...runOptions(input), home: input.home(), command: input.line, stages, forced: false };
  const { signal, dispose } = stopSignals((name) => new Stop('INTERRUPTED', `interrupted by ${name}`));
  const results: Verification[] = [];
  try {
    const ports = {
      clock: systemClock,
      env: process.env,
      labTools: LAB_TOOLS,
      subscribers: [],
      signal,
      graceMs: GRACE_MS,
    };
    await verifyStages(request, ports, (verification) => {
      results.push(verification);
      for (const line of lines(verification)) out.line(line);
    });
  } finally {
    dispose();
  }
  if (out.json) out.jsonLine({ steps: results });
  if (results.length === 0) out.line('nothing is green yet, so there is nothing to verify');
  if (signal.aborted) return EXIT.interrupted;
  return results.every((r) => r.problems.length === 0) ? EXIT.ok : EXIT.failed;
}

function lines({ step, problems, log }: Verification): string[] {
  if (problems.length === 0) return [`${step}: holds`];
  return [`${step}: does not hold`, ...problems.map((p) => `  - ${p}`), `  log: ${log}`];
}
