import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { systemClock } from '../../src/io/clock.ts';
import { type DiagnosticRequest, EndsOfOutput, runDiagnostic } from '../../src/io/run-diagnostic.ts';
import { folder } from '../environment.ts';
import { fc } from '../sweep.ts';

/** Whether a process still runs; one that only waits to be seen dead does not. */
const runs = (pid: number): boolean =>
  existsSync(`/proc/${pid}/stat`) && !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));

const run = (command: DiagnosticRequest['command'], more: Partial<DiagnosticRequest> = {}) =>
  runDiagnostic(
    {
      ...{ command, cwd: folder(), env: { PATH: process.env.PATH ?? '', GREETING: 'hello' }, timeoutMs: 20_000 },
      ...{ signal: new AbortController().signal, graceMs: 300, ...more },
    },
    systemClock,
  );

test('a string is run by bash as written, a list without a shell', async () => {
  const shell = await run('echo "$GREETING" | tr a-z A-Z');
  assert.equal(
    { ...shell, ms: 0 },
    { command: 'echo "$GREETING" | tr a-z A-Z', ended: 'exit code 0', output: 'HELLO\n', cut: false, ms: 0 },
  );
  const list = await run(['echo', '$GREETING', 'a;b', "it's"]);
  assert.is(list.output, "$GREETING a;b it's\n");
  assert.is(list.command, `echo '$GREETING' 'a;b' 'it'\\''s'`);
});

test('both outputs come in order, stdin is empty, and the exit code or signal is told', async () => {
  const all = await run('echo one; echo two >&2; cat; echo three; exit 7');
  assert.is(all.output, 'one\ntwo\nthree\n');
  assert.is(all.ended, 'exit code 7');
  assert.is((await run('kill -SEGV $$')).ended, 'ended by SIGSEGV');
});

test('a script may write to /dev/stderr and /dev/stdout, and the first part that fails ends it', async () => {
  const all = await run('echo one > /dev/stderr; echo two > /dev/stdout; false; echo three');
  assert.equal([all.output, all.ended], ['one\ntwo\n', 'exit code 1']);
});

test('what cannot be started is how it ended, not an error', async () => {
  const missing = await run(['no-such-tool-here', 'get']);
  assert.is(missing.ended, 'exit code 127');
  assert.match(missing.output, 'no-such-tool-here');
  assert.match((await run('true', { cwd: '/no/such/folder' })).ended, /^could not be started: /);
  assert.match((await run(['echo', 'a\0b'])).ended, /^could not be started: /);
});

test('at its deadline all of it ends: who ignores TERM, and who left for a session of their own', async () => {
  const dir = folder();
  const began = performance.now();
  const script = `trap '' TERM; (trap '' TERM; echo $BASHPID > ${dir}/child; sleep 60) & setsid bash -c 'echo $$ > ${dir}/away; sleep 60' & echo started; sleep 60; sleep 60`;
  const ended = await run(script, { timeoutMs: 600 });
  assert.is(ended.ended, 'stopped after 0.6 s');
  assert.is(ended.output, 'started\n');
  assert.ok(performance.now() - began < 6000);
  for (const name of ['child', 'away']) assert.not.ok(runs(Number(readFileSync(join(dir, name), 'utf8'))), name);
});

test('what it leaves in the background is ended too, and does not hold the answer', async () => {
  const dir = folder();
  const began = performance.now();
  const ended = await run(`(sleep 30; touch ${dir}/late) & setsid sleep 31 & echo $! > ${dir}/pid; echo done`);
  assert.is(ended.ended, 'exit code 0');
  assert.is(ended.output, 'done\n');
  assert.ok(performance.now() - began < 5000);
  assert.not.ok(runs(Number(readFileSync(join(dir, 'pid'), 'utf8'))));
  assert.not.ok(existsSync(join(dir, 'late')));
});

test('a stop of the run ends it at once', async () => {
  const stop = new AbortController();
  const running = run('sleep 60', { signal: stop.signal });
  await sleep(200);
  stop.abort();
  assert.is((await running).ended, 'stopped: the run is stopping');
  assert.is((await run('echo x', { signal: stop.signal })).ended, 'not started: the run is stopping');
});

test('an output without end is stopped, and only its ends are kept', async () => {
  const before = process.memoryUsage().rss;
  const flood = await run('echo first; yes "a line of the flood"', { timeoutMs: 30_000 });
  assert.is(flood.ended, 'stopped after 32 MB of output');
  assert.ok(flood.cut);
  assert.ok(flood.output.length < 33 * 1024, String(flood.output.length));
  assert.match(flood.output, /^first\na line of the flood\n/);
  assert.match(flood.output, /\n… \(\d{8,} bytes not shown\)\na line/);
  assert.ok(process.memoryUsage().rss - before < 100 * 1024 * 1024);
});

test('what is cut is cut at lines: first and last stay', async () => {
  const long = await run('seq 1 20000');
  assert.match(long.output, /^1\n2\n3\n/);
  assert.match(long.output, /\n19999\n20000\n$/);
  const [above = '', below = ''] = long.output.split(/\n… \(\d+ bytes not shown\)\n/);
  const whole = execFileSync('seq', ['1', '20000'], { encoding: 'utf8' });
  assert.ok(whole.startsWith(`${above}\n`) && whole.endsWith(`\n${below}`), 'no line is a part of another');
});

test('no word is cut in two, however long the only line is, and short outputs stay whole', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 1, max: 9000 }), { maxLength: 40 }),
      fc.constantFrom(' ', '\n', '","'),
      (sizes, between) => {
        const words = sizes.map((size, i) => `<${i}${'x'.repeat(size)}>`);
        const text = words.join(between);
        const ends = new EndsOfOutput();
        for (let at = 0; at < text.length; at += 1000) ends.add(Buffer.from(text.slice(at, at + 1000)));
        const { text: kept, cut } = ends.read();
        if (text.length <= 32 * 1024) return !cut && kept === text;
        const shown = kept.split(/[\s",]+/).filter((word) => word.includes('x'));
        return cut && kept.length <= 33 * 1024 && shown.every((word) => words.includes(word));
      },
    ),
  );
});

test.run();
