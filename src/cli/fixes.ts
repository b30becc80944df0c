// `mendloop fixes [<stage>]`: what is on the AI branch, and its story.
import { ago } from '../console/words.ts';
import { EXIT, failUsage } from '../errors.ts';
import { layout as layoutOf } from '../io/layout.ts';
import { readLedger } from '../journal/ledger-file.ts';
import { loadStages } from '../journal/load-stages.ts';
import { type ListedFix, listFixes } from '../promote/list-fixes.ts';
import { recordedStages } from '../run/recorded-stages.ts';
import { baseOf } from '../stage/configuration.ts';
import { unknownStage } from '../stage/unknown-stage.ts';
import type { CommandInput } from './command.ts';

export async function run({ words, options, out, home }: CommandInput): Promise<number> {
  if (words.length > 1) failUsage('fixes takes one stage', 'mendloop fixes [<stage>]');
  const layout = layoutOf(home());
  const base = await baseOf(home());
  const { ledger } = readLedger(layout);
  const known = recordedStages(home(), loadStages(layout, { look: true }).state);
  if (words[0] !== undefined && !known.includes(words[0])) unknownStage(words[0], known);
  const all = await listFixes(layout, base, ledger, options.diff === true);
  const fixes = words[0] === undefined ? all : all.filter(({ stage }) => stage === words[0]);
  const none = `no fix${words[0] ? ` of ${words[0]}` : ''} is on ${base.branch} that ${base.name} does not have`;
  const text =
    fixes.length === 0
      ? none
      : fixes
          .flatMap((fix) => [...lines(fix, Date.now()), ''])
          .slice(0, -1)
          .join('\n');
  out.answer(text, { branch: base.branch, base: base.name, fixes });
  return EXIT.ok;
}

const WORDS: Readonly<Record<string, string>> = {
  verified: 'verified: the stage was green with it',
  provisional: 'kept for now: another failure came in its place',
  applied: 'not judged yet',
  no_effect: 'taken back: it had no effect',
  broke: 'taken back: it broke something',
  withdrawn: 'taken back unjudged; comes again with its failure',
  declined: 'rolled back by you; does not come again by itself',
  landed: 'landed: your branch has it',
};

function lines(
  { commit, time, stage, fingerprint, class: found, plugin, paths, fix, reason, outcome, diff, ...more }: ListedFix,
  now: number,
): string[] {
  return [
    `${commit.slice(0, 12)}  ${stage}  ${ago(time, now)}  ${fix}`,
    `    ${WORDS[outcome] ?? outcome}`,
    ...(more.on_base ? ['    your branch still has it; to undo it there: mendloop promote'] : []),
    `    why:  ${reason}`,
    `    for:  ${found} ${fingerprint}; by ${plugin}; in ${paths.join(', ')}`,
    ...(diff
      ? diff
          .trimEnd()
          .split('\n')
          .map((line) => `    ${line}`)
      : []),
  ];
}
