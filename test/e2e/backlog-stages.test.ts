// Items of the work queue among stages: what breaks a stage goes as a whole, what is not to blame comes back; and items are
// known to every command that knows stages.
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type Lab, modelLab, saying, whole } from './model-lab.ts';
import { AI, folder } from './scenario.ts';

const TWO = `# Two files say good

## Scope
- \`conf/{b,c}.txt\`

## Steps
- [ ] b says good
- [ ] c says good

## Acceptance
- \`cat conf/b.txt conf/c.txt; grep -qx good conf/b.txt && grep -qx good conf/c.txt\`

## Progress log
`;
const FILES = {
  'ai/backlog/00-index.md': '- [ ] [two](01-two.md)\n',
  'ai/backlog/01-two.md': TWO,
  'conf/b.txt': 'bad\n',
  'conf/c.txt': 'bad\n',
};
const MADE = ['Mend item-01: Say good in b', 'Mend item-01: Say good in c', 'Tick 01: Two files say good'];

const reads = (command: string) => ({ a: { command, files: ['conf/b.txt', 'conf/c.txt'], verify: [command] } });

/** Stage `a` is green; then both changes of the item are made, and it is ticked. */
async function accepted(command: string): Promise<Lab> {
  const s = await modelLab({ stages: reads(command), files: FILES });
  assert.is((await s.mend(['--no-ai'])).exit, 0);
  s.answers(() =>
    s.inTree('conf/b.txt') === 'bad\n'
      ? whole('good\n', 'conf/b.txt', 'Say good in b')
      : whole('good\n', 'conf/c.txt', 'Say good in c'),
  );
  const done = await s.run(['backlog', 'run'], { env: s.env });
  assert.equal([done.exit, s.subjects()], [0, MADE], done.stdout);
  return s;
}

const index = (s: Lab) => s.git('show', `${AI}:ai/backlog/00-index.md`);

test('a stage that fails with an item runs again without it: its changes and ticks left the branch, and it is open again', async () => {
  const s = await accepted('grep -qx bad conf/b.txt || { echo "error: b is another"; exit 1; }');
  const done = await s.mend(['--no-ai']);
  assert.is(done.exit, 0, done.said);
  assert.equal(s.subjects(), []);
  assert.is(done.events.filter(({ type }) => type === 'attempt.started').length, 2, 'once with it, once without');
  assert.is(index(s), '- [ ] [two](01-two.md)');
  const ended = done.events.filter(({ type }) => type === 'fix.judged').map(({ data }) => data.outcome);
  assert.equal(ended, ['undone', 'undone', 'broke', 'broke']);
  const listed = JSON.parse((await s.run(['backlog', '--json'])).stdout);
  assert.equal([listed.items[0].state, listed.next], ['open', '01']);
  const told = (await s.run(['status'])).stdout;
  assert.match(told, /item-01 +idle/, told);
});

test('when it fails alike without the item, the branch is as it was, ticks too, and promote waits for the stage', async () => {
  const outside = join(folder(), 'ok');
  writeFileSync(outside, '');
  const s = await accepted(`test -e ${outside} || { echo "error: the thing is gone"; exit 1; }`);
  rmSync(outside);
  const failed = await s.mend(['--no-ai']);
  assert.is(failed.exit, 1, failed.said);
  assert.equal(s.subjects(), MADE);
  assert.is(index(s), '- [x] [two](01-two.md)');
  assert.equal([s.inTree('conf/b.txt'), s.inTree('conf/c.txt')], ['good\n', 'good\n']);
  assert.equal(failed.decided, ['no_ai'], 'the failure goes its way');
  const again = await s.mend(['--no-ai']);
  assert.equal([again.exit, s.subjects()], [1, MADE]);
  const refused = await s.run(['promote', '--accept', s.git('rev-parse', AI)]);
  assert.match(refused.stderr, /\ba\b/);
  assert.is(refused.exit === 0, false);
  writeFileSync(outside, '');
  assert.is((await s.mend(['--no-ai'])).exit, 0);
  const landed = await s.run(['promote', '--accept', s.git('rev-parse', AI)]);
  assert.is(landed.exit, 0, landed.stdout + landed.stderr);
  assert.is(s.read('ai/backlog/00-index.md'), '- [x] [two](01-two.md)\n');
});

test('with an item go later ones on the same files, and all of them are open again', async () => {
  const says = (word: string) =>
    `# Say ${word}\n\n## Scope\n- conf/b.txt\n\n## Acceptance\n- grep -q ${word} conf/b.txt\n`;
  const s = await modelLab({
    stages: reads('grep -qx bad conf/b.txt || { echo "error: b is another"; exit 1; }'),
    files: {
      'conf/b.txt': 'bad\n',
      'ai/backlog/00-index.md': '- [ ] [good](01-good.md)\n- [ ] [better](02-better.md)\n',
      'ai/backlog/01-good.md': says('good'),
      'ai/backlog/02-better.md': says('better'),
    },
  });
  assert.is((await s.mend(['--no-ai'])).exit, 0);
  s.answers(whole('good\n', 'conf/b.txt', 'Say good'), whole('good better\n', 'conf/b.txt', 'Say better'));
  const worked = await s.run(['backlog', 'run'], { env: s.env });
  assert.equal([worked.exit, index(s)], [0, '- [x] [good](01-good.md)\n- [x] [better](02-better.md)'], worked.stdout);
  const done = await s.mend(['--no-ai']);
  assert.is(done.exit, 0, done.said);
  const dropped = done.events.filter(({ type }) => type === 'item.dropped').map(({ stage }) => stage);
  assert.equal(dropped, ['item-01', 'item-02'], 'the later one changed the same file');
  assert.is(index(s), '- [ ] [good](01-good.md)\n- [ ] [better](02-better.md)');
  assert.is(s.inTree('conf/b.txt'), 'bad\n');
});

test('the case of a stuck item can be shown, answered and checked like that of a stage', async () => {
  const files = {
    'ai/backlog/00-index.md': '- [ ] [one](01-one.md)\n- [ ] [two](02-two.md)\n',
    'ai/backlog/01-one.md':
      '# One says good\n\n## Scope\n- `conf/a.txt`\n- `new/`\n\n## Acceptance\n- `bash check.sh conf/a.txt && test -e new/x`\n\n## Limits\n- files: 2\n- new_folders: 1\n',
    'ai/backlog/02-two.md': '# Two\n\n## Scope\n- `conf/`\n\n## Acceptance\n- true\n',
  };
  const s = await modelLab({ files, stages: { z: { command: 'true' } }, loop: { escalations: ['case-file'] } });
  s.answers('Nothing here is mine to change.');
  const { env } = s;
  const stuck = await s.run(['backlog', 'run'], { env });
  assert.is(stuck.exit, 3, stuck.stdout + stuck.stderr);
  const [name = ''] = Object.values(s.ledger().entries).flatMap((entry) => entry.case ?? []);
  assert.match((await s.run(['cases', 'show', name])).stdout, /^item-01 failed/m);
  const answer = `${saying('good')}\n\nnew/x\n\`\`\`\nx\n\`\`\`\n`;
  s.write({ 'answer.md': answer });
  const checked = await s.run(['check-patch', 'answer.md', '--stage', 'item-01']);
  assert.match(checked.stdout, /^the owner would be asked \(new_file\)/m, checked.stdout + checked.stderr);
  const answered = await s.run(['cases', 'answer', name, 'answer.md']);
  assert.is(answered.exit, 0, answered.stdout + answered.stderr);
  const done = await s.run(['backlog', 'run'], { env });
  assert.is(done.exit, 0, done.stdout + done.stderr);
  assert.equal(s.subjects(), ['Tick 02: Two', 'Mend item-01: Say good', 'Tick 01: One says good']);
  assert.is(s.inTree('new/x'), 'x\n');
  for (const command of [['fixes'], ['explain', 'item-01'], ['logs', 'item-01'], ['promote'], ['status']])
    assert.is((await s.run(command)).exit, 0, command.join(' '));
  const [fix = ''] = s.git('log', '--format=%H', '--grep=^Item: 01', '--grep=^Patch', '--all-match', AI).split('\n');
  const rolled = await s.run(['rollback', fix, '--yes']);
  assert.is(rolled.exit, 0, rolled.stdout + rolled.stderr);
  const open = JSON.parse((await s.run(['backlog', '--json'])).stdout);
  assert.is(open.next, '01', 'what a person rolled back is to do again');
  assert.is((await s.run(['--no-ai'], { env })).exit, 0);
  assert.match(s.git('show', `${AI}:ai/backlog/00-index.md`), '- [ ] [one]');
  const landed = await s.run(['promote', '--accept', s.git('rev-parse', AI)]);
  assert.is(landed.exit, 0, landed.stdout + landed.stderr);
});

test('an item that landed and was rolled back is open again, also behind the next run', async () => {
  const s = await accepted('true');
  const state = async () => JSON.parse((await s.run(['backlog', '--json'])).stdout).items[0].state;
  const land = () => s.run(['promote', '--accept', s.git('rev-parse', AI)]);
  assert.is((await s.mend(['--no-ai'])).exit, 0, 'what the item changed is made again');
  assert.is((await land()).exit, 0);
  assert.is(await state(), 'done');
  const [fix = ''] = s.git('log', '--format=%H', '--grep=^Item: 01', '--grep=^Patch', '--all-match', AI).split('\n');
  assert.is((await s.run(['rollback', fix, '--yes'])).exit, 0);
  assert.is((await land()).exit, 0);
  assert.is((await s.mend(['--no-ai'])).exit, 0);
  assert.match(index(s), /^- \[ \] /m);
  assert.is(await state(), 'open');
});

test.run();
