// The state of all stages as of now: the projection on disk, brought up to date from the journals behind it.
import { MAP_FILE, stageNames } from '../config/files.ts';
import type { LoopEvent } from '../events.ts';
import type { Layout } from '../io/layout.ts';
import { readChecked, readText } from '../io/store.ts';
import { readEvents } from './event-file.ts';
import { listJournals } from './runs.ts';
import { emptyState, foldStages, isStageState, type StageState } from './stages.ts';

export interface LoadedStages {
  state: StageState;
  /** What a person must know: a file was broken and set aside. */
  notices: string[];
  /** The newest run and its events. */
  latest?: { run: string; events: LoopEvent[] };
}

/**
 * Never loses what the journals hold: a missing or corrupt projection is made again from them. With `look` nothing is
 * written, and a corrupt one stays where it is.
 */
export function loadStages(layout: Layout, { look = false } = {}): LoadedStages {
  const read = readChecked(layout.stages, isStageState, look ? (path) => path : undefined);
  const notices: string[] = [];
  if (!read.found && read.quarantined) {
    notices.push(
      look
        ? 'ai/state/stages.json is corrupt: this is from the journals; the next run keeps it aside and makes it again'
        : `ai/state/stages.json was corrupt: kept as ${read.quarantined}, rebuilt from the journals`,
    );
  }
  const journals = listJournals(layout);
  const projection = read.found ? read.value : emptyState();
  const cut = isAhead(projection, journals);
  if (cut) notices.push('ai/state/stages.json knew more than its journal, which was cut: made again from the journals');
  const state = cut ? emptyState() : projection;
  if (!read.found && !read.quarantined && journals.length > 0) {
    notices.push('ai/state/stages.json was missing: made again from the journals');
  }
  const { run: upTo, seq } = state.as_of;
  const newestRun = journals.findLast(({ isRun }) => isRun)?.id;
  let latest: LoadedStages['latest'];
  for (const { id, path, isRun } of journals) {
    if (id < upTo && id !== newestRun) continue;
    const { events, corruptLine } = readEvents(path);
    if (corruptLine) notices.push(`the journal of run ${id} is corrupt from line ${corruptLine} on`);
    for (const event of events) if (id > upTo || (id === upTo && event.seq > seq)) foldStages(state, event);
    if (isRun && events.length > 0) latest = { run: id, events };
  }
  return { state, notices, ...(latest ? { latest } : {}) };
}

/** A journal that lost its end to corruption takes new events under old numbers; a projection beyond it would hide them. */
function isAhead({ as_of }: StageState, journals: readonly { id: string; path: string }[]): boolean {
  const journal = journals.find(({ id }) => id === as_of.run);
  const length = journal ? readEvents(journal.path).events.length : 0;
  return length > 0 && length < as_of.seq;
}

/** The newest run when it has not ended. */
export function openRun(loaded: LoadedStages): { run: string; events: LoopEvent[] } | undefined {
  const { latest } = loaded;
  const begun = latest?.events[0]?.type === 'run.started';
  return begun && latest.events.at(-1)?.type !== 'run.ended' ? latest : undefined;
}

/** The names of all stages: in the map's order where it can be read, then whatever was run before. Never throws for a broken map. */
export function recordedStages(home: string, state: StageState): string[] {
  const mapped = stageNames(readText(`${home}/${MAP_FILE}`) ?? '');
  return [...mapped, ...Object.keys(state.stages).filter((name) => !mapped.includes(name))];
}
