// `mendloop promote`: show what the AI branch would bring to the base, whether it merges, and what to type next; land it when
// its owner accepts exactly that.
import { outcomeText, repairLines } from '../console/fix-outcome.ts';
import { ago } from '../console/words.ts';
import { failUsage } from '../errors.ts';
import { openGit } from '../io/git.ts';
import { runAtWork } from '../io/lock.ts';
import { acceptPromotion, sharePromotion, showPromotion } from '../promote/promote.ts';
import type { PullRequest } from '../promote/pull-request.ts';
import type { Pushed } from '../promote/push.ts';
import { acceptLine, byStage, refusedFixes, type Story, type StoryFix, whyNot } from '../promote/story.ts';
import { baseOf } from '../stage/configuration.ts';
import { authorOf, counted } from '../triage/words.ts';
import { shellWord, short } from '../worktree/messages.ts';
import { literalGlob } from '../worktree/save-changes.ts';
import type { Answer, CommandInput } from './command.ts';
import { PORTS } from './ports.ts';

export async function run(input: CommandInput): Promise<Answer> {
  const { accept, push, pr, squash } = input.options;
  const isShared = push === true || pr === true;
  if ((accept !== undefined && isShared) || (squash === true && accept === undefined))
    failUsage('promote takes --accept, with --squash or without, or --push and --pr', 'mendloop promote --help');
  if (typeof accept === 'string') return land(input, accept);
  return isShared ? share(input, { push: push === true, pr: pr === true }) : show(input);
}

async function show({ options, home, layout }: CommandInput): Promise<Answer> {
  const whole = await showPromotion(home(), await baseOf(home()), true);
  const story = options.diff === true ? whole : withShortDiff(whole);
  const { diff } = whole;
  const busy = runAtWork(layout()) !== undefined;
  const note = busy ? ['note: a run is at work; what it does is not in this', ''] : [];
  const text = story.nothing ? nothingLine(story) : [...note, ...promoteLines(story, Date.now(), busy)];
  const view = { ...viewOf(story), ...(busy && { accept: null }) };
  return { text, json: { ...view, ...(options.diff === true && { diff }), run_at_work: busy } };
}

/** Changed lines up to which a diff is shown unasked. */
const MAX_DIFF_LINES = 40;

/** The story without its diff where that is long. */
export function withShortDiff({ diff = '', ...rest }: Story): Story {
  const changed = diff.match(/^[+-](?!\+\+ |-- )/gm)?.length ?? 0;
  return changed > MAX_DIFF_LINES || diff === '' ? rest : { ...rest, diff };
}

async function land(input: CommandInput, accepted: string): Promise<Answer> {
  const squash = input.options.squash === true;
  const { story, landed, checkout, notices } = await acceptPromotion({ ...request(input), squash }, accepted, PORTS);
  const view = { ...viewOf(story), checkout: checkout ?? null, notices };
  if (landed === undefined) {
    const where = checkout === undefined ? ', which is checked out nowhere' : `, in ${checkout}`;
    return { text: `would bring ${story.base} to ${story.tip}${where}`, json: { ...view, would_land: true } };
  }
  const push = await pushCommand(input.home(), story.base);
  const text = [...notices.map((notice) => `note: ${notice}`), ...landedLines(story, landed, checkout, push)];
  return { text, json: { ...view, landed_as: landed } };
}

async function share(input: CommandInput, how: { push: boolean; pr: boolean }): Promise<Answer> {
  const { story, pushed, pull } = await sharePromotion(request(input), how, PORTS);
  const { branch, base, tip } = story;
  const { dry } = input;
  const lines = [
    ...(pushed ? pushedLines(story, pushed, dry) : []),
    ...(pull ? pullLines(story, pull, dry) : []),
    ...(pushed && !pull && !dry ? [`open a pull request of ${branch} into ${base}: mendloop promote --pr`] : []),
    ...(pushed?.page && !pull && !dry ? [`or by hand: ${pushed.page}`] : []),
  ];
  const json = { branch, base, tip, dry_run: dry, ...pushed, page: pushed?.page ?? null };
  return { text: lines, json: { ...json, pull_request: pull ?? null } };
}

const pushedLines = ({ branch, tip }: Story, pushed: Pushed, dry: boolean): string[] => [
  `${dry ? 'would push' : 'pushed'} ${branch} (${tip?.slice(0, 12)}) to ${pushed.remote}, ${pushed.url}`,
  ...pushed.said.map((line) => `    ${line}`),
];

/** The pull request, or what is to be done for one. */
export function pullLines({ branch, base }: Story, pull: PullRequest, dry: boolean): string[] {
  const { title, body, file, url, page, notes, commands } = pull;
  return [
    `pull request of ${branch} into ${base}: ${url ?? 'not opened'}`,
    `    title: ${plain(title)}`,
    ...(dry ? ['    text:', ...body.trimEnd().split('\n')] : [`    text:  ${file}`]),
    ...notes,
    ...commands.map((command) => `    ${command}`),
    ...(url === null && page !== null ? [`or with these by hand: ${page}`] : []),
  ];
}

const request = ({ home, line: command, dry: dryRun }: CommandInput) => {
  return { home: home(), command, env: process.env, dryRun };
};

/** A promotion as --json shows it, without its diff. */
function viewOf(story: Story) {
  const { fixes, diff: _, ...rest } = story;
  return {
    ...rest,
    stages: byStage(fixes),
    /** Fixes that keep it from being accepted. */
    unverified: refusedFixes(story).map(({ commit }) => commit),
    accept: acceptLine(story) ?? null,
  };
}

/** How its owner would share the base; undefined without a remote. */
async function pushCommand(home: string, base: string): Promise<string | undefined> {
  const git = openGit(home);
  const configured = await git.attempt(['config', '--get', `branch.${base}.remote`]);
  const [first] = (await git.run(['remote'])).split('\n');
  const remote = configured.stdout.trim() || first;
  return remote ? `git push ${shellWord(remote)} ${shellWord(base)}` : undefined;
}

/** Without control characters, which could move the cursor. */
const plain = (text: string): string => text.replace(/\p{Cc}+/gu, ' ');
const fixCount = (n: number): string => counted(n, 'fix', 'fixes');

/** Nothing to promote, and why that is so. */
export function nothingLine(story: Story): string {
  const { branch, base, tip } = story;
  if (tip === null) return `nothing to promote: there is no ${branch} yet`;
  const why = leftOut(story);
  return `nothing to promote: ${base} has all that ${branch} could bring${why.length > 0 ? ` (${why.join(', ')})` : ''}`;
}

const leftOut = ({ base, landed, superseded }: Story): string[] => [
  ...(landed > 0 ? [`${counted(landed, 'commit')} landed already`] : []),
  ...(superseded.length > 0 ? [`${fixCount(superseded.length)} dropped, for ${base} has another text there`] : []),
];

/** The whole story; its last line accepts it, when it may be accepted. `busy`: a run is at work. */
export function promoteLines(story: Story, now: number, busy = false): string[] {
  const { branch, base, base_commit: onto, fixes, undone, others, superseded, stat, diff } = story;
  const groups = byStage(fixes);
  const failures = groups.flatMap((group) => group.failures).length;
  const inStages = `for ${counted(failures, 'failure')} in ${counted(groups.length, 'stage')}`;
  const parts = [
    ...(fixes.length > 0 ? [`${fixCount(fixes.length)} ${inStages}`] : []),
    ...(undone.length > 0 ? [counted(undone.length, 'rollback')] : []),
    ...(others.length > 0 ? [counted(others.length, 'other commit')] : []),
  ];
  const section = (lines: readonly string[], title?: string) =>
    lines.length === 0 ? [] : [...(title ? [title] : []), ...lines, ''];
  const row = (commit: string, words: string) => `    ${short(commit)}  ${plain(words)}`;
  return [
    `${branch} into ${base}: ${parts.join(', ')}`,
    '',
    ...groups.flatMap((group) => [
      group.stage,
      ...group.failures.flatMap((failure) => [
        `  for ${failure.class} ${failure.fingerprint}`,
        ...failure.fixes.flatMap((fix) => fixLines(fix, onto, now)),
      ]),
      '',
    ]),
    ...section(
      undone.map((fix) => row(fix.commit, `${fix.stage}  ${fix.fix}`)),
      'rolled back, and taken out again',
    ),
    ...section(
      others.map(({ commit, subject }) => row(commit, subject)),
      'other commits',
    ),
    ...section(
      superseded.map(({ commit, stage, fix }) => row(commit, `${stage}  ${fix}`)),
      `does not come: ${base} has another text there`,
    ),
    ...section(leftOut({ ...story, superseded: [] }).map((words) => `left out: ${words}`)),
    ...section(stat === '' ? [] : [...stat.split('\n'), ...(diff === undefined ? [WHOLE_DIFF] : [])]),
    ...section(diff?.split('\n') ?? []),
    ...section(writtenLines(story)),
    ...ending(story, busy),
  ];
}

const WHOLE_DIFF = 'see each change before you land it: mendloop promote --diff';

/** `onto`: the commit of the base that it would land on. */
function fixLines(fix: StoryFix, onto: string, now: number): string[] {
  const { verified_on: on, not_seen: unseen = [] } = fix;
  const where = on !== undefined && on !== onto ? `, on ${short(on)}; not yet on ${short(onto)}` : '';
  const against = whyNot(fix);
  return [
    `    ${short(fix.commit)}  ${ago(fix.time, now)}  ${plain(fix.fix)}`,
    `        why:  ${plain(fix.reason)}`,
    `        by:   ${authorOf(fix, fix.tier)}, run ${fix.run}; in ${fix.paths.map(plain).join(', ')}`,
    ...repairLines(fix.shapes.map(plain), '        '),
    `        ${plain(outcomeText(fix))}${where}`,
    ...(unseen.length > 0 ? [`        not seen with it: ${unseen.join(', ')}`] : []),
    ...(against === undefined ? [] : [`        NOT TO LAND: ${plain(against)}`]),
  ];
}

/** Options that restrict the patch of an attempt to these files: it also has what earlier stages wrote. */
const only = (files: readonly string[]): string =>
  files.map((file) => shellWord(`--include=${literalGlob(file)}`)).join(' ');

/** Tracked files that stages write anew from the fixes, with the command to commit them. */
const writtenLines = ({ written_anew: written = [] }: Story): string[] =>
  written.flatMap(({ stage, files, patch }) => [
    `${stage} writes anew from this what git tracks: ${files.map(plain).join(', ')}; to commit that, once it landed:`,
    `    git apply --index ${only(files)} ${shellWord(patch)} && git commit -m ${shellWord(`Write again what ${stage} makes`)}`,
  ]);

function ending(story: Story, busy: boolean): string[] {
  const { base, branch, moves, stuck } = story;
  const at = `${base} (${short(story.base_commit)})`;
  if (stuck.length > 0) {
    const rows = stuck.map(({ commit, paths }) => `    ${short(commit)}  ${paths.map(plain).join(', ')}`);
    return [`${branch} cannot be put onto ${at}; yours, and in the way:`, ...rows, 'what to type is told by: mendloop'];
  }
  const place = moves ? `it will be put onto ${at} first` : `it is on ${at}`;
  if (busy) return [place, 'nothing can be accepted or rolled back while a run is at work; look again after it'];
  const accept = acceptLine(story);
  if (accept === undefined) {
    const refused = refusedFixes(story);
    const stages = [...new Set(refused.flatMap(({ failed = [] }) => failed))];
    const back = refused.map(({ commit }) => `mendloop rollback ${short(commit)}`);
    return [place, `not yet: let a run judge it (${['mendloop', ...stages].join(' ')}), or roll it back:`, ...back];
  }
  const byRequest = [`${base} is protected, so for a pull request:`, 'mendloop promote --push --pr'];
  return [place, ...(story.protected ? byRequest : []), 'to land exactly this:', accept];
}

const UNDO = 'to undo it; this ends with the line that lands that:';

/** What landed, and how to undo and share it. */
export function landedLines(
  { base, fixes, undone, others }: Story,
  commit: string,
  checkout: string | undefined,
  push: string | undefined,
): string[] {
  const runs = [...new Set(fixes.map(({ run }) => run))];
  const undo =
    runs.length === 1 && fixes.length > 1
      ? [`mendloop rollback --run ${runs[0]}`]
      : fixes.toReversed().map((fix) => `mendloop rollback ${short(fix.commit)}`);
  return [
    `landed on ${base}: ${short(commit)}${checkout === undefined ? '' : `, in ${checkout}`}`,
    ...[...fixes, ...undone].map((fix) => `    ${fix.stage}: ${plain(fix.fix)}`),
    ...others.map(({ subject }) => `    ${plain(subject)}`),
    // One line, which stops where a rollback is refused; a run may add fixes meanwhile, so what lands is shown first.
    ...(undo.length > 0 ? [UNDO, `    ${[...undo, 'mendloop promote'].join(' && ')}`] : []),
    ...(push === undefined
      ? []
      : [
          'to share it:',
          `    ${push}`,
          `or, where ${base} is protected, for a pull request:`,
          `    ${push}:refs/heads/promoted`,
        ]),
  ];
}
