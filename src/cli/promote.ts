// `mendloop promote`: show what the AI branch would bring to the base; land it when its owner accepts exactly that.
import { landedLines, nothingLine, type PromoteView, promoteLines } from '../console/promote-lines.ts';
import { EXIT, failUsage } from '../errors.ts';
import { openGit } from '../io/git.ts';
import { layout as layoutOf } from '../io/layout.ts';
import { runAtWork } from '../io/lock.ts';
import { acceptPromotion, conflictCommands, pushPromotion, showPromotion } from '../promote/promote.ts';
import { acceptLine, byStage, type Story, unverified } from '../promote/story.ts';
import { baseOf } from '../stage/configuration.ts';
import { shellWord } from '../worktree/messages.ts';
import type { CommandInput } from './command.ts';

export async function run(input: CommandInput): Promise<number> {
  const { accept, push } = input.options;
  if (accept !== undefined && push) failUsage('promote takes --accept or --push, not both', 'mendloop promote --help');
  if (typeof accept === 'string') return land(input, accept);
  return push ? pushBranch(input) : show(input);
}

async function show({ options, out, home }: CommandInput): Promise<number> {
  const base = await baseOf(home());
  const { story, rehearsal } = await showPromotion(home(), base, options.diff === true);
  const busy = runAtWork(layoutOf(home())) !== undefined;
  const solve = rehearsal && !story.clean ? conflictCommands(story, rehearsal.plain) : [];
  const note = busy ? ['note: a run is at work; what it does is not in this, and nothing can be accepted now', ''] : [];
  const view = viewOf(story, solve);
  const text = story.nothing ? nothingLine(view) : [...note, ...promoteLines(view, Date.now())].join('\n');
  out.answer(text, { ...view, run_at_work: busy });
  return EXIT.ok;
}

async function land(input: CommandInput, accepted: string): Promise<number> {
  const { out, home } = input;
  const { story, landed, checkout } = await acceptPromotion(request(input), accepted);
  const view = { ...viewOf(story), checkout: checkout ?? null };
  if (!landed) {
    const where = checkout === undefined ? ', which is checked out nowhere' : `, in ${checkout}`;
    out.answer(`would merge ${story.tip} into ${story.base}${where}`, { ...view, would_land: true });
    return EXIT.ok;
  }
  const push = await pushCommand(home(), story.base);
  out.answer(landedLines(view, landed.commit, checkout, push).join('\n'), { ...view, landed_as: landed.commit });
  return EXIT.ok;
}

async function pushBranch(input: CommandInput): Promise<number> {
  const { story, pushed } = await pushPromotion(request(input));
  const { branch, base, tip } = story;
  const dry = input.options['dry-run'] === true;
  const lines = [
    `${dry ? 'would push' : 'pushed'} ${branch} (${tip?.slice(0, 12)}) to ${pushed.remote}, ${pushed.url}`,
    ...pushed.said.map((line) => `    ${line}`),
    ...(dry ? [] : [`open a pull request of ${branch} into ${base}${pushed.page ? `:` : ' there'}`]),
    ...(pushed.page && !dry ? [pushed.page] : []),
  ];
  input.out.answer(lines.join('\n'), { branch, base, tip, dry_run: dry, ...pushed, page: pushed.page ?? null });
  return EXIT.ok;
}

const request = ({ home, line, options }: CommandInput) => ({
  home: home(),
  command: line,
  env: process.env,
  dryRun: options['dry-run'] === true,
});

function viewOf(story: Story, solve: readonly string[] = []): PromoteView & { nothing: boolean } {
  const { fixes, ...rest } = story;
  const open = unverified(story).map(({ commit }) => commit);
  return { ...rest, stages: byStage(fixes), unverified: open, accept: acceptLine(story) ?? null, solve };
}

/** How its owner would share the base; undefined without a remote. */
async function pushCommand(home: string, base: string): Promise<string | undefined> {
  const git = openGit(home);
  const configured = await git.attempt(['config', '--get', `branch.${base}.remote`]);
  const [first] = (await git.run(['remote'])).split('\n');
  const remote = configured.stdout.trim() || first;
  return remote ? `git push ${shellWord(remote)} ${shellWord(base)}` : undefined;
}
