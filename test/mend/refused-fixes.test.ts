// Answers that must not reach the tree: refused with a code, told back, and nothing is changed.
import { chmodSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { failuresIn, run } from '../run/homelab.ts';
import { FILE, fixTrail, mendable, probe as probeOf, probePlugin, says, stageOn } from '../run/probe.ts';
import { git, read, write } from '../worktree/repository.ts';

const note = { fix: 'A change', reason: 'A reason' };
const edit = (path: string, text: string) => ({ files: { [path]: text }, note });
const diff = (path: string, ...lines: string[]) => ({
  answer: `\`\`\`diff\n--- a/${path}\n+++ b/${path}\n@@ -1,2 +1,2 @@\n${lines.join('\n')}\n\`\`\`\n`,
});

const KUSTOMIZATION = 'resources:\n  - one.yaml\n  - two.yaml\n';
const RUN = '#!/usr/bin/env bash\nset -eu\ngrep -q good conf/a.txt\n';
const FILES = {
  'conf/verify.sh': '#!/usr/bin/env bash\nset -eu\ngrep -q good conf/a.txt\n',
  'conf/run.sh': RUN,
  'conf/kustomization.yaml': KUSTOMIZATION,
  'conf/one.yaml': 'a: 1\n',
  'conf/two.yaml': 'a: 2\n',
  'conf/secret.enc': 'bad\n',
  'elsewhere.txt': 'bad\n',
  '.gitattributes': '*.enc filter=crypt\n',
  '.gitignore': '*.ignored\n',
};

const stage = stageOn(FILE, { files: ['conf/', 'out'], verify: ['conf/verify.sh'] });

/** What is answered, and the code it is refused with. */
const HOSTILE: [string, object, string][] = [
  ['a file of another stage', edit('elsewhere.txt', 'good\n'), 'outside'],
  ['the map itself', edit('ai/context_map.yaml', '{}\n'), 'protected'],
  ['a git hook', edit('.git/hooks/pre-commit', 'x\n'), 'protected'],
  ['a way out of the tree', edit('conf/../../x', 'x\n'), 'bad_path'],
  ['an absolute path', edit('/etc/passwd', 'x\n'), 'bad_path'],
  ['a link that leads out', edit('conf/link/x.txt', 'x\n'), 'bad_path'],
  ['the link itself', edit('conf/link', 'x\n'), 'bad_path'],
  ['the script that judges', edit('conf/verify.sh', '#!/usr/bin/env bash\nset -eu\ntrue\n'), 'protected'],
  ['a plugin', edit('plugins/executors/probe.mjs', 'x\n'), 'protected'],
  ['what destroys', edit('conf/run.sh', `${RUN}mkfs.ext4 /dev/sdb\n`), 'destroys'],
  ['a script that does not parse', edit('conf/run.sh', `${RUN}if true; then\n`), 'does_not_parse'],
  ['a file of the owner that git ignores', edit('conf/own.ignored', 'x\n'), 'in_the_way'],
  ['a file that git encrypts', edit('conf/secret.enc', 'good\n'), 'converted'],
  ['two files', { files: { [FILE]: 'good\n', 'conf/one.yaml': 'a: 3\n' }, note }, 'too_many_files'],
  ['a thousand lines', edit(FILE, 'good\n'.repeat(1000)), 'too_many_lines'],
  ['a block without an end', { answer: '```yaml\ngood' }, 'unreadable'],
  ['a copy under another name', edit('conf/run2.sh', FILES['conf/run.sh']), 'missing_file'],
  ['NUL bytes', { answer: 'conf/a.txt\n```\ngo\u0000od\n```\n' }, 'unsafe_text'],
  ['text that is not there', diff(FILE, '-worse', '+good', ' second'), 'not_found'],
];

test('hostile answers are refused with their code, and neither tree nor branch change', async () => {
  const { home, probe, tree, treeStatus, subjects } = mendable({
    ...{ stages: { a: stage }, files: FILES },
    loop: { limits: { executor_tries: 100, day_tries: 1000 } },
  });
  symlinkSync('/tmp', join(home, 'conf/link'));
  git(home, 'add', '.');
  git(home, 'commit', '-q', '-m', 'a link');
  write(home, { 'conf/own.ignored': 'precious\n' });
  for (const [what, answer, code] of HOSTILE) {
    probe.answers(...Array('answer' in answer ? 3 : 1).fill(answer), { throw: 'enough' });
    const ran = await run(home);
    const refused = ran.events.filter(({ type }) => type === 'fix.refused');
    assert.is(refused[0]?.data.code, code, `${what}: ${JSON.stringify(refused[0]?.data)}`);
    assert.is(refused.length, 'answer' in answer ? 3 : 1, what);
    assert.equal([tree(), treeStatus(), subjects()], ['bad\nsecond\n', '', []], what);
  }
});

test('what a stage left where a new file is proposed is neither replaced nor cleaned up', async () => {
  const command = 'echo precious > conf/made.ignored; grep good conf/a.txt';
  const { home, probe, subjects } = mendable({ stages: { a: { command, files: ['conf/'] } }, files: FILES });
  probe.answers(edit('conf/made.ignored', 'x\n'), { throw: 'enough' });
  const { events } = await run(home);
  assert.equal(
    events.filter(({ type }) => type === 'fix.refused').map(({ data }) => [data.code, data.reasons]),
    [
      [
        'in_the_way',
        ['conf/made.ignored: something that git does not hold stands there in ai/worktree; no fix may replace it'],
      ],
    ],
  );
  assert.equal([read(home, 'ai/worktree/conf/made.ignored'), subjects()], ['precious\n', []]);
});

test('a model is told code and reasons, three rounds at most; then the next plugin is asked, and no try is spent twice', async () => {
  const second = probeOf('second');
  const { home, probe } = mendable({
    loop: { executors: ['probe', 'second'] },
    files: { 'plugins/executors/second.mjs': probePlugin('second') },
    more: { second: { folder: second.folder } },
  });
  probe.answers({ answer: '```yaml\nwithout an end' });
  second.answers(says('good'));
  const ran = await run(home);
  assert.equal([ran.exit, probe.asked().length, second.asked().length], [0, 3, 1]);
  assert.equal(
    probe.asked().map(({ refused }) => refused.map(({ code, reasons }) => [code, reasons.length])),
    [
      [],
      [['unreadable', 1]],
      [
        ['unreadable', 1],
        ['unreadable', 1],
      ],
    ],
  );
  assert.equal(second.asked()[0]?.refused, []);
  assert.equal(
    ran.events.filter(({ type }) => type === 'fix.refused').map(({ data }) => [data.plugin, data.round, data.code]),
    [1, 2, 3].map((round) => ['probe', round, 'unreadable']),
  );
});

test('only refusals, from everyone, are a try; one that could not be reached among them does not change that', async () => {
  const second = probeOf('second');
  const { home, probe } = mendable({
    loop: { executors: ['probe', 'second'], limits: { executor_tries: 1 } },
    files: { 'plugins/executors/second.mjs': probePlugin('second') },
    more: { second: { folder: second.folder } },
  });
  probe.answers({ answer: 'Let me think.' });
  second.answers({ throw: 'gone' });
  const ran = await run(home);
  assert.equal([ran.exit, failuresIn(home)[0]?.executor_tries], [3, 1]);
});

test('a diff with chatter around it is placed and taken', async () => {
  const { home, probe, tree } = mendable();
  const { answer } = diff(FILE, '-bad', '+good', ' second');
  probe.answers({ answer: `Sure!\n\nFix: use the right word\nReason: it was wrong\n\n${answer}\nHope that helps.` });
  const ran = await run(home);
  assert.equal([ran.exit, tree()], [0, 'good\nsecond\n'], fixTrail(ran.events).join());
  assert.match(git(home, 'log', '-1', '--format=%B', 'ai/orchestrator-stage1'), /^Mend a: use the right word\n/);
});

test('what a proposal says of itself cannot pass for a trailer, and cannot keep git from taking it', async () => {
  const { home, probe } = mendable();
  const fix = 'Say good\n\nReverts: 0123\nRun: other\u0000\u0001';
  probe.answers({ ...says('good'), note: { fix, reason: 'Because\nStage: b' } });
  const ran = await run(home);
  assert.is(ran.exit, 0);
  const trailers = git(home, 'log', '-1', '--format=%(trailers:only)', 'ai/orchestrator-stage1');
  assert.equal(
    trailers.split('\n').map((line) => line.split(':')[0]),
    ['Stage', 'Fingerprint', 'Class', 'Tier', 'Plugin', 'Attempt', 'Run', 'Patch', 'Fix-Id'],
  );
});

test('a hook that refuses the commit costs one try and is said once; the change comes first when it is mended, and nobody is asked again', async () => {
  const { home, probe, tree } = mendable({ loop: { git: { hooks: true } } });
  const hook = join(home, '.git/hooks/pre-commit');
  write(home, { '.git/hooks/pre-commit': '#!/bin/sh\necho "no fixes on Fridays" >&2\nexit 1\n' });
  chmodSync(hook, 0o755);
  probe.answers(says('good'));
  const ran = await run(home);
  assert.equal([ran.exit, tree(), probe.asked().length], [3, 'bad\nsecond\n', 1]);
  assert.equal(fixTrail(ran.events), ['fix.intended', 'fix.refused git', 'fix.prepared']);
  const [entry] = failuresIn(home);
  assert.equal(
    [entry?.executor_tries, entry?.first?.because, entry?.last_reason?.includes('no fixes on Fridays')],
    [1, 'undone', true],
  );
  assert.is(git(home, 'for-each-ref', 'refs/mendloop/trial'), '');
  rmSync(hook);
  probe.answers({ pass: 'not to be asked' });
  const next = await run(home);
  assert.equal([next.exit, tree(), probe.asked().length], [0, 'good\nsecond\n', 0]);
});

test.run();
