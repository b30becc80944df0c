// From a broken stage to the base and back, through the real entry: mended, shown, accepted, rolled back, promoted again.
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { KILL_LOOP } from '../kill-loop.ts';
import { AI, contextMap, type Scenario, scenario, tree as snapshot } from './scenario.ts';

const SCRIPT = '#!/usr/bin/env bash\r\nset -eu\r\necho fine\r\n';
const MENDED = SCRIPT.replaceAll('\r', '');

/** A stage whose script was saved with the line ends of another system: a known fix. */
const broken = () =>
  scenario({
    'ai/context_map.yaml': contextMap({ web: { command: 'stages/web.sh', files: ['stages/'] }, other: 'true' }),
    'stages/web.sh': SCRIPT,
  });

const said = (done: { stdout: string; stderr: string }) => done.stdout + done.stderr;
const lastLine = (text: string) => text.trimEnd().split('\n').at(-1) ?? '';
const refs = (s: Scenario) => s.git('for-each-ref', '--format=%(refname) %(objectname)');
const here = (s: Scenario) => [refs(s), s.git('status', '--porcelain'), snapshot(s.home, ['.git', 'ai'])];

test('the line that undoes what landed can be pasted, and ends with the line that lands that', async () => {
  const s = broken();
  assert.is((await s.run()).exit, 0);
  const { stdout } = await s.run(['promote', '--accept', s.git('rev-parse', AI)]);
  const [, undo = ''] = /\nto undo it; .*:\n {4}(mendloop .*)\n/.exec(stdout) ?? [];
  const type = async (line: string) => {
    const done = await s.run(line.split(' ').slice(1));
    assert.is(done.exit, 0, line);
    return lastLine(done.stdout);
  };
  const [rollback = '', show = '', ...more] = undo.split(' && ');
  assert.equal([show, more], ['mendloop promote', []], stdout);
  await type(rollback);
  const accept = await type(show);
  assert.is(s.read('stages/web.sh'), MENDED, 'nothing lands that was not shown');
  await type(accept);
  assert.not.equal(s.read('stages/web.sh'), MENDED);
});

test('a mended stage lands with one line, and is undone by rolling it back and promoting again', async () => {
  const s = broken();
  const first = snapshot(s.home, ['.git', 'ai']);
  const none = await s.run(['promote']);
  assert.equal([none.exit, none.stdout], [0, `nothing to promote: there is no ${AI} yet\n`], said(none));
  assert.is((await s.run()).exit, 0);

  const before = here(s);
  const planned = await s.run(['plan']);
  assert.is(planned.stdout.split('\n')[0], `plan from main (${s.git('rev-parse', 'main').slice(0, 12)})`);
  const shown = await s.run(['promote']);
  const tip = s.git('rev-parse', AI);
  assert.is(shown.exit, 0, said(shown));
  assert.is(lastLine(shown.stdout), `mendloop promote --accept ${tip}`);
  for (const word of [
    `${AI} into main: 1 fix for 1 failure in 1 stage`,
    'by:   known-fixes (executor), run',
    'kept by its exit code alone (the stage has no checks)',
    'stages/web.sh | 6 +++---',
    '+set -eu',
    `it is on main (${s.git('rev-parse', 'main').slice(0, 12)})`,
  ]) {
    assert.match(shown.stdout, word);
  }
  const dry = await s.run(['promote', '--dry-run', '--accept', tip]);
  assert.equal([dry.exit, dry.stdout], [0, `would bring main to ${tip}, in ${s.home}\n`], said(dry));
  assert.equal(here(s), before, 'looking changes nothing');

  const landed = await s.run(['promote', '--accept', tip]);
  assert.is(landed.exit, 0, said(landed));
  assert.equal([s.read('stages/web.sh'), s.git('status', '--porcelain')], [MENDED, '']);
  assert.is(s.git('rev-parse', 'main'), tip);
  assert.match(landed.stdout, `mendloop rollback ${tip.slice(0, 12)}`);
  const again = await s.run(['promote', '--accept', tip]);
  assert.equal([again.exit, /E_PROMOTE_NOTHING/.test(again.stderr)], [2, true], said(again));
  assert.match((await s.run(['promote'])).stdout, 'nothing to promote: main has all that');
  assert.match((await s.run(['fixes'])).stdout, 'landed: your branch has it');

  const back = await s.run(['rollback', tip.slice(0, 12)]);
  assert.is(back.exit, 0, said(back));
  assert.match(back.stdout, 'main still has that; to undo it there, land what mendloop promote shows');
  assert.is(s.read('stages/web.sh'), MENDED, 'the base keeps it');
  const listed = (await s.run(['fixes'])).stdout;
  assert.match(listed, 'declined by you; does not come again by itself');
  assert.match(listed, 'your branch still has it; to undo it there: mendloop promote');
  const plan = JSON.parse((await s.run(['plan', '--json'])).stdout) as { rows: { step: string; state: string }[] };
  assert.equal(
    plan.rows.map(({ step, state }) => `${step} ${state}`),
    ['web TODO', 'other DONE'],
    'its stage is to do again by itself',
  );

  const undo = await s.run(['promote']);
  assert.match(undo.stdout, `${AI} into main: 1 rollback`);
  const accept = lastLine(undo.stdout).split(' ').slice(1);
  assert.is((await s.run(accept)).exit, 0);
  assert.equal(snapshot(s.home, ['.git', 'ai']), first, 'byte for byte as before');
  assert.is(s.git('status', '--porcelain'), '');
});

test('what was rolled back is not applied again by a later run', async () => {
  const s = broken();
  assert.is((await s.run()).exit, 0);
  const tip = s.git('rev-parse', AI);
  assert.is((await s.run(['rollback', '--json', '--yes', tip])).exit, 0);
  const next = await s.run();
  assert.is.not(next.exit, 0);
  assert.is(s.git('show', `${AI}:stages/web.sh`), SCRIPT.trimEnd());
  assert.not.match(s.git('log', '--format=%s', AI), 'Mend');
});

test('without --yes a rollback only says what it would drop, and how to do it', async () => {
  const s = broken();
  assert.is((await s.run()).exit, 0);
  const tip = s.git('rev-parse', AI);
  const before = here(s);
  const { exit, stdout } = await s.run(['rollback', tip]);
  assert.equal([exit, lastLine(stdout), here(s)], [0, `mendloop rollback ${tip} --yes`, before], stdout);
  assert.match(stdout, `would be dropped from ${AI}:\n    ${tip.slice(0, 12)}  web  `);
  assert.is((await s.run(lastLine(stdout).split(' ').slice(1))).exit, 0);
  assert.is(s.git('rev-parse', AI), s.git('rev-parse', 'main'));
  assert.match((await s.run(['fixes'])).stdout, 'declined by you; does not come again by itself');
});

test('a landing that was cut off is named by status and doctor, and finished by the next command', async () => {
  const s = broken();
  assert.is((await s.run()).exit, 0);
  const tip = s.git('rev-parse', AI);
  const bin = join(s.home, 'ai/state/killing');
  s.write({
    'ai/state/killing/git': `#!/bin/sh\ncase " $* " in *" merge "*) ${KILL_LOOP}; exit 1 ;; esac\nPATH="\${PATH#*:}" exec git "$@"\n`,
  });
  chmodSync(join(bin, 'git'), 0o755);
  const killed = s.start(['promote', '--accept', tip], { env: { PATH: `${bin}:${process.env.PATH}` } });
  assert.is((await killed.done).exit, null);
  assert.is(s.git('rev-parse', 'main') === tip, false);
  const named = `${tip.slice(0, 12)} was about to land on main when that was cut off`;
  const status = await s.run(['status']);
  assert.match(status.stdout, named);
  assert.match(status.stdout, `mendloop promote --accept ${tip}`);
  assert.match((await s.run(['doctor'])).stdout, named);
  const next = await s.run(['promote', '--accept', tip]);
  assert.match(next.stdout, `note: a landing that was cut off is finished: main has ${tip.slice(0, 12)}\n`, said(next));
  assert.equal([next.exit, s.git('rev-parse', 'main'), s.git('status', '--porcelain')], [0, tip, '']);
  assert.is(s.read('stages/web.sh'), MENDED);
  assert.not.match((await s.run(['status'])).stdout, 'cut off');
});

test('during a run nothing lands and nothing is rolled back: exit 75', async () => {
  const s = scenario({
    'ai/context_map.yaml': contextMap({
      web: { command: 'stages/web.sh', files: ['stages/'] },
      slow: { command: 'until [ -e "$MENDLOOP_HOME/ai/state/go" ]; do sleep 0.05; done', needs: ['web'] },
    }),
    'stages/web.sh': SCRIPT,
  });
  const run = s.start();
  const { until } = await import('./scenario.ts');
  await until('slow runs', () => s.events().some(({ type, stage }) => type === 'attempt.started' && stage === 'slow'));
  const before = here(s);
  const tip = s.git('rev-parse', AI);
  for (const args of [
    ['promote', '--accept', tip],
    ['promote', '--push'],
    ['rollback', '--yes', tip],
  ]) {
    const done = await s.run([...args, '--json']);
    assert.is(done.exit, 75, said(done));
    assert.is(JSON.parse(done.stdout).error.code, 'E_LOCKED');
  }
  const shown = await s.run(['promote']);
  assert.match(shown.stdout, 'note: a run is at work');
  assert.match(shown.stdout, /while a run is at work; look again after it\n$/);
  assert.not.match(shown.stdout, '--accept');
  assert.is(JSON.parse((await s.run(['promote', '--json'])).stdout).accept, null);
  const diffIn = async (...words: string[]) =>
    'diff' in JSON.parse((await s.run(['promote', '--json', ...words])).stdout);
  assert.equal([await diffIn(), await diffIn('--diff')], [false, true], 'for programs, only what they ask for');
  assert.equal(here(s), before);
  s.write({ 'ai/state/go': '' });
  assert.is((await run.done).exit, 0);
});

test.run();
