import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readArguments } from '../../src/cli/arguments.ts';
import { refusal } from '../refusal.ts';

const refused = (...argv: string[]) =>
  refusal(() => {
    const { fault } = readArguments(argv);
    if (fault) throw fault;
  });

const GLOBAL = '--root, --json, --quiet, --debug, --help, --version';
const RUN = '--with-needs, --no-recheck, --workers, --deadline, --backend, --no-ai, --yes, --dry-run';

test('an option nobody knows: the command is named only when it was typed, and only its own options are offered', () => {
  const next = (command: string) => `\n  next:  mendloop ${command} --help`;
  const list = `${RUN}, ${GLOBAL}`;
  assert.is(refused('--nope'), `error E_USAGE: there is no option --nope; options: ${list}${next('all')}`);
  assert.is(refused('vms', '--nope'), `error E_USAGE: there is no option --nope; options: ${list}${next('all')}`);
  assert.is(refused('all', '--nope'), `error E_USAGE: all has no option --nope; options: ${list}${next('all')}`);
  assert.is(
    refused('status', '--nope'),
    `error E_USAGE: status has no option --nope; options: --exit-code, ${GLOBAL}${next('status')}`,
  );
  assert.is(
    refused('fixes', '-n', '5'),
    `error E_USAGE: fixes has no option -n; options: --diff, ${GLOBAL}${next('fixes')}`,
  );
  assert.is(refused('--dryrun'), `error E_USAGE: there is no option --dryrun; did you mean "--dry-run"?${next('all')}`);
});

test('run is all; behind -- every word is a stage; --exit-code is a number only for fingerprint', () => {
  const read = (...argv: string[]) => {
    const { command, words, options } = readArguments(argv);
    return [command, words, { ...options }];
  };
  assert.equal(read('run', 'a'), ['all', ['a'], {}]);
  assert.equal(read('--', 'metrics', 'run'), ['all', ['metrics', 'run'], {}]);
  assert.equal(read('retry', '--yes', '--', 'status'), ['retry', ['status'], { yes: true }]);
  assert.equal(read('doctor', '--exit-code'), ['doctor', [], { 'exit-code': true }]);
  assert.equal(read('fingerprint', '--exit-code', '2', 'x'), ['fingerprint', ['x'], { 'exit-code': '2' }]);
  assert.is(refused('status', '--exit-code=2').split('\n')[0], 'error E_USAGE: option --exit-code takes no value');
});

test('a command that takes no words refuses them', () => {
  for (const command of ['validate', 'doctor', 'abandon']) {
    assert.is(
      refused(command, 'no', 'such'),
      `error E_USAGE: ${command} takes no words: no such\n  next:  mendloop ${command} --help`,
    );
    assert.is(refused(command, 'no', '--help'), 'nothing was refused');
  }
});

test('words after the others are theirs', () => {
  const { command, words, options } = readArguments(['logs', 'a', '-f']);
  assert.equal([command, words, { ...options }], ['logs', ['a'], { follow: true }]);
  assert.equal({ ...readArguments(['logs', 'a', '-n', '3']).options }, { lines: '3' });
  assert.equal({ ...readArguments(['runs', '-n', '3']).options }, { last: '3' });
  assert.equal(readArguments(['a', 'b']).words, ['a', 'b']);
  assert.equal(readArguments(['all', 'a']).words, ['a']);
});

test.run();
