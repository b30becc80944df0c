// `mendloop plan [<stage>…]`, and what --dry-run shows.
import { SIMULATED_LINE } from '../console/run-lines.ts';
import { table } from '../console/words.ts';
import { explainPlan, type PlanSelection } from '../inspect/plan.ts';
import type { Answer, CommandInput } from './command.ts';
import { runOptions } from './run-options.ts';

export const run = (input: CommandInput): Promise<Answer> =>
  show(input, { ...runOptions(input), stages: input.words, forced: false });

/** Prints what a run of `selection` would do; runs no stage, writes nothing. */
export async function show({ home }: CommandInput, selection: PlanSelection): Promise<Answer> {
  const view = await explainPlan(home(), selection);
  const lines = [
    ...(view.lab === 'simulated' ? [SIMULATED_LINE] : []),
    `plan from ${view.base} (${view.commit.slice(0, 12)})`,
    ...view.notices.map((n) => `note: ${n}`),
    ...table(view.rows.map((r) => [r.step, r.state, r.why])),
  ];
  return { text: lines, json: view };
}
