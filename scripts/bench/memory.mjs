#!/usr/bin/env node
// What a stage that prints 2 GB costs the loop in memory and in speed, against a plain script that only starts the command.
import { readdirSync, readFileSync, rmSync, statfsSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bench, compare, contextMap, ENTRY, repository, run, scratch, sideBySide } from './measure.mjs';

const BYTES = 2_000_000_000;
const SPARE = 500_000_000;
const ROUNDS = 5;
const LOOK_EVERY_MS = 20;
// In a text with a pipe the end of `yes` by SIGPIPE would be a failure.
const COMMAND = `set +o pipefail; yes 'a line of a stage that has much to say and says it over and over again' | head -c ${BYTES}`;

const PEER = `
import { spawn } from 'node:child_process';
import { openSync } from 'node:fs';
const [command, log] = process.argv.slice(2);
const fd = openSync(log, 'w');
const began = performance.now();
spawn('bash', ['-c', command], { stdio: ['ignore', fd, fd] }).once('exit', (code) => {
  console.log(performance.now() - began);
  process.exitCode = code;
});
`;

await bench('memory', async () => {
  if (process.platform !== 'linux') throw new Error('peak memory is read from /proc, which only Linux has');
  const { bavail, bsize } = statfsSync(scratch);
  const [free, wanted] = [bavail * bsize, BYTES + SPARE].map((bytes) => `${(bytes / 1e9).toFixed(1)} GB`);
  if (bavail * bsize < BYTES + SPARE) throw new Error(`${free} free where temporary files go, ${wanted} needed`);
  writeFileSync(join(scratch, 'peer.mjs'), PEER);

  const { ours, peer } = await sideBySide({ ours: runStage, peer: runPeer }, { rounds: ROUNDS, warmUp: 0 });
  return {
    rows: [
      compare('memory, peak', 'MB', ours.peakMb, peer.peakMb, '(target < 150 MB)'),
      compare('output', 'MB/s', ours.speed, peer.speed, `(ours ${ours.range.speed}, peer ${peer.range.speed})`),
    ],
    notes: [
      `peer: a node script that starts the same command, output to a file; median of ${ROUNDS} rounds; ${free} were free`,
      'output: a command that prints 2 GB, from its start to its end',
      'peak: VmHWM of the node process itself, not of the command it starts',
    ],
  };
});

async function runStage() {
  const home = await repository(contextMap(1, COMMAND));
  await settle();
  const peakMb = await peakOf((watch) => run(process.execPath, [ENTRY], { cwd: home, watch }));
  const runs = join(home, 'ai/state/runs');
  const [id] = readdirSync(runs);
  const events = readFileSync(join(runs, id, 'events.jsonl'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const { data } = events.find((e) => e.type === 'attempt.ended');
  requireWhole(join(home, data.log));
  rmSync(home, { recursive: true });
  return { peakMb, speed: BYTES / 1e3 / data.duration_ms };
}

async function runPeer() {
  const log = join(scratch, 'peer.log');
  let stdout = '';
  await settle();
  const peakMb = await peakOf(async (watch) => {
    ({ stdout } = await run(process.execPath, [join(scratch, 'peer.mjs'), COMMAND, log], { cwd: scratch, watch }));
  });
  requireWhole(log);
  rmSync(log);
  return { peakMb, speed: BYTES / 1e3 / Number(stdout) };
}

/** What one measurement left to be written must not slow the next. */
async function settle() {
  await run('sync', ['--file-system', scratch]);
}

function requireWhole(log) {
  const { size } = statSync(log);
  if (size < BYTES) throw new Error(`${size} of ${BYTES} bytes came to the log`);
}

/** The most memory a process had, in MB. The kernel keeps the peak, so the last look before the end tells it. */
async function peakOf(work) {
  let peak = 0;
  let timer;
  await work((pid) => {
    timer = setInterval(() => (peak = highWater(pid) ?? peak), LOOK_EVERY_MS);
  }).finally(() => clearInterval(timer));
  if (peak === 0) throw new Error('the process ended before its memory was seen');
  return peak;
}

function highWater(pid) {
  try {
    const kib = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return kib === undefined ? undefined : (Number(kib) * 1024) / 1e6;
  } catch {
    return undefined;
  }
}
