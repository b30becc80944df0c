// The state of all stages as of now: the projection on disk, brought up to date from the journals behind it.
import { MAP_FILE, stageNames } from '../config/files.ts';
import type { LoopEvent } from '../events.ts';
import type { Layout } from '../io/layout.ts';
import { leaveInPlace, readChecked, readText, writeAtomic } from '../io/store.ts';
import { damageOf, readEvents } from './event-file.ts';
import { endByRunFile } from './history.ts';
import { listJournals } from './runs.ts';
import { emptyState, foldStages, isStageState, type StageState } from './stages.ts';

export interface LoadedStages {
  state: StageState;
  /** What a person must know: a file was broken and set aside. */
  notices: string[];
  /** The newest run and its events; with `isDamaged` some of them are lost. */
  latest?: { run: string; events: LoopEvent[]; isDamaged?: true };
  /** Events of the newest run may be lost: processes that it started may run though no line names them. */
  isUnsure: boolean;
}

/**
 * Never loses what the journals hold: a missing or corrupt projection is made again from them, and one that was left behind
 * is written anew. With `look` nothing is written, and a corrupt one stays where it is.
 */
export function loadStages(layout: Layout, { look = false } = {}): LoadedStages {
  const read = readChecked(layout.stages, isStageState, look ? leaveInPlace : undefined);
  const notices: string[] = [];
  if (!read.found && read.quarantined) {
    notices.push(
      look
        ? 'ai/state/stages.json is corrupt: this is from the journals; the next run keeps it aside and makes it again'
        : `ai/state/stages.json was corrupt: kept as ${read.quarantined}, rebuilt from the journals`,
    );
  }
  const before = read.found ? read : readChecked(layout.stagesBefore, isStageState, leaveInPlace);
  const state = before.found ? before.value : emptyState();
  const journals = listJournals(layout, state.as_of.run);
  if (!read.found && !read.quarantined && journals.length > 0) {
    notices.push('ai/state/stages.json was missing: made again from the journals');
  }
  const { run: upTo, seq } = state.as_of;
  const newestRun = journals.findLast(({ isRun }) => isRun)?.id;
  let latest: LoadedStages['latest'];
  for (const { id, path, isRun } of journals) {
    if (id < upTo && id !== newestRun) continue;
    const file = readEvents(path);
    const { events } = file;
    const isCut = id === upTo && file.lastSeq < seq;
    const damage = damageOf(file) ?? (isCut ? 'lost its end: the stages are known from stages.json' : undefined);
    if (damage) notices.push(`the journal of ${isRun ? 'run ' : ''}${id} ${damage}`);
    if (isRun && (events.length > 0 || damage)) {
      const isEnded = events.at(-1)?.type === 'run.ended';
      const ended = isEnded ? undefined : endByRunFile(layout, id, events.at(-1)?.time);
      if (ended) events.push({ ...ended, seq: Math.max(file.lastSeq, id === upTo ? seq : 0) + 1 });
      latest = { run: id, events, ...(damage ? { isDamaged: true } : {}) };
    }
    for (const event of events) if (id > upTo || (id === upTo && event.seq > seq)) foldStages(state, event);
  }
  const { as_of: now } = state;
  if (!look && (now.run !== upTo || now.seq !== seq)) writeStages(layout, state);
  const isMissing = upTo !== '' && !journals.some(({ id }) => id === upTo);
  const isSure = read.found && !isMissing && !latest?.isDamaged && latest?.events.at(-1)?.type === 'run.ended';
  return { state, notices, isUnsure: !isSure, ...(latest ? { latest } : {}) };
}

/** Throws MendError when the disk refuses. */
export const writeStages = (layout: Layout, state: StageState): void =>
  writeAtomic(layout.stages, `${JSON.stringify(state)}\n`);

/** The newest run when it has not ended. */
export function openRun({ latest }: LoadedStages): LoadedStages['latest'] {
  return latest?.events.at(-1)?.type === 'run.ended' ? undefined : latest;
}

const MAX_AGE_MS = 6 * 3_600_000;

/** Its last event is so old that no start goes on with it. */
export const isTooOld = (lastEventAt: number, now: number): boolean => now - lastEventAt > MAX_AGE_MS;

/** What an open run that nobody is at stands for: whether it is finished, and by which command. */
export function cutOffText({ run, events }: NonNullable<LoadedStages['latest']>, now: number): string {
  const [first] = events;
  const last = events.at(-1);
  if (last?.type === 'run.left')
    return `run ${run} was stopped, and jobs of it may still run; the next start ends them`;
  const isLost = first?.type !== 'run.started' || isTooOld(Date.parse(last?.time ?? ''), now);
  if (isLost) return `run ${run} was cut off; the next start closes it`;
  const { asked } = first.data;
  // A start that asks for other stages closes it.
  const finish =
    asked === 'all'
      ? 'the next start finishes it'
      : `to finish it: mendloop ${/^item-/.test(asked) ? 'backlog run' : asked}`;
  return `run ${run} was cut off; ${finish}`;
}

/** The names of all stages: in the map's order where it can be read, then whatever was run before. Never throws for a broken map. */
export const recordedStages = (home: string, state: StageState): string[] => stagesHere(home, state).names;

/** `gone`: those that the map does not have any more; `isBroken`: it is no YAML, and stages of it may be missing. */
export function stagesHere(home: string, { stages }: StageState) {
  const { names, isBroken } = stageNames(readText(`${home}/${MAP_FILE}`) ?? '');
  const gone = Object.keys(stages).filter((name) => !names.includes(name));
  return { names: [...names, ...gone], gone: isBroken ? [] : gone, isBroken };
}
