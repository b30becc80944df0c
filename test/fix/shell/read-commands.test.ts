// The commands that commands run: behind wrappers, inside texts, in variables with one value.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables of the shell
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readCommands, readPlain } from '../../../src/fix/shell/read-commands.ts';
import { parse } from '../gate/homelab.ts';

const commandsOf = (text: string) => readCommands(text, parse).commands;
const runsIt = (text: string) =>
  commandsOf(text).some(
    ({ program, args }) =>
      program === 'rm' &&
      args
        .map(({ text }) => text)
        .join(' ')
        .startsWith('-rf /x'),
  );

const RUNS: string[] = [
  'rm -rf /x',
  '/bin/rm -rf /x',
  'sudo rm -rf /x',
  'sudo -n -u root rm -rf /x',
  'sudo --user=root -- rm -rf /x',
  'sudo -E env A=1 rm -rf /x',
  'doas rm -rf /x',
  'env rm -rf /x',
  'env -i A=1 B=2 rm -rf /x',
  'env -u HOME rm -rf /x',
  'A=1 rm -rf /x',
  'command rm -rf /x',
  'builtin command rm -rf /x',
  'exec rm -rf /x',
  'exec -a name rm -rf /x',
  'nohup rm -rf /x &',
  'setsid rm -rf /x',
  'time rm -rf /x',
  'nice -n 19 rm -rf /x',
  'ionice -c 3 rm -rf /x',
  'timeout 30 rm -rf /x',
  'timeout -k 5 30s rm -rf /x',
  'stdbuf -oL rm -rf /x',
  'echo a | xargs rm -rf /x',
  'echo a | xargs -n 1 -I{} rm -rf /x',
  'echo a | xargs -0 -P4 rm -rf /x',
  'flock /run/lock rm -rf /x',
  "flock /run/lock -c 'rm -rf /x'",
  'busybox rm -rf /x',
  'chroot /mnt rm -rf /x',
  'nsenter -t 1 -m rm -rf /x',
  'watch -n 5 rm -rf /x',
  "su -c 'rm -rf /x'",
  "su - root -c 'rm -rf /x'",
  'runuser -u root -- rm -rf /x',
  'ssh pve1 rm -rf /x',
  'ssh -p 22 -i key root@pve1 rm -rf /x',
  "ssh pve1 'cd / && rm -rf /x'",
  'ssh pve1 <<EOF\nrm -rf /x\nEOF',
  'systemd-run --unit=a rm -rf /x',
  'find . -name a -exec rm -rf /x {} +',
  'find . -name a -execdir rm -rf /x {} \\;',
  "bash -c 'rm -rf /x'",
  "sh -ec 'rm -rf /x'",
  "bash -o pipefail -c 'rm -rf /x'",
  '/usr/bin/env bash -c "rm -rf /x"',
  'bash -c "bash -c \'rm -rf /x\'"',
  'bash <<EOF\nrm -rf /x\nEOF',
  'bash -s <<EOF\nrm -rf /x\nEOF',
  "bash <<< 'rm -rf /x'",
  'echo "rm -rf /x" | bash',
  "printf 'rm -rf /x' | sh",
  'cat <<EOF | bash\nrm -rf /x\nEOF',
  "eval 'rm -rf /x'",
  'eval rm -rf /x',
  'eval "rm" -rf "/x"',
  "trap 'rm -rf /x' EXIT",
  'kubectl exec pod -- rm -rf /x',
  "kubectl exec -n a pod -c b -- sh -c 'rm -rf /x'",
  'pct exec 101 -- rm -rf /x',
  "ansible all -m shell -a 'rm -rf /x'",
  'r=rm; $r -rf /x',
  'r="rm -rf"; $r /x',
  'r=(rm -rf); "${r[@]}" /x',
  'export R=rm; "$R" -rf /x',
  'f() { local r=rm; $r -rf /x; }',
  'if a; then sudo bash -c "b && rm -rf /x"; fi',
];

for (const text of RUNS) test(`runs it: ${JSON.stringify(text)}`, () => assert.ok(runsIt(text)));

const RUNS_NOT: string[] = [
  'echo rm -rf /x',
  "log 'rm -rf /x'",
  'command -v rm -rf /x',
  'cat <<EOF\nrm -rf /x\nEOF',
  'bash script.sh <<EOF\nrm -rf /x\nEOF',
  "grep 'rm -rf /x' a",
  'r=rm; echo $r -rf /x',
  '# rm -rf /x',
  "kubectl get pods -l 'a in (rm -rf /x)'",
];

for (const text of RUNS_NOT) test(`runs it not: ${JSON.stringify(text)}`, () => assert.not(runsIt(text)));

test('code of other languages stands beside its program', () => {
  const code = (text: string) => commandsOf(text).find((one) => one.code !== undefined)?.code;
  assert.is(code("python3 -c 'import os'"), 'import os');
  assert.is(code("node -e 'a()'"), 'a()');
  assert.is(code('python3 <<EOF\na()\nEOF'), 'a()\n');
  assert.match(code("psql -c 'DROP TABLE a'") ?? '', 'DROP TABLE a');
});

test('a list of words is one command, and what that runs', () => {
  const programs = (words: string[]) => readCommands(words, parse).commands.map(({ program }) => program);
  assert.equal(programs(['sudo', 'sh', '-c', 'cd a && b c']), ['sudo', 'sh', 'cd', 'b']);
  assert.equal(programs(['echo', 'a; rm -rf /x']), ['echo']);
});

test('what a command runs says through what', () => {
  assert.equal(
    commandsOf("sudo bash -c 'a'").map(({ program, via }) => [program, via]),
    [
      ['sudo', undefined],
      ['bash', 'sudo'],
      ['a', 'bash'],
    ],
  );
});

test('a command of a function is run with what each call hands on', () => {
  for (const text of [
    'run() { "$@"; }; run rm -rf /x',
    'f() { shift; "$@"; }; f 5 rm -rf /x',
    'f() { rm $1 /x; }; f -rf',
  ])
    assert.ok(runsIt(text), text);
});

test('lines are those of the text, also inside of a here-document', () => {
  const lines = commandsOf('a\nbash <<E\nb\nc\nE\nd\n').map(({ program, line }) => `${program}${line}`);
  assert.equal(lines, ['a1', 'bash2', 'b2', 'c3', 'd6']);
});

test('texts inside texts come to an end, and what was not looked into is told', () => {
  let text = 'rm -rf /x';
  for (let i = 0; i < 12; i++) text = `eval ${JSON.stringify(text)}`;
  const { commands, unread } = readCommands(text, parse);
  assert.ok(commands.length < 100);
  assert.is(unread.length, 1);
});

test('one command of plain words needs no grammar, and reads the same with it', () => {
  const shown = ({ commands }: ReturnType<typeof readCommands>) =>
    commands.map(({ program, args, via, line }) => [program, args.map(({ text }) => text), via, line]);
  for (const text of ['true', './check.sh --all=1 a.yaml', 'timeout 30 sudo -E ./check', ['make', 'a; b', '$c']])
    assert.equal(shown(readPlain(text) as ReturnType<typeof readCommands>), shown(readCommands(text, parse)));
  for (const text of [
    '',
    'a; b',
    'a "b"',
    'A=1 b',
    'a > b',
    'a $b',
    'a*',
    'a\nb',
    '# a',
    'ssh host a',
    ['sh', '-c', 'a | b'],
  ])
    assert.is(readPlain(text), undefined);
});

test.run();
