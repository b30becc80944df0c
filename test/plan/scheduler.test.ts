import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Plan } from '../../src/plan/contract.ts';
import { RunFacts, type StepState } from '../../src/plan/run-state.ts';
import { linear, parallel, type RunScheduler } from '../../src/plan/scheduler.ts';
import { fc } from '../sweep.ts';
import { checkedPlan, dags, id, labelOf, plan, step } from './builders.ts';

const diamond = checkedPlan(plan([step(4, [2, 3]), step(1), step(2, [1]), step(3, [1]), step(5)]));
const names = (scheduler: RunScheduler, facts: RunFacts, of: Plan = diamond) =>
  [...scheduler.ready(facts, of)].map(labelOf);

/** The same answer the slow way: to do, and all dependencies done; higher priority first, then the plan's order. */
function naiveFrontier(of: Plan, states: ReadonlyMap<string, StepState>): string[] {
  return of.steps
    .filter((s) => states.get(s.id) === 'TODO' && s.depends_on.every((d) => states.get(d) === 'DONE'))
    .sort((a, b) => b.priority - a.priority)
    .map((s) => s.id);
}

test('linear gives one step at a time, in the plan’s order, and none while one runs', () => {
  const facts = new RunFacts(diamond);
  assert.equal(names(linear, facts), ['s1']);
  facts.record(id(1), 'IN_PROGRESS');
  assert.equal(names(linear, facts), []);
  facts.record(id(1), 'DONE');
  assert.equal(names(linear, facts), ['s2']);
});

test('parallel gives the whole set of steps whose dependencies are done', () => {
  const facts = new RunFacts(diamond);
  assert.equal(names(parallel, facts), ['s1', 's5']);
  facts.record(id(1), 'IN_PROGRESS');
  assert.equal(names(parallel, facts), ['s5']);
  facts.record(id(1), 'DONE');
  assert.equal(names(parallel, facts), ['s2', 's3', 's5']);
  facts.record(id(2), 'DONE');
  assert.equal(names(parallel, facts), ['s3', 's5']);
  facts.record(id(3), 'DONE');
  assert.equal(names(parallel, facts), ['s4', 's5']);
});

test('a failed or skipped dependency is not done', () => {
  const facts = new RunFacts(diamond, new Set([id(1)]));
  facts.record(id(2), 'DONE');
  for (const state of ['FAILED', 'SKIPPED', 'IN_PROGRESS'] as const) {
    facts.record(id(3), state);
    assert.equal(names(parallel, facts), ['s5'], state);
  }
});

test('among steps that may start the higher priority goes first, then the plan’s order', () => {
  const prioritised = checkedPlan(plan([step(1), step(2, [], { priority: 1 }), step(3), step(4, [], { priority: 1 })]));
  const facts = new RunFacts(prioritised);
  assert.equal(names(parallel, facts, prioritised), ['s2', 's4', 's1', 's3']);
  assert.equal(names(linear, facts, prioritised), ['s2']);
});

test('asking changes nothing', () => {
  const facts = new RunFacts(diamond, new Set([id(1)]));
  const before = structuredClone([facts.states, [...facts.frontier], facts.running]);
  for (const scheduler of [linear, parallel]) {
    assert.equal([...scheduler.ready(facts, diamond)], [...scheduler.ready(facts, diamond)]);
  }
  assert.equal([facts.states, [...facts.frontier], facts.running], before);
});

test('a step that went back to do may start again, and one whose dependency was undone may not', () => {
  const facts = new RunFacts(diamond, new Set([id(1)]));
  facts.record(id(2), 'IN_PROGRESS');
  facts.record(id(2), 'TODO');
  assert.equal(names(parallel, facts), ['s2', 's3', 's5']);
  facts.record(id(1), 'TODO');
  assert.equal(names(parallel, facts), ['s1', 's5']);
});

test('a step may start only while it is to do and its dependencies are done', () => {
  const facts = new RunFacts(diamond);
  assert.equal(
    [1, 2, 77].map((n) => facts.mayStart(id(n))),
    [true, false, false],
  );
  facts.record(id(1), 'IN_PROGRESS');
  assert.is(facts.mayStart(id(1)), false);
});

test('facts about a step that is not in the plan are a bug', () => {
  assert.throws(() => new RunFacts(diamond).record(id(77), 'DONE'), `no step ${id(77)} in this plan`);
});

test('a failure takes all that depends on it, directly or not, and nothing else', () => {
  const facts = new RunFacts(diamond);
  const taken = (n: number) => facts.waitingOn(id(n)).map(labelOf).sort();
  assert.equal(taken(1), ['s2', 's3', 's4']);
  assert.equal(taken(2), ['s4']);
  assert.equal(taken(5), []);
});

test('property: whatever the order of ends, the frontier is what a naive look gives', () => {
  const states = fc.constantFrom<StepState>('TODO', 'IN_PROGRESS', 'DONE', 'FAILED', 'SKIPPED');
  fc.assert(
    fc.property(dags(12), fc.array(fc.tuple(fc.nat(), states)), (steps, changes) => {
      const of = checkedPlan(plan(steps));
      const facts = new RunFacts(of);
      for (const [n, state] of changes) {
        facts.record(of.steps[n % of.steps.length]?.id ?? '', state);
        assert.equal(
          [...facts.frontier].map((s) => s.id),
          naiveFrontier(of, facts.states),
        );
        assert.is(facts.running, [...facts.states.values()].filter((s) => s === 'IN_PROGRESS').length);
        assert.is([...linear.ready(facts, of)].length, facts.running > 0 || [...facts.frontier].length === 0 ? 0 : 1);
      }
    }),
  );
});

test('property: what waits on a step is its transitive dependents that are still to do', () => {
  fc.assert(
    fc.property(dags(12), fc.nat(), (steps, n) => {
      const of = checkedPlan(plan(steps));
      const start = of.steps[n % of.steps.length]?.id ?? '';
      const reach = new Set([start]);
      for (let before = -1; before !== reach.size; ) {
        before = reach.size;
        for (const s of of.steps) if (s.depends_on.some((d) => reach.has(d))) reach.add(s.id);
      }
      reach.delete(start);
      assert.equal(new Set(new RunFacts(of).waitingOn(start).map((s) => s.id)), reach);
    }),
  );
});

test.run();
