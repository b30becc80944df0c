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
  const yes = options.yes === true;
  const done = await rollBack({ home: home(), command: line, what, dryRun: dry, yes }, PORTS);
  return {
    text: lines(done, `mendloop rollback ${fix ?? `--run ${String(ofRun)}`}`, dry),
    json: { ...done, dry_run: dry },
  };
}

function lines(
  { base, branch, dropped, with_them: withThem, undone, done, notices }: RolledBack,
  command: string,
  dry: boolean,
): string[] {
  const row = ({ commit, stage, fix }: RolledBack['dropped'][number], by?: string | null) =>
    `    ${short(commit)}  ${stage}  ${fix}${by ? `  (by ${short(by)})` : ''}`;
  const section = (title: string, rows: string[]) => (rows.length > 0 ? [title, ...rows] : []);
  const would = done ? '' : 'would be ';
  const stages = [...new Set([...dropped, ...withThem, ...undone].map(({ stage }) => stage))].join(', ');
  return [
    ...notices.map((text) => `note: ${text}`),
    ...section(
      `${would}dropped from ${branch}:`,
      dropped.map((fix) => row(fix)),
    ),
    ...section(
      'later ones that do not apply without it, and go with it:',
      withThem.map((fix) => row(fix)),
    ),
    ...section(
      `${would}taken back on ${branch}:`,
      undone.map((fix) => row(fix, fix.by)),
    ),
    ...(undone.length > 0 ? [`${base} still has that; to undo it there, land what mendloop promote shows`] : []),
    ...(done ? [`the next run does ${stages} again; what was rolled back does not come again by itself`] : []),
    ...(done || dry ? [] : ['nothing was changed; to do it:', `${command} --yes`]),
  ];
}
