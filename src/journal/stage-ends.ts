// How a stage ended, from how its steps did: the stage's own event belongs behind that of the last of its steps.
import type { LoopEvent, NewEvent } from '../events.ts';
import type { StageState } from './stages.ts';

type EndKind = 'done' | 'fresh' | 'failed' | 'skipped';

/** `behindGreen`: what follows for others when a stage was made again; recorded with it, so that no kill comes between. */
export function stageEnds(
  steps: ReadonlyMap<string, readonly string[]>,
  earlier: readonly LoopEvent[],
  behindGreen: (stage: string) => NewEvent[],
) {
  const ends = new Map<string, EndKind>();
  /** Stages whose end was recorded since the last of their steps ended. */
  const ended = new Set<string>();
  /** Stages of which any step had its turn. */
  const begun = new Set<string>();
  for (const event of earlier) note(event);
  return {
    /** An event with those that belong before and behind it. */
    around: (event: NewEvent, stages: StageState): NewEvent[] => [
      ...(isRunEnd(event) ? [...leftFailed(), ...notBegun(event, stages)] : []),
      event,
      ...stageEnd(event, stages),
    ],
    /** Stages without a recorded end all of whose steps are green. */
    green: () => openStages(isGreen).flatMap(madeGreen),
  };

  /** Stages without a recorded end whose steps are as asked. */
  function openStages(areSteps: (names: readonly string[]) => boolean): string[] {
    return [...steps].flatMap(([stage, names]) => (!ended.has(stage) && areSteps(names) ? [stage] : []));
  }

  function isDone(step: string): boolean {
    const end = ends.get(step);
    return end === 'done' || end === 'fresh';
  }

  function isGreen(names: readonly string[]): boolean {
    return names.every(isDone) && names.some((step) => ends.get(step) === 'done');
  }

  /** Whether the event ends a step. */
  function note({ type, stage, step }: NewEvent): boolean {
    if (stage && /^stage\.(green|failed|skipped)$/.test(type)) ended.add(stage);
    // Every cell is looked at again before the stage is green.
    if (stage && type === 'stage.stale') {
      for (const name of steps.get(stage) ?? []) if (isDone(name)) ends.delete(name);
      ended.delete(stage);
    }
    if (!step) return false;
    if (stage) begun.add(stage);
    if (type === 'step.started') ends.delete(step);
    const end = /^step\.(done|fresh|failed|skipped)$/.exec(type)?.[1];
    // Not for any event of a step: a fix may be judged long after its stage ended.
    if (stage && (end || type === 'step.started')) ended.delete(stage);
    if (end) ends.set(step, end as EndKind);
    return end !== undefined;
  }

  /** The stage's own event, when this was the last of its steps to end. */
  function stageEnd(event: NewEvent, stages: StageState): NewEvent[] {
    const { stage } = event;
    const stepsOfStage = stage === undefined ? undefined : steps.get(stage);
    if (!note(event) || stage === undefined || !stepsOfStage?.every((s) => ends.has(s))) return [];
    const has = (end: EndKind) => stepsOfStage.some((s) => ends.get(s) === end);
    ended.add(stage);
    const why = 'gave_up' in event.data ? event.data.gave_up : undefined;
    const reason = why ?? ('reason' in event.data ? event.data.reason : undefined);
    const data = reason === undefined ? {} : { reason };
    const failed = event.status === 'give_up' ? 'give_up' : 'failed';
    if (has('failed')) return [{ type: 'stage.failed', stage, status: failed, data }];
    if (has('skipped')) return [{ type: 'stage.skipped', stage, status: 'skipped', data }];
    const stays = !has('done') && stages.stages[stage]?.status === 'green';
    if (stays) return [];
    return has('done') ? madeGreen(stage) : [greenStage(stage)];
  }

  function madeGreen(stage: string): NewEvent[] {
    const behind = behindGreen(stage);
    for (const event of behind) note(event);
    return [greenStage(stage), ...behind];
  }

  /** Stages of which a step failed while others had no turn before the run ended. */
  function leftFailed(): NewEvent[] {
    const failed = openStages((names) => names.some((step) => ends.get(step) === 'failed'));
    return failed.map((stage) => ({ type: 'stage.failed', stage, status: 'failed', data: {} }));
  }

  /** Stages that did not run: the reason is not that of an older run. */
  function notBegun({ data }: RunEnd, { stages }: StageState): NewEvent[] {
    const failed = [...ends].flatMap(([step, end]) => (end === 'failed' ? [step] : []));
    if (!data.error) return [];
    const why = failed.length > 0 ? `${failed.join(', ')} failed` : data.error.message;
    const reason = `the run stopped before it: ${why}`;
    // What a fix made stale has a reason of its own, which decides how it is taken up.
    const isOpen = (stage: string) => stages[stage]?.status !== 'green' && !stages[stage]?.stale;
    const stopped = [...steps.keys()].filter((stage) => !begun.has(stage) && isOpen(stage));
    return stopped.map((stage) => ({ type: 'stage.skipped', stage, status: 'skipped', data: { reason } }));
  }
}

type RunEnd = NewEvent<'run.ended'> | NewEvent<'run.left'>;
const isRunEnd = (event: NewEvent): event is RunEnd => event.type === 'run.ended' || event.type === 'run.left';

const greenStage = (stage: string): NewEvent => ({ type: 'stage.green', stage, status: 'green', data: {} });
