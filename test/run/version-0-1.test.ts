// A run that version 0.1.0 left cut off: today's commands read it, and the next start goes on with it.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { layout as layoutOf } from '../../src/io/layout.ts';
import { runHere } from '../e2e/here.ts';
import { git } from '../worktree/repository.ts';
import { failuresIn, journalIn, run } from './homelab.ts';
import { mendable, says, stageOn } from './probe.ts';

const FIXTURE = 'test/fixtures/version-0-1';
const RUN = '20261116-162717-c1c6';

/** The first lines of a file that 0.1.0 wrote, as if it had done so in this home a moment ago. */
function linesOf(path: string, count: number, head: string): string {
  const lines = readFileSync(`${FIXTURE}/${path}`, 'utf8').split('\n').slice(0, count);
  const at = Date.now() - count * 1000;
  return lines
    .map((line) => line.replaceAll('8d038b2373eb2d44b5c9f018155f91a53a0fc3d3', head))
    .map((line, i) => ({ ...JSON.parse(line), time: new Date(at + i * 1000).toISOString() }))
    .map((event) => `${JSON.stringify(event)}\n`)
    .join('');
}

test('it is shown, and gone on with: its attempts and its failure count, and it ends green under its own name', async () => {
  const stage = (file: string, more: object = {}) => ({ ...stageOn(file, more), files: [file] });
  const { home, probe, subjects } = mendable({
    word: 'one',
    stages: { a: stage('conf/a.txt'), b: stage('conf/b.txt'), c: stage('conf/c.txt', { needs: ['a'] }) },
    files: { 'conf/b.txt': 'good\n', 'conf/c.txt': 'good\n' },
  });
  const layout = layoutOf(home);
  const head = git(home, 'rev-parse', 'HEAD').trim();
  mkdirSync(dirname(layout.journal(RUN)), { recursive: true });
  // Cut off right after the first failure was decided.
  writeFileSync(layout.journal(RUN), linesOf(`runs/${RUN}/events.jsonl`, 7, head));
  writeFileSync(layout.ledgerJournal, linesOf('ledger.jsonl', 2, head));
  // Its fingerprint was made in another way: it is known again by its log.
  mkdirSync(`${layout.logs}/a`, { recursive: true });
  writeFileSync(`${layout.logs}/a/${RUN}-1.log`, 'error: unexpected word one in conf/a.txt\n');
  assert.equal(
    failuresIn(home).map(({ stage: of, times_seen, last_tier }) => [of, times_seen, last_tier]),
    [['a', 1, 'executor']],
  );
  const status = await runHere(['status'], home, { PATH: process.env.PATH });
  assert.is(status.exit, 0);
  assert.match(
    status.stdout,
    `run ${RUN} was cut off; the next start finishes it
a  cut off`,
  );

  probe.answers(says('good'));
  const ran = await run(home);
  assert.equal([ran.exit, ran.run], [0, RUN]);
  const events = journalIn(home, RUN);
  assert.equal(
    events.filter(({ type, stage: of }) => type === 'attempt.started' && of === 'a').map(({ attempt }) => attempt),
    [1, 2, 3],
  );
  assert.equal(
    events.map(({ type }) => type).filter((type) => type.startsWith('run.')),
    ['run.started', 'run.resumed', 'run.ended'],
  );
  assert.equal(
    failuresIn(home).map(({ times_seen, patches }) => [times_seen, patches.map(({ outcome }) => outcome)]),
    [[2, ['verified']]],
  );
  assert.is(subjects().length, 1);
});

test.run();
