// The shell scripts themselves, and what the context map says of them.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import picomatch from 'picomatch';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parse } from 'yaml';
import { needs } from '../needs.ts';
import { greenLab, labAfter, PACKAGE, STAGES } from './lab.ts';

interface Stage {
  command: string;
  needs?: string[];
  files: string[];
  verify: unknown[];
  diagnostics: string[];
  requires: { files: string[] };
}
const map: { stages: Record<string, Stage>; protected_files: string[] } = parse(
  readFileSync(join(PACKAGE, 'ai/context_map.yaml'), 'utf8'),
);

const below = (folder: string) =>
  readdirSync(join(PACKAGE, folder), { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((name) => statSync(join(PACKAGE, name)).isFile());
const scripts = [...below('stages'), ...below('infrastructure')].filter(
  (name) => name.endsWith('.sh') || /^#!.*bash/.test(readFileSync(join(PACKAGE, name), 'utf8')),
);

needs('shellcheck')('every shell script is clean under shellcheck', () => {
  const result = spawnSync('shellcheck', ['-x', ...scripts], { cwd: PACKAGE, encoding: 'utf8' });
  assert.is(result.status, 0, result.stdout);
});

test('every script that is run is executable and stops at the first error', () => {
  for (const name of scripts.filter((s) => /run\.sh$|verify\.sh$|\/bin\/|infrastructure/.test(s))) {
    assert.is(statSync(join(PACKAGE, name)).mode & 0o100, 0o100, name);
    assert.match(readFileSync(join(PACKAGE, name), 'utf8'), /^set -euo pipefail$/m, name);
  }
});

test('a stand-in that is given no file starts no node: that alone would cost what it may take', () => {
  const lab = greenLab();
  const bin = join(lab.home, 'no-node');
  mkdirSync(bin);
  writeFileSync(join(bin, 'node'), `#!/bin/sh\ntouch "${lab.home}/node-was-started"\nexit 99\n`, { mode: 0o755 });
  const PATH = `${bin}:${join(PACKAGE, 'stages/lab/bin')}:${process.env.PATH}`;
  for (const command of [
    'qm help',
    'talosctl --help',
    'kubectl version --client',
    'flux --version',
    'qm list',
    'talosctl get members',
    'kubectl get nodes',
    'flux get helmreleases -A',
  ]) {
    const [tool = '', ...args] = command.split(' ');
    const result = lab.run(tool, args, { PATH });
    assert.is(result.code, 0, `${command}: ${result.err}`);
    assert.not(existsSync(join(lab.home, 'node-was-started')), command);
  }
});

test('the wipe script refuses without a terminal and touches nothing', () => {
  const lab = labAfter('vms');
  const before = lab.world();
  const result = lab.run('infrastructure/proxmox/wipe_proxmox.sh');
  assert.is(result.code, 1);
  assert.match(result.err, /^refused: /);
  assert.equal([...lab.world()], [...before]);
});

test('the map has the six stages, each after the one before it', () => {
  assert.equal(Object.keys(map.stages), STAGES);
  STAGES.slice(1).forEach((name, i) => {
    assert.ok(map.stages[name]?.needs?.includes(STAGES[i] ?? ''), name);
  });
});

test('no stage lets the AI edit a verify script, the shared functions or a protected file', () => {
  for (const [name, stage] of Object.entries(map.stages)) {
    const allowed = picomatch(stage.files.map((glob) => (glob.endsWith('/') ? `${glob}**` : glob)));
    for (const file of [...scripts, ...map.protected_files].filter((s) => s !== stage.command))
      assert.not.ok(allowed(file), `${name}: ${file}`);
    assert.ok(allowed(stage.command), name);
    assert.ok(stage.requires.files.includes('stages/lib.sh'), name);
  }
});

test('no stage names a protected file in what it runs', () => {
  for (const stage of Object.values(map.stages))
    for (const file of map.protected_files)
      assert.not.ok(JSON.stringify([stage.command, stage.verify, stage.diagnostics]).includes(file));
});

test('the diagnostics of every stage succeed on a green lab', () => {
  const lab = greenLab();
  const outputs = join(lab.home, 'ai/state/out');
  for (const [name, stage] of Object.entries(map.stages))
    for (const line of stage.diagnostics) {
      const result = lab.run('bash', ['-c', line], { MENDLOOP_OUT: join(outputs, name), MENDLOOP_OUTPUTS: outputs });
      assert.is(result.code, 0, `${line}: ${result.err}`);
    }
});

test.run();
