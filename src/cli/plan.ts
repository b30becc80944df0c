// `mendloop plan [<stage>…]`, and what --dry-run shows.

import { SIMULATED_LINE } from '../console/run-lines.ts';
import { table } from '../console/words.ts';
import { explainPlan, type PlanSelection } from '../inspect/plan.ts';
import type { Layout } from '../io/layout.ts';
import { readLedger } from '../journal/ledger-file.ts';
import { listFixes } from '../promote/list-fixes.ts';
import { baseOf } from '../stage/configuration.ts';
import { short } from '../worktree/messages.ts';
import type { Answer, CommandInput } from './command.ts';
import { runOptions } from './run-options.ts';

export const run = (input: CommandInput): Promise<Answer> =>
  show(input, { ...runOptions(input), stages: input.words, forced: false });

/** Prints what a run of `selection` would do; runs no stage, writes nothing. */
export async function show({ home, layout }: CommandInput, selection: PlanSelection): Promise<Answer> {
  const view = await explainPlan(home(), selection);
  const fixes = await includedFixes(layout());
  const lines = [
    ...(view.lab === 'simulated' ? [SIMULATED_LINE] : []),
    `plan from ${view.base} (${short(view.base_commit)})`,
    ...view.notices.map((n) => `note: ${n}`),
    ...fixes.map(({ commit, stage, fix }) => `with the fix ${short(commit)}  ${stage}  ${fix}`),
    ...table(view.rows.map((r) => [r.step, r.state, r.why])),
  ];
  return { text: lines, json: { ...view, fixes } };
}

/** Fixes on the AI branch that the base does not have: a run works with them. */
async function includedFixes(layout: Layout): Promise<{ commit: string; stage: string; fix: string }[]> {
  const all = await listFixes(layout, await baseOf(layout.home), readLedger(layout).ledger, false);
  return all
    .filter(({ on_branch: isOnBranch }) => isOnBranch)
    .map(({ commit, stage, fix }) => ({ commit, stage, fix }));
}
