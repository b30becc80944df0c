import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { layout } from '../../src/io/layout.ts';
import { openCaseStore } from '../../src/mend/case-store.ts';
import type { CaseSummary } from '../../src/outbound/case-summary.ts';
import { folder } from '../environment.ts';
import { shortRefusal as refusal } from '../refusal.ts';
import { homelab, run } from '../run/homelab.ts';

const NAME = 'talos-1a2b3c4d';
const summary = (more: Partial<CaseSummary> = {}): CaseSummary => ({
  ...{ version: 1, case: NAME, stage: 'talos', fingerprint: '1a2b3c4d5e6f', class: 'yaml_parse_error', run: 'r' },
  ...{ opened: '2025-01-01T00:00:00.000Z', state: 'open', versions: [1], calls: 0, answers: [], ...more },
});
const mode = (path: string): string => (statSync(path).mode & 0o777).toString(8);

test('a case has its files, for its owner alone, in a folder that git does not see', () => {
  const home = folder();
  const store = openCaseStore(layout(home));
  store.write(NAME, 1, 'first\n');
  store.write(NAME, 2, 'second\n');
  store.writeSummary(summary({ versions: [1, 2] }));
  store.writeResponse(NAME, { answer: 'x' });
  store.writePatch(NAME, '--- a/x\n');
  const path = join(home, 'ai/escalations', NAME);
  assert.is(store.folder(NAME), path);
  assert.equal(readdirSync(path).sort(), ['case_v1.md', 'case_v2.md', 'patch.diff', 'response.json', 'summary.json']);
  assert.is(readFileSync(join(home, 'ai/escalations/.gitignore'), 'utf8'), '*\n');
  assert.is(mode(path), '700');
  for (const name of readdirSync(path)) assert.is(mode(join(path, name)), '600', name);
  assert.equal(JSON.parse(readFileSync(join(path, 'response.json'), 'utf8')), { answer: 'x' });
  assert.equal(store.texts(NAME), [
    { version: 1, text: 'first\n' },
    { version: 2, text: 'second\n' },
  ]);
});

test('summaries are read and listed by name', () => {
  const store = openCaseStore(layout(folder()));
  assert.equal(store.list(), []);
  assert.is(store.read(NAME), undefined);
  store.writeSummary(summary({ case: 'vms-00000000', stage: 'vms' }));
  store.writeSummary(summary());
  store.writeSummary(summary({ calls: 1 }));
  assert.equal(store.read(NAME), { case: NAME, summary: summary({ calls: 1 }) });
  assert.equal(
    store.list().map((one) => one.case),
    [NAME, 'vms-00000000'],
  );
  assert.ok(store.has(NAME));
  assert.not.ok(store.has('other-00000000'));
});

test('a case that is broken is listed with its problem, and left as it is', () => {
  const home = folder();
  const store = openCaseStore(layout(home));
  const at = (name: string) => join(home, 'ai/escalations', name);
  store.writeSummary(summary());
  for (const name of ['a-1', 'b-1', 'c-1', 'Odd Name']) mkdirSync(at(name));
  writeFileSync(join(at('a-1'), 'summary.json'), '{"version":1');
  writeFileSync(join(at('b-1'), 'summary.json'), JSON.stringify(summary()));
  symlinkSync(at(NAME), at('link-1'));
  assert.equal(
    store.list().map((one) => `${one.case}: ${'problem' in one ? one.problem : one.summary.state}`),
    [
      'Odd Name: its folder has a name that no case has',
      'a-1: summary.json is not what a case has',
      `b-1: summary.json is that of the case ${NAME}`,
      'c-1: summary.json is missing',
      `${NAME}: open`,
    ],
  );
  assert.equal(readdirSync(at('a-1')), ['summary.json']);
});

test('no name leads out of the folder, neither to write nor to read', () => {
  const home = folder();
  const store = openCaseStore(layout(home));
  store.writeSummary(summary());
  writeFileSync(join(home, 'case_v1.md'), 'outside');
  for (const name of ['..', '../..', '.', '', '/etc', 'a/b', `${NAME}/..`, '../../x', 'a\0']) {
    assert.throws(() => store.write(name, 1, 'x'), /is not the name of a case/);
    assert.throws(() => store.writePatch(name, 'x'), /is not the name of a case/);
    assert.throws(() => store.writeResponse(name, {}), /is not the name of a case/);
    assert.throws(() => store.writeSummary(summary({ case: name })), /is not the name of a case/);
    assert.throws(() => store.folder(name), /is not the name of a case/);
    assert.is(store.read(name), undefined);
    assert.not.ok(store.has(name));
    assert.equal(store.texts(name), []);
  }
  assert.equal(readdirSync(join(home, 'ai')), ['escalations']);
});

test('nothing is made before something is written, and a disk that refuses is told', () => {
  const home = folder();
  const store = openCaseStore(layout(home));
  store.list();
  store.texts(NAME);
  assert.not.ok(existsSync(join(home, 'ai')));
  writeFileSync(join(home, 'ai'), 'a file');
  assert.match(
    refusal(() => store.write(NAME, 1, 'x')),
    /^E_STATE_UNWRITABLE /,
  );
});

test('a case closes when its stage is green, whether the stage was asked for or is only needed', async () => {
  const home = homelab({ talos: { command: 'true' }, apps: { command: 'true', needs: ['talos'] } });
  await run(home);
  openCaseStore(layout(home)).writeSummary(summary());
  const { trail, events } = await run(home, { stages: ['apps'] });
  assert.not(
    trail.some((line) => line.endsWith(' talos')),
    'nobody asked for it',
  );
  assert.equal(
    events.flatMap(({ type, stage, data }) => (type === 'case.closed' ? [[stage, data.case, data.reason]] : [])),
    [['talos', NAME, 'the stage is green']],
  );
});

test.run();
