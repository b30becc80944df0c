// Landing: the base goes forward to what its owner accepted, by one git that is written down before it starts. When that fails,
// base and checkout are as they were.
import { fail } from '../errors.ts';
import type { Landing, NewEvent } from '../events.ts';
import { openGit } from '../io/git.ts';
import { type Base, commitOf } from '../worktree/base.ts';
import { readyCheckout } from '../worktree/checkout.ts';
import { goForward, settleLanding } from '../worktree/landing.ts';
import { gitFailed, shellWord, short } from '../worktree/messages.ts';

export interface ToLand {
  readonly home: string;
  readonly base: Base;
  /** The commit that its owner accepted. */
  readonly tip: string;
  /** What the base goes to: `tip`, or one commit with all of it. A descendant of the base. */
  readonly to: string;
  /** On disk when it returns. */
  record(event: NewEvent): void;
}

/**
 * Lands, and returns the checkout that went along, if there is one. Throws as `readyCheckout`, E_PROMOTE_MOVED for a base that
 * went elsewhere meanwhile, and E_GIT_FAILED.
 */
export async function land({ home, base, tip, to, record }: ToLand): Promise<string | undefined> {
  const { name, commit: from } = base;
  const checkout = await readyCheckout(home, name, from, to);
  const plan = { base: name, from, to, tip, ...(checkout && { checkout: checkout.path }) };
  let intended: Landing | undefined;
  const intend = (data: Landing) => {
    record({ type: 'landing.intended', data });
    intended = data;
  };
  const refused = await goForward(home, plan, checkout, intend);
  // It ran, so whatever is between the two commits is its doing.
  const back = refused === undefined || !intended ? undefined : { ...(intended as Landing), begun: true };
  const end = back && (await settleLanding(home, back, 'from', intend));
  if (refused === undefined || end?.isDone) {
    record({ type: 'landing.done', data: { base: name, to } });
    return checkout?.path;
  }
  if (end) record({ type: 'landing.dropped', data: { base: name, reason: end.why } });
  if ((await commitOf(openGit(home), `refs/heads/${name}`)) !== from) fail('E_PROMOTE_MOVED', { base: name });
  const [at, how] = checkout
    ? [` in ${checkout.path}`, `-C ${shellWord(checkout.path)} merge --ff-only ${short(to)}`]
    : ['', `log -1 ${shellWord(name)}`];
  return gitFailed(`bring ${name} forward${at}`, [`git ${how}`, ...(end?.left ?? [])].join('\n'), refused);
}
