// `mendloop verify [<stage>…]`: runs the checks of stages.
import { EXIT } from '../errors.ts';
import { cutOffText, loadStages, openRun } from '../journal/load-stages.ts';
import { stepsToVerify, type Verification, verifyStages } from '../run/verify-stages.ts';
import { configurationNow } from '../stage/configuration.ts';
import type { Answer, CommandInput } from './command.ts';
import { withPorts } from './ports.ts';
import { runRequest } from './run-options.ts';

export async function run(input: CommandInput): Promise<Answer | number> {
  const { out, words: stages } = input;
  const request = { ...runRequest(input), stages, forced: false };
  if (input.dry) return dryRun(input);
  const results: Verification[] = [];
  const { left, notices, interrupted } = await withPorts([], async (ports) => {
    const done = await verifyStages(request, ports, (verification) => {
      results.push(verification);
      for (const line of lines(verification)) out.line(line);
    });
    return { ...done, interrupted: ports.signal.aborted };
  });
  for (const text of notices) out.line(`note: ${text}`);
  if (results.length > 0) for (const { name, why } of left) out.line(`${name}: not checked, it is not green: ${why}`);
  const cutOff = results.some(({ unrecorded }) => unrecorded) && openRun(loadStages(input.layout(), { look: true }));
  if (cutOff) out.line(`note: not on record: ${cutOffText(cutOff, Date.now())}`);
  if (out.json) out.jsonLine({ steps: results, not_checked: left, notices });
  if (results.length === 0) out.line('nothing is green yet, so there is nothing to verify');
  if (interrupted) return EXIT.interrupted;
  return results.every((r) => r.problems.length === 0) ? EXIT.ok : EXIT.failed;
}

async function dryRun({ home, layout, words: stages, commands }: CommandInput): Promise<Answer> {
  const { base, config } = await configurationNow(home());
  const { state } = loadStages(layout(), { look: true });
  const selection = { stages, commands: Object.keys(commands), withNeeds: false, forced: false };
  const steps = stepsToVerify(config.map, selection, state).map(({ step }) => step);
  const what = steps.length > 0 ? steps.join(', ') : 'nothing: no stage is green yet';
  return { text: `would run the checks of ${base.name} for: ${what}`, json: { would_verify: steps } };
}

function lines({ step, problems, last_lines, log, checked }: Verification): string[] {
  if (!checked) return [`${step}: nothing to check`];
  if (problems.length === 0) return [`${step}: holds`];
  return [
    `${step}: does not hold`,
    ...problems.map((p) => `  - ${p}`),
    ...last_lines.map((text) => `  | ${text}`),
    `  log: ${log}`,
  ];
}
