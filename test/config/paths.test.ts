import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { commandWords, isWipeScript, pathMatcher, rawWords } from '../../src/config/paths.ts';
import { fc } from '../sweep.ts';

test('the words of a shell command are found between all that parts them', () => {
  assert.equal(commandWords('FILE=config/a.yaml ./stages//run.sh <in.txt >"out file" && (cd b;cat c|tee d)'), [
    'FILE',
    'config/a.yaml',
    'stages/run.sh',
    'in.txt',
    'out',
    'file',
    'cd',
    'b',
    'cat',
    'c',
    'tee',
    'd',
    'out file',
  ]);
});

test('flags, absolute paths, the root itself and what lies outside are no words', () => {
  assert.equal(commandWords('ls -la --all /etc/passwd . .. ../x a/../../y ./ a/../b'), ['ls', 'b']);
});

test('quotes join as the shell joins them', () => {
  assert.ok(commandWords('bash stages/"talos"/run.sh').includes('stages/talos/run.sh'));
  assert.ok(commandWords(`bash -c 'stages/run.sh "a b"'`).includes('stages/run.sh'));
});

test('a name with spaces is one word where it is quoted or escaped, also inside of another text', () => {
  const texts = [
    `cat 'my files/a b'`,
    `cat my\\ files/a\\ b`,
    `cat "my files"/'a b'>x`,
    `bash -c 'cat "my files/a b"'`,
    `cat "$MENDLOOP_ROOT/my files/a b"`,
    `cat "$PWD"/"my files/a b"`,
    `echo "it's"; cat 'my files/a b'`,
  ];
  for (const text of texts) assert.ok(commandWords(text).includes('my files/a b'), text);
  assert.ok(commandWords(['bash', '-c', `cat 'my files/a b'`]).includes('my files/a b'));
  assert.not(commandWords(`cat my files/a b`).includes('my files/a b'));
});

test('a path below the root variable counts as relative', () => {
  for (const root of ['$MENDLOOP_ROOT', `\${MENDLOOP_ROOT}`, '"$MENDLOOP_ROOT"', '$PWD']) {
    assert.ok(commandWords(`cat ${root}/stages/a.sh`).includes('stages/a.sh'), root);
  }
});

test('an argv item counts as a whole and by its words', () => {
  const words = commandWords(['bash', '-c', 'cat a.yaml', 'my file.txt']);
  for (const word of ['bash', 'cat', 'a.yaml', 'my file.txt']) assert.ok(words.includes(word), word);
});

test('every word comes once and stays inside, whatever the command', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.array(fc.string())), (command) => {
      const words = commandWords(command);
      return (
        new Set(words).size === words.length && words.every((w) => !w.startsWith('/') && !w.split('/').includes('..'))
      );
    }),
  );
});

test('raw words keep flags and absolute paths', () => {
  assert.equal(rawWords('x -a /b'), ['x', '-a', '/b']);
});

test('wipe must be a word of its own in the name of the script', () => {
  const yes = [
    'wipe_proxmox.sh',
    'a/b/disk-wipe',
    'wipe',
    'wipeDisks.sh',
    'diskWipe.sh',
    'WIPE.sh',
    'wipe2.sh',
    '/x/wipe',
  ];
  const no = ['wiper.sh', 'swipe.sh', 'wipe/readme.md', 'unwiped', ''];
  for (const name of yes) assert.ok(isWipeScript(name), name);
  for (const name of no) assert.not(isWipeScript(name), name);
});

test('a trailing slash means the tree below, dot files included', () => {
  const match = pathMatcher(['stages/talos/', './config/*.yaml']);
  for (const path of ['stages/talos/run.sh', 'stages/talos/a/.b', 'config/a.yaml']) assert.ok(match(path), path);
  for (const path of ['stages/vms/run.sh', 'stages/talosx/a', 'config/a/b.yaml']) assert.not(match(path), path);
});

test('no pattern matches nothing, and a leading ! is not a negation', () => {
  assert.not(pathMatcher([])('a'));
  assert.not(pathMatcher(['!a'])('b'));
  assert.not(pathMatcher(['', './', 'a'.repeat(100_000)])('b'));
});

test('case counts unless told otherwise', () => {
  assert.not(pathMatcher(['a/'])('A/b'));
  assert.ok(pathMatcher(['a/'], { ignoreCase: true })('A/b'));
});

test.run();
