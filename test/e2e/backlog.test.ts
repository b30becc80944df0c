// The work queue through the real entry: items are taken in order, changed within their scope, and ticked when commands accept them.
import { existsSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { needs } from '../needs.ts';
import { cutOff, journalIn } from '../run/homelab.ts';
import { type Lab, modelLab, saying, stageOn, whole } from './model-lab.ts';
import { AI, until } from './scenario.ts';

const item = (title: string, scope: string, steps: readonly string[], acceptance: string, more = '') =>
  `# ${title}\n\nOf the owner.\n\n## Scope\n- \`${scope}\`\n\n## Steps\n${steps.map((step) => `- [ ] ${step}`).join('\n')}\n\n## Acceptance\n- \`${acceptance}\`\n${more}\n## Progress log\n`;

const QUEUE = {
  'ai/backlog/00-index.md':
    '# Queue\n\n- [ ] [true already](01-true.md)\n- [ ] [comma](02-comma.md)\n- [ ] [two steps](03-two.md)\n- [ ] [third time](04-third.md)\n- [ ] [never](05-never.md)\n',
  'ai/backlog/01-true.md': item('True already', 'conf/', ['nothing'], 'test -d conf'),
  'ai/backlog/02-comma.md': item('Mend the comma', 'x.json', ['drop it'], 'jq . x.json'),
  'ai/backlog/03-two.md': item(
    'Two files say good',
    'conf/{b,c}.txt',
    ['b says good', 'c says good'],
    'grep -qx good conf/b.txt && grep -qx good conf/c.txt',
    '\n## Tests\n- `test -s conf/b.txt`\n',
  ),
  'ai/backlog/04-third.md': item('The third answer', 'conf/d.txt', ['d says good'], 'bash check.sh conf/d.txt'),
  'ai/backlog/05-never.md': item('Impossible', 'conf/e.txt', ['e says good'], 'bash check.sh conf/e.txt; false'),
  'x.json': '{"a": 1,}\n',
  'conf/b.txt': 'bad\n',
  'conf/c.txt': 'bad\n',
  'conf/d.txt': 'bad\nsecond\n',
  'conf/e.txt': 'bad\nsecond\n',
};

/** What a model says of each item that known fixes leave. */
function answerOf() {
  let asked = 0;
  return (prompt: string) => {
    asked += 1;
    if (prompt.includes('Two files say good')) {
      return prompt.includes('b says good') && !lab?.inTree('conf/b.txt').startsWith('good')
        ? whole('good\n', 'conf/b.txt', 'Say good in b')
        : whole('good\n', 'conf/c.txt', 'Say good in c');
    }
    if (prompt.includes('The third answer'))
      return saying(third++ < 2 ? `bad${third}` : 'good', 'second', 'conf/d.txt');
    return saying(`worse${asked}`, 'second', 'conf/e.txt');
  };
}
let third = 0;
let lab: Lab | undefined;

needs('jq')('five items: one true, three done, one stuck with its case; every tick has its command', async () => {
  lab = await modelLab({ word: 'good', stages: { a: stageOn() }, files: QUEUE, loop: { escalations: ['case-file'] } });
  third = 0;
  lab.answers(answerOf());
  const checked = await lab.run(['backlog', 'check']);
  assert.equal([checked.exit, checked.stdout], [0, 'ok: 5 items\n']);
  const done = await lab.guarded(() => (lab as Lab).run(['backlog', 'run'], { env: (lab as Lab).env }));
  assert.is(done.exit, 3, done.said);
  assert.equal(
    lab.subjects().filter((subject) => !/worse|Take back|bad/.test(subject)),
    [
      'Tick 01: True already',
      'Mend item-02: Drop the trailing comma in x.json',
      'Tick 02: Mend the comma',
      'Mend item-03: Say good in b',
      'Mend item-03: Say good in c',
      'Tick 03: Two files say good',
      'Mend item-04: Say good',
      'Tick 04: The third answer',
    ],
  );
  const listed = JSON.parse((await lab.run(['backlog', '--json'])).stdout) as { items: { state: string }[] };
  assert.equal(
    listed.items.map(({ state }) => state),
    ['done', 'done', 'done', 'done', 'stuck'],
  );
  const log = lab.git('log', '--format=%s%n%(trailers:key=Item,valueonly)', '--name-only', `main..${AI}`);
  assert.match(log, /Mend item-03: Say good in c\n03\n+conf\/c\.txt\n/, 'a change is one commit of its paths alone');
  const index = lab.git('show', `${AI}:ai/backlog/00-index.md`);
  assert.is(index, QUEUE['ai/backlog/00-index.md'].replaceAll(/\[ \] \[(?!never)/g, '[x] [').trim());
  const two = lab.git('show', `${AI}:ai/backlog/03-two.md`);
  assert.match(two, /- \[x\] b says good\n- \[x\] c says good/);
  assert.match(two, /: Say good in b \([0-9a-f]{12}\); Say good in c \([0-9a-f]{12}\); accepted by `grep -qx good/);
  assert.equal(lab.inTree('conf/e.txt'), 'bad\nsecond\n', 'what was not accepted is undone');
  const asked = lab.server.chats.length;
  const again = await lab.run(['backlog', 'run'], { env: lab.env });
  assert.equal(
    [again.exit, lab.server.chats.length],
    [3, asked],
    'nothing is asked or done twice, and one is stuck still',
  );
});

test('an item whose tests fail before the first change is not begun', async () => {
  const files = {
    'ai/backlog/00-index.md': '- [ ] [one](01-one.md)\n- [ ] [two](02-two.md)\n',
    'ai/backlog/01-one.md': item('One', 'conf/', ['do'], 'false', '\n## Tests\n- `test -e nowhere`\n'),
    'ai/backlog/02-two.md': item('Two', 'conf/', ['do'], 'true'),
  };
  const s = await modelLab({ word: 'good', files });
  const done = await s.guarded(() => s.run(['backlog', 'run'], { env: s.env }));
  assert.equal([done.exit, s.server.chats.length, s.subjects()], [1, 0, ['Tick 02: Two']], done.said);
  assert.match(done.said, /test failed with exit 1: test -e nowhere/, 'a test that says nothing is named');
});

test('where base and loop wrote into one file of the queue, the text is the base’s, ticks and log are both’s', async () => {
  const one = item('One', 'conf/', ['do'], 'true');
  const s = await modelLab({
    word: 'good',
    files: { 'ai/backlog/00-index.md': '- [ ] [one](01-one.md)\n', 'ai/backlog/01-one.md': one },
  });
  assert.is((await s.run(['backlog', 'run'], { env: s.env })).exit, 0);
  const change = (how: string) => {
    s.write({
      'ai/backlog/00-index.md': '- [ ] [one, in other words](01-one.md)\n',
      'ai/backlog/01-one.md': `${one.replace('Of the owner', 'In other words')}\n- 2026-01-01: looked at it\n`,
    });
    s.git('commit', '-qa', ...(how === 'amend' ? ['--amend', '--no-edit'] : ['-m', 'Other words']));
  };
  const expectMerged = async (how: string) => {
    const done = await s.run([], { env: s.env });
    assert.is(done.exit, 0, how + done.stdout + done.stderr);
    assert.is(s.git('show', `${AI}:ai/backlog/00-index.md`), '- [x] [one, in other words](01-one.md)', how);
    const text = s.git('show', `${AI}:ai/backlog/01-one.md`);
    assert.match(
      text,
      /In other words[\s\S]*- \[x\] do[\s\S]*- 2026-01-01: looked at it\n- .*: was true already; acc/,
      how,
    );
    assert.is(text.match(/was true already/g)?.length, 1, how);
  };
  change('commit');
  await expectMerged('merged');
  s.git('reset', '-q', '--hard', 'HEAD^');
  change('amend');
  await expectMerged('made anew from a rewritten base');
  assert.is((await s.run(['backlog', 'run'], { env: s.env })).exit, 0);
  assert.is(s.subjects().filter((subject) => subject.startsWith('Tick')).length, 1, 'it is done, and not done again');
});

test('where no provider can be reached the queue stops: nothing is counted, no case is opened, the item is open as before', async () => {
  const s = await modelLab({
    word: 'good',
    files: {
      'ai/backlog/00-index.md':
        '# Queue\n\nKeep every change small.\n\n- [ ] [one](01-one.md)\n- [ ] [two](02-two.md)\n',
      'ai/backlog/01-one.md': item('One', 'conf/d.txt', ['d says good'], 'bash check.sh conf/d.txt'),
      'ai/backlog/02-two.md': item('Two', 'conf/', ['do'], 'true'),
      'conf/d.txt': 'bad\nsecond\n',
    },
    loop: { escalations: ['case-file'] },
  });
  const off = { ...s.env, OLLAMA_HOST: 'http://127.0.0.1:9' };
  for (const time of ['first', 'second', 'third']) {
    const done = await s.run(['backlog', 'run'], { env: off });
    assert.equal([done.exit, s.subjects()], [1, []], time + done.stdout + done.stderr);
    assert.match(
      done.stdout,
      /item 01 is open as before: nobody could be asked, so the queue stops here\n0 of 2 items done\n$/,
    );
    assert.not.match(done.stdout, /item 02/);
  }
  assert.match((await s.run(['cases'])).stdout, /^no case/, 'no case');
  s.answers(saying('good', 'second', 'conf/d.txt'));
  const done = await s.run(['backlog', 'run'], { env: s.env });
  assert.equal([done.exit, s.subjects().at(-1)], [0, 'Tick 02: Two'], done.stdout);
  assert.match(JSON.stringify(s.server.chats), /For all items: Keep every change small\./);
  const shown = (await s.run(['backlog', 'show', '1'])).stdout;
  assert.match(shown, /\[x\] d says good\n/, 'ticks and log are those of the AI branch');
  assert.match(shown, /log:\n {2}\d{4}-\d\d-\d\d: .*accepted by `bash check/);
  assert.match(shown, /outcomes:\n( {2}.* failed: .*\n)+ {2}.* kept: /);
});

test('the queue stops at the limits of the day, and the next item is not begun', async () => {
  const s = await modelLab({
    word: 'good',
    files: {
      'ai/backlog/00-index.md': '- [ ] [one](01-one.md)\n- [ ] [two](02-two.md)\n',
      'ai/backlog/01-one.md': item('One', 'conf/d.txt', ['do'], 'bash check.sh conf/d.txt'),
      'ai/backlog/02-two.md': item('Two', 'conf/', ['do'], 'true'),
      'conf/d.txt': 'bad\nsecond\n',
    },
    loop: { limits: { day_tries: 1 } },
  });
  s.answers(saying('worse', 'second', 'conf/d.txt'));
  const done = await s.run(['backlog', 'run'], { env: s.env });
  assert.equal([done.exit, s.written()], [1, 1], done.stdout);
  assert.not.match(done.stdout, /item 02/);
  assert.match(done.stdout, /\n0 of 2 items done\n$/);
});

test('after a green run of all stages so many items follow, and nothing of them changes its exit', async () => {
  const files = {
    'ai/backlog/00-index.md': '- [ ] [one](01-one.md)\n- [ ] [two](02-two.md)\n- [ ] [three](03-three.md)\n',
    'ai/backlog/01-one.md': item('One', 'conf/', ['do'], 'true'),
    'ai/backlog/02-two.md': item('Two', 'conf/', ['do'], 'false', '\n## Tests\n- false\n'),
    'ai/backlog/03-three.md': '# Three\n',
  };
  const s = await modelLab({ word: 'good', files, loop: { backlog: { after_green: 1 } } });
  assert.is((await s.mend(['a'])).exit, 0);
  assert.equal(s.subjects(), [], 'only a run of all stages goes on');
  assert.is((await s.mend()).exit, 0);
  assert.equal(s.subjects(), ['Tick 01: One']);
  const unready = await s.mend();
  assert.is(unready.exit, 0);
  assert.match(unready.said, /item 02 is not begun: its tests fail before anything was changed/);
  s.git('rm', '-q', 'ai/backlog/02-two.md');
  s.write({ 'ai/backlog/00-index.md': '- [x] [one](01-one.md)\n- [ ] [three](03-three.md)\n' });
  s.git('commit', '-qam', 'Drop two');
  const broken = await s.mend();
  assert.is(broken.exit, 0);
  assert.match(broken.said, /E_CONFIG[\s\S]*03-three\.md:1:1: nothing could accept it/);
  s.write({ 'conf/a.txt': 'bad\n' });
  s.git('commit', '-qam', 'Break it');
  assert.not.match((await s.mend(['--no-ai'])).said, /item 03/, 'never before the stages');
});

test('what would run a protected file or a wipe script is refused by check, validate and run, with its place', async () => {
  const s = await modelLab({
    word: 'good',
    files: {
      'ai/backlog/00-index.md': '- [ ] [one](01-one.md)\n',
      'ai/backlog/01-one.md': item(
        'One',
        'conf/',
        ['do'],
        'bash tools/wipe_disks.sh',
        '\n## Tests\n- ./secret/run.sh\n',
      ),
      'tools/wipe_disks.sh': '#!/bin/sh\n',
      'secret/run.sh': '#!/bin/sh\n',
    },
    top: { protected_files: ['secret/'] },
  });
  for (const args of [['backlog', 'check'], ['validate'], ['backlog', 'run']]) {
    const { stdout, stderr } = await s.run(args, { env: s.env });
    assert.match(stdout + stderr, /01-one\.md:12:1: acceptance: runs .*a wipe script/, args.join(' '));
    assert.match(stdout + stderr, /01-one\.md:15:1: tests: runs .*a protected file/, args.join(' '));
  }
  assert.is((await s.run(['backlog', 'run'], { env: s.env })).exit, 2);
});

test('an item that is added is one that can be read, whatever its words', async () => {
  const s = await modelLab({ word: 'good' });
  const add = (title: string, accept: string) =>
    s.run(['backlog', 'add', title, '--scope', 'conf/', '--accept', accept]);
  assert.is((await add('say\n## Steps `x` [y](z)', 'test "$(echo `date`)" != ""')).exit, 0);
  assert.is((await add('again', 'true')).exit, 0);
  const checked = await s.run(['backlog', 'check']);
  assert.is(checked.stdout, 'ok: 2 items\n');
  assert.match(s.read('ai/backlog/00-index.md'), /02-again\.md/);
  s.git('add', 'ai/backlog');
  s.git('commit', '-qm', 'Queue');
  assert.is((await s.run(['backlog', 'run'], { env: s.env })).exit, 0);
  assert.match(s.git('show', `${AI}:ai/backlog/00-index.md`), /^- \[x\].*\n- \[x\]/m);
  assert.is((await s.run(['backlog', 'run', '--dry-run'])).stdout, 'would work on none: 2 of 2 items done\n');
});

test('an item whose scope reaches ai/, or that would run a wipe script, is not added', async () => {
  const s = await modelLab({ word: 'good', files: { 'tools/wipe_disks.sh': '#!/bin/sh\n' } });
  const add = (scope: string, accept: string, ...more: string[]) =>
    s.run(['backlog', 'add', 'say', '--scope', scope, '--accept', accept, ...more]);
  const reached = await add('ai/', 'true');
  assert.is(reached.exit, 2);
  assert.match(
    reached.stderr,
    /^error E_CONFIG: .*\n.*ai\/backlog\/01-say\.md:5:1: ai\/ reaches ai\/, which is nobody's/,
  );
  assert.is((await add('**', 'true', '--dry-run')).exit, 2);
  assert.match(
    (await add('conf/', 'bash tools/wipe_disks.sh')).stderr,
    /01-say\.md:15:1: acceptance: runs .*a wipe script/,
  );
  assert.not(existsSync(s.path('ai/backlog')), 'nothing is written');
  const none = await s.run(['backlog', 'run']);
  assert.equal([none.exit, none.stdout], [0, (await s.run(['backlog'])).stdout], 'it says how to begin');
});

needs('jq')(
  'killed in the middle of an item, the next start finishes it: nothing is committed twice, and no tick is missing',
  async () => {
    for (const event of ['fix.committed', 'stage.green']) {
      const s = await modelLab({
        word: 'good',
        files: {
          'ai/backlog/00-index.md': '- [ ] [comma](01-comma.md)\n',
          'ai/backlog/01-comma.md': QUEUE['ai/backlog/02-comma.md'],
          'x.json': '{"a": 1,}\n',
        },
      });
      const started = s.start(['backlog', 'run', '--json'], { env: s.env });
      await until(event, () => started.output().includes(`"type":"${event}"`), 50_000);
      started.kill('SIGKILL');
      await started.done;
      assert.is((await s.run(['backlog', 'run'], { env: s.env })).exit, 0, event);
      const subjects = ['Mend item-01: Drop the trailing comma in x.json', 'Tick 01: Mend the comma'];
      assert.equal(s.subjects(), subjects, event);
    }
  },
);

test('killed between the tick and its event, the next start records the tick, once', async () => {
  const s = await modelLab({
    stages: { a: { command: 'true' } },
    files: {
      'ai/backlog/00-index.md': '- [ ] [one](01-one.md)\n',
      'ai/backlog/01-one.md': item('One', 'conf/', ['do'], 'true'),
    },
  });
  assert.is((await s.run(['backlog', 'run'], { env: s.env })).exit, 0);
  const accepted = () =>
    s.runs().flatMap((run) => journalIn(s.home, run).filter(({ type }) => type === 'item.accepted'));
  const [recorded] = accepted();
  cutOff(s.home, s.runs()[0] as string, ({ type }) => type === 'stage.green');
  assert.is(accepted().length, 0);
  for (const time of ['first', 'second']) {
    assert.is((await s.mend()).exit, 0, time);
    assert.equal(
      accepted().map(({ stage, data }) => [stage, data]),
      [[recorded?.stage, recorded?.data]],
      `${time} start`,
    );
  }
  assert.equal(s.subjects(), ['Tick 01: One']);
});

needs('jq')('a stage that fails with an item runs again without it, and the item is open again', async () => {
  const comma = "grep -q '1,}' x.json";
  const s = await modelLab({
    stages: { a: { command: comma, files: ['x.json'], verify: [comma] } },
    files: {
      'ai/backlog/00-index.md': '- [ ] [comma](01-comma.md)\n',
      'ai/backlog/01-comma.md': QUEUE['ai/backlog/02-comma.md'],
      'x.json': '{"a": 1,}\n',
    },
  });
  assert.is((await s.mend()).exit, 0);
  assert.is((await s.run(['backlog', 'run'], { env: s.env })).exit, 0);
  const done = await s.mend();
  assert.is(done.exit, 0, done.said);
  assert.equal(s.subjects(), []);
  assert.is(s.git('show', `${AI}:ai/backlog/00-index.md`), '- [ ] [comma](01-comma.md)');
});

test.run();
