// What check-patch needs to know of this repository: the files that a run would change, and the rules that count there.
import { join } from 'node:path';
import { pathMatcher } from '../config/paths.ts';
import { MendError } from '../errors.ts';
import type { Edit } from '../fix/edit.ts';
import { editablePaths } from '../fix/gate/path-rules.ts';
import { pathFault } from '../fix/gate/path-text.ts';
import { foldersAbove } from '../fix/gate/rules.ts';
import { fileFacts, isExecutable } from '../io/files.ts';
import { openGit } from '../io/git.ts';
import { commonDirOf } from '../io/git-dir.ts';
import type { GitObjects } from '../io/git-objects.ts';
import { layout as layoutOf } from '../io/layout.ts';
import { type Entry, entryAt } from '../io/links.ts';
import { shellCheck } from '../io/shell-check.ts';
import { readText } from '../io/store.ts';
import { loadStages } from '../journal/load-stages.ts';
import { gateRules, mentionedIn, snapshotTree } from '../mend/gate-rules.ts';
import { changesOnce, nearCopy, shellProblems } from '../mend/proposal.ts';
import { textsOnDisk } from '../run/backlog-files.ts';
import { withItems } from '../run/items.ts';
import { baseOf, configurationAt, configurationOnDisk } from '../stage/configuration.ts';
import { judgesAt } from '../stage/judges.ts';
import { madeOnceFrom } from '../stage/stale.ts';
import { unknownStage } from '../stage/unknown-stage.ts';
import { commitOf } from '../worktree/base.ts';
import { tryMerge } from '../worktree/merge-tree.ts';
import { unwritable } from '../worktree/on-disk.ts';
import { checkoutFiles, type Files, snapshotOf } from '../worktree/read.ts';

/** The branch that a run would change. */
interface Target {
  readonly branch: string;
  readonly commit: string;
  /** What the next run merges into it first. */
  readonly base?: { readonly name: string; readonly commit: string };
  /** The files with that, as a tree of git. */
  readonly tree: string;
}

export type Here = Awaited<ReturnType<typeof lookHere>>;

/**
 * Looks at `paths` and at what the stage may edit: as on the AI branch, with what the next run merges into it; in the working tree
 * where there is no such branch yet. Throws MendError for an unknown stage and an invalid map.
 */
export async function lookHere(home: string, objects: GitObjects, name: string, paths: readonly string[]) {
  const base = await baseOf(home, objects).catch((error: unknown) => {
    if (error instanceof MendError) return undefined;
    throw error;
  });
  const target = base && (await targetOf(home, base));
  const tracked = target ? await snapshotOf({ objects }, target.tree) : await checkoutFiles(home);
  const committed =
    base && target
      ? await configurationAt(home, base.commit, base.name, { objects })
      : await configurationOnDisk(home, tracked?.files);
  const source = async () => ({ texts: textsOnDisk(home), listing: tracked?.files ?? new Map() });
  const config = await withItems(committed, [name], source);
  const { map } = config;
  const stage = map.stages[name] ?? unknownStage(name, Object.keys(map.stages));
  const allowed = [...(tracked?.files.keys() ?? [])].filter(pathMatcher(stage.files));
  const wanted = [...new Set([...paths, ...allowed])];
  const { tree, texts } = target && tracked ? await fromCommit(tracked, wanted) : await fromDisk(home, tracked, wanted);
  const judges = tracked ? await judgesAt(map, tracked) : new Map();
  const rules = await gateRules(home, config, stage, 'executor', tree, judges);
  return {
    target,
    editable: editablePaths(allowed, rules),
    text: (path: string) => texts.get(path),
    rules,
    lookUp: (names: readonly string[]) => mentionedIn(openGit(home), names, target?.tree),
    unwritable: async (files: readonly Edit[]) => {
      const gitDir = await commonDirOf(home).catch(() => undefined);
      const { worktree } = layoutOf(home);
      const path = target && fileFacts(worktree) ? worktree : home;
      return gitDir === undefined ? undefined : unwritable({ home, path, gitDir }, files);
    },
    nearCopy: async (files: readonly Edit[]) => tracked && nearCopy(files, stage.files, tracked),
    shellProblems: (files: readonly Edit[]) => shellProblems(files, shellCheck),
    /** What the owner would be asked because of how the stages stand now. */
    ownersAsk: async (files: readonly Edit[]) => {
      const { state: stages } = loadStages(layoutOf(home), { look: true });
      const standing = { config, journal: { stages }, tree: { files: async () => tracked?.files ?? new Map() } };
      const paths = files.map(({ path }) => path);
      return changesOnce(await madeOnceFrom(standing, paths));
    },
  };
}

/** Undefined before the first run; without the base where that conflicts. */
async function targetOf(home: string, base: Awaited<ReturnType<typeof baseOf>>): Promise<Target | undefined> {
  const git = openGit(home);
  const commit = await commitOf(git, `refs/heads/${base.branch}`);
  if (commit === undefined) return undefined;
  const { branch, name } = base;
  const isIn = (await git.attempt(['merge-base', '--is-ancestor', base.commit, commit])).ok;
  const merged = isIn ? undefined : await tryMerge(git, commit, base.commit);
  return merged && merged.conflicts.length === 0 && merged.failure === undefined
    ? { branch, commit, base: { name, commit: base.commit }, tree: merged.tree }
    : { branch, commit, tree: commit };
}

async function fromCommit(tracked: Files, paths: readonly string[]) {
  const texts = await Promise.all(paths.map(async (path) => [path, await tracked.text(path)] as const));
  return { tree: snapshotTree(tracked), texts: new Map(texts) };
}

async function fromDisk(home: string, tracked: Files | undefined, paths: readonly string[]) {
  const entries = await entriesAt(home, paths);
  const of = (wanted: Entry['kind']) => [...entries].filter(([, entry]) => entry.kind === wanted).map(([path]) => path);
  const links = [...entries].flatMap(([path, entry]) => (entry.kind === 'link' ? [[path, entry.target] as const] : []));
  const tree = {
    files: [...new Set([...of('file'), ...(tracked?.files.keys() ?? [])])],
    folders: of('folder'),
    executables: of('file').filter((path) => isExecutable(join(home, path))),
    links: new Map([...(tracked?.links ?? []), ...links]),
  };
  return { tree, texts: new Map(of('file').map((path) => [path, readText(join(home, path))] as const)) };
}

/** What is at each of `paths` and the folders above it, never through a link. */
async function entriesAt(home: string, paths: readonly string[]): Promise<Map<string, Entry>> {
  const entries = new Map<string, Entry>();
  for (const path of new Set(paths)) {
    if (pathFault(path) !== undefined) continue;
    for (const part of [...foldersAbove(path), path]) {
      if (!entries.has(part)) entries.set(part, await entryAt(join(home, part)));
      if (entries.get(part)?.kind === 'link') break;
    }
  }
  return entries;
}
