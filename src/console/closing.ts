// The last lines of a run: how it ended, and what to do next.
import type { StepView, Tally } from './tally.ts';
import { count, spell } from './words.ts';

const SIMULATED = 'simulated lab, no real machine was touched';

/** What every watcher prints at the end, without colour. */
export function closingLines(tally: Tally): string[] {
  const { ended } = tally;
  if (!ended) return [];
  const steps = [...tally.steps.values()];
  const failed = steps.filter((s) => s.status === 'failed');
  const lab = tally.lab === 'simulated' ? `  (${SIMULATED})` : '';
  const mended =
    tally.mended > 0
      ? [`  mended: ${count(tally.mended, 'fix', 'fixes')} on the AI branch; see them: mendloop fixes`]
      : [];
  if (ended.exit === 0) return [`green: ${count(tally.stages.length, 'stage')}  ${spell(ended.took)}${lab}`, ...mended];
  const verdict = ended.exit === 130 ? 'interrupted' : ended.exit === 3 ? 'a human is needed' : 'failed';
  const parts = (['green', 'failed', 'skipped', 'interrupted', 'waiting'] as const)
    .map((status) => ({ status, n: steps.filter((s) => is(s, status)).length }))
    .filter(({ n }) => n > 0)
    .map(({ status, n }) => `${n} ${status === 'waiting' ? 'not started' : status}`);
  return [
    `${verdict}: ${parts.join(', ')}  ${spell(ended.took)}${lab}`,
    ...mended,
    ...(failed.length === 0 && ended.reason ? [`  ${ended.reason}`] : []),
    ...failed.flatMap((s) =>
      nextStep(s)
        .split('\n')
        .map((line, i) => `${i === 0 ? '  next:  ' : '         '}${line}`),
    ),
  ];
}

const is = (view: StepView, status: string) =>
  view.status === status || (status === 'green' && view.status === 'fresh');

function nextStep(view: StepView): string {
  const look = view.failure ? `mendloop explain ${view.failure.fingerprint.slice(0, 8)}` : `mendloop logs ${view.step}`;
  return view.next ?? `${look}; mend it, commit, then: mendloop`;
}
