import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseItem } from '../../src/backlog/item.ts';
import { readQueue } from '../../src/backlog/queue.ts';
import { acceptItem, mergeTicks, tickEntry, withEntry } from '../../src/backlog/ticks.ts';
import { formatProblem } from '../../src/config/problem.ts';

const ITEM = `# 03: Make the scripts pass shellcheck

A word of the owner's own.

## Scope
- \`scripts/*.sh\`
- config/

## Why
Nobody reads them.

## Steps
- [x] quote the words
- [ ] drop what is unused

## Acceptance
- \`shellcheck scripts/*.sh\` says nothing
- test -d config

## Tests
\`\`\`bash
make check
make lint
\`\`\`

## Limits
- files: 3
- new folders: 1
- programs: jq, yq

## Progress log
- 2026-01-01: looked at it
`;

const problemsOf = (files: Record<string, string>, protect: string[] = []) =>
  readQueue(new Map(Object.entries(files)), protect).problems.map(formatProblem);

test('an item is read by its headings: paths, steps, commands, limits', () => {
  const { item, problems } = parseItem('ai/backlog/03-scripts.md', ITEM);
  assert.equal(problems, []);
  assert.equal(item, {
    number: '03',
    file: 'ai/backlog/03-scripts.md',
    title: 'Make the scripts pass shellcheck',
    scope: ['scripts/*.sh', 'config/'],
    why: 'Nobody reads them.',
    steps: [
      { text: 'quote the words', done: true, line: 12 },
      { text: 'drop what is unused', done: false, line: 13 },
    ],
    acceptance: ['shellcheck scripts/*.sh', 'test -d config'],
    tests: ['make check\nmake lint'],
    limits: { files: 3, new_folders: 1, programs: ['jq', 'yq'] },
    lines: {
      'scripts/*.sh': 5,
      'config/': 6,
      'make check\nmake lint': 21,
      'shellcheck scripts/*.sh': 16,
      'test -d config': 17,
    },
  });
});

test("other people's names for the parts are understood, and the reason that stands beside the scope", () => {
  const text = `# Fix the pool

## Scope & rationale
- \`src/pool.py\`

Tasks were marked as done that had failed.

## Concrete implementation steps
- [ ] look at the state

## Acceptance criteria
- [ ] \`pytest -q\` passes

## Test requirements
- \`pytest tests/pool\`

## Progress log fields
`;
  const { item, problems } = parseItem('plans/07-pool.md', text);
  assert.equal(problems, []);
  assert.equal(item.scope, ['src/pool.py']);
  assert.is(item.why, 'Tasks were marked as done that had failed.');
  assert.equal([item.acceptance, item.tests, item.steps.length], [['pytest -q'], ['pytest tests/pool'], 1]);
});

test('everything that is wrong with a queue is told at once, with its place', () => {
  const good = ITEM.replace('03: ', '');
  const problems = problemsOf(
    {
      'ai/backlog/00-index.md':
        '# Queue\n\n- [ ] [gone](04-gone.md)\n- [ ] [a](01-a.md)\n- [x] 01-b.md\n- [ ] [c](02-c.md)\n- [ ] [p](05-p.md)\n',
      'ai/backlog/01-a.md': good,
      'ai/backlog/01-b.md': good,
      'ai/backlog/02-c.md': '## Scope\n- ai/loop.yaml\n\n## Acceptence\n- Everything works well.\n',
      'ai/backlog/05-p.md': good.replace('config/', 'secret/wipe.sh'),
      'ai/backlog/06-lost.md': good,
    },
    ['secret/wipe.sh'],
  );
  assert.equal(problems, [
    'ai/backlog/00-index.md:3:4: there is no 04-gone.md; there are: 01-a.md, 01-b.md, 02-c.md, 05-p.md, 06-lost.md',
    'ai/backlog/00-index.md:5:4: 01-b.md has the number of 01-a.md',
    'ai/backlog/02-c.md:1:1: no title: begin the file with "# " and what is to be done',
    'ai/backlog/02-c.md:1:1: nothing could accept it: list commands under "## Acceptance" that succeed when it is done',
    "ai/backlog/02-c.md:2:1: ai/loop.yaml reaches ai/, which is nobody's to change but yours",
    'ai/backlog/02-c.md:4:1: no part of an item is called "Acceptence"; did you mean "Acceptance"?',
    'ai/backlog/05-p.md:7:1: scope: secret/wipe.sh reaches secret/wipe.sh, which is protected',
    'ai/backlog/06-lost.md:1:1: not in the index: add "- [ ] [Make the scripts pass shellcheck](06-lost.md)" to it',
  ]);
});

test('a scope that leads out of the repository or into ai/ is a problem, under any spelling', () => {
  const wrong = (scope: string) =>
    problemsOf({
      'ai/backlog/00-index.md': '- [ ] [a](ai/backlog/01-a.md)\n',
      'ai/backlog/01-a.md': ITEM.replace('config/', scope),
    });
  assert.equal(wrong('config/'), [], 'a path of the index may be from the root');
  for (const scope of ['/etc/hosts', '../x', '!a/b', '**/*.md', '**', 'ai', './ai/loop.yaml', '*/loop.yaml'])
    assert.match(wrong(scope).join(), /^ai\/backlog\/01-a\.md:7:1: /, scope);
});

const PLAN = `# 04 Slurm pool must not mark failed tasks as done

## Scope & rationale
- \`src/furu/execution/slurm_pool.py\`
- \`tests/execution/\`

A task is moved to done although the state of its object says failed.

## Concrete implementation steps
- [ ] read the state after each task
- [x] add a folder for failed tasks

## Acceptance criteria
- [ ] A failed task never ends in done.
- [ ] \`uv run pytest tests/execution/test_slurm_pool.py\` passes

## Test requirements
- \`uv run pytest tests/execution\`

## Progress log fields
| Date | Notes |
|---|---|
`;

test('a plan of the kind that people keep for agents is read without a complaint: README, index, numbered files', () => {
  const files = new Map([
    ['plans/fix-v2/README.md', '# Fix v2\n\n- [ ] read this\n'],
    [
      'plans/fix-v2/00-index.md',
      '# Master checklist\n\n- [ ] 04 Pool state (`plans/fix-v2/04-pool-state.md`)\n- [x] [05 Waits](./05-waits.md)\n',
    ],
    ['plans/fix-v2/04-pool-state.md', PLAN],
    ['plans/fix-v2/05-waits.md', PLAN.replace('04 Slurm pool must', 'Waits must')],
  ]);
  const { items, problems } = readQueue(files, [], 'plans/fix-v2');
  assert.equal(problems, []);
  assert.equal(
    items.map(({ number, title, done, acceptance, steps }) => [
      number,
      title.slice(0, 10),
      done,
      acceptance,
      steps.length,
    ]),
    [
      ['04', 'Slurm pool', false, ['uv run pytest tests/execution/test_slurm_pool.py'], 2],
      ['05', 'Waits must', true, ['uv run pytest tests/execution/test_slurm_pool.py'], 2],
    ],
  );
});

test('two writers of one file: the text is the owner’s, ticks and log entries are of both, each once', () => {
  const ours = acceptItem(ITEM, '2026-01-02: done by the loop');
  const owners = ITEM.replace('Nobody reads', 'Everybody reads')
    .replace('- [ ] drop', '- [ ] look again\n- [ ] drop')
    .concat('- 2026-01-02: a word of the owner\n');
  const merged = mergeTicks(owners, ours);
  assert.is(merged, owners.replace('- [ ] drop', '- [x] drop').concat('- 2026-01-02: done by the loop\n'));
  assert.is(mergeTicks(merged, ours), merged);
  const index = '- [ ] [a](01-a.md)\n- [x] [b](02-b.md)\n';
  assert.is(
    mergeTicks('- [ ] [new](03-n.md)\n- [ ] [b, said otherwise](02-b.md)', index),
    '- [ ] [new](03-n.md)\n- [x] [b, said otherwise](02-b.md)',
  );
});

test('ticks and entries change nothing else, whatever the ends of lines', () => {
  for (const end of ['\n', '\r\n']) {
    const text = ITEM.replaceAll('\n', end);
    const after = acceptItem(text, '2026-01-02: done');
    const expected = ITEM.replace('- [ ] drop', '- [x] drop').replace(
      'looked at it\n',
      'looked at it\n- 2026-01-02: done\n',
    );
    assert.is(after, expected.replaceAll('\n', end));
    assert.is(acceptItem(after, '2026-01-02: done'), after, 'an entry is written once');
    const index = `# Queue${end}${end}- [ ] [a](01-a.md) and more${end}- [ ] [b](02-b.md)`;
    const ticked = tickEntry(index, '02-b.md', true);
    assert.is(ticked, index.replace('[ ] [b]', '[x] [b]'));
    assert.is(tickEntry(ticked, '02-b.md', false), index);
  }
  assert.is(withEntry('# A\n\ntext', 'x'), '# A\n\ntext\n\n## Progress log\n\n- x\n');
  assert.is(withEntry('# A\n\n## Progress log\n\n## Notes\n', 'x'), '# A\n\n## Progress log\n\n- x\n\n## Notes\n');
});

test.run();
