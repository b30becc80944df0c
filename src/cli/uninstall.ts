// `mendloop uninstall`: everything the loop made is taken away, what the owner wrote stays, and what is left is listed.

import { join } from 'node:path';
import { partNames } from '../cron/job.ts';
import { findSchedules, remove } from '../cron/schedulers.ts';
import { fail } from '../errors.ts';
import { fileFacts } from '../io/files.ts';
import { openGit } from '../io/git.ts';
import { askYes, canAnswer } from '../io/stdin.ts';
import { removeAll } from '../io/store.ts';
import { loadStages } from '../journal/load-stages.ts';
import { closeOpenRun } from '../run/close-run.ts';
import { withLockForWork } from '../run/lock-for-work.ts';
import { counted } from '../triage/words.ts';
import { OWN_FOLDERS } from '../worktree/carry.ts';
import { leftovers, removeWorktree } from '../worktree/remove.ts';
import { type AiBranch, findTraces, removeTraces, type Traces } from '../worktree/traces.ts';
import { WORKTREE } from '../worktree/tree.ts';
import type { Answer, CommandInput } from './command.ts';
import { PORTS } from './ports.ts';

export async function run({ options, dry, out, line, layout: findLayout }: CommandInput): Promise<Answer> {
  const layout = findLayout();
  const { home } = layout;
  const traces = await findTraces(home);
  const folders = await foldersOf(home);
  const { parts: schedule, byHand } = await findSchedules(home, process.env);
  const owners = [OWNERS, ...byHand.map((text) => `the line of your crontab that you wrote: ${text}`)];
  const withBranch = options.branch === true;
  const plan = {
    removes: [
      ...(await lostFiles(home)),
      ...folders.removes.map((path) => `${path}/`),
      ...traceLines(traces, withBranch),
      ...partNames(schedule),
    ],
    leaves: [...folders.leaves, ...(withBranch ? [] : branchLines(traces)), ...owners],
  };
  if (plan.removes.length === 0) return { text: 'there is nothing of mendloop here to take away', json: plan };
  const lines = [...plan.removes.map((what) => `removes ${what}`), ...plan.leaves.map((what) => `leaves ${what}`)];
  if (dry) return { text: lines, json: plan };
  if (!options.yes) fail('E_UNINSTALL', {}, lines);
  const mayAsk = !withBranch && traces.branches.length > 0 && out.isTerminal && canAnswer();
  const question = `delete ${traces.branches.map(branchText).join(', and ')}?`;
  const branches = withBranch || (mayAsk && (await askYes(question))) ? traces.branches : [];
  const stays = await withLockForWork(layout, PORTS.clock, line, async (notices) => {
    for (const text of notices) out.line(`note: ${text}`);
    if (schedule.length > 0) await remove(home, process.env);
    await closeOpenRun(loadStages(layout), 'uninstalled by its owner', { ...PORTS, layout }, true);
    await removeWorktree(home);
    return removeTraces(home, traces, branches);
  });
  for (const path of folders.removes) removeAll(join(home, path));
  const left = [...folders.leaves, ...stays, ...(branches.length > 0 ? [] : branchLines(traces)), ...owners];
  // What keeps a file of its owner's out of git stays, and is told once.
  const removed = plan.removes.filter((what) => {
    const line = /^the line (\S+) of /.exec(what)?.[1];
    return line === undefined || !stays.some((one) => one.startsWith(`${line} in `));
  });
  return {
    text: [...removed.map((what) => `removed ${what}`), ...left.map((what) => `left ${what}`)],
    json: { removes: removed, leaves: left },
  };
}

const OWNERS = 'ai/context_map.yaml, ai/loop.yaml, plugins/ and all else that you wrote';

/** The loop's folders; one with tracked files is left to its owner. */
async function foldersOf(home: string) {
  const there = OWN_FOLDERS.filter((path) => path !== WORKTREE && fileFacts(join(home, path)) !== undefined);
  const tracked = (await openGit(home).run(['ls-files', '-z', '--', ...OWN_FOLDERS])).split('\0');
  const isOwners = (path: string) => tracked.some((file) => file.startsWith(`${path}/`));
  return {
    removes: there.filter((path) => !isOwners(path)),
    leaves: there.filter(isOwners).map((path) => `${path}/, which has files that you committed`),
  };
}

async function lostFiles(home: string): Promise<string[]> {
  const files = await leftovers(home);
  if (!files) return [];
  const nowhereElse = [...files.modified, ...files.untracked, ...files.ignored].map((path) => `${WORKTREE}/${path}`);
  return [`${WORKTREE}/`, ...nowhereElse.map((path) => `${path}, which is nowhere else`)];
}

const traceLines = ({ keys, marks, excludes, branches, refs }: Traces, withBranch: boolean): string[] => [
  ...keys.map((key) => `the git config key ${key}`),
  ...marks.map((ref) => `the ref ${ref}`),
  ...excludes.map((line) => `the line ${line} of .git/info/exclude`),
  ...(withBranch
    ? [...branches.flatMap(branchText), ...tips(refs), ...others(refs).map((ref) => `the ref ${ref}`)]
    : []),
];

const branchLines = ({ branches, refs }: Traces): string[] => [
  ...branches.map((branch) => `${branchText(branch)} (to delete it: git branch -D ${branch.name})`),
  ...tips(refs).map((line) => `${line} (to delete them: ${DELETE_TIPS})`),
  ...others(refs).map((ref) => `the ref ${ref} (to delete it: git update-ref -d ${ref})`),
];

/** Where the AI branch was before it was moved: one line for all. */
const BEFORE = 'refs/mendloop/before/';
const DELETE_TIPS = `git for-each-ref --format='delete %(refname)' ${BEFORE} | git update-ref --stdin`;
const tips = (refs: readonly string[]): string[] => {
  const count = refs.filter((ref) => ref.startsWith(BEFORE)).length;
  return count > 0 ? [`${counted(count, 'earlier tip')} of it below ${BEFORE}`] : [];
};
const others = (refs: readonly string[]): string[] => refs.filter((ref) => !ref.startsWith(BEFORE));

const branchText = ({ name, base, ahead }: AiBranch): string =>
  ahead.length === 0
    ? `the branch ${name}, all of which ${base} has`
    : `the branch ${name} with ${counted(ahead.length, 'commit')} that ${base} does not have: ${ahead.join('; ')}`;
