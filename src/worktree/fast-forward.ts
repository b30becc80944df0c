// Moving the worktree ahead to a commit that is ready, without losing what stages left in it.
import { join } from 'node:path';
import { fail } from '../errors.ts';
import { fields, type Git } from '../io/git.ts';
import { removeFile } from '../io/git-dir.ts';
import { entryAt } from '../io/links.ts';
import { type Base, said } from './base.ts';
import { restoreTree } from './save-changes.ts';
import { shellWord } from './shell-word.ts';
import { type Tree, WORKTREE } from './tree.ts';

type Place = Pick<Tree, 'path' | 'gitDir'>;

/**
 * Moves branch, index and files to `to`, a descendant of HEAD. With `dirty` tracked files are put back first. Throws
 * E_WORKTREE_IN_THE_WAY for untracked files that would be overwritten, E_GIT_FAILED for anything else; HEAD stays then.
 */
export async function fastForward(tree: Place, git: Git, base: Base, to: string, dirty: boolean): Promise<void> {
  if (dirty) await restoreTree(tree);
  const options = ['--ff-only', '--no-overwrite-ignore', '--no-verify-signatures', '--no-autostash', '-q'];
  const move = () => git.attempt(['merge', ...options, to]);
  let moved = await move();
  if (!moved.ok && (await clearTheWay(tree, git, base, to))) moved = await move();
  if (moved.ok) return;
  const command = `git -C ${WORKTREE} merge ${shellWord(base.name)}`;
  fail('E_GIT_FAILED', { doing: `merge ${base.name}`, command }, said(moved.stderr));
}

/**
 * Removes untracked files that hold exactly what the merge would write there (a merge that was killed left them), and says
 * whether it did. Others stay, and are refused by name.
 */
async function clearTheWay(tree: Place, git: Git, base: Base, to: string): Promise<boolean> {
  const rows = fields(await git.run(['diff-tree', '-r', '-z', '--no-renames', '--diff-filter=A', 'HEAD', to]));
  const same: string[] = [];
  const other: string[] = [];
  for (let i = 0; i + 1 < rows.length; i += 2) {
    const path = rows[i + 1] ?? '';
    const found = await entryAt(join(tree.path, path));
    if (found.kind === 'nothing' || found.kind === 'folder') continue;
    const id = found.kind === 'file' ? (await git.run(['hash-object', '--', path])).trim() : '';
    (rows[i]?.split(' ')[3] === id ? same : other).push(path);
  }
  if (other.length > 0) {
    const commands = other.map((p) => `mv ${shellWord(`${WORKTREE}/${p}`)} ${shellWord(`${WORKTREE}/${p}.old`)}`);
    fail('E_WORKTREE_IN_THE_WAY', { base: base.name, commands: commands.join('\n') }, other.map(shellWord));
  }
  for (const path of same) await removeFile(join(tree.path, path));
  return same.length > 0;
}
