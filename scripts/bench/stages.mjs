#!/usr/bin/env node
// What the loop costs per stage: a chain of stages that do nothing, against make running the same commands.
import { closeSync, fsyncSync, openSync, readdirSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import {
  bench,
  compare,
  contextMap,
  ENTRY,
  median,
  repository,
  run,
  scratch,
  short,
  sideBySide,
  writeFiles,
} from './measure.mjs';

const STAGES = 200;
const ROUNDS = 5;
const ABOVE_MS = 25;

await bench('stages', async () => {
  const took = await sideBySide(
    { ours: () => runStages(STAGES), peer: () => make(STAGES), oursOne: () => runStages(1), peerOne: () => make(1) },
    { rounds: ROUNDS },
  );
  const perStage = (many, one) => (many.ms - one.ms) / (STAGES - 1);
  const wall = { ours: perStage(took.ours, took.oursOne), peer: perStage(took.peer, took.peerOne) };
  const events = { ours: took.ours.eventsMs / STAGES, peer: took.peer.ms / STAGES };
  const above = ({ ours, peer }) => `${short(ours - peer)} ms above (target ≤ ${ABOVE_MS})`;
  return {
    rows: [
      compare('stages, by events', 'ms/stage', events.ours, events.peer, above(events)),
      compare('stages, by wall', 'ms/stage', wall.ours, wall.peer, above(wall)),
      compare('a run of 1 stage', 'ms', took.oursOne.ms, took.peerOne.ms),
      compare(`a run of ${STAGES} stages`, 'ms', took.ours.ms, took.peer.ms),
    ],
    notes: [
      `peer: make with ${STAGES} chained phony targets; median of ${ROUNDS} rounds; one append with fsync here ${short(fsyncMs())} ms`,
      `by events: last event − first event, make's whole time; by wall: ${STAGES} stages minus 1 stage, both`,
    ],
  };
});

/** A first run over `count` stages in a fresh repository. */
async function runStages(count) {
  const home = await repository(contextMap(count, 'true'));
  const { ms } = await run(process.execPath, [ENTRY], { cwd: home });
  const runs = join(home, 'ai/state/runs');
  const [id] = readdirSync(runs);
  const lines = readFileSync(join(runs, id, 'events.jsonl'), 'utf8')
    .trim()
    .split('\n');
  const events = lines.map((line) => JSON.parse(line));
  const green = events.filter((e) => e.type === 'stage.green').length;
  if (green !== count) throw new Error(`${green} of ${count} stages turned green`);
  rmSync(home, { recursive: true });
  return { ms, eventsMs: Date.parse(events.at(-1).time) - Date.parse(events[0].time) };
}

async function make(count) {
  const names = Array.from({ length: count }, (_, i) => `s${i + 1}`);
  const rules = names.map((name, i) => `${name}: ${names[i - 1] ?? ''}\n\t@bash -c true\n`);
  const folder = join(scratch, `make-${count}`);
  writeFiles(folder, { Makefile: `.PHONY: ${names.join(' ')}\n${rules.join('')}` });
  const { ms } = await run('make', [names.at(-1)], { cwd: folder });
  return { ms };
}

/** What the disk asks for one line that must not be lost. */
function fsyncMs() {
  const fd = openSync(join(scratch, 'fsync.txt'), 'a');
  const once = () => {
    const began = performance.now();
    writeSync(fd, `${'x'.repeat(300)}\n`);
    fsyncSync(fd);
    return performance.now() - began;
  };
  const times = Array.from({ length: 100 }, once);
  closeSync(fd);
  return median(times);
}
