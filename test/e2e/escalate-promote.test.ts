// What promote refuses, through the real entry: it says why and what to do, and neither commits, branches, the status nor a
// byte of the checkout change.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { escalateLab, patch } from './escalate-lab.ts';
import { FILE, stageOn } from './model-lab.ts';
import { AI, contextMap, type Scenario, scenario, tree, until } from './scenario.ts';

const SCRIPT = '#!/usr/bin/env bash\r\nset -eu\r\necho fine\r\n';

/** A mended stage, its fix verified on the AI branch. */
async function mended(): Promise<{ s: Scenario; tip: string }> {
  const s = scenario({
    'ai/context_map.yaml': contextMap({ web: { command: 'stages/web.sh', files: ['stages/'] } }),
    'stages/web.sh': SCRIPT,
  });
  const done = await s.run();
  assert.is(done.exit, 0, done.stdout + done.stderr);
  return { s, tip: s.git('rev-parse', AI) };
}

const here = (s: Scenario) => [
  s.git('for-each-ref', '--format=%(refname) %(objectname)'),
  s.git('rev-parse', 'HEAD'),
  s.git('status', '--porcelain'),
  s.git('-C', 'ai/worktree', 'status', '--porcelain'),
  tree(s.home, ['.git', 'ai']),
];

/** Refused with this code and these words; nothing changed. */
async function refused(s: Scenario, words: string[], exit: number, code: string, ...parts: string[]): Promise<void> {
  const before = here(s);
  const done = await s.run(['promote', ...words]);
  assert.equal([done.exit, done.stdout, done.stderr.split(':')[0]], [exit, '', `error ${code}`], done.stderr);
  for (const part of ['  next:  ', ...parts]) assert.ok(done.stderr.includes(part), `${part} is not in ${done.stderr}`);
  const json = await s.run(['promote', ...words, '--json']);
  assert.equal([json.exit, JSON.parse(json.stdout).error.code], [exit, code]);
  assert.equal(here(s), before, 'nothing changed');
}

test('a checkout of the base with changes that are not committed', async () => {
  const { s, tip } = await mended();
  s.write({ 'ai/loop.yaml': 'escalations: []\n' });
  await refused(s, ['--accept', tip], 2, 'E_PROMOTE_DIRTY', `git -C ${s.home} commit -a`, `git -C ${s.home} stash`);
  s.git('checkout', '-q', '--', 'ai/loop.yaml');
  assert.is((await s.run(['promote', '--accept', tip])).exit, 0);
  await refused(s, ['--accept', tip], 2, 'E_PROMOTE_NOTHING', 'main has all that', 'mendloop fixes');
});

test('a base that changed the same lines: the fix is dropped, and named', async () => {
  const { s, tip } = await mended();
  s.commit({ 'stages/web.sh': SCRIPT.replace('fine', 'better') });
  await refused(s, ['--accept', tip], 2, 'E_PROMOTE_NOTHING', 'main has all that');
  const shown = await s.run(['promote']);
  assert.is(shown.exit, 0);
  assert.match(shown.stdout, '1 fix dropped, for main has another text there');
});

test('another commit than the one that is there, or only a part of its name', async () => {
  const { s, tip } = await mended();
  const old = s.git('rev-parse', 'main');
  await refused(s, ['--accept', tip.slice(0, 12)], 2, 'E_PROMOTE_PART', `mendloop promote --accept ${tip}`);
  await refused(s, ['--accept', old], 2, 'E_PROMOTE_STALE', 'mendloop promote');
  await refused(s, ['--accept', 'f'.repeat(40)], 2, 'E_PROMOTE_STALE', 'mendloop promote');
  await refused(s, ['--accept', 'main; rm -rf /'], 2, 'E_PROMOTE_STALE', 'mendloop promote');
});

test('a fix that is being tried is on no branch, so nothing of it can land', async () => {
  const gate = 'until [ -e "$MENDLOOP_HOME/ai/state/go" ]; do sleep 0.05; done';
  const lab = await escalateLab({
    stages: { a: { ...stageOn(), command: `bash check.sh ${FILE} && { ${gate}; }` } },
    loop: { escalations: ['api'] },
  });
  lab.host.says(patch('good'));
  const run = lab.start([], { env: lab.env });
  await until('the fix is tried', () => lab.events().filter(({ type }) => type === 'attempt.started').length === 2);
  run.kill('SIGKILL');
  await run.done;
  await refused(lab, ['--accept', lab.git('rev-parse', AI)], 2, 'E_PROMOTE_NOTHING', 'nothing to promote');
  lab.write({ 'ai/state/go': '' });
  const next = await lab.mend();
  assert.is(next.exit, 0, next.said);
  assert.match((await lab.run(['promote'])).stdout, 'Say good');
  const accepted = await lab.run(['promote', '--accept', lab.git('rev-parse', AI)]);
  assert.equal([accepted.exit, lab.read(FILE)], [0, 'good\nsecond\n'], accepted.stderr);
});

test('a branch that brings nothing', async () => {
  const s = scenario({ 'ai/context_map.yaml': contextMap({ web: 'true' }) });
  assert.is((await s.run()).exit, 0);
  assert.match((await s.run(['promote'])).stdout, /^nothing to promote: /);
  await refused(s, ['--accept', s.git('rev-parse', AI)], 2, 'E_PROMOTE_NOTHING', 'nothing to promote');
});

test.run();
