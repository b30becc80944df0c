// A run is killed on one backend and goes on with another: every pair, both ways, killed in each phase of an attempt. Nothing runs
// twice at a time, no step is lost, and no attempt has the number, or the log, of another.
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { homelab, journalIn, ranSteps } from '../run/homelab.ts';
import { eventually, onSlurm, SLOW, sharedCluster } from './../slurm/cluster.ts';

const ENTRY = resolve(import.meta.dirname, '../../scripts/bootstrap_loop.mjs');
/** Of the file: what a test starts is gone with it. */
const cluster = sharedCluster();
const BACKENDS = ['local', 'slurm-dag', 'slurm-pool'];
const SLURM = { grace: `${2 * SLOW}s`, idle: `${3 * SLOW}s` };

/** Its first attempt waits until the test says so: it can be killed at any time. */
const HELD = 'until [ -e "$MENDLOOP_HOME/go" ] || [ "$MENDLOOP_ATTEMPT" != 1 ]; do sleep 0.1; done';
const NOTED = `echo "begin $MENDLOOP_STEP $MENDLOOP_ATTEMPT" >> "$MENDLOOP_HOME/ai/state/ran"; ${HELD}; echo "end $MENDLOOP_STEP $MENDLOOP_ATTEMPT" >> "$MENDLOOP_HOME/ai/state/ran"`;
const STAGES = { a: { command: NOTED, matrix: { host: ['h1', 'h2'] } }, b: { command: 'true', needs: ['a'] } };

type Phase = 'handed on' | 'running' | 'ended';

function open(retry_failed: boolean) {
  const home = homelab(STAGES, { workers: 2, slurm: SLURM, retry_failed }, { '.gitignore': 'go\n' });
  const start = (backend: string) => {
    const child = spawn(process.execPath, [ENTRY, '--root', home, '--backend', backend], { env: cluster?.env });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
    const ended = new Promise<number | null>((done) => child.once('close', done));
    return { child, ended, output: () => output };
  };
  const events = () => {
    const runs = join(home, 'ai/state/runs');
    const names = existsSync(runs) ? readdirSync(runs).filter((name) => /^\d{8}-/.test(name)) : [];
    return names.flatMap((name) => journalIn(home, name));
  };
  return { home, start, events };
}

async function reached(phase: Phase, backend: string, { home, events }: ReturnType<typeof open>): Promise<void> {
  const isHandedOn = () =>
    events().some(({ type }) => type === (backend === 'local' ? 'step.started' : 'job.intended'));
  const isRunning = () => ranSteps(home).some((line) => line.startsWith('begin'));
  await eventually(`${phase} on ${backend}`, phase === 'handed on' ? isHandedOn : isRunning, 60_000);
}

for (const from of BACKENDS)
  for (const to of BACKENDS.filter((name) => name !== from))
    for (const phase of ['handed on', 'running', 'ended'] as const)
      onSlurm(
        `a run killed on ${from} with an attempt ${phase} goes on with ${to}: nothing is lost, no number twice`,
        async () => {
          const lab = open(phase !== 'running');
          const first = lab.start(from);
          await reached(phase, from, lab);
          first.child.kill('SIGKILL');
          await first.ended;
          // Of an attempt here nobody is left to take the end.
          if (phase === 'ended') {
            writeFileSync(join(lab.home, 'go'), '');
            await eventually('it has ended', () => ranSteps(lab.home).some((line) => line.startsWith('end')), 30_000);
          }
          // The first attempt may be the second start's.
          if (phase === 'handed on') writeFileSync(join(lab.home, 'go'), '');
          const second = lab.start(to);
          assert.is(await second.ended, 0, second.output());
          const done = lab.events().filter(({ type }) => type === 'step.done');
          assert.equal(done.map(({ step }) => step).sort(), ['a[host=h1]', 'a[host=h2]', 'b']);
          const begun = ranSteps(lab.home).filter((line) => line.startsWith('begin'));
          assert.equal(begun, [...new Set(begun)], 'no attempt has the number of another');
          assert.equal(
            lab
              .events()
              .filter(({ type }) => type === 'attempt.lost')
              .map(({ data }) => data.reason),
            [],
          );
          assert.is(lab.events().filter(({ type }) => type === 'run.started').length, 1, 'it is the same run');
          const logs = readdirSync(join(lab.home, 'ai/logs/a'), { recursive: true, encoding: 'utf8' });
          const texts = logs
            .filter((path) => path.endsWith('.log'))
            .map((path) => readFileSync(join(lab.home, 'ai/logs/a', path), 'utf8'));
          assert.ok(texts.length >= 2);
        },
      );

test.run();
