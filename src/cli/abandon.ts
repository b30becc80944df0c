// `mendloop abandon`: close what was cut off; on request remove the worktree, or another host's lock.

import { fail } from '../errors.ts';
import { lockOwner, refuseAtWork } from '../io/lock.ts';
import { removeFile, requireWritable } from '../io/store.ts';
import { loadStages, openRun } from '../journal/load-stages.ts';
import { closeOpenRun } from '../run/close-run.ts';
import { withLockForWork } from '../run/lock-for-work.ts';
import { leftovers, removeWorktree } from '../worktree/remove.ts';
import type { Answer, CommandInput } from './command.ts';
import { PORTS } from './ports.ts';

export async function run({ options, dry, out, layout: findLayout, line }: CommandInput): Promise<Answer> {
  const layout = findLayout();
  const lost = options.worktree ? await wouldLose(layout.home) : [];
  if (dry) return answer(wouldDo(), 'would: nothing');
  if (lost.length > 0 && !options.yes) fail('E_ABANDON_LOSES', {}, lost);
  const done: string[] = [];
  requireWritable(layout.state);
  if (options.unlock) done.push(unlock());
  await withLockForWork(layout, PORTS.clock, line, async (notices) => {
    done.push(...notices);
    const closed = await closeOpenRun(loadStages(layout), 'abandoned by its owner', { ...PORTS, layout }, true);
    if (closed) done.push(`closed run ${closed}`);
    if (options.worktree) {
      const removed = await removeWorktree(layout.home);
      done.push(...lost, removed ? 'removed ai/worktree; the AI branch is as it was' : 'there is no ai/worktree');
    }
  });
  return answer(done, 'nothing to abandon: no run was cut off');

  function answer(lines: string[], otherwise: string): Answer {
    return { text: lines.length > 0 ? lines.join('\n') : otherwise, json: { done: lines } };
  }

  /** Shows the lock and removes it, unless its owner is alive on this host. */
  function unlock(): string {
    const owner = lockOwner(layout.lock);
    if (!owner) return 'there is no lock';
    refuseAtWork(layout);
    const whose = `pid ${owner.pid} on ${owner.host}, held since ${owner.since} (${owner.command})`;
    out.line(`lock: ${whose}`);
    removeFile(layout.lock);
    return `removed the lock of ${whose}`;
  }

  function wouldDo(): string[] {
    refuseAtWork(layout);
    const open = openRun(loadStages(layout, { look: true }));
    const owner = options.unlock ? lockOwner(layout.lock) : undefined;
    return [
      ...(owner ? [`would remove the lock of pid ${owner.pid} on ${owner.host}`] : []),
      ...(open ? [`would close run ${open.run}`] : []),
      ...(options.worktree ? ['would remove ai/worktree', ...lost] : []),
    ];
  }
}

async function wouldLose(home: string): Promise<string[]> {
  const files = await leftovers(home);
  return (['modified', 'untracked', 'ignored'] as const).flatMap(
    (kind) => files?.[kind].map((path) => `${kind}: ai/worktree/${path}`) ?? [],
  );
}
