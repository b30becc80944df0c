// YAML that we ship or show is YAML that a linter with its default rules lets pass: people copy it.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { PACKAGE } from './scenario.ts';

const text = (path: string) => readFileSync(join(PACKAGE, path), 'utf8');

/** The YAML of a page, each block without the indent of the list it stands in. */
const blocks = (page: string) =>
  [...text(page).matchAll(/^( *)```yaml\n([\s\S]*?)^ *```/gm)].map(([, indent = '', body = '']) =>
    body.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  );

test('configuration that ships, and every block of the pages, passes yamllint', () => {
  const shown = ['README.md', 'plugins/README.md'].flatMap((page) => blocks(page).map((body) => [page, body] as const));
  assert.ok(shown.length > 5);
  for (const [where, body] of [
    ...['ai/context_map.yaml', 'ai/loop.yaml'].map((path) => [path, text(path)] as const),
    ...shown,
  ]) {
    const { status, stdout, error } = spawnSync('yamllint', ['--format', 'parsable', '-'], {
      input: body,
      encoding: 'utf8',
    });
    assert.is(status, 0, `${where}: ${error ?? ''}${stdout}\n${body}`);
  }
});

test.run();
