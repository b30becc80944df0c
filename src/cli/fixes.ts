// `mendloop fixes [<stage>]`: what is on the AI branch, and its story.
import { ago } from '../console/words.ts';
import { failUsage } from '../errors.ts';
import { readLedger } from '../journal/ledger-file.ts';
import { loadStages, recordedStages } from '../journal/load-stages.ts';
import { type ListedFix, listFixes } from '../promote/list-fixes.ts';
import { baseOf } from '../stage/configuration.ts';
import { requireStages } from '../stage/unknown-stage.ts';
import type { Answer, CommandInput } from './command.ts';

export async function run({ words: stages, options, home, layout }: CommandInput): Promise<Answer> {
  if (stages.length > 1) failUsage('fixes takes one stage', 'mendloop fixes [<stage>]');
  const base = await baseOf(home());
  const { ledger } = readLedger(layout());
  requireStages(stages, recordedStages(home(), loadStages(layout(), { look: true }).state));
  const [wanted] = stages;
  const all = await listFixes(layout(), base, ledger, options.diff === true);
  const fixes = all.filter(({ stage }) => wanted === undefined || stage === wanted);
  const none = `no fix${wanted ? ` of ${wanted}` : ''} is on ${base.branch} that ${base.name} does not have`;
  const text = fixes.map((fix) => lines(fix, Date.now()).join('\n')).join('\n\n');
  return { text: text || none, json: { branch: base.branch, base: base.name, fixes } };
}

const OUTCOMES: Readonly<Record<string, string>> = {
  verified: 'verified: the stage was green with it',
  holds: 'its stage is green with it; others that it changed are not yet',
  provisional: 'kept for now: another failure came in its place',
  applied: 'not judged yet',
  no_effect: 'taken back: it had no effect',
  broke: 'taken back: it broke something',
  withdrawn: 'taken back unjudged; comes again with its failure',
  declined: 'rolled back by you; does not come again by itself',
  superseded: 'taken back: you wrote another text in its place; does not come again by itself',
  landed: 'landed: your branch has it',
};

const CAME_AGAIN = 'taken back unjudged; came again with its failure, above';

function lines(fix: ListedFix, now: number): string[] {
  const diff = fix.diff?.trimEnd().split('\n') ?? [];
  return [
    `${fix.commit.slice(0, 12)}  ${fix.stage}  ${ago(fix.time, now)}  ${fix.fix}`,
    `    ${fix.came_again ? CAME_AGAIN : (OUTCOMES[fix.outcome] ?? fix.outcome)}${fix.left ? `, but for ${fix.left}` : ''}`,
    ...(fix.on_base ? ['    your branch still has it; to undo it there: mendloop promote'] : []),
    `    why:  ${fix.reason}`,
    `    for:  ${fix.class} ${fix.fingerprint}; by ${fix.plugin}; in ${fix.paths.join(', ')}`,
    ...diff.map((line) => `    ${line}`),
  ];
}
