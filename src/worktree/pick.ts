// Picking and reverting in git's store alone: no branch and no checkout is touched.
import { fields, type Git } from '../io/git.ts';
import { gitFailed } from './messages.ts';

/** What a pick leads to; with marks in the files that conflict. */
export interface Picked {
  readonly tree: string;
  readonly conflicts: readonly string[];
}

export interface PickGit {
  readonly git: Git;
  /** Settings under which no program of the owner runs in a merge. */
  readonly config: readonly string[];
  readonly emptyTree: string;
  /** Commits that stand in for trees, and are in no history. */
  standIn(tree: string, parent?: string): Promise<string>;
}

/** The git that picks. Throws a GitError. */
export async function pickGit(git: Git): Promise<PickGit> {
  const listed = await git.attempt(['config', '-z', '--name-only', '--get-regexp', String.raw`^merge\..*\.driver$`]);
  // What git does where no driver is named. Attributes come from too many places to be kept away.
  const drivers = [...new Set(fields(listed.stdout))].map((key) => `${key}=git merge-file %A %O %B`);
  const config = ['merge.renormalize=false', ...drivers].flatMap((setting) => ['-c', setting]);
  const made = new Map<string, Promise<string>>();
  return {
    git,
    config,
    // Its name alone: git knows it without having it.
    emptyTree: await git.line(['hash-object', '-t', 'tree', '--stdin'], ''),
    standIn(tree, parent) {
      const key = `${tree} ${parent ?? ''}`;
      const who = 'mendloop <mendloop@localhost> 0 +0000';
      const text = `tree ${tree}\n${parent ? `parent ${parent}\n` : ''}author ${who}\ncommitter ${who}\n\nstand-in\n`;
      const commit = made.get(key) ?? git.line([...NOT_FLUSHED, 'hash-object', '-t', 'commit', '-w', '--stdin'], text);
      made.set(key, commit);
      return commit;
    },
  };
}

/** Nothing leads to it: losing it loses nothing. */
const NOT_FLUSHED = ['-c', 'core.fsync=none'];

/** The change from one tree to another, made in the tree `onto`. Throws E_GIT_FAILED when git cannot even try. */
export async function pick({ git, config, standIn }: PickGit, from: string, is: string, onto: string): Promise<Picked> {
  const parent = await standIn(from);
  const sides = await Promise.all([standIn(onto, parent), standIn(is, parent)]);
  // Not `--merge-base`, which git has since 2.40 only.
  const command = ['merge-tree', '--write-tree', '-z', '--name-only', '--no-messages', ...sides];
  const answer = await git.attempt([...config, ...command]);
  const [tree = '', ...conflicts] = fields(answer.stdout);
  const isTried = answer.ok || (answer.code === 1 && conflicts.length > 0);
  if (!isTried) gitFailed('rehearse a pick', command, answer.stderr);
  return { tree, conflicts: [...new Set(conflicts)] };
}

/**
 * `commit` with another tree and parent: author, times and message as they are, without a signature. With `sign` what the loop has
 * made is signed, now. Throws a GitError.
 */
export async function copyCommit(git: Git, commit: string, is: { tree: string; parent: string; sign: boolean }) {
  const { tree, parent, sign } = is;
  // One character a byte: a message need not be UTF-8.
  const text = (await git.bytes(['cat-file', 'commit', commit])).toString('latin1');
  const end = text.indexOf('\n\n');
  const headers = text.slice(0, end).split('\n');
  const isSame =
    headers[0] === `tree ${tree}` && headers[1] === `parent ${parent}` && !headers[2]?.startsWith('parent ');
  if (isSame) return commit;
  const isOurs = headers.some((line) => line.startsWith('author mendloop <mendloop@localhost> '));
  if (sign && isOurs)
    return git.line(['commit-tree', '-S', '-p', parent, tree], Buffer.from(text.slice(end + 2), 'latin1'));
  const copied = headers.filter((line) => /^(author|committer|encoding) /.test(line));
  const copy = [`tree ${tree}`, `parent ${parent}`, ...copied].join('\n') + text.slice(end);
  return git.line(['hash-object', '-t', 'commit', '-w', '--stdin'], Buffer.from(copy, 'latin1'));
}

/** `tree` with other blobs at these paths, all of which it has; undefined: without that file. Undefined when nothing is left. */
export async function withFiles(
  git: Git,
  tree: string,
  files: ReadonlyMap<string, string | undefined>,
): Promise<string | undefined> {
  const below = new Map<string, Map<string, string | undefined>>();
  for (const [path, blob] of files) {
    const [name = '', ...rest] = path.split('/');
    below.set(name, (below.get(name) ?? new Map()).set(rest.join('/'), blob));
  }
  // One character a byte: a name need not be UTF-8.
  const rows = (await git.bytes(['ls-tree', '-z', tree])).toString('latin1').split('\0').filter(Boolean);
  const made: string[] = [];
  for (const row of rows) {
    const [, mode, kind, id = '', name = ''] = /^(\S+) (\S+) (\S+)\t(.*)$/s.exec(row) ?? [];
    const inner = below.get(Buffer.from(name, 'latin1').toString());
    const blob = kind === 'tree' ? inner && (await withFiles(git, id, inner)) : inner?.get('');
    if (!inner) made.push(row);
    else if (blob !== undefined) made.push(`${mode} ${kind} ${blob}\t${name}`);
  }
  return made.length === 0
    ? undefined
    : git.line(['mktree', '-z'], Buffer.from(made.map((row) => `${row}\0`).join(''), 'latin1'));
}

/** The tree of a commit. Throws a GitError when there is no such commit. */
export const treeOf = (git: Git, commit: string): Promise<string> =>
  git.line(['rev-parse', '--verify', '-q', `${commit}^{tree}`]);

interface Reverted<F> {
  fix: F;
  /** The commit that takes it back. */
  commit: string;
  /** Its change was gone already. */
  empty: boolean;
}

/** One commit for each fix, in the order given (the newest first), the first of them onto `head`; or which one is stuck. */
export async function revertAll<F extends { readonly commit: string }>(
  git: Git,
  head: string,
  fixes: readonly F[],
  { message, sign }: { message(fix: F): string; sign: boolean },
): Promise<{ tip: string; reverted: Reverted<F>[] } | { stuck: F; conflicts: readonly string[] }> {
  const reverted: Reverted<F>[] = [];
  const store = await pickGit(git);
  let tip = head;
  let tree = await treeOf(git, head);
  for (const fix of fixes) {
    const next = await pick(store, await treeOf(git, fix.commit), await treeOf(git, `${fix.commit}^`), tree);
    if (next.conflicts.length > 0) return { stuck: fix, conflicts: next.conflicts };
    tip = await git.line(['commit-tree', ...(sign ? ['-S'] : []), '-p', tip, next.tree], message(fix));
    reverted.push({ fix, commit: tip, empty: next.tree === tree });
    tree = next.tree;
  }
  return { tip, reverted };
}
