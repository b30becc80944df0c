// The AI branch made anew from a base that was rewritten: what the base dropped must not live on here. The only reset there
// is; made in git's store, and the old tip is kept under a ref of its own.
import { fail } from '../errors.ts';
import { fields, type Git, lines } from '../io/git.ts';
import { type CommittedFix, committedFixes, standingFixes } from './find-fix.ts';
import { landedCommits } from './landed.ts';
import { carryOver, type MergedTree, treeOf, withTextsOf } from './merge-tree.ts';
import { shellWord, short, solveConflict } from './messages.ts';
import { type MergeOptions, mergedTicks, supersededMessage } from './supersede.ts';
import { type Branch, WORKTREE } from './tree.ts';

export interface RebuildOptions extends MergeOptions {
  /** Whether a green stage has verified a fix. */
  isVerified(fix: CommittedFix): boolean;
}

/**
 * The new tip: the base, and on it, in their order, those commits of `dropped..tip` that are verified fixes, ticks or a person's.
 * A verified fix that does not apply, or that the base had and dropped, is recorded as superseded by a commit without change.
 * Throws E_BASE_REWRITTEN, exit 3, for a person's commit that does not apply, or a merge that a person solved.
 */
export async function rebuild(on: Branch, dropped: string, tip: string, options: RebuildOptions) {
  const { tree: place, git, base } = on;
  const range = [`${dropped}..${tip}`, `^${base.commit}`];
  const all = await committedFixes(git, dropped, tip, base.commit);
  const fixOf = new Map(all.map((fix) => [fix.commit, fix]));
  const standing = new Set(standingFixes(all));
  const carried: string[] = [];
  const stuck: { commit: string; paths: readonly string[] }[] = [];
  let to = base.commit;
  for (const fix of await droppedFixes()) await supersede(fix);
  for (const commit of lines(await git.run(['rev-list', '--reverse', '--topo-order', '--no-merges', ...range]))) {
    const fix = fixOf.get(commit);
    const tree = await treeOf(git, to);
    const fate = fix ? fateOf(fix) : 'carry';
    const sign = fix !== undefined && options.sign;
    if (fate === 'record') to = await copyCommit(git, commit, tree, to, sign);
    if (fate !== 'carry') continue;
    const next = await settleTicks(commit, await carryOver(git, `${commit}^`, commit, tree));
    if (next.conflicts.length > 0) {
      if (!fix) stuck.push({ commit, paths: next.conflicts });
      else if (fix.reverts === undefined) await supersede(fix);
    } else if (next.tree !== tree) {
      to = await copyCommit(git, commit, next.tree, to, sign);
      carried.push(commit);
    }
  }
  const solved = await solvedMerges(git, range);
  if (stuck.length > 0 || solved.length > 0) refuse(solved);
  return { to, carried: carried.length };

  /** What conflicts in the files of the work queue alone is merged by line: ticks and log are never lost to another text. */
  async function settleTicks(commit: string, next: MergedTree): Promise<MergedTree> {
    const texts = await mergedTicks(git, to, commit, next.conflicts);
    if (texts.size === 0 || texts.size < next.conflicts.length) return next;
    return { tree: await withTextsOf(place, git, next.tree, { commit: to, texts }), conflicts: [] };
  }

  /** Promoted ones, whose change the base has no longer. */
  async function droppedFixes(): Promise<CommittedFix[]> {
    const landed = await landedCommits(git, base.commit, dropped);
    const missing = standingFixes(await committedFixes(git, base.commit, dropped)).filter(
      (fix) => !landed.has(fix.commit),
    );
    return missing.filter(options.isVerified);
  }

  async function supersede(fix: CommittedFix): Promise<void> {
    const how = [...(options.sign ? ['-S'] : []), '-p', to, await treeOf(git, to)];
    to = await git.line(['commit-tree', ...how], supersededMessage(fix, base, options.run));
  }

  /** `record`: that it was taken back, which the ledger does not have yet; its fix does not come along. */
  function fateOf(fix: CommittedFix): 'carry' | 'record' | 'leave' {
    if (fix.reverts === undefined) return standing.has(fix) && options.isVerified(fix) ? 'carry' : 'leave';
    // What takes back a promoted fix is a person's word.
    return fixOf.has(fix.reverts) ? (options.isVerified(fix) ? 'record' : 'leave') : 'carry';
  }

  function refuse(solved: readonly string[]): never {
    const at = `git -C ${WORKTREE}`;
    const redo = (merge: string) =>
      `${at} show --remerge-diff ${short(merge)}   # what you solved then: do it anew after this`;
    const pick = ({ commit, paths }: (typeof stuck)[number]) =>
      solveConflict(at, `cherry-pick ${short(commit)}`, paths, 'commit --no-edit');
    const commands = [
      ...(on.dirty ? [`${at} reset --hard   # what stages changed is saved in ai/patches`] : []),
      ...solved.map(redo),
      `${at} reset --keep ${shellWord(base.name)}`,
      ...(carried.length > 0 ? [`${at} cherry-pick ${carried.map(short).join(' ')}`] : []),
      ...stuck.flatMap(pick),
    ].join('\n');
    const problems = [
      ...stuck.map(
        ({ commit, paths }) => `${short(commit)} is yours and does not apply: ${paths.map(shellWord).join(', ')}`,
      ),
      ...solved.map((merge) => `${short(merge)} is a merge that you solved by hand`),
    ];
    fail('E_BASE_REWRITTEN', { base: base.name, branch: base.branch, dropped: short(dropped), commands }, problems);
  }
}

/** `commit` with another tree and parent: author, times and message as they are; signed it has the time of now. */
async function copyCommit(git: Git, commit: string, tree: string, parent: string, sign: boolean): Promise<string> {
  // One character a byte: a message need not be UTF-8.
  const text = (await git.bytes(['cat-file', 'commit', commit])).toString('latin1');
  const end = text.indexOf('\n\n');
  if (sign) return git.line(['commit-tree', '-S', '-p', parent, tree], Buffer.from(text.slice(end + 2), 'latin1'));
  const headers = text.slice(0, end).split('\n');
  const copied = headers.filter((line) => /^(author|committer|encoding) /.test(line));
  const copy = [`tree ${tree}`, `parent ${parent}`, ...copied].join('\n') + text.slice(end);
  return git.line(['hash-object', '-t', 'commit', '-w', '--stdin'], Buffer.from(copy, 'latin1'));
}

/** Merges whose text is not what git makes of them, and not the loop's: a person solved them. */
async function solvedMerges(git: Git, range: readonly string[]): Promise<string[]> {
  const merges = lines(await git.run(['log', '--merges', '--format=%H %ce', ...range]));
  const theirs = merges.filter((row) => !row.endsWith(' mendloop@localhost')).map((row) => row.split(' ')[0] ?? '');
  const changed = await Promise.all(
    theirs.map((merge) =>
      git.run(['show', '--remerge-diff', '--format=', '-z', '--name-only', '--no-ext-diff', merge]),
    ),
  );
  return theirs.filter((_, i) => fields(changed[i] ?? '').length > 0);
}

/** Keeps a commit under `refs/mendloop/before/<time>`, once; the ref. Throws a GitError. */
export async function keepBefore(git: Git, tip: string): Promise<string> {
  const list = ['for-each-ref', '--format=%(refname)', `--points-at=${tip}`, 'refs/mendloop/before/'];
  const [ref] = lines(await git.run(list));
  if (ref !== undefined) return ref;
  const time = new Date().toISOString().replace(/[-:]|\.\d+/g, '');
  const before = `refs/mendloop/before/${time}`;
  await git.run(['update-ref', before, tip]);
  return before;
}
