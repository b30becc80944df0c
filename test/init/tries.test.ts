// What init tries: where, and what is left of it.
import { spawn } from 'node:child_process';
import { chmodSync, existsSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { runHere } from '../e2e/here.ts';
import { ENTRY } from '../e2e/scenario.ts';
import { folder, git, repository, write } from '../worktree/repository.ts';

const bin = folder();
for (const tool of ['bash', 'git', 'xargs', 'sh', 'mkfifo', 'env', 'cat'])
  symlinkSync(`/usr/bin/${tool}`, join(bin, tool));
const ENV = { ...process.env, PATH: bin, OLLAMA_HOST: '127.0.0.1:9' };
const LAB = { Makefile: 'all: up\nup:\n\tansible-playbook site.yml\n', 'site.yml': '- hosts: all\n  tasks: []\n' };

/** A linter that writes where it is started, and takes its time. */
function slowTools(): { tools: string; temporary: string } {
  const tools = folder();
  write(tools, { yamllint: '#!/bin/sh\n/usr/bin/touch written\nexec /bin/sleep 60\n' });
  chmodSync(join(tools, 'yamllint'), 0o755);
  return { tools, temporary: folder() };
}

test('it says what it does while it is at it, and Ctrl-C leaves nothing behind', async () => {
  const { tools, temporary } = slowTools();
  const home = repository(LAB);
  const env = { ...ENV, PATH: `${tools}:${bin}`, TMPDIR: temporary };
  const child = spawn(process.execPath, [ENTRY, 'init', '--yes', '--root', home], { cwd: home, env });
  const said = await new Promise<string>((resolve) => void child.stderr.once('data', (text) => resolve(String(text))));
  assert.match(said, /^(?:reading \d+ files|trying )/);
  while (!readdirSync(temporary, { recursive: true }).some((path) => String(path).endsWith('/written')))
    await new Promise((resolve) => setTimeout(resolve, 50));
  child.kill('SIGINT');
  const exit = await new Promise((resolve) => void child.once('exit', resolve));
  assert.is(exit, 130);
  assert.equal(
    readdirSync(temporary).filter((name) => name.startsWith('mendloop-init-')),
    [],
  );
  assert.equal(git(home, 'status', '--short'), '');
});

test('what is tried runs in a copy, without filters, and no runner is started that evaluates on the way', async () => {
  const tools = folder();
  write(tools, { yamllint: '#!/bin/sh\n/usr/bin/touch written\n', make: '#!/bin/sh\n/usr/bin/touch "$PROOF"\n' });
  for (const tool of ['yamllint', 'make']) chmodSync(join(tools, tool), 0o755);
  const home = repository({
    ...LAB,
    '.gitattributes': '*.yml filter=proof\n',
    Makefile: `${LAB.Makefile}X = $(shell touch pwned)\n`,
  });
  const proof = join(folder(), 'proof');
  git(home, 'config', 'filter.proof.smudge', `/usr/bin/touch ${proof}`);
  const env = { ...ENV, PATH: `${tools}:${bin}`, PROOF: proof };
  const { exit, stderr } = await runHere(['init', '--yes', '--root', home], home, env);
  assert.is(exit, 0, stderr);
  assert.equal(git(home, 'status', '--short'), '?? ai/');
  assert.not.ok(existsSync(proof));
});

test.run();
