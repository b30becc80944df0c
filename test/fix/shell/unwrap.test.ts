// The commands that commands run: behind wrappers, inside texts, in variables with one value.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables of the shell
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readArgv, readCommands } from '../../../src/fix/shell/unwrap.ts';
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
  "env -S 'rm -rf /x'",
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
  'docker run image rm -rf /x',
  'docker run --rm -v a:b -e A=1 image rm -rf /x',
  'docker exec -it web rm -rf /x',
  'podman exec web rm -rf /x',
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

test('a variable with two values, or one that is made up at run time, is a program that nobody knows', () => {
  for (const text of ['r=rm; r=ls; $r -rf /x', 'r=$(which rm); $r /x', '"$1" -rf /x', '$(echo rm) -rf /x'])
    assert.ok(
      commandsOf(text).some(({ program }) => program.startsWith('$')),
      text,
    );
});

test('what a shell is given only at run time is a program that nobody knows', () => {
  for (const text of ['bash -c "$X"', 'eval "$X"', 'eval "$(cat x)"', 'ssh pve1 "$X"'])
    assert.ok(
      commandsOf(text).some(({ program }) => program.startsWith('$')),
      text,
    );
});

test('texts of other languages go with their programs', () => {
  const inline = (text: string) => commandsOf(text).find((one) => one.inline)?.inline;
  assert.equal(inline("python3 -c 'import os'"), { program: 'python3', text: 'import os' });
  assert.equal(inline("node -e 'a()'"), { program: 'node', text: 'a()' });
  assert.equal(inline('python3 <<EOF\na()\nEOF'), { program: 'python3', text: 'a()\n' });
  assert.match(inline("psql -c 'DROP TABLE a'")?.text ?? '', 'DROP TABLE a');
  assert.match(inline('awk \'{ system("a") }\' b')?.text ?? '', 'system("a")');
});

test('a list of words is one command, and what that runs', () => {
  assert.equal(
    readArgv(['sudo', 'sh', '-c', 'cd a && b c'], parse).map(({ program }) => program),
    ['sudo', 'sh', 'cd', 'b'],
  );
  assert.equal(
    readArgv(['echo', 'a; rm -rf /x'], parse).map(({ program }) => program),
    ['echo'],
  );
});

test('what a command runs says through what', () => {
  const via = (text: string) => commandsOf(text).map(({ program, via }) => [program, via]);
  assert.equal(via("sudo bash -c 'a'"), [
    ['sudo', undefined],
    ['bash', 'sudo'],
    ['a', 'bash'],
  ]);
});

test('texts inside texts come to an end', () => {
  let text = 'rm -rf /x';
  for (let i = 0; i < 12; i++) text = `eval ${JSON.stringify(text)}`;
  assert.ok(commandsOf(text).length < 100);
});

test.run();
