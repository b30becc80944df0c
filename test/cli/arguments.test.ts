import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readArguments } from '../../src/cli/arguments.ts';
import { formatError, MendError } from '../../src/errors.ts';

function refusal(...argv: string[]): string {
  try {
    readArguments(argv);
  } catch (error) {
    if (error instanceof MendError) return formatError(error);
    throw error;
  }
  return 'taken';
}

const GLOBAL =
  '--root, --json, --quiet, --dry-run, --no-ai, --no-recheck, --backend, --workers, --deadline, --yes, --debug, --help, --version';

test('an option nobody knows: the command is named only when it was typed, the options as they are typed', () => {
  const next = (command: string) => `\n  next:  mendloop ${command} --help`;
  const list = `${GLOBAL}, --with-needs`;
  assert.is(refusal('--nope'), `error E_USAGE: there is no option --nope; options: ${list}${next('all')}`);
  assert.is(refusal('vms', '--nope'), `error E_USAGE: there is no option --nope; options: ${list}${next('all')}`);
  assert.is(refusal('all', '--nope'), `error E_USAGE: all has no option --nope; options: ${list}${next('all')}`);
  assert.is(
    refusal('status', '--nope'),
    `error E_USAGE: status has no option --nope; options: ${GLOBAL}${next('status')}`,
  );
  assert.is(refusal('--dryrun'), `error E_USAGE: there is no option --dryrun; did you mean "--dry-run"?${next('all')}`);
});

test('a command that takes no words refuses them', () => {
  for (const command of ['status', 'validate', 'doctor', 'abandon']) {
    assert.is(
      refusal(command, 'no', 'such'),
      `error E_USAGE: ${command} takes no words: no such\n  next:  mendloop ${command} --help`,
    );
    assert.is(refusal(command, 'no', '--help'), 'taken');
  }
});

test('words after the others are theirs', () => {
  const { command, words, options } = readArguments(['logs', 'a', '-f']);
  assert.equal([command, words, { ...options }], ['logs', ['a'], { follow: true }]);
  assert.equal(readArguments(['a', 'b']).words, ['a', 'b']);
  assert.equal(readArguments(['all', 'a']).words, ['a']);
});

test.run();
