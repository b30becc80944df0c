// `uninstall` takes away what the loop made, and nothing else: the repository is as before the first run.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { AI, contextMap, type Scenario, scenario, tree } from './scenario.ts';

/** A stage that is mended once, a carried secret that nothing else ignores, and what git says of it all. */
async function used(): Promise<{ s: Scenario; before: object }> {
  const s = scenario({
    'ai/context_map.yaml': contextMap({ a: { command: './a.sh', files: ['a.sh'] } }, { carry: ['.env', 'notes'] }),
    'a.sh': '#!/bin/bash\r\nset -e\r\necho works\r\n',
    '.gitignore': '/notes\n',
  });
  s.write({ '.env': 'TOKEN=abcdefgh12345678\n', notes: 'mine\n' });
  const before = traces(s);
  const ran = await s.run();
  assert.is(ran.exit, 0, ran.stdout + ran.stderr);
  return { s, before };
}

const traces = (s: Scenario) => ({
  files: Object.fromEntries(Object.entries(tree(s.home)).filter(([path]) => !path.startsWith('.git/'))),
  config: s.git('config', '--local', '--list'),
  branches: s.git('branch', '--list', '--format=%(refname)'),
  exclude: readFileSync(join(s.home, '.git/info/exclude'), 'utf8'),
  worktrees: s.git('worktree', 'list').split('\n').length,
});

test('without --yes it only lists; with --branch --yes the repository is as it was, but for a line that hides a secret', async () => {
  const { s, before } = await used();
  const during = traces(s);
  const [asked, dry] = [await s.run(['uninstall']), await s.run(['uninstall', '--dry-run'])];
  assert.equal([asked.exit, dry.exit], [2, 0]);
  assert.match(asked.stderr, `leaves the branch ${AI} with 1 commit that main does not have`);
  assert.match(dry.stdout, 'removes ai/worktree/\nremoves ai/state/\n');
  assert.equal(traces(s), during, 'nothing was touched');
  const done = await s.run(['uninstall', '--branch', '--yes']);
  assert.is(done.exit, 0, done.stderr);
  assert.match(done.stdout, 'left /.env in .git/info/exclude: nothing else keeps that file out of git');
  assert.not.match(done.stdout, 'removed the line /.env of');
  const { exclude, ...rest } = traces(s);
  const { exclude: first, ...others } = before as typeof during;
  assert.equal(rest, others);
  assert.is(exclude, `${first}/.env\n`);
  assert.is((await s.run(['uninstall', '--yes'])).stdout, 'there is nothing of mendloop here to take away\n');
});

test('the AI branch stays unless it is asked for, and a later run begins anew from there', async () => {
  const { s } = await used();
  s.write({ 'ai/logs/mine.md': 'kept by hand\n' });
  s.git('add', '--force', 'ai/logs/mine.md');
  const done = await s.run(['uninstall', '--yes']);
  assert.match(done.stdout, `left the branch ${AI} with 1 commit that main does not have`);
  assert.match(done.stdout, 'left ai/logs/, which has files that you committed');
  assert.equal([s.has('ai/logs/mine.md'), s.has('ai/state'), s.has('ai/worktree')], [true, false, false]);
  assert.is(s.git('branch', '--list', AI, '--format=%(refname:short)'), AI);
  const again = await s.run();
  assert.is(again.exit, 0, again.stdout + again.stderr);
  assert.ok(existsSync(s.path('ai/worktree/a.sh')));
});

test.run();
