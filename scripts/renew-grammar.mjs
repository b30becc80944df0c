#!/usr/bin/env node
// Renews the bash grammar of the gate from its npm package, with its licence and grammar.json, which says what it is:
// `node scripts/renew-grammar.mjs [version]`. Only this fetches the package: its sources and install script are not needed.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const PACKAGE = 'tree-sitter-bash';
const WASM = `${PACKAGE}.wasm`;
const target = resolve(import.meta.dirname, '..', 'src/io/gate');
const wanted = process.argv[2] ?? 'latest';

const folder = mkdtempSync(join(tmpdir(), 'grammar-'));
try {
  const run = (command, ...args) => execFileSync(command, args, { cwd: folder, encoding: 'utf8' }).trim();
  const archive = run('npm', 'pack', '--silent', `${PACKAGE}@${wanted}`).split('\n').at(-1);
  run('tar', '-xzf', archive);
  const unpacked = (name) => join(folder, 'package', name);
  const { version, license } = JSON.parse(readFileSync(unpacked('package.json'), 'utf8'));
  const sha256 = createHash('sha256')
    .update(readFileSync(unpacked(WASM)))
    .digest('hex');
  copyFileSync(unpacked(WASM), join(target, WASM));
  copyFileSync(unpacked('LICENSE'), join(target, `LICENSE-${PACKAGE}`));
  const record = { package: PACKAGE, version, license, file: WASM, sha256 };
  writeFileSync(join(target, 'grammar.json'), `${JSON.stringify(record, null, 2)}\n`);
  console.log(`${PACKAGE} ${version}, sha256 ${sha256}`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
