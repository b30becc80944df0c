import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { scriptHint, scriptOf } from '../../src/stage/script-hint.ts';

const TREE = new Map([
  ['stages/plain.sh', { mode: '100644', id: 'a' }],
  ['stages/run.sh', { mode: '100755', id: 'b' }],
]);

test('a script that is not in the commit is told, with the commands', () => {
  assert.equal(scriptHint('./stages/new.sh --now', 127, TREE), {
    error: 'E_STAGE_SCRIPT_MISSING',
    what: 'stages/new.sh is not in the commit the stages run from',
    next: 'git add stages/new.sh && git commit, then run again',
  });
  assert.is(scriptHint(['stages/new.sh'], 127, TREE)?.error, 'E_STAGE_SCRIPT_MISSING');
});

test('a script that may not be executed is told, with the commands', () => {
  assert.equal(scriptHint('stages/plain.sh', 126, TREE), {
    error: 'E_STAGE_SCRIPT_NOT_EXECUTABLE',
    what: 'stages/plain.sh is not executable',
    next: 'chmod +x stages/plain.sh && git add stages/plain.sh && git commit, then run again',
  });
});

test('nothing is guessed: other exit codes, scripts that are fine, commands that are no path', () => {
  const cases: [string | string[], number | null][] = [
    ['stages/new.sh', 1],
    ['stages/new.sh', 126],
    ['stages/new.sh', null],
    ['stages/plain.sh', 127],
    ['stages/run.sh', 126],
    ['stages/run.sh', 127],
    ['kubectl get nodes', 127],
    ['/usr/bin/none', 127],
    ['$HOME/x.sh', 127],
    ['"stages/a b.sh"', 127],
    ['', 127],
    [[], 127],
  ];
  for (const [command, code] of cases) assert.is(scriptHint(command, code, TREE), undefined, `${command} ${code}`);
});

test('the script of a command is its first word, when that is a plain path of the repository', () => {
  assert.is(scriptOf('  ./stages//a/../run.sh  x'), 'stages/run.sh');
  assert.is(scriptOf(['stages/run.sh', 'x']), 'stages/run.sh');
  assert.is(scriptOf('bash stages/run.sh'), undefined);
});

test.run();
