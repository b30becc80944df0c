// `mendloop fixes [<stage>]`: what is on the AI branch, what landed and what was dropped, and the story of each.

import { fixOutcome, repairLines } from '../console/fix-outcome.ts';
import { ago } from '../console/words.ts';
import { failUsage } from '../errors.ts';
import { readLedger } from '../journal/ledger-file.ts';
import { loadStages, recordedStages } from '../journal/load-stages.ts';
import { type ListedFix, listFixes } from '../promote/list-fixes.ts';
import { baseOf } from '../stage/configuration.ts';
import { requireStages } from '../stage/unknown-stage.ts';
import { authorOf } from '../triage/words.ts';
import { short } from '../worktree/messages.ts';
import type { Answer, CommandInput } from './command.ts';

export async function run({ words: stages, options, home, layout }: CommandInput): Promise<Answer> {
  if (stages.length > 1) failUsage('fixes takes one stage', 'mendloop fixes [<stage>]');
  const base = await baseOf(home());
  const { ledger } = readLedger(layout());
  requireStages(stages, recordedStages(home(), loadStages(layout(), { look: true }).state));
  const [wanted] = stages;
  const all = await listFixes(layout(), base, ledger, options.diff === true);
  const fixes = all.filter(({ stage }) => wanted === undefined || stage === wanted);
  const none = `no fix${wanted ? ` of ${wanted}` : ''} is on ${base.branch}, and none landed or was dropped`;
  const text = fixes.map((fix) => lines(fix, Date.now()).join('\n')).join('\n\n');
  return { text: text || none, json: { branch: base.branch, base: base.name, fixes } };
}

function lines(fix: ListedFix, now: number): string[] {
  const diff = fix.diff?.trimEnd().split('\n') ?? [];
  return [
    `${short(fix.commit)}  ${fix.stage}  ${ago(fix.time, now)}  ${fix.fix}`,
    ...fixOutcome(fix).map((line) => `    ${line}`),
    `    why:  ${fix.reason}`,
    `    for:  ${fix.class} ${fix.fingerprint}; by ${authorOf(fix)}; in ${fix.paths.join(', ')}`,
    ...repairLines(fix.shapes, '    '),
    ...diff.map((line) => `    ${line}`),
  ];
}
