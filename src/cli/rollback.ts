// `mendloop rollback <fix>` and `rollback --run <run>`: take fixes back that their owner does not want.
import { failUsage } from '../errors.ts';
import { type RolledBack, rollBack } from '../promote/rollback.ts';
import { short } from '../worktree/messages.ts';
import type { Answer, CommandInput } from './command.ts';
import { PORTS } from './ports.ts';

export async function run({ words, options, dry, home, line }: CommandInput): Promise<Answer> {
  const [fix, ...more] = words;
  const { run: ofRun } = options;
  if (more.length > 0 || (fix === undefined) === (typeof ofRun !== 'string')) {
    failUsage('rollback needs one fix, or --run and one run', 'mendloop rollback --help');
  }
  const what = fix === undefined ? { run: String(ofRun) } : { fix };
  const done = await rollBack({ home: home(), command: line, what, dryRun: dry }, PORTS);
  return { text: lines(done, dry), json: { ...done, dry_run: dry } };
}

function lines({ base, branch, fixes, notices }: RolledBack, dry: boolean): string[] {
  const row = ({ commit, stage, fix, by, empty }: RolledBack['fixes'][number]) =>
    `    ${short(commit)}  ${stage}  ${fix}${by ? `  (by ${short(by)})` : ''}${empty ? '  nothing was left of it' : ''}`;
  const stages = [...new Set(fixes.map(({ stage }) => stage))].join(', ');
  const promoted = fixes.filter((fix) => fix.promoted);
  return [
    ...notices.map((text) => `note: ${text}`),
    `${dry ? 'would roll back' : 'rolled back'} on ${branch}:`,
    ...fixes.map(row),
    ...(promoted.length > 0 ? [`${base} still has ${promoted.map(({ commit }) => short(commit)).join(', ')}`] : []),
    ...(promoted.length > 0
      ? ['to undo it there, too, land that: mendloop promote shows it, and the line that accepts it']
      : []),
    ...(dry ? [] : [`the next run does ${stages} again; what was rolled back does not come again by itself`]),
  ];
}
