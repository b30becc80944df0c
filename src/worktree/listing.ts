// What git lists: the files in which two commits differ, what the index has, and what stands on disk where a commit adds files.
import { join } from 'node:path';
import { fields, type Git } from '../io/git.ts';
import { blockAbove, entryAt } from '../io/links.ts';

/** `mode id`, as git lists a file. */
export type Entry = string;

/** A file in which two commits differ; undefined: that one does not have it. */
export interface Change {
  readonly path: string;
  readonly from: Entry | undefined;
  readonly to: Entry | undefined;
}

export const idOf = (entry: Entry): string => entry.slice(entry.indexOf(' ') + 1);

/** Throws a GitError. */
export async function treeDiff(git: Git, from: string, to: string): Promise<Change[]> {
  const rows = fields(await git.run(['diff-tree', '-r', '-z', '--no-renames', from, to]));
  const entry = (mode = '', id = ''): Entry | undefined =>
    /^:?0+$/.test(mode) ? undefined : `${mode.replace(':', '')} ${id}`;
  return rows.flatMap((row, i) => {
    if (i % 2 === 1) return [];
    const [mode, newMode, id, newId] = row.split(' ');
    return [{ path: rows[i + 1] ?? '', from: entry(mode, id), to: entry(newMode, newId) }];
  });
}

/** Path → its entry (`unmerged` in a conflict), and `flag`: S for skip-worktree, a small letter for assume-unchanged. Throws a GitError. */
export async function indexEntries(git: Git, paths: readonly string[] = []) {
  const rows = fields(await git.run(['--literal-pathspecs', 'ls-files', '-v', '-s', '-z', '--', ...paths]));
  return new Map(
    rows.map((row) => {
      const tab = row.indexOf('\t');
      const [flag = '', mode = '', id, stage] = row.slice(0, tab).split(' ');
      return [row.slice(tab + 1), { flag, mode, entry: stage === '0' ? `${mode} ${id}` : 'unmerged' }] as const;
    }),
  );
}

/** What is on disk where the changes add files: `path`, or a folder above it that is none (`kind` block). */
export async function standingAt(root: string, changes: readonly Change[]) {
  const removed = new Set(changes.flatMap(({ path, to }) => (to === undefined ? [path] : [])));
  const added = changes.filter(({ from }) => from === undefined);
  const found = added.map(async ({ path, to = '' }) => {
    const above = await blockAbove(root, path);
    if (above !== undefined) return removed.has(above) ? [] : [{ path: above, kind: 'block' as const, to }];
    const { kind } = await entryAt(join(root, path));
    return kind === 'nothing' ? [] : [{ path, kind, to }];
  });
  return (await Promise.all(found)).flat();
}
