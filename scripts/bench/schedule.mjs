#!/usr/bin/env node
// How checking a plan and scheduling its steps grows with the number of steps, against a scheduler that looks at every step
// again after each one that ended.
import { randomUUID } from 'node:crypto';
import '../typescript.mjs';
import { bench, compare, short, sideBySide } from './measure.mjs';

const { RunFacts } = await import('../../src/plan/run-state.ts');
const { first, parallel } = await import('../../src/plan/scheduler.ts');
const { validatePlan } = await import('../../src/plan-api/validate.ts');

const SIZES = [100, 1000, 10_000];
const ROUNDS = { 100: 101, 1000: 25, 10000: 7 };
const WORKERS = 8;
const LAYERS = 20;

const SHAPES = {
  chain: (ids) => ids.map((_, i) => (i === 0 ? [] : [ids[i - 1]])),
  wide: (ids) => ids.map((_, i) => (i === 0 ? [] : [ids[0]])),
  layered: (ids) => layered(ids, generator(7)),
};

await bench('schedule', async () => {
  const rows = [];
  for (const [shape, dependencies] of Object.entries(SHAPES)) {
    const totals = [];
    const naive = [];
    for (const size of SIZES) {
      const input = planOf(size, dependencies);
      const { ours, peer } = await sideBySide(
        { ours: () => scheduled(input), peer: () => rescanned(input) },
        { rounds: ROUNDS[size] },
      );
      totals.push(ours.checkMs + ours.driveMs);
      naive.push(peer.driveMs);
      const note = `check ${short(ours.checkMs)} ms + drive ${short(ours.driveMs)} ms = ${short(totals.at(-1))} ms`;
      rows.push(compare(`schedule ${shape} ${size}`, 'ms', ours.driveMs, peer.driveMs, note));
    }
    const [mine, theirs] = [growth(totals), growth(naive)].map((e) => `n^${e.toFixed(2)}`);
    rows.push([`schedule ${shape} growth`, `ours ${mine}`, `peer ${theirs}`, '', '(target ≤ 1.2, check + drive)']);
  }
  return {
    rows,
    notes: [
      `ours and peer: driving ${WORKERS} workers over an already checked plan; check: validatePlan`,
      `peer: looks at all steps again after each; median of ${SIZES.map((s) => ROUNDS[s]).join(', ')} rounds`,
    ],
  };
});

function planOf(size, dependencies) {
  const ids = Array.from({ length: size }, () => randomUUID());
  const needs = dependencies(ids);
  const steps = ids.map((id, i) => ({ id, action: 'stage', payload: { step: `s${i}` }, depends_on: needs[i] }));
  return { id: randomUUID(), version: 1, created_at: 0, name: 'bench', steps };
}

/** Each step depends on one to four of the layer before it. */
function layered(ids, random) {
  const width = Math.ceil(ids.length / LAYERS);
  return ids.map((_, i) => {
    const before = Math.floor(i / width) * width - width;
    if (before < 0) return [];
    const count = 1 + Math.floor(random() * 4);
    return [...new Set(Array.from({ length: count }, () => ids[before + Math.floor(random() * width)]))];
  });
}

/** Numbers from 0 to 1, the same every time (mulberry32). */
function generator(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function checked(input) {
  const result = validatePlan(input, input.steps.length);
  if (!result.ok) throw new Error(result.error.message);
  return result.value;
}

function scheduled(input) {
  const began = performance.now();
  const plan = checked(input);
  const between = performance.now();
  const facts = new RunFacts(plan);
  drive(
    plan,
    () => parallel.ready(facts, plan),
    (id, state) => facts.record(id, state),
  );
  return { checkMs: between - began, driveMs: performance.now() - between };
}

/** Steps hold each other directly, so that only the looking again differs, not the cost of one look. */
function rescanned(input) {
  const plan = checked(input);
  const began = performance.now();
  const entries = plan.steps.map(({ id }) => ({ id, state: 'TODO', needs: [] }));
  const byId = new Map(entries.map((entry) => [entry.id, entry]));
  for (const step of plan.steps) byId.get(step.id).needs = step.depends_on.map((id) => byId.get(id));
  const mayStart = (entry) => entry.state === 'TODO' && entry.needs.every((need) => need.state === 'DONE');
  const record = (id, state) => {
    byId.get(id).state = state;
  };
  drive(plan, () => entries.filter(mayStart), record);
  return { driveMs: performance.now() - began };
}

/** The loop of a run without its work: the step that began first ends first. */
function drive(plan, ready, record) {
  const running = [];
  let done = 0;
  for (;;) {
    for (const step of first(WORKERS - running.length, ready())) {
      record(step.id, 'IN_PROGRESS');
      running.push(step);
    }
    const ended = running.shift();
    if (!ended) break;
    record(ended.id, 'DONE');
    done++;
  }
  if (done !== plan.steps.length) throw new Error(`${done} of ${plan.steps.length} steps were done`);
}

/** The exponent e of time ~ size^e that fits best, by least squares over the logarithms. */
function growth(times) {
  const points = times.map((ms, i) => [Math.log(SIZES[i]), Math.log(ms)]);
  const mean = (at) => points.reduce((sum, p) => sum + p[at], 0) / points.length;
  const [x, y] = [mean(0), mean(1)];
  const across = points.reduce((sum, p) => sum + (p[0] - x) * (p[1] - y), 0);
  return across / points.reduce((sum, p) => sum + (p[0] - x) ** 2, 0);
}
