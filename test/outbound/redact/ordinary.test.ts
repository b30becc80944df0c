import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createRedactor } from '../../../src/outbound/redact/redactor.ts';
import { cases } from '../../sweep.ts';
import { dice } from './fill.ts';
import { ordinaryLines } from './ordinary.ts';

const LINES = ordinaryLines(cases(1200, 4000), dice(11));

test('fewer than 1 in 100 ordinary log lines are touched; digests, commits, UUIDs and public keys stay', () => {
  const { redact } = createRedactor({ secrets: [] });
  const touched = LINES.filter((line) => redact(line) !== line);
  assert.ok(touched.length < LINES.length / 100, `${touched.length}: ${touched.slice(0, 5).join('\n')}`);
});

test('the lines together are as readable as alone', () => {
  const { redact } = createRedactor({ secrets: [] });
  const text = LINES.join('\n');
  const masked = redact(text).split('\n');
  assert.is(masked.length, text.split('\n').length);
  const touched = text.split('\n').filter((line, i) => line !== masked[i]);
  assert.ok(touched.length < LINES.length / 100, touched.slice(0, 5).join('\n'));
});

// What kubectl, talosctl, flux, helm, qm, systemd, nginx, terraform, git, docker, ssh and others say on an ordinary
// day.
const SAID = readFileSync(new URL('ordinary-log.txt', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n');

test('of some hundred lines of the tools of a homelab fewer than 1 in 100 is touched, alone or together', () => {
  assert.ok(SAID.length > 300);
  const { redact } = createRedactor({ secrets: [] });
  const alone = SAID.filter((line) => redact(line) !== line);
  assert.ok(alone.length < SAID.length / 100, `${alone.length}: ${alone.join('\n')}`);
  const masked = redact(SAID.join('\n')).split('\n');
  const together = SAID.filter((line, i) => line !== masked[i]);
  assert.ok(together.length < SAID.length / 100, `${together.length}: ${together.join('\n')}`);
});

test('no digest, commit, UUID, container id, checksum, fingerprint or public key of theirs is touched', () => {
  const { redact } = createRedactor({ secrets: [] });
  const names =
    /sha(?:1|256|512)[:-]|SHA256[: ]|\b[0-9a-f]{40}\b|\b[0-9a-f]{64}\b|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|\b[0-9a-f]{12}\b|ssh-(?:rsa|ed25519)|age1|zh:|h1:/;
  const lines = SAID.filter((line) => names.test(line));
  assert.ok(lines.length > 50, `${lines.length}`);
  for (const line of lines) assert.is(redact(line), line);
});

test('nothing of what the project ships is masked: its stages, configuration, machines and plugins', () => {
  const root = new URL('../../../', import.meta.url);
  const paths = ['stages', 'config', 'infrastructure', 'plugins'].flatMap((name) =>
    readdirSync(new URL(name, root), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name)),
  );
  assert.ok(paths.length > 50);
  for (const path of paths) {
    const text = readFileSync(path, 'utf8');
    assert.is(createRedactor({ secrets: [] }).redact(text), text, path);
  }
});

test.run();
