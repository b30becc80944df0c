// Where the AI branch stands against its base, without touching either.
import { openGit } from '../io/git.ts';
import { type Base, commitOf } from './base.ts';

/** The commit a run would start from as far as it can be told beforehand, and whether it would merge the base first. */
export async function branchState(home: string, base: Base): Promise<{ commit: string; merges: boolean }> {
  const git = openGit(home);
  const tip = await commitOf(git, `refs/heads/${base.branch}`);
  if (tip === undefined) return { commit: base.commit, merges: false };
  const merged = await git.attempt(['merge-base', '--is-ancestor', base.commit, tip]);
  return merged.ok ? { commit: tip, merges: false } : { commit: base.commit, merges: true };
}
