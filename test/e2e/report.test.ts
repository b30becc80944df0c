// `report` on a repository in which things really broke: every form, and what it says to those who ask for what is not there.
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { contextMap, scenario } from './scenario.ts';

const mended = scenario({
  'ai/context_map.yaml': contextMap({
    a: { command: 'bash stages/a.sh', files: ['stages/'] },
    b: { command: 'echo token hunter2hunter2; exit 7', needs: ['a'] },
  }),
  'stages/a.sh': 'mkdri -p out\n',
  'ai/loop.yaml': 'executors: [known-fixes]\n',
});

test('what was mended is told with its change, what waits with the command, in every form', async () => {
  await mended.run();
  const text = await mended.run(['report']);
  assert.is(text.exit, 0, text.stderr);
  assert.match(text.stdout, /^ran +1 run +1 partly green$/m);
  assert.match(text.stdout, /^ {2}kept +a .*Run mkdir instead of mkdri/m);
  assert.match(text.stdout, /^ {2}case .*mendloop cases show b-/m);
  assert.match(text.stdout, /^ {2}promote +1 verified fix not on your branch yet +mendloop promote$/m);

  const json = JSON.parse((await mended.run(['report', '--json'])).stdout);
  assert.equal([json.runs.total, json.fixes.length, json.fixes[0].outcome], [1, 1, 'kept']);
  assert.match(json.fixes[0].diff, '-mkdri -p out\n+mkdir -p out');

  const markdown = (await mended.run(['report', '--markdown'])).stdout;
  assert.match(markdown, /^```diff\ndiff --git a\/stages\/a.sh/m);

  const file = join(mended.home, 'report.html');
  const dry = await mended.run(['report', 'last', '--html', file, '--dry-run']);
  assert.equal([dry.stdout, existsSync(file)], [`would write ${file}\n`, false]);
  const wrote = await mended.run(['report', 'last', '--html', file]);
  assert.is(wrote.stdout, `wrote ${file}\n`);
  const page = readFileSync(file, 'utf8');
  rmSync(file);
  assert.match(page, /<svg class="timeline"[\s\S]*<ins class="line add">[\s\S]*mkdir -p out/);
  assert.ok(page.endsWith('</html>\n'));
});

test('what is asked for and not there is one clear error', async () => {
  const [run] = mended.runs();
  const folder = join(mended.home, 'ai');
  for (const [args, message] of [
    [['nothing'], `there is no run "nothing"; the newest are: ${run}`],
    [[run as string, 'more'], 'report takes one run, or none'],
    [['--days', '0'], '--days 0 is not a number of days from 1 to 9999'],
    [['--days', '3', '--since', '2026-01-01'], '--days and --since are two times'],
    [[run as string, '--days', '3'], `a run, or a time: ${run} is a run, and --days a time`],
    [['--since', '2026/1/5'], '--since "2026/1/5" is no date; did you mean 2026-01-05?'],
    [['--since', '31.12.2025'], '--since "31.12.2025" is no date; did you mean 2025-12-31?'],
    [['--since', '2026-02-31'], '--since "2026-02-31" is no date'],
    [['--since', 'yesterday'], '--since "yesterday" is no date'],
    [['--since', '2099-01-01'], '--since 2099-01-01 is still to come'],
    [['--markdown', '--html', 'x'], '--markdown and --html are two reports'],
  ] as const) {
    const done = await mended.run(['report', ...args]);
    assert.equal([done.exit, done.stderr.split('\n')[0]], [2, `error E_USAGE: ${message}`], args.join(' '));
  }
  for (const [path, why] of [
    [join(mended.home, 'no/where.html'), 'its folder is not there'],
    [folder, 'a folder stands there'],
    [join(mended.home, 'stages/a.sh/x'), 'what should be its folder is a file'],
  ] as const) {
    const done = await mended.run(['report', '--html', path]);
    assert.equal(
      [done.exit, done.stderr.split('\n')[0]],
      [2, `error E_FILE_UNWRITABLE: ${path} cannot be written: ${why}`],
    );
  }
});

test('without a run, with one that was cut off, of a newer version, or a map that cannot be read, it says so and goes on', async () => {
  const s = scenario({ 'ai/context_map.yaml': contextMap({ a: 'true' }) });
  const none = await s.run(['report']);
  assert.equal([none.exit, /^there has been no run yet/m.test(none.stdout)], [0, true], none.stdout);
  await s.run();
  const [run] = s.runs();
  const journal = join(s.home, 'ai/state/runs', run as string, 'events.jsonl');
  const lines = readFileSync(journal, 'utf8').trimEnd().split('\n');
  const runFile = join(s.home, 'ai/state/runs', run as string, 'run.json');
  rmSync(runFile);
  writeFileSync(journal, `${lines.slice(0, -1).join('\n')}\n`);
  assert.match((await s.run(['report'])).stdout, /^ran +1 run +1 at work or cut off$/m);
  const later = lines.map((line) => line.replace('"v":1', '"v":2'));
  writeFileSync(journal, `${[...lines.slice(0, 2), ...later.slice(2)].join('\n')}\n`);
  assert.match(
    (await s.run(['report', run as string])).stdout,
    `note: the journal of run ${run} has lines of a newer version of mendloop`,
  );
  s.commit({ 'ai/context_map.yaml': 'stages: [\n' });
  assert.match(
    (await s.run(['report'])).stdout,
    'note: changes, work queue and what is to be promoted are not shown: E_CONFIG',
  );
  assert.not(existsSync(runFile), 'looking writes nothing');
});

test('what is a secret by now is masked in the changes, too', async () => {
  const s = scenario({
    'ai/context_map.yaml': JSON.stringify({
      stages: { a: { command: 'bash stages/a.sh', files: ['stages/'] } },
      carry: ['.env'],
    }),
    'stages/a.sh': '# s3cretValue99\nmkdri -p out\n',
    'ai/loop.yaml': 'executors: [known-fixes]\n',
    '.gitignore': '.env\n',
  });
  s.write({ '.env': 'DB_PASSWORD=another-Value-7\n' });
  await s.run();
  // Only now is it known as one: the text stands in a commit.
  s.write({ '.env': 'DB_PASSWORD=s3cretValue99\n' });
  for (const args of [['--json'], ['--markdown'], ['--html', join(s.home, 'r.html')]]) {
    const done = await s.run(['report', ...args]);
    const shown = args[0] === '--html' ? readFileSync(join(s.home, 'r.html'), 'utf8') : done.stdout;
    assert.match(shown, 'mkdir -p out');
    assert.not.match(shown, 's3cretValue99');
  }
});

test.run();
