// What check-patch needs to know of this repository: the files of the working tree, and the rules of the map on disk.
import { join } from 'node:path';
import { pathMatcher } from '../config/paths.ts';
import type { Edit } from '../fix/edit.ts';
import { editablePaths } from '../fix/gate/path-rules.ts';
import { pathFault } from '../fix/gate/path-text.ts';
import { foldersAbove } from '../fix/gate/rules.ts';
import { fileFacts, isExecutable } from '../io/files.ts';
import { openGit } from '../io/git.ts';
import { commonDirOf } from '../io/git-dir.ts';
import { layout as layoutOf } from '../io/layout.ts';
import { type Entry, entryAt } from '../io/links.ts';
import { shellCheck } from '../io/shell-check.ts';
import { readText } from '../io/store.ts';
import { loadStages } from '../journal/load-stages.ts';
import { gateRules, mentionedIn } from '../mend/gate-rules.ts';
import { changesOnce, nearCopy, shellProblems } from '../mend/proposal.ts';
import { textsOnDisk } from '../run/backlog-files.ts';
import { withItems } from '../run/items.ts';
import { configurationOnDisk } from '../stage/configuration.ts';
import { judgesAt } from '../stage/judges.ts';
import { madeOnceFrom } from '../stage/stale.ts';
import { unknownStage } from '../stage/unknown-stage.ts';
import { unwritable } from '../worktree/on-disk.ts';
import { checkoutFiles } from '../worktree/read.ts';

export type Here = Awaited<ReturnType<typeof lookHere>>;

/** Looks at `paths` and at what the stage may edit. Throws MendError for an unknown stage and an invalid map. */
export async function lookHere(home: string, name: string, paths: readonly string[]) {
  const tracked = await checkoutFiles(home);
  const onDisk = await configurationOnDisk(home, tracked?.files);
  const source = async () => ({ texts: textsOnDisk(home), listing: tracked?.files ?? new Map() });
  const config = await withItems(onDisk, [name], source);
  const { map } = config;
  const stage = map.stages[name] ?? unknownStage(name, Object.keys(map.stages));
  const allowed = [...(tracked?.files.keys() ?? [])].filter(pathMatcher(stage.files));
  const entries = await entriesAt(home, [...paths, ...allowed]);
  const kind = (path: string) => entries.get(path)?.kind ?? 'nothing';
  const of = (wanted: Entry['kind']) => [...entries].filter(([, entry]) => entry.kind === wanted).map(([path]) => path);
  const links = [...entries].flatMap(([path, entry]) => (entry.kind === 'link' ? [[path, entry.target] as const] : []));
  const tree = {
    files: [...new Set([...of('file'), ...(tracked?.files.keys() ?? [])])],
    folders: of('folder'),
    executables: of('file').filter((path) => isExecutable(join(home, path))),
    links: new Map([...(tracked?.links ?? []), ...links]),
  };
  const rules = await gateRules(
    home,
    config,
    stage,
    'executor',
    tree,
    tracked ? await judgesAt(map, tracked) : new Map(),
  );
  return {
    editable: editablePaths(allowed, rules),
    text: (path: string) =>
      kind(path) === 'file' && fileFacts(join(home, path))?.isFile ? readText(join(home, path)) : undefined,
    rules,
    lookUp: (names: readonly string[]) => mentionedIn(openGit(home), names),
    unwritable: async (files: readonly Edit[]) => {
      const gitDir = await commonDirOf(home).catch(() => undefined);
      return gitDir === undefined ? undefined : unwritable({ home, path: home, gitDir }, files);
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
