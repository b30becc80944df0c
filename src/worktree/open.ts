// Opening the worktree for a run: leftovers recovered, checkout there, base merged in, carried files linked.
import { relative } from 'node:path';
import { fail } from '../errors.ts';
import { GitError } from '../io/git.ts';
import { addExcludes, realPath } from '../io/git-dir.ts';
import { type Attached, attach } from './attach.ts';
import { type Base, said } from './base.ts';
import { carryPaths, placeCarry, refuseTracked } from './carry.ts';
import { excludeLine } from './carry-path.ts';
import { type Merged, mergeBase } from './merge.ts';
import { populate } from './populate.ts';
import { recover, type Site } from './recover.ts';
import { holdChanges } from './save-changes.ts';
import { shellWord } from './shell-word.ts';
import { commonDirOf, WORKTREE, type Worktree, worktreePath } from './tree.ts';

export interface OpenOptions {
  readonly carry: readonly string[];
  /** Merge the base in when it moved. */
  readonly merge: boolean;
  /** Sign the merge commit. */
  readonly sign?: boolean;
}

/**
 * The worktree, ready to run stages in. Writes nothing into the owner's checkout but `ai/worktree` and `ai/patches`.
 * Throws a MendError: exit 2 for a state it may not touch, 3 when a person has to settle something.
 */
export async function openWorktree(home: string, base: Base, options: OpenOptions): Promise<Worktree> {
  try {
    return await open(await realPath(home), base, options);
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    const command = `git ${error.args.map(shellWord).join(' ')}`;
    return fail('E_GIT_FAILED', { doing: `open ${WORKTREE}`, command }, said(error.stderr));
  }
}

async function open(home: string, base: Base, options: OpenOptions): Promise<Worktree> {
  const carry = carryPaths(options.carry);
  const [commonDir] = await Promise.all([commonDirOf(home), refuseTracked(home, base.commit, carry)]);
  const site: Site = { home, path: worktreePath(home), commonDir, branch: base.branch };
  const recovered = await recover(site);
  await addExcludes(commonDir, [`/${WORKTREE}/`, ...carry.map(excludeLine)]);
  const attached = await attach(site, base);
  const place = { home, path: site.path, gitDir: attached.gitDir };

  const dirty = attached.status.changed.length > 0;
  const held = dirty ? await holdChanges(place) : undefined;
  const { head } = attached.status;
  const merged = options.merge ? await mergeBase(place, base, head, { dirty, ...signing(options) }) : undefined;
  const now = merged?.to ?? head;
  if (now !== base.commit) await refuseTracked(home, now, carry);

  const { links, missing } = await placeCarry(home, site.path, carry);
  const notices = [
    ...recovered,
    ...attached.notices,
    ...changeNotices(home, attached, held?.file),
    ...(merged ? mergeNotices(base, merged) : []),
    ...missing.map((path) => `carry: ${path} does not exist, so it was not linked`),
    ...(await populate(place)),
  ];
  const seen = merged ? '' : (held?.hash ?? '');
  const done = merged ? { merged: { from: merged.from, to: merged.to } } : {};
  return { ...place, branch: base.branch, links, head: now, base, notices, seen, ...done };
}

const signing = (options: OpenOptions) => (options.sign === undefined ? {} : { sign: options.sign });

function changeNotices(home: string, { status }: Attached, file: string | undefined): string[] {
  if (!file) return [];
  const many = status.changed.length === 1 ? 'a tracked file was' : `${status.changed.length} tracked files were`;
  return [`${many} found changed in ${WORKTREE}; saved as ${relative(home, file)}`];
}

function mergeNotices(base: Base, merged: Merged): string[] {
  const landed = merged.landed.map((path) => `${path}: its fix has landed, so ${base.name}'s text was taken`);
  return [`${base.name} moved; merged into ${base.branch} (${merged.to.slice(0, 12)})`, ...landed];
}
