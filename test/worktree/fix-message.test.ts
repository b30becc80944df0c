// The story of a fix as its commit tells it.

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Fix } from '../../src/events.ts';
import { fixMessage, revertMessage } from '../../src/worktree/fix-message.ts';

const FIX: Fix = {
  ...{ stage: 'vms', step: 'vms', fingerprint: 'f'.repeat(16), hash: 'a'.repeat(16), commit: 'c'.repeat(40) },
  ...{ paths: ['conf/a.txt'], tier: 'executor', plugin: 'probe', note: { fix: 'Say good', reason: 'It was bad' } },
};
const story = (fix: string, reason = 'It was bad') => ({
  ...FIX,
  ...{ note: { fix, reason }, class: 'unknown', attempt: 2, run: 'r1' },
});

test('subject, what and why, trailers', () => {
  assert.is(
    fixMessage(story('Say good')),
    `Mend vms: Say good

Fix: Say good
Reason: It was bad

Stage: vms
Fingerprint: ffffffffffffffff
Class: unknown
Tier: executor
Plugin: probe
Attempt: 2
Run: r1
Patch: aaaaaaaaaaaaaaaa
Fix-Id: 8f20ab39d2cb9ff2
`,
  );
});

test('a forge does nothing because of what a model wrote', () => {
  const text =
    'Fixes #12, closes GH-7, see lab/home#3 and https://x.y/a/b/issues/9, !4; thanks @anna [skip ci] [CI skip]';
  const [subject, , fix] = fixMessage(story(text)).split('\n');
  assert.is(
    fix,
    'Fix: Fixes # 12, closes GH- 7, see lab/home# 3 and https://x.y/a/b/issues/ 9, ! 4; thanks @ anna skip ci CI skip',
  );
  assert.not.match(subject ?? '', /#\d/);
  assert.match(fixMessage(story('use root@host and pkg@1.2, c# code')), 'use root@host and pkg@1.2, c# code');
});

test('taking it back names the commit and why', () => {
  assert.is(
    revertMessage(FIX, 'the same failure again', 'r2'),
    `Take back: Say good

This takes back ${FIX.commit}: the same failure again.

Stage: vms
Fingerprint: ffffffffffffffff
Patch: aaaaaaaaaaaaaaaa
Run: r2
Reverts: ${FIX.commit}
Outcome: declined
`,
  );
});

test('a note is bounded, of one line, and without what git refuses', () => {
  const message = fixMessage(story(`Say\n\nReverts: x\u0000\u001b[31m ${'long '.repeat(2000)}`, 'a\r\nb\tc'));
  const lines = message.split('\n');
  assert.ok((lines[0] as string).length <= 72);
  assert.ok((lines[2] as string).length <= 2010);
  assert.match(lines[2] as string, /^Fix: Say Reverts: x \[31m long/);
  assert.is(lines[3], 'Reason: a b c');
  assert.is(lines.length, 15);
});

test.run();
