import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readArguments } from '../../src/cli/arguments.ts';
import { refusal } from '../refusal.ts';

const refused = (...argv: string[]) => refusal(() => readArguments(argv));

const GLOBAL =
  '--root, --json, --quiet, --dry-run, --no-ai, --no-recheck, --backend, --workers, --deadline, --yes, --debug, --help, --version';

test('an option nobody knows: the command is named only when it was typed, the options as they are typed', () => {
  const next = (command: string) => `\n  next:  mendloop ${command} --help`;
  const list = `${GLOBAL}, --with-needs`;
  assert.is(refused('--nope'), `error E_USAGE: there is no option --nope; options: ${list}${next('all')}`);
  assert.is(refused('vms', '--nope'), `error E_USAGE: there is no option --nope; options: ${list}${next('all')}`);
  assert.is(refused('all', '--nope'), `error E_USAGE: all has no option --nope; options: ${list}${next('all')}`);
  assert.is(
    refused('status', '--nope'),
    `error E_USAGE: status has no option --nope; options: ${GLOBAL}${next('status')}`,
  );
  assert.is(refused('--dryrun'), `error E_USAGE: there is no option --dryrun; did you mean "--dry-run"?${next('all')}`);
});

test('a command that takes no words refuses them', () => {
  for (const command of ['status', 'validate', 'doctor', 'abandon']) {
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
  assert.equal(readArguments(['a', 'b']).words, ['a', 'b']);
  assert.equal(readArguments(['all', 'a']).words, ['a']);
});

test.run();
