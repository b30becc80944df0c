// Removing what is old: runs with their logs, prompts and patches, actions between runs, closed cases, patches of fixes that
// are over, unpacked plugins. Stages and ledger are stored before anything goes, so that what was counted stays counted.
import { basename, join } from 'node:path';
import { type NewEvent, noticeEvent } from '../events.ts';
import { changedAt, fileSize, filesBelow, foldersIn, namesIn, removeEmptyFolders } from '../io/files.ts';
import { groupBy } from '../io/group-by.ts';
import type { Layout } from '../io/layout.ts';
import { moveAway, privateFolder, quarantinedAt, removeAll, removeFile, writeAtomic } from '../io/store.ts';
import { compactionGain } from '../journal/ledger-file.ts';
import { type LoadedStages, loadStages, openRun } from '../journal/load-stages.ts';
import { isToLook, USUAL, writeReclaimable } from '../journal/reclaimable.ts';
import {
  expired,
  KINDS,
  type Needed,
  neededBy,
  type Policy,
  runOfFile,
  type Stored,
  type Unpromoted,
} from '../journal/retention.ts';
import { isRunId, listRuns, timeOfRun } from '../journal/runs.ts';
import { openCaseStore } from '../mend/case-store.ts';
import type { Run } from '../stage/run.ts';
import type { Ledger } from '../triage/ledger.ts';
import { counted } from '../triage/words.ts';
import { committedFixes } from '../worktree/find-fix.ts';
import { treeGit } from '../worktree/tree.ts';

/** Something that is removed as a whole: its folder at once, then its files. */
interface Item extends Stored {
  readonly folder?: string;
  readonly files: readonly string[];
}

/** What is removed, or would be. */
export interface Collected {
  readonly gone: readonly (Stored & { readonly files: number })[];
  /** Bytes by which the ledger's journal is shorter now. */
  readonly ledger: number;
  /** All that there was, needed or not. */
  readonly total: number;
  /** What could not be removed, and why. */
  readonly left: readonly { readonly name: string; readonly reason: string }[];
}

export interface CollectOptions {
  readonly policy: Policy;
  readonly now: number;
  readonly ledger: Ledger;
  /** The fixes of the AI branch that the base does not have. */
  readonly unpromoted: readonly Unpromoted[];
  /** Shortens the ledger's journal. Given only by a caller that holds the lock; without it nothing is removed. */
  readonly compact?: () => number;
}

/** Lists what `policy` does not keep, and removes it if it may. Throws MendError when something cannot be read or written. */
export function collect(layout: Layout, { policy, now, ledger, unpromoted, compact }: CollectOptions): Collected {
  const loaded = loadStages(layout, { look: true });
  const stored = storedItems(layout, loaded, neededBy(loaded.state, ledger, unpromoted));
  const going = expired(stored, policy, now);
  const left = compact ? removeItems(layout, loaded, going) : [];
  // Jobs of a run that was cut off may be about to write a log.
  if (compact && !openRun(loaded)) removeEmptyFolders(layout.logs);
  const gone = going.filter(({ name }) => !left.some((item) => item.name === name));
  return {
    gone: gone.map(({ files, folder: _, ...item }) => ({ ...item, files: files.length })),
    ledger: compact ? compact() : compactionGain(layout, ledger, now),
    total: stored.reduce((sum, { bytes }) => sum + bytes, 0),
    left,
  };
}

/** Killed at any time, it leaves a run whole, or none of it that is read; leftovers are removed the next time. */
function removeItems(layout: Layout, { state }: LoadedStages, items: readonly Item[]): Collected['left'] {
  const away = join(layout.state, 'gone');
  removeAll(away);
  if (items.length === 0) return [];
  // From here the stages can be rebuilt without the journals that are removed.
  writeAtomic(layout.stagesBefore, `${JSON.stringify(state)}\n`);
  privateFolder(away);
  const left = items.flatMap(({ name, folder, files }) => {
    try {
      if (folder !== undefined) moveAway(folder, join(away, basename(folder)));
      for (const file of files) removeFile(file);
      return [];
    } catch (error) {
      return [{ name, reason: (error as Error).message }];
    }
  });
  removeAll(away);
  return left;
}

const FIX_FILE = /([^/]+)\.fix\.(?:diff|json)(?:\.corrupt-[^/]*)?$/;

/** Everything that can be removed. Links are neither followed nor removed. */
function storedItems(layout: Layout, loaded: LoadedStages, needed: Needed): Item[] {
  const item = (
    kind: Stored['kind'],
    name: string,
    time: number,
    isNeeded: boolean,
    folder: string | undefined,
    others: readonly string[],
  ): Item => {
    const files = [...(folder === undefined ? [] : filesBelow(folder)), ...others];
    const bytes = files.reduce((sum, path) => sum + fileSize(path), 0);
    return { kind, name, time, bytes, isNeeded, files, ...(folder !== undefined && { folder }) };
  };
  const { runs, actions, logs, patches, state, escalations } = layout;
  const open = openRun(loaded)?.run;
  const latest = loaded.latest?.events.find((event) => event.type === 'run.started');
  const patchFiles = namesIn(patches).map((name) => join(patches, name));
  const folders = new Set(listRuns(layout));
  const actionFiles = namesIn(actions).map((name) => join(actions, name));
  // Files of no run, or of no fix, are under the empty name.
  const ofRuns = groupBy([...filesBelow(logs), ...patchFiles], (path) => runOfFile(path) ?? '');
  const ofActions = groupBy(actionFiles, (path) => basename(path).split('.')[0] as string);
  const ofFixes = groupBy(patchFiles, (path) => FIX_FILE.exec(path)?.[1] ?? '');
  ofFixes.delete('');
  return [
    ...[...new Set([...folders, ...ofRuns.keys()])].filter(isRunId).map((id) => {
      const folder = folders.has(id) ? join(runs, id) : undefined;
      return item('run', id, timeOfRun(id), needed.runs.has(id) || id === open, folder, ofRuns.get(id) ?? []);
    }),
    ...[...ofActions]
      .filter(([id]) => isRunId(id))
      .map(([id, files]) => item('action', id, timeOfRun(id), needed.runs.has(id), undefined, files)),
    ...[...ofFixes].map(([hash, files]) =>
      item('fix', hash, Math.max(...files.map(changedAt)), needed.fixes.has(hash), undefined, files),
    ),
    ...openCaseStore(layout)
      .list()
      .map((listed) => {
        const closed = 'summary' in listed ? listed.summary.closed : undefined;
        const isNeeded = closed === undefined || needed.cases.has(listed.case);
        return item('case', listed.case, Date.parse(closed?.time ?? ''), isNeeded, join(escalations, listed.case), []);
      }),
    ...foldersIn(join(state, 'plugins')).map((commit) => {
      const folder = join(state, 'plugins', commit);
      return item('plugins', commit, changedAt(folder), latest?.data.base.commit === commit, folder, []);
    }),
    ...namesIn(state)
      .filter((name) => quarantinedAt(name) !== undefined)
      .map((name) => item('damaged', name, quarantinedAt(name) ?? 0, false, undefined, [join(state, name)])),
  ];
}

/** Without retention: notes for `status` what gc would free, as `mendloop init` would have it. Throws MendError. */
function noteReclaimable(layout: Layout, given: Omit<CollectOptions, 'policy' | 'compact'>): void {
  const { gone, ledger } = collect(layout, { ...given, policy: USUAL });
  const bytes = gone.reduce((sum, item) => sum + item.bytes, ledger);
  writeReclaimable(layout, { time: given.now, bytes, what: goneText(gone) });
}

/** Removes what is old by the owner's `retention`, or notes what could be freed without one; not at every run. Never throws. */
export async function collectByRetention({ layout, config, clock, journal, tree }: Run): Promise<NewEvent[]> {
  const { retention } = config.loop;
  const now = clock.now();
  if (!isToLook(layout, now, retention !== null)) return [];
  try {
    const unpromoted = await committedFixes(treeGit(tree), tree.base.commit, tree.head);
    const facts = { now, ledger: journal.ledger, unpromoted };
    if (!retention) {
      noteReclaimable(layout, facts);
      return [];
    }
    writeReclaimable(layout, { time: now, bytes: 0, what: '' });
    const { gone, left } = collect(layout, { ...facts, policy: retention, compact: journal.compactLedger });
    const texts = [
      ...(gone.length > 0 ? [`forgotten, as retention in ai/loop.yaml says: ${goneText(gone)}`] : []),
      ...left.map(({ name, reason }) => `${name} is to be forgotten and cannot be removed: ${reason}`),
    ];
    return texts.map(noticeEvent);
  } catch (error) {
    return [noticeEvent(`nothing old was forgotten: ${(error as Error).message}`)];
  }
}

const WORDS: Readonly<Record<Stored['kind'], readonly [string, string]>> = {
  run: ['run', 'runs'],
  action: ['action between runs', 'actions between runs'],
  fix: ['patch', 'patches'],
  case: ['closed case', 'closed cases'],
  plugins: ['unpacked copy of plugins', 'unpacked copies of plugins'],
  damaged: ['damaged file set aside', 'damaged files set aside'],
};

/** Of each kind that is there: how many, with their files and bytes. */
export function byKind(gone: Collected['gone']): { what: string; files: number; bytes: number }[] {
  return KINDS.flatMap((kind) => {
    const all = gone.filter((item) => item.kind === kind);
    const sum = (key: 'files' | 'bytes') => all.reduce((total, item) => total + item[key], 0);
    return all.length === 0
      ? []
      : [{ what: counted(all.length, ...WORDS[kind]), files: sum('files'), bytes: sum('bytes') }];
  });
}

/** `3 runs, 1 closed case`. */
const goneText = (gone: Collected['gone']): string =>
  byKind(gone)
    .map(({ what }) => what)
    .join(', ');
