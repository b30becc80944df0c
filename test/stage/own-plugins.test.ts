// The owner's plugins are those of a commit, whatever lies in the folder.
import { existsSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseLoopConfig } from '../../src/config/parse.ts';
import { layout as layoutOf } from '../../src/io/layout.ts';
import { PACKAGE_ROOT } from '../../src/io/package.ts';
import { isPackage, pluginsAt } from '../../src/stage/own-plugins.ts';
import { commit, git, refusal, repository, write } from '../worktree/repository.ts';

const plugin = (name: string, pass: string) =>
  `export default { name: '${name}', propose: async () => ({ pass: '${pass}' }) };\n`;

function loop(settings: object) {
  const parsed = parseLoopConfig(JSON.stringify(settings), 'ai/loop.yaml');
  if (!parsed.ok) throw new Error(JSON.stringify(parsed));
  return parsed.value;
}

const says = async (home: string, at: string) => {
  const { executors } = await pluginsAt(layoutOf(home), at, loop({ executors: ['mine'] }));
  return executors[0]?.hooks.propose?.({});
};

test('each commit has its own: neither edits nor later commits change what an earlier one loads', async () => {
  const home = repository({ 'plugins/executors/mine.mjs': plugin('mine', 'first') });
  const first = git(home, 'rev-parse', 'HEAD');
  write(home, { 'plugins/executors/mine.mjs': 'not even JavaScript' });
  assert.equal(await says(home, first), { pass: 'first' });
  const second = commit(home, { 'plugins/executors/mine.mjs': plugin('mine', 'second') });
  assert.equal([await says(home, second), await says(home, first)], [{ pass: 'second' }, { pass: 'first' }]);
});

test('what somebody wrote into the unpacked folder is never imported', async () => {
  const home = repository({ 'plugins/executors/mine.mjs': plugin('mine', 'reviewed') });
  const at = git(home, 'rev-parse', 'HEAD');
  const unpacked = `ai/state/plugins/${at}/plugins/executors`;
  write(home, {
    [`${unpacked}/mine.mjs`]: plugin('mine', 'slipped in'),
    [`${unpacked}/mine.ts`]: plugin('mine', 'too'),
  });
  assert.equal(await says(home, at), { pass: 'reviewed' });
  assert.equal(readdirSync(join(home, unpacked)), ['mine.mjs']);
});

test('a plugin may import what lies beside it in that commit', async () => {
  const home = repository({
    'plugins/executors/mine.mjs': `import { pass } from '../lib/words.mjs';\n${plugin('mine', 'x').replace("'x'", 'pass')}`,
    'plugins/lib/words.mjs': "export const pass = 'from beside';\n",
  });
  assert.equal(await says(home, git(home, 'rev-parse', 'HEAD')), { pass: 'from beside' });
});

test('a link is no plugin, and one that is not committed is none either', async () => {
  const home = repository({ 'plugins/other.txt': '' });
  write(home, { 'outside.mjs': plugin('mine', 'outside') });
  symlinkSync('../outside.mjs', join(home, 'plugins/mine.mjs'));
  git(home, 'add', 'plugins/mine.mjs');
  git(home, 'commit', '-q', '-m', 'a link');
  const { text, exit } = await refusal(says(home, git(home, 'rev-parse', 'HEAD')));
  assert.match(text, 'mine: named under executors, but it does not ship and is not in');
  assert.is(exit, 2);
});

test('nothing is unpacked for those who name no plugin of their own', async () => {
  const home = repository({ 'plugins/executors/mine.mjs': plugin('mine', 'x') });
  const loaded = await pluginsAt(layoutOf(home), git(home, 'rev-parse', 'HEAD'), loop({}));
  assert.equal(
    loaded.executors.map(({ name }) => name),
    ['known-fixes', 'ollama'],
  );
  assert.not(existsSync(join(layoutOf(home).state, 'plugins')));
});

test('everything that is wrong with all of them is told at once', async () => {
  const home = repository({
    'plugins/executors/one.mjs': 'export default {',
    'plugins/executors/two.mjs': 'export default { name: "two" };\n',
  });
  const { text } = await refusal(
    pluginsAt(layoutOf(home), git(home, 'rev-parse', 'HEAD'), loop({ executors: ['one', 'two', 'three'] })),
  );
  for (const name of ['one: ', 'two: ', 'three: ']) assert.match(text, name);
  assert.equal(readdirSync(join(layoutOf(home).state, 'plugins')).length, 1);
});

test('whether a repository is the running package is told by its real place', async () => {
  const home = repository();
  symlinkSync(PACKAGE_ROOT, join(home, 'link'));
  assert.equal(
    [await isPackage(home), await isPackage(PACKAGE_ROOT), await isPackage(join(home, 'link'))],
    [false, true, true],
  );
});

test.run();
