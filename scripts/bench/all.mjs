#!/usr/bin/env node
// Every benchmark in turn, each in a process of its own: `npm run bench`, or `npm run bench -- status schedule` for some.
// Times decide nothing; the exit code is 1 when something could not be measured.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const BENCHMARKS = [
  'status',
  'green',
  'history',
  'page',
  'stages',
  'cells',
  'schedule',
  'memory',
  'board',
  'lab',
  'slurm',
  'fingerprint',
  'known-fixes',
  'mistakes',
  'slow-model',
  'prompt',
  'gate',
  'answers',
  'redact',
];

const named = process.argv.slice(2);
const unknown = named.filter((name) => !BENCHMARKS.includes(name));
if (unknown.length > 0) {
  console.error(`no benchmark ${unknown.join(', ')}; there are ${BENCHMARKS.join(', ')}`);
  process.exit(2);
}
for (const name of named.length > 0 ? named : BENCHMARKS) {
  const { status } = spawnSync(process.execPath, [join(import.meta.dirname, `${name}.mjs`)], { stdio: 'inherit' });
  if (status !== 0) process.exitCode = 1;
}
