// Where a loop may be killed around its calls of git, from the list that bin/git makes of an undisturbed run.
//
// Two moments are the same when nothing on disk changed between them: files of checkout, worktree, state and git folder (but for
// objects and logs) by inode, size and time, and refs. Of those that are left, two are equal when side (before, after), words of
// the call (without ids and numbers), the last event, and refs are the same, refs by which of them point to one commit. Of equal
// ones the first stands for all.

/** `before`, `inside` or `after` the nth call with these words, or after the nth that `moved` the ref `words`. */
export interface GitMoment {
  side: 'before' | 'inside' | 'after' | 'moved';
  words: string;
  nth: number;
}

/** `list`: lines of an event, or of a call's side with its pid, words, digest of the files, and refs. Pure. */
export function momentsOf(list: string): GitMoment[] {
  const counts = new Map<string, number>();
  /** Pid → the number of its call, and whether others began meanwhile: then the next one stands for the moment after it. */
  const running = new Map<string, { nth: number; isBeside?: true }>();
  const known = new Set<string>();
  const moments: GitMoment[] = [];
  let disk = '';
  let event = 'no event';
  for (const line of list.split('\n').filter(Boolean)) {
    const [kind = '', pid = '', words = '', digest = '', refs = ''] = line.split('\t');
    if (kind === 'event') {
      event = pid;
      continue;
    }
    if (kind === 'before') {
      counts.set(words, (counts.get(words) ?? 0) + 1);
      for (const other of running.values()) other.isBeside = true;
      running.set(pid, { nth: counts.get(words) as number });
    }
    const call = running.get(pid);
    if (kind === 'after') running.delete(pid);
    if (!call || (kind === 'after' && call.isBeside)) continue;
    const now = `${digest} ${refs}`;
    const isSame = now === disk;
    disk = now;
    const equal = [kind, words, event, shapeOf(refs)].join('\t');
    if (isSame || known.has(equal)) continue;
    known.add(equal);
    moments.push({ side: kind === 'before' ? kind : 'after', words, nth: call.nth });
  }
  return moments;
}

/** The refs without numbers in their names, each with the letter of what it points to. */
function shapeOf(refs: string): string {
  const letters = new Map<string, number>();
  const shapes = refs
    .split(' ')
    .filter(Boolean)
    .map((ref) => {
      const [name = '', to = ''] = ref.split('=');
      if (!letters.has(to)) letters.set(to, letters.size);
      return `${name.replace(/[0-9a-f]{7,}|\d+/g, '#')}=${letters.get(to)}`;
    });
  return [...new Set(shapes)].join(' ');
}

/** The calls that moved a branch and had not been told to sync what they wrote, by the same list. Pure. */
export function unsyncedMoves(list: string): string[] {
  const refsBefore = new Map<string, Map<string, string>>();
  const lines: string[] = [];
  for (const line of list.split('\n').filter(Boolean)) {
    const [kind = '', pid = '', words = '', , refs = '', synced = ''] = line.split('\t');
    const now = new Map(refs.split(' ').map((ref) => ref.split('=') as [string, string]));
    if (kind === 'before') refsBefore.set(pid, now);
    if (kind !== 'after' || synced) continue;
    const moved = [...(refsBefore.get(pid) ?? [])].filter(
      ([name, to]) => /^refs\/(?:heads|mendloop)\//.test(name) && now.get(name) !== to,
    );
    lines.push(...moved.map(([name]) => `${words} moves ${name} and syncs nothing`));
  }
  return lines;
}
