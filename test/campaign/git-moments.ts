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

interface Line extends GitMoment {
  /** The last event before it. */
  event: string;
  files: string;
  refs: string;
  /** The call was told to sync what it writes. */
  isSynced: boolean;
  /** The end of a call beside which others began: it is not alone in what was changed meanwhile. */
  isBeside: boolean;
}

/** `list`: lines of an event, or of a call's side with its pid, words, digest of the files, refs, and whether it syncs. */
function* readList(list: string): Generator<Line> {
  const counts = new Map<string, number>();
  const running = new Map<string, { nth: number; isBeside: boolean }>();
  let event = 'no event';
  for (const line of list.split('\n').filter(Boolean)) {
    const [kind = '', pid = '', words = '', files = '', refs = '', synced = ''] = line.split('\t');
    if (kind === 'event') {
      event = pid;
      continue;
    }
    const isBefore = kind === 'before';
    if (isBefore) {
      for (const other of running.values()) other.isBeside = true;
      counts.set(words, (counts.get(words) ?? 0) + 1);
      running.set(pid, { nth: counts.get(words) as number, isBeside: false });
    }
    const call = running.get(pid);
    if (!call) throw new Error(`a call of git ended and never began: ${line}`);
    if (!isBefore) running.delete(pid);
    const side = isBefore ? 'before' : 'after';
    yield { side, words, event, files, refs, isSynced: synced !== '', ...call };
  }
}

/** The moments that differ, of a list as bin/git makes it. Pure. */
export function momentsOf(list: string): GitMoment[] {
  const known = new Set<string>();
  const moments: GitMoment[] = [];
  let disk = '';
  for (const { side, words, nth, event, files, refs, isBeside } of readList(list)) {
    // The next call stands for that moment.
    if (isBeside) continue;
    const now = `${files} ${refs}`;
    const isSame = now === disk;
    disk = now;
    const equal = [side, words, event, shapeOf(refs)].join('\t');
    if (isSame || known.has(equal)) continue;
    known.add(equal);
    moments.push({ side, words, nth });
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
  let refsBefore = new Map<string, string>();
  return [...readList(list)].flatMap(({ side, words, refs, isSynced, isBeside }) => {
    const now = new Map(refs.split(' ').map((ref) => ref.split('=') as [string, string]));
    const moved = [...refsBefore].filter(([name, to]) => isBranch.test(name) && now.get(name) !== to);
    refsBefore = now;
    return side === 'before' || isSynced || isBeside
      ? []
      : moved.map(([name]) => `${words} moves ${name} and syncs nothing`);
  });
}

const isBranch = /^refs\/(?:heads|mendloop)\//;
