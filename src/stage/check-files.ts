// Check files during a run: as at the worktree's HEAD before any check runs, put back at once when it changed, and the
// change is charged to the attempts that ran since it was last seen unchanged.
import { join } from 'node:path';
import type { ContextMap } from '../config/context-map.ts';
import { MendError } from '../errors.ts';
import { noticeEvent } from '../events.ts';
import { type CheckFiles, findCheckFiles, type Sources } from '../fix/check-files/check-files.ts';
import { forbiddenThroughFiles } from '../fix/check-files/forbidden-runs.ts';
import { stampsOf } from '../io/files.ts';
import { type KeptFile, keepFile } from '../io/kept-file.ts';
import { splitStepName } from '../plan/matrix.ts';
import type { EndOf, StageEnd } from '../plan/stage-end.ts';
import { type Files, snapshotOf } from '../worktree/read.ts';
import { sourcesOf } from './check-sources.ts';
import { forbiddenText } from './configuration.ts';
import { perRun, type StageRun } from './run.ts';

/** An attempt or a look at a green stage, while it runs. */
export interface Watch {
  readonly step: string;
  readonly kind: 'attempt' | 'look';
  /** Check files that were found changed while it ran. */
  readonly changed: Set<string>;
  /** Tracked files that changed while it ran and are not recorded yet, and the patch that has them. */
  readonly wrote: { files: Set<string>; patch?: string };
  /** It may have done something by now: elsewhere it may still wait for its turn. */
  hasBegun(): boolean;
  /** Others ran too, so that it may not have been this one. */
  shared: boolean;
  /** Set when the tree is not as it should be, so that nothing may run. */
  readonly halted: MendError | undefined;
}

interface Known {
  readonly commit: string;
  readonly files: Promise<CheckFiles>;
  /** Of those that git tracks, when they were last seen unchanged. */
  stamps?: string;
}

const state = perRun((_: StageRun) => ({
  known: undefined as Known | undefined,
  running: new Set<Watch>(),
  /** What git does not track, as it was before the first command that could have changed it. */
  kept: new Map<string, KeptFile>(),
  alone: new Set<string>(),
}));

/** The check files of a commit. */
export const checkFilesAt = (map: Pick<ContextMap, 'stages'>, files: Files): Promise<CheckFiles> =>
  findCheckFiles(map, sourcesOf(files));

/** Those of the commit the worktree is at, read once a commit. */
export const checkFilesOf = (run: StageRun): Promise<CheckFiles> => knownNow(run).files;

function knownNow(run: StageRun): Known {
  const now = state(run);
  const { head } = run.tree;
  if (now.known?.commit !== head) {
    const isFirst = now.known === undefined;
    const files = snapshotOf(run.tree, head).then(async (snapshot) => {
      const sources = sourcesOf(snapshot);
      if (isFirst) await noteForbidden(run, sources);
      return findCheckFiles(run.config.map, sources);
    });
    now.known = { commit: head, files };
  }
  return now.known as Known;
}

/** Reports, before the first command of a run, what would run a protected file or wipe script through another file. */
async function noteForbidden({ config: { map }, requested, journal }: StageRun, sources: Sources): Promise<void> {
  const stages = Object.fromEntries(Object.entries(map.stages).filter(([name]) => requested.includes(name)));
  const runs = await forbiddenThroughFiles({ ...map, stages }, sources);
  journal.append(...runs.map((run) => noticeEvent(forbiddenText(run))));
}

/** Runs `work` with the check files as committed, and reports to it which of them changed meanwhile. */
export async function watchCheckFiles<T>(
  run: StageRun,
  step: string,
  kind: Watch['kind'],
  work: (watch: Watch) => Promise<T>,
): Promise<T> {
  const { running } = state(run);
  await run.tree.watch();
  // Where nothing ran yet in a tree that was found clean there is nothing to look at.
  const isNeeded = kind === 'attempt' || state(run).known !== undefined || !run.tree.clean;
  const halted = isNeeded ? await putBackEarlier(run).catch(forPerson) : undefined;
  const watch = newWatch(step, kind, () => true, halted);
  running.add(watch);
  try {
    return await work(watch);
  } finally {
    running.delete(watch);
  }
}

const newWatch = (step: string, kind: Watch['kind'], hasBegun: () => boolean, halted?: MendError): Watch => ({
  step,
  kind,
  hasBegun,
  halted,
  shared: false,
  changed: new Set(),
  wrote: { files: new Set() },
});

function forPerson(error: unknown): MendError {
  if (error instanceof MendError) return error;
  throw error;
}

/** Puts back what changed before any attempt ran: by a person, or by a run that was killed. */
async function putBackEarlier(run: StageRun): Promise<undefined> {
  const known = knownNow(run);
  const { running, kept } = state(run);
  const files = await known.files;
  const stamps = await stampsNow(run);
  const isUnchanged = known.stamps === undefined ? run.tree.clean : known.stamps === stamps;
  if (!isUnchanged) {
    const { checkFiles: changed, ...tracked } = await run.tree.inspect(run.id, 'worktree', 0, () => known.files);
    noteWritten(run, tracked);
    blame(run, changed);
    if (running.size === 0 && changed.length > 0) {
      const text = `${changed.join(', ')}: found changed in ai/worktree and put back, because checks run it`;
      run.journal.append(noticeEvent(text));
    }
  }
  known.stamps = isUnchanged ? stamps : await stampsNow(run);
  if (running.size > 0) return undefined;
  for (const [path, { tracked }] of files) {
    const file = tracked ? undefined : await keepFile(run.tree.path, path, kept.get(path));
    if (file) kept.set(path, file);
  }
  return undefined;
}

async function stampsNow(run: StageRun): Promise<string> {
  const tracked = [...(await checkFilesOf(run))].filter(([, file]) => file.tracked);
  return stampsOf(tracked.map(([path]) => join(run.tree.path, path))).text;
}

function blame(run: StageRun, paths: readonly string[]): void {
  if (paths.length === 0) return;
  const suspects = [...state(run).running].filter((watch) => watch.hasBegun());
  for (const watch of suspects) {
    for (const path of paths) watch.changed.add(path);
    watch.shared ||= suspects.length > 1;
  }
}

/** Each attempt that runs now may have changed these tracked files; without any, each look. */
function noteWritten(run: StageRun, { changed, patch }: { changed: readonly string[]; patch?: string }): void {
  if (patch === undefined) return;
  const running = [...state(run).running];
  const attempts = running.filter(({ kind }) => kind === 'attempt');
  for (const { wrote } of attempts.length > 0 ? attempts : running) {
    for (const path of changed) wrote.files.add(path);
    wrote.patch = patch;
  }
}

/** What may be the work of `step` after it was looked at: what was found, and what others had found while it ran. */
export function writtenBy(run: StageRun, step: string, seen: { changed: readonly string[]; patch?: string }) {
  noteWritten(run, seen);
  const mine = [...state(run).running].find((watch) => watch.step === step)?.wrote;
  const files = [...(mine?.files ?? seen.changed)];
  mine?.files.clear();
  return { files, patch: mine?.patch ?? seen.patch };
}

/**
 * Charges changes to all attempts that run now: `tracked` check files, which are put back already, and those that
 * git does not have. Returns the paths that could not be put back.
 */
export async function blameForCheckFiles(run: StageRun, tracked: readonly string[]): Promise<string[]> {
  const { kept, known } = state(run);
  const stuck: string[] = [];
  const untracked: string[] = [];
  for (const [path, file] of kept) {
    const now = await file.putBack();
    if (now !== 'same') untracked.push(path);
    if (now === 'stuck') stuck.push(path);
  }
  blame(run, [...tracked, ...untracked]);
  if (known?.stamps !== undefined && tracked.length > 0) known.stamps = await stampsNow(run);
  return stuck;
}

/** Each of `paths` with what runs it, for people: `check.sh (stages.a.verify[0])`. */
export async function checkFileNames(run: StageRun, paths: Iterable<string>): Promise<string> {
  const files = await checkFilesOf(run);
  return [...paths].map((path) => `${path} (${files.get(path)?.by ?? 'a check'} runs it)`).join(', ');
}

/**
 * Follows an attempt on another machine. The check files that it found changed are put back there, and charged to all
 * attempts that are followed now and have begun: each of them runs again alone, once.
 */
export async function followCheckFiles(
  run: StageRun,
  { step, hasBegun }: Pick<Watch, 'step' | 'hasBegun'>,
  work: () => Promise<StageEnd>,
): Promise<StageEnd> {
  const { running } = state(run);
  let isOver = false;
  const watch = newWatch(step, 'attempt', () => isOver || hasBegun());
  running.add(watch);
  try {
    const end = await work();
    isOver = true;
    const changed = end.kind === 'failed' ? end.context?.changed_judges : undefined;
    if (Array.isArray(changed)) blame(run, changed);
    const isEnd = end.kind === 'green' || end.kind === 'failed';
    const stage = run.config.map.stages[splitStepName(step).stage];
    return isEnd && watch.shared && stage?.rerun ? onceMoreAlone(run, watch) : end;
  } finally {
    running.delete(watch);
  }
}

/** The end of an attempt beside which check files changed: it is made once more, alone. */
export async function onceMoreAlone(run: StageRun, { step, changed }: Watch): Promise<EndOf<'failed'>> {
  runAloneNext(run, step);
  const what = `changed ${await checkFileNames(run, changed)}; put back as committed`;
  return {
    kind: 'failed',
    message: `another stage or this one ${what}: once more, alone`,
    context: { run_alone: true },
  };
}

/** The next attempt of a step runs alone. */
export const runAloneNext = (run: StageRun, step: string): void => void state(run).alone.add(step);

/** Whether this attempt is to run alone; asked once. */
export const runsAlone = (run: StageRun, step: string): boolean => state(run).alone.delete(step);
