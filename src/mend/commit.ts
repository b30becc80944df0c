// A sound fix on its way to the AI branch and, when it did not help, back. Each step is recorded before and after it is done,
// so that a later process can go on from any point between.
import { excerptOf } from '../failure/fingerprint.ts';
import type { Run, Suggestion } from '../stage/run.ts';
import type { Fix, Incident } from '../triage/incident.ts';
import { commitFix, isAsShown, revertFix } from '../worktree/commit-fix.ts';
import { fixMessage, revertMessage } from './fix-message.ts';
import { record } from './identify.ts';
import { patchFiles } from './patch-files.ts';
import type { SoundFix } from './proposal.ts';
import { readSafeMode } from './safe-mode.ts';

/** Who made a fix, and whether it is a try of the executors. */
export interface FixOrigin {
  plugin: string;
  tier: Fix['tier'];
  tried: boolean;
  /** The case it answers. */
  case?: string;
}

/**
 * What came of asking for a fix. `spent`: nothing, and that was a try or a call; `down`: nobody could be reached, `prompt`
 * is where the question is kept; `moved`: another fix changed its files meanwhile; `safe_mode`: it came on meanwhile;
 * `left`: a person has it.
 */
export type FixResult =
  | { fix: Fix }
  | { none: 'spent' | 'stopped' | 'moved' | 'safe_mode' | 'left' }
  | { none: 'down'; prompt?: string };

/** Applies a fix; with `mode: suggest` only when the person who is asked agrees. Throws MendError when git or the disk refuses. */
export async function applyFix(
  run: Run,
  incident: Incident,
  fix: SoundFix,
  origin: FixOrigin,
  signal: AbortSignal,
): Promise<FixResult> {
  if (run.config.loop.mode !== 'suggest') return putOnBranch(run, incident, fix, origin);
  const { stage, step, failure } = incident;
  const { hash, note } = fix;
  const { plugin, tier, tried } = origin;
  const data = { tier, hash, plugin, note: { ...note } };
  record(run, incident, 'fix.suggested', data);
  keepPatch(run, fix);
  const { fingerprint } = failure;
  const excerpt = run.mask(excerptOf(failure));
  const suggestion: Suggestion = { stage, step, fingerprint, plugin, hash, excerpt, note, diff: run.mask(fix.diff) };
  const word = run.person ? await run.person(suggestion, signal) : 'leave';
  if (signal.aborted) return { none: 'stopped' };
  if (word === 'apply') return putOnBranch(run, incident, fix, origin);
  if (word === 'leave') {
    const { leaveSuggestion } = await import('./cases.ts');
    await leaveSuggestion(run, incident, suggestion);
    return { none: 'left' };
  }
  record(run, incident, 'fix.declined', data);
  if (tried) record(run, incident, 'try.ended', {});
  return { none: 'spent' };
}

/** Commits a fix that nobody is to be asked about. */
export function putOnBranch(run: Run, incident: Incident, sound: SoundFix, origin: FixOrigin): Promise<FixResult> {
  const { tree, config } = run;
  const { stage, step, attempt, failure } = incident;
  const { files, hash } = sound;
  const { plugin, tier, tried } = origin;
  // It goes into commits, which may go anywhere.
  const note = { fix: run.mask(sound.note.fix), reason: run.mask(sound.note.reason) };
  const paths = files.map(({ path }) => path);
  const created = files.filter(({ before }) => before === null).map(({ path }) => path);
  const { fingerprint, class: failureClass } = failure;
  const data = { hash, class: failureClass, tier, plugin, note, paths, tried };
  const story = { stage, step, attempt, fingerprint, class: failureClass, hash, note, plugin, tier, run: run.id };
  // Recorded and done while nobody else writes: no two fixes are ever on their way at once.
  return run.barrier.alone(async () => {
    if (readSafeMode(run.layout) !== undefined) return { none: 'safe_mode' };
    if (!(await isAsShown(tree, files))) return { none: 'moved' };
    keepPatch(run, { ...sound, note });
    record(run, incident, 'fix.intended', { ...data, created });
    const texts = files.map(({ path, after, executable }) => ({
      path,
      text: after,
      ...(executable ? { executable } : {}),
    }));
    const commit = await commitFix(tree, texts, fixMessage({ ...story, case: origin.case }), config.loop.git);
    tree.moved(commit);
    record(run, incident, 'fix.committed', { ...data, commit });
    return { fix: { stage, step, fingerprint, hash, commit, paths, tier, plugin, note } };
  });
}

/** Takes a fix back by a commit of its own; `outcome` says why. Throws E_FIX_STUCK when it cannot be. */
export function takeBack(
  run: Run,
  fix: Fix,
  outcome: 'no_effect' | 'broke' | 'withdrawn',
  reason: string,
): Promise<void> {
  const { tree, journal, config } = run;
  return run.barrier.alone(async () => {
    const message = revertMessage(fix, outcome, reason, run.id);
    const commit = await revertFix(tree, fix.commit, message, config.loop.git);
    tree.moved(commit);
    journal.append({
      type: 'fix.reverted',
      stage: fix.stage,
      step: fix.step,
      data: { ...fixData(fix), outcome, reason, commit, reverts: fix.commit },
    });
  });
}

/** Records how a fix that stays stands now. */
export function keepFix({ journal }: Run, fix: Fix, outcome: 'provisional' | 'verified', reason: string): void {
  const { stage, step, commit } = fix;
  journal.append({ type: 'fix.judged', stage, step, data: { ...fixData(fix), outcome, reason, commit } });
}

export const fixData = ({ fingerprint, tier, hash, plugin, note }: Fix) => ({
  fingerprint,
  tier,
  hash,
  plugin,
  note: { ...note },
});

const keepPatch = (run: Run, { hash, files, diff, note }: SoundFix): void =>
  patchFiles(run.layout).write(hash, files, diff, note);
