// Every file of the shipped configuration, broken line by line (in the suite each fourth line): what is mended means again what it meant.
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { mendedYaml, readYaml } from '../../plugins/executors/known-fixes/yaml.ts';
import { cases } from '../sweep.ts';

const FOLDER = resolve(import.meta.dirname, '../../config');
const LONGEST = 4000;
const STEP = cases(8, 1);

/** Ways to break a line; undefined where a line cannot be broken so. */
const WAYS: Readonly<Record<string, (line: string) => string | undefined>> = {
  'a space more': (line) => ` ${line}`,
  'a level more': (line) => `  ${line}`,
  'two levels more': (line) => `    ${line}`,
  'a space less': (line) => (line.startsWith(' ') ? line.slice(1) : undefined),
  'a level less': (line) => (line.startsWith('  ') ? line.slice(2) : undefined),
  'a tab for each level': (line) => line.replace(/^ +/, (spaces) => '\t'.repeat(spaces.length / 2)),
  'one tab': (line) => line.replace(/^ +/, '\t'),
  'the line twice': (line) => `${line}\n${line}`,
  'no colon': (line) => line.replace(':', ''),
  'no last quote': (line) => line.replace(/["']$/, ''),
};

const files = readdirSync(FOLDER, { recursive: true })
  .map((name) => join(FOLDER, String(name)))
  .filter((path) => /\.ya?ml$/.test(path))
  .map((path) => readFileSync(path, 'utf8'))
  .filter((text) => text.length <= LONGEST);

for (const [way, broken] of Object.entries(WAYS)) {
  test(way, () => {
    let mendings = 0;
    for (const text of files) {
      const { meaning } = readYaml(text);
      const lines = text.split('\n');
      for (const [i, line] of lines.entries()) {
        const changed = broken(line);
        if (i % STEP !== 0 || changed === undefined || changed === line || /^\s*(?:#|$)/.test(line)) continue;
        const damaged = lines.with(i, changed).join('\n');
        const [error] = readYaml(damaged).errors;
        const mended = error && mendedYaml(damaged, [error.line]);
        if (!mended) continue;
        mendings += 1;
        assert.is(readYaml(mended.text).meaning, meaning, `${mended.fix}:\n${damaged}`);
      }
    }
    assert.ok(mendings > 0 || /^no /.test(way), 'nothing was mended');
  });
}

test('there is something to break', () => assert.ok(files.length > 5));

test.run();
