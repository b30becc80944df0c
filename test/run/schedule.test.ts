import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Plan, PlanStep } from '../../src/plan/contract.ts';
import { RunFacts } from '../../src/plan/run-state.ts';
import { linear, parallel } from '../../src/plan/scheduler.ts';
import type { StageEnd } from '../../src/plan/stage-end.ts';
import { runSchedule, type SchedulePorts } from '../../src/run/schedule.ts';
import { checkedPlan, dags, id, labelOf, numberOf, plan, type StepInput, step } from '../plan/builders.ts';
import { execute } from '../plan-api/builders.ts';
import { fc, runs } from '../sweep.ts';

const GREEN: StageEnd = { kind: 'green' };
const FAILED: StageEnd = { kind: 'failed', message: 'it broke' };
/** A plan whose failures keep nothing else from going on. */
const skipping = (steps: readonly StepInput[]) =>
  checkedPlan(plan(steps.map((of) => ({ ...of, on_failure: 'skip' as const }))));
const tick = (turns: number) =>
  new Promise<void>((resolve) => {
    const next = (left: number): unknown => (left === 0 ? resolve() : setImmediate(next, left - 1));
    next(turns);
  });

/** Drives a plan and notes what started, what was skipped, and how many steps were at work at once. */
async function driven(of: Plan, work: (of: PlanStep) => Promise<StageEnd>, more: Partial<SchedulePorts> = {}) {
  const started: string[] = [];
  const skipped: string[] = [];
  let now = 0;
  let most = 0;
  const end = await runSchedule(of, new RunFacts(of), {
    ...{ scheduler: parallel, workers: 4, first: [] },
    driveStep: async (at) => {
      started.push(labelOf(at));
      most = Math.max(most, ++now);
      return work(at).finally(() => now--);
    },
    endSuspended: async () => {},
    skipped: (at) => void skipped.push(labelOf(at)),
    halted: () => {},
    ...more,
  });
  return { end, started, skipped, most };
}

test('the worker cap is reached and never exceeded', async () => {
  const wide = checkedPlan(plan(Array.from({ length: 12 }, (_, n) => step(n))));
  for (const workers of [1, 3, 5, 20]) {
    const { most, end } = await driven(wide, async () => tick(2).then(() => GREEN), { workers });
    assert.is(most, Math.min(workers, 12));
    assert.is(end.steps_executed, 12);
  }
});

test('linear works on one step at a time however many workers there are', async () => {
  const wide = checkedPlan(plan([step(2), step(1), step(3)]));
  const { most, started } = await driven(wide, async () => tick(1).then(() => GREEN), { scheduler: linear });
  assert.equal([most, started], [1, ['s2', 's1', 's3']]);
});

test('real actions run at once, up to the cap', async () => {
  let now = 0;
  let most = 0;
  const steps = Array.from({ length: 6 }, (_, n) => step(n));
  const { result } = await execute(
    plan(steps),
    async () => {
      most = Math.max(most, ++now);
      await new Promise((resolve) => setTimeout(resolve, 10));
      now--;
      return { kind: 'done' };
    },
    { workers: 3 },
  );
  assert.equal([most, result.status], [3, 'success']);
});

test('a skipped failure takes what depends on it and lets the rest go on', async () => {
  const tree = skipping([step(1), step(2, [1]), step(3, [2, 5]), step(4), step(5), step(6, [5])]);
  const { end, started, skipped } = await driven(tree, async (at) => (at.id === id(1) ? FAILED : GREEN));
  assert.equal(started.sort(), ['s1', 's4', 's5', 's6']);
  assert.equal(skipped.sort(), ['s2', 's3']);
  assert.equal([end.halted, end.steps_executed], [false, 3]);
  assert.equal(
    end.errors.map((e) => [e.error_code, e.severity, e.step_id]),
    [
      ['EXECUTION_HALTED', 'error', id(1)],
      ['STEP_SKIPPED', 'warn', id(2)],
      ['STEP_SKIPPED', 'warn', id(3)],
    ],
  );
});

test('halt lets what runs finish and starts nothing new', async () => {
  const wide = checkedPlan(plan(Array.from({ length: 6 }, (_, n) => step(n))));
  const { end, started } = await driven(
    wide,
    async (at) => {
      await tick(numberOf(at) === 0 ? 1 : 4);
      return numberOf(at) === 0 ? FAILED : GREEN;
    },
    { workers: 3 },
  );
  assert.equal(started, ['s0', 's1', 's2']);
  assert.equal([end.steps_executed, end.halted], [2, true]);
});

test('a step that was stopped is still to do, and the run ends there', async () => {
  const two = checkedPlan(plan([step(1), step(2, [1]), step(3)]));
  const stopped: StageEnd = { kind: 'stopped', code: 'DEADLINE_EXCEEDED', message: 'late' };
  const { end, started, skipped } = await driven(two, async () => stopped, { workers: 1 });
  assert.equal([started, skipped, end.halted, end.steps_executed], [['s1'], [], true, 0]);
  assert.equal(
    end.errors.map((e) => e.error_code),
    ['DEADLINE_EXCEEDED'],
  );
});

test('a step that made way and runs again is not ended a second time when another step halts the plan', async () => {
  const of = checkedPlan(plan([step(1), step(2, [1]), step(3, [1])]));
  const ended: string[] = [];
  let turns = 0;
  let isStale = false;
  const { end, started } = await driven(
    of,
    async (at) => {
      if (numberOf(at) === 2 && turns++ === 0) {
        isStale = true;
        return { kind: 'unbegun', message: 'it makes way' };
      }
      // Halts while the step that made way is at work again.
      if (numberOf(at) === 3) return tick(6).then(() => FAILED);
      return tick(numberOf(at) === 2 ? 12 : 1).then(() => GREEN);
    },
    {
      stale: () => {
        const isNew = isStale;
        isStale = false;
        return isNew ? (at) => numberOf(at) === 1 : undefined;
      },
      endSuspended: async (at) => void ended.push(labelOf(at)),
    },
  );
  assert.equal(started, ['s1', 's2', 's3', 's1', 's2']);
  assert.equal([ended, end.halted, end.steps_executed], [[], true, 2]);
});

test('property: in any plan, with any cap and order of ends, each step runs once, after all it depends on', async () => {
  const caps = fc.integer({ min: 1, max: 5 });
  await fc.assert(
    fc.asyncProperty(dags(14), caps, fc.array(fc.nat(4)), async (steps, workers, delays) => {
      const of = checkedPlan(plan(steps));
      const over = new Set<string>();
      const { end, started, most } = await driven(
        of,
        async (at) => {
          assert.ok(
            at.depends_on.every((d) => over.has(d)),
            `${labelOf(at)} started too early`,
          );
          await tick(delays[numberOf(at)] ?? 0);
          over.add(at.id);
          return GREEN;
        },
        { workers },
      );
      assert.equal(started.sort(), of.steps.map(labelOf).sort());
      assert.ok(most <= workers);
      assert.equal([end.steps_executed, end.errors, end.halted], [of.steps.length, [], false]);
    }),
    runs(30, 600),
  );
});

test('property: with failures that are skipped, what ran and what was skipped is what the graph says', async () => {
  await fc.assert(
    fc.asyncProperty(dags(12), fc.array(fc.boolean(), { minLength: 12, maxLength: 12 }), async (steps, breaks) => {
      const of = skipping(steps);
      const fails = (n: number) => breaks[n] === true;
      // Steps are numbered so that each depends on lower numbers only.
      const fate = new Map<string, string>();
      for (const s of [...of.steps].sort((a, b) => numberOf(a) - numberOf(b))) {
        const lost = s.depends_on.some((d) => fate.get(d) !== 'DONE');
        fate.set(s.id, lost ? 'SKIPPED' : fails(numberOf(s)) ? 'FAILED' : 'DONE');
      }
      const { end, started, skipped } = await driven(of, async (at) => (fails(numberOf(at)) ? FAILED : GREEN));
      const having = (...states: string[]) =>
        of.steps.filter((s) => states.includes(fate.get(s.id) ?? '')).map(labelOf);
      assert.equal(started.sort(), having('DONE', 'FAILED').sort());
      assert.equal(skipped.sort(), having('SKIPPED').sort());
      assert.equal([end.steps_executed, end.halted], [having('DONE').length, false]);
    }),
    runs(30, 600),
  );
});

test('property: a plan driven at once and its steps executed one by one end with the same states and results', async () => {
  const outcomes = fc.array(fc.constantFrom('done', 'failed'), { minLength: 10, maxLength: 10 });
  await fc.assert(
    fc.asyncProperty(dags(10), outcomes, fc.integer({ min: 1, max: 4 }), async (steps, fates, workers) => {
      const whole = steps.map((s) => ({ ...s, on_failure: 'skip' as const }));
      const act = ({ step: at }: { step: PlanStep }) =>
        fates[numberOf(at)] === 'failed'
          ? ({ kind: 'failed', message: 'it broke' } as const)
          : ({ kind: 'done', result: { of: labelOf(at) } } as const);
      const atOnce = await execute(plan(whole), act, { workers });

      const states = new Map<string, string>();
      const results: Record<string, unknown> = {};
      for (const single of [...whole].sort((a, b) => numberOf(a) - numberOf(b))) {
        const ready = (single.depends_on ?? []).every((d) => states.get(d) === 'step.done');
        const alone = ready ? await execute(plan([{ ...single, depends_on: [] }]), act) : undefined;
        states.set(single.id, alone?.events.at(-1)?.type ?? 'step.skipped');
        Object.assign(results, alone?.result.result_payload);
      }
      const ends = atOnce.events.filter((e) => e.type !== 'step.started').map((e) => `${e.step} ${e.type}`);
      assert.equal(ends.sort(), [...states].map(([s, end]) => `s${numberOf({ id: s })} ${end}`).sort());
      assert.equal(atOnce.result.result_payload, results);
    }),
    runs(20, 400),
  );
});

test.run();
