// The worktree as everything here knows it: where it is, whose it is, and which git acts on it and on nothing else.
import { join } from 'node:path';
import { type Git, type GitOptions, openGit } from '../io/git.ts';
import type { Base } from './base.ts';

/** Below home; also how messages name it. */
export const WORKTREE = 'ai/worktree';

/** A carried path: `path` below the worktree is a link to `target` in home. */
export interface CarryLink {
  readonly path: string;
  readonly target: string;
}

export interface Tree {
  readonly home: string;
  readonly path: string;
  /** Its own git folder, below the repository's `worktrees`. */
  readonly gitDir: string;
  readonly branch: string;
  readonly links: readonly CarryLink[];
}

export interface Worktree extends Tree {
  readonly head: string;
  readonly base: Base;
  /** What a person should know: recovered, merged, missing, saved. */
  readonly notices: readonly string[];
  readonly merged?: { readonly from: string; readonly to: string };
  /** The hash of the tracked changes that were there already and are saved; empty when there are none. */
  readonly seen: string;
}

export const worktreePath = (home: string): string => join(home, WORKTREE);

/** The git folder that all worktrees of the repository share. Throws a GitError. */
export async function commonDirOf(home: string): Promise<string> {
  const path = await openGit(home).run(['rev-parse', '--path-format=absolute', '--git-common-dir']);
  return path.replace(/\n$/, '');
}

/** The git of the worktree. It names its git folder, because without a `.git` file git would find home's and act there. */
export function treeGit(tree: Pick<Tree, 'path' | 'gitDir'>, options: GitOptions = {}): Git {
  return openGit(tree.path, { ...options, gitDir: tree.gitDir });
}
