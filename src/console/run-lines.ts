// What both ways to watch a run say in the same words: that the lab is simulated, news of fixes, and the last lines.
import { nextLines } from '../errors.ts';
import type { DataOf, EventType, LoopEvent } from '../events.ts';
import { authorOf, counted, staleWords } from '../triage/words.ts';
import { type Row, rowsOf, shownStatus } from './rows.ts';
import { newTally, note, type StepView, type Tally } from './tally.ts';
import { spell } from './words.ts';

export const SIMULATED_LINE = 'SIMULATED LAB: qm, talosctl, kubectl and flux are stand-ins; no real machine is touched';

const fixOf = ({ note }: { note: { fix: string } }): string => note.fix || 'a change';

type News = { [T in EventType]?: (data: DataOf<T>) => [word: string, text: string] };

const NEWS: News = {
  'fix.committed': (d) => ['fix', `${fixOf(d)}  (${authorOf(d)}: ${d.paths.join(', ')})`],
  'fix.refused': (d) => ['refused', `${d.plugin}: ${d.code}: ${d.reasons[0] ?? ''}`],
  'fix.judged': (d) => (d.outcome === 'kept' ? ['mended', fixOf(d)] : ['undone', `${fixOf(d)}: ${d.reason}`]),
  'fix.suggested': (d) => ['suggested', `${fixOf(d)}  (${[d.plugin, ...(d.ask?.reasons ?? [])].join('; ')})`],
  'fix.declined': (d) => ['declined', `${fixOf(d)}  (${d.plugin})`],
  'plugin.said': (d) => [d.plugin, d.text],
  'plugin.passed': (d) => ['no fix', `${d.plugin}: ${d.reason}`],
  'plugin.failed': (d) => ['no answer', d.reason],
  'prompt.saved': (d) => ['kept', `the question that nobody could be asked: ${d.path}`],
  'case.opened': (d) => ['case', `${d.case}: ${d.path}`],
  'case.closed': (d) => ['case', `${d.case || 'what was given up'} is closed: ${d.reason}`],
  'stage.stale': (d) => ['stale', staleWords(d)],
  'safe_mode.on': (d) => ['safe mode', `safe mode is on, the AI changes nothing more: ${d.why}`],
};

/** The word for a row and what it says; undefined for events that are no news of a fix. `tally` has the event already. */
export function fixNews<T extends EventType>(
  event: LoopEvent<T>,
  { stale }: Tally,
): [word: string, text: string] | undefined {
  // The stage was stale already: no news.
  if (event.type === 'stage.stale' && stale.get(event.stage as string)?.seq !== event.seq) return undefined;
  // One notice covers all superseded fixes.
  if (event.type === 'fix.judged' && (event.data as DataOf<'fix.judged'>).outcome === 'superseded') return undefined;
  const news: ((data: DataOf<T>) => [string, string]) | undefined = NEWS[event.type as T];
  return news?.(event.data as DataOf<T>);
}

const VERDICTS: Readonly<Record<number, string>> = { 3: 'a human is needed', 130: 'interrupted' };

/** How a run ended and what to do next, without colour; nothing before its end. */
export function closingLines(tally: Tally): string[] {
  const { ended, lab, mended, stages } = tally;
  if (!ended) return [];
  const views = rowsOf(tally);
  const took = `${spell(ended.took)}${lab === 'simulated' ? '  (simulated lab, no real machine was touched)' : ''}`;
  const fixes = counted(mended, 'fix', 'fixes');
  const mendedLines =
    mended > 0 ? [`  mended: ${fixes} on the AI branch; see ${mended === 1 ? 'it' : 'them'}: mendloop fixes`] : [];
  const names = ended.stale.map(({ stage, why }) => (why ? `${stage} (${why})` : stage));
  const again = `mendloop ${ended.stale.map(({ stage }) => stage).join(' ')}`;
  const staleLines = names.length > 0 ? [`  to do again: ${names.join(', ')}; run: ${again}`] : [];
  const more = [...mendedLines, ...staleLines];
  if (ended.exit === 0) return [`green: ${counted(stages.length, 'stage')}  ${took}`, ...more];
  const parts = (['green', 'failed', 'skipped', 'interrupted', 'waiting'] as const)
    .map((status) => ({ status, n: views.filter((view) => shownStatus(view) === status).length }))
    .filter(({ n }) => n > 0)
    .map(({ status, n }) => `${n} ${status === 'waiting' ? 'not started' : status}`);
  const failed = views.filter(({ status }) => status === 'failed');
  return [
    `${VERDICTS[ended.exit] ?? 'failed'}: ${parts.join(', ')}  ${took}`,
    ...more,
    ...(failed.length === 0 && ended.reason ? [`  ${ended.reason}`] : []),
    ...failed.flatMap((row) => nextSteps(row).flatMap((next) => nextLines(next))),
  ];
}

/** Stage → what to do about the failure that a run left it with, as the run's last lines told it. */
export function nextByStage(events: Iterable<LoopEvent>): Map<string, string[]> {
  const tally = newTally();
  for (const event of events) note(tally, event);
  const failed = rowsOf(tally).filter(({ status }) => status === 'failed');
  return new Map(failed.map((row) => [row.stage, nextSteps(row).flatMap((next) => nextLines(next))]));
}

/** For a matrix, one for each fingerprint; cells without one share the step of the first. */
function nextSteps(row: Row): string[] {
  const views = row.cells.length > 0 ? row.cells.filter(({ status }) => status === 'failed') : [row];
  const next = new Map(views.toReversed().map((view) => [view.failure?.fingerprint, nextStep(view)]));
  return [...next.values()].reverse();
}

function nextStep({ failure, step, next, unanswered }: StepView): string {
  const look = failure ? `mendloop explain ${failure.fingerprint.slice(0, 8)}` : `mendloop logs ${step}`;
  const byHand = next ?? `${look}; mend it, commit, then: mendloop`;
  // A case tells itself who was not reached.
  return unanswered === undefined || failure?.human ? byHand : `${unanswered}\nor ${byHand}`;
}
