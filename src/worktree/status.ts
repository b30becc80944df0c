// git status, read: where HEAD is and which tracked files differ from it, in one git process.
import { fields, type Git } from '../io/git.ts';

export interface Status {
  readonly head: string;
  /** Undefined when HEAD is detached. */
  readonly branch: string | undefined;
  /** Tracked files that differ from HEAD, in the index or in the folder. */
  readonly changed: readonly string[];
  readonly untracked: readonly string[];
  readonly ignored: readonly string[];
}

const TRACKED = ['status', '--porcelain=v2', '--branch', '-z', '--no-renames', '--ignore-submodules=dirty'];
/** How many fields stand before the path, by the letter that opens the record. */
const BEFORE_PATH: Record<string, number> = { '1': 8, u: 10, '?': 1, '!': 1 };

/** The state of tracked files. Throws a GitError when git cannot tell. */
export async function trackedStatus(git: Git): Promise<Status> {
  return parseStatus(await git.run([...TRACKED, '--untracked-files=no']));
}

/** The same with untracked files (folders that hold only such end in `/`), and with ignored ones if asked for. */
export async function fullStatus(git: Git, ignored = false): Promise<Status> {
  const more = ignored ? ['--ignored=traditional'] : [];
  return parseStatus(await git.run([...TRACKED, '--untracked-files=normal', ...more]));
}

/** Reads `git status --porcelain=v2 --branch -z`; never throws. */
export function parseStatus(answer: string): Status {
  let head = '';
  let branch: string | undefined;
  const found: Record<'changed' | 'untracked' | 'ignored', string[]> = { changed: [], untracked: [], ignored: [] };
  for (const record of fields(answer)) {
    const [kind = '', name, value = ''] = record.split(' ', 3);
    if (kind === '#') {
      if (name === 'branch.oid') head = value;
      if (name === 'branch.head') branch = record.slice('# branch.head '.length);
      continue;
    }
    const list = kind === '?' ? found.untracked : kind === '!' ? found.ignored : found.changed;
    list.push(afterFields(record, BEFORE_PATH[kind] ?? 0));
  }
  return { head, branch: branch === '(detached)' ? undefined : branch, ...found };
}

function afterFields(record: string, count: number): string {
  let at = 0;
  for (let i = 0; i < count; i++) at = record.indexOf(' ', at) + 1;
  return record.slice(at);
}
