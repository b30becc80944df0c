// Landing: the base goes forward to what its owner accepted, by one git that is written down before it starts. When that fails,
// base and checkout are as they were.
import { fail } from '../errors.ts';
import type { Landing } from '../events.ts';
import { openGit } from '../io/git.ts';
import { type ActionScope, newActionId, recordAction } from '../journal/journal.ts';
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
}

/**
 * Lands, and returns the checkout that went along, if there is one. Throws as `readyCheckout`, E_PROMOTE_MOVED for a base that
 * went elsewhere meanwhile, and E_GIT_FAILED.
 */
export async function land({ home, base, tip, to }: ToLand, actions: ActionScope): Promise<string | undefined> {
  const scope = { ...actions, id: newActionId(actions) };
  const from = base.commit;
  const checkout = await readyCheckout(home, base.name, from, to);
  const plan = { base: base.name, from, to, tip, ...(checkout && { checkout: checkout.path }) };
  let intended: Landing | undefined;
  const record = (data: Landing) => {
    recordAction(scope, { type: 'landing.intended', data });
    intended = data;
  };
  const refused = await goForward(home, plan, checkout, record);
  const end = refused === undefined ? undefined : await takeBack(intended as Landing);
  if (end === undefined || end.isDone) {
    recordAction(scope, { type: 'landing.done', data: { base: base.name, to } });
    return checkout?.path;
  }
  recordAction(scope, { type: 'landing.dropped', data: { base: base.name, reason: end.why } });
  if ((await commitOf(openGit(home), `refs/heads/${base.name}`)) !== from) fail('E_PROMOTE_MOVED', { base: base.name });
  const at = checkout
    ? `git -C ${shellWord(checkout.path)} merge --ff-only ${short(to)}`
    : `git log -1 ${shellWord(base.name)}`;
  const where = checkout ? ` in ${checkout.path}` : '';
  return gitFailed(`bring ${base.name} forward${where}`, [at, ...end.left].join('\n'), refused ?? '');

  /** It ran, so whatever is between the two commits is its doing. */
  function takeBack(landing: Landing) {
    return settleLanding(home, { ...landing, begun: true }, 'from', record);
  }
}
