// What the events of a run tell of its steps, whichever process recorded them, and the events of whole stages that follow: a
// stage's own end belongs behind that of the last of its steps. Pure.
import type { LoopEvent, NewEvent } from '../events.ts';
import type { ProcessIdentity } from '../io/identity.ts';
import { type StageState, stepRecords } from './stages.ts';

/** A step without a recorded end. */
export interface CutOffStep {
  stage: string;
  step: string;
  attempt?: number;
  /** The group that was about to run, or running. */
  leader?: ProcessIdentity;
  /** Only a green step's checks were running: the step is what it was. */
  recheck?: true;
}

interface StepFacts {
  readonly stage: string;
  /** The highest number that an attempt of it had. */
  attempts: number;
  /** How often a backend lost an attempt of it. */
  losses: number;
  /** How it ended; not when it was begun again since, or no longer stands. */
  end?: 'done' | 'fresh' | 'failed' | 'skipped' | undefined;
  /** It was begun and has not ended. */
  open?: CutOffStep | undefined;
  /** The pause before its next attempt, from an event in epoch milliseconds on. */
  pause?: { began: number; ms: number } | undefined;
}

const isGreen = ({ end }: StepFacts): boolean => end === 'done' || end === 'fresh';

type Placed = LoopEvent & { readonly stage: string; readonly step: string };
const isPlaced = (event: LoopEvent): event is Placed => event.stage !== undefined && event.step !== undefined;

export class RunSteps {
  /** The time between events, without the gaps between two processes. A clock that was set back costs one gap, not all. */
  spentMs = 0;
  lastEventAt = Number.NaN;
  #latestAt = Number.NEGATIVE_INFINITY;
  readonly #facts = new Map<string, StepFacts>();
  /** Stages whose end was recorded since the last of their steps ended. */
  readonly #ended = new Set<string>();
  readonly #planned: ReadonlyMap<string, readonly string[]>;

  /** `planned`: the steps of each stage of the run. */
  constructor(events: readonly LoopEvent[], planned: ReadonlyMap<string, readonly string[]> = stepsIn(events)) {
    this.#planned = planned;
    for (const event of events) this.fold(event);
  }

  /** Completes what is known of `run` from the records of its steps: lines of its journal may be lost. */
  complete(run: string, stages: StageState): this {
    for (const { stage, step, record } of stepRecords(stages)) {
      if (record.run !== run) continue;
      const facts = this.#of(stage, step);
      facts.attempts = Math.max(facts.attempts, record.attempts);
      if (record.status !== 'running' || facts.open) continue;
      const isAttempt = record.attempts > 0 && record.last?.outcome === undefined;
      facts.open = { stage, step, ...(isAttempt && { attempt: record.attempts }) };
    }
    return this;
  }

  fold(event: LoopEvent): void {
    const { type, stage } = event;
    const at = Date.parse(event.time);
    if (type !== 'run.resumed' && !Number.isNaN(this.lastEventAt)) this.spentMs += Math.max(0, at - this.lastEventAt);
    this.lastEventAt = at;
    this.#latestAt = Math.max(this.#latestAt, at);
    if (stage && /^stage\.(?:green|failed|skipped)$/.test(type)) this.#ended.add(stage);
    // Every cell is looked at again before the stage is green.
    if (stage && type === 'stage.stale') {
      for (const facts of this.#facts.values()) if (facts.stage === stage && isGreen(facts)) facts.end = undefined;
      this.#ended.delete(stage);
    }
    if (isPlaced(event)) this.#foldStep(event, this.#of(event.stage, event.step), at);
  }

  #foldStep(event: Placed, facts: StepFacts, at: number): void {
    const { type, stage, step, attempt } = event;
    if (attempt !== undefined) facts.attempts = Math.max(facts.attempts, attempt);
    if (type === 'attempt.lost') facts.losses += 1;
    if (/^(?:step\.started|attempt\.(?:ended|lost))$/.test(type)) facts.open = { stage, step };
    if (type === 'attempt.started') {
      facts.open = { stage, step, leader: event.data.leader, ...(attempt && { attempt }) };
      facts.pause = undefined;
    }
    if (type === 'check.started') {
      const before = facts.open ?? { stage, step, recheck: true as const };
      facts.open = { ...before, leader: event.data.leader };
    }
    if (type === 'step.retry') facts.pause = { began: at, ms: event.data.pause_ms };
    const [, end] = /^step\.(done|fresh|failed|skipped|interrupted)$/.exec(type) ?? [];
    if (end || type === 'step.drift') facts.open = undefined;
    // Failed, skipped and interrupted steps are to do again.
    if (end || type === 'step.started') facts.end = end === 'interrupted' ? undefined : (end as StepFacts['end']);
    // Not for any event of a step: a fix may be judged long after its stage ended.
    if ((end && end !== 'interrupted') || type === 'step.started') this.#ended.delete(stage);
  }

  #of(stage: string, step: string): StepFacts {
    const facts = this.#facts.get(step) ?? { stage, attempts: 0, losses: 0 };
    this.#facts.set(step, facts);
    return facts;
  }

  attempts = (step: string): number => this.#facts.get(step)?.attempts ?? 0;

  losses = (step: string): number => this.#facts.get(step)?.losses ?? 0;

  /** Green by this run. */
  isDone(step: string): boolean {
    const facts = this.#facts.get(step);
    return facts !== undefined && isGreen(facts);
  }

  get done(): string[] {
    return [...this.#facts].flatMap(([step, facts]) => (isGreen(facts) ? [step] : []));
  }

  /** Those that an earlier process of the run left without an end. */
  get cutOff(): CutOffStep[] {
    return [...this.#facts.values()].flatMap(({ open }) => open ?? []);
  }

  /** What is left of the pause before a step's next attempt; where the clock was set back since, no more than there was then. */
  pauseLeftMs(step: string, now: number): number {
    const { pause } = this.#facts.get(step) ?? {};
    if (!pause) return 0;
    const waited = Math.max(0, this.#latestAt - pause.began);
    return Math.max(0, Math.min(pause.began, now - waited) + pause.ms - now);
  }

  /** Ends of stages that belong before the end of the run: of those that failed while cells had no turn, and that did not run. */
  stagesLeft({ data }: NewEvent<'run.ended' | 'run.left'>, { stages }: StageState): NewEvent[] {
    const left = this.#openStages((facts) => facts.some((step) => step?.end === 'failed'));
    const failed = left.map((stage): NewEvent => ({ type: 'stage.failed', stage, status: 'failed', data: {} }));
    if (!data.error) return failed;
    const names = [...this.#facts].flatMap(([step, { end }]) => (end === 'failed' ? [step] : []));
    const why = names.length > 0 ? `${names.join(', ')} failed` : data.error.message;
    // The reason is not that of an older run.
    const reason = `the run stopped before it: ${why}`;
    const begun = new Set([...this.#facts.values()].map(({ stage }) => stage));
    // What a fix made stale has a reason of its own, which decides how it is taken up.
    const isOpen = (stage: string) => stages[stage]?.status !== 'green' && !stages[stage]?.stale;
    const stopped = [...this.#planned.keys()].filter((stage) => !begun.has(stage) && isOpen(stage));
    return [
      ...failed,
      ...stopped.map((stage): NewEvent => ({ type: 'stage.skipped', stage, status: 'skipped', data: { reason } })),
    ];
  }

  /** The stage's own end, when `event` was the last of its steps to end. */
  stageEnds({ type, stage = '', status, data }: LoopEvent, state: StageState): NewEvent[] {
    if (!/^step\.(?:done|fresh|failed|skipped)$/.test(type)) return [];
    const ends = this.#stepsOf(stage).map((facts) => facts?.end);
    if (ends.length === 0 || ends.includes(undefined)) return [];
    const reason = ('gave_up' in data ? data.gave_up : undefined) ?? ('reason' in data ? data.reason : undefined);
    const why = reason === undefined ? {} : { reason };
    const failed = status === 'give_up' ? status : 'failed';
    if (ends.includes('failed')) return [{ type: 'stage.failed', stage, status: failed, data: why }];
    if (ends.includes('skipped')) return [{ type: 'stage.skipped', stage, status: 'skipped', data: why }];
    const stays = !ends.includes('done') && state.stages[stage]?.status === 'green';
    return stays ? [] : [greenStage(stage)];
  }

  /** Whether a stage that is green now was made again. */
  isMade = (stage: string): boolean => this.#stepsOf(stage).some((facts) => facts?.end === 'done');

  /** The ends of stages all of whose steps are green, which a run that was cut off had no time to record. */
  greenStages = (): NewEvent[] =>
    this.#openStages(
      (facts) => facts.every((step) => step && isGreen(step)) && facts.some((step) => step?.end === 'done'),
    ).map(greenStage);

  #openStages(areSteps: (facts: readonly (StepFacts | undefined)[]) => boolean): string[] {
    return [...this.#planned.keys()].filter((stage) => !this.#ended.has(stage) && areSteps(this.#stepsOf(stage)));
  }

  #stepsOf = (stage: string): (StepFacts | undefined)[] =>
    (this.#planned.get(stage) ?? []).map((step) => this.#facts.get(step));
}

const greenStage = (stage: string): NewEvent => ({ type: 'stage.green', stage, status: 'green', data: {} });

/** The steps of each stage in a journal. */
function stepsIn(events: readonly LoopEvent[]): Map<string, string[]> {
  const steps = new Map<string, string[]>();
  for (const { stage, step } of events) {
    if (!stage || !step) continue;
    const ofStage = steps.get(stage) ?? [];
    if (!ofStage.includes(step)) steps.set(stage, [...ofStage, step]);
  }
  return steps;
}
