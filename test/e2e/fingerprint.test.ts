// A failure known from its log alone: one for a person, many for a script.
import { execFileSync } from 'node:child_process';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { cases } from '../sweep.ts';
import { runHere } from './here.ts';
import {
  contextMap,
  ENTRY,
  environment,
  folder,
  jsonLines,
  type RunOptions,
  scenario,
  startProcess,
  write,
} from './scenario.ts';

const LOG = `+ curl https://pve1:8006
curl: (7) Failed to connect to pve1 port 8006 after 1203 ms: Connection refused
`;
const KEYS = ['id', 'fingerprint', 'class', 'transient', 'external', 'error_lines', 'templates'];

/** Runs the command in a folder outside of every repository. */
const fingerprint = (args: readonly string[], { stdin }: Pick<RunOptions, 'stdin'> = {}) =>
  runHere(['fingerprint', ...args], outside, environment(), { stdin });

const outside = folder();
write(outside, { log: LOG, green: 'node cp1 is unhealthy\n', 'a folder/x': '' });

const stdinOf = (...lines: unknown[]) =>
  lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n');

test('a log of its own name, stdin, - and a pipe are answered alike, for people, outside of every repository', async () => {
  const piped = ['bash', '-c', `'${process.execPath}' '${ENTRY}' fingerprint --exit-code 7 <(cat log)`];
  const all = await Promise.all([
    fingerprint(['log', '--exit-code', '7']),
    fingerprint(['--exit-code', '7'], { stdin: LOG }),
    fingerprint(['-', '--exit-code=7'], { stdin: LOG }),
    startProcess(piped, { cwd: outside }).done,
  ]);
  const [first] = all;
  assert.equal([first?.exit, first?.stderr], [0, '']);
  for (const done of all) assert.equal(done, first);
  const [head, ...rest] = first?.stdout.split('\n') ?? [];
  assert.match(head ?? '', /^fingerprint [0-9a-f]{16} {2}\(from exit 7, and the templates below\)$/);
  assert.is(
    rest.join('\n'),
    `
error lines
  | curl: (7) Failed to connect to pve1 port 8006 after 1203 ms: Connection refused

templates: the same lines with what changes from run to run masked
  curl: (7) Failed to connect to pve1 port 8006 after <duration>: Connection refused

masked
  1203 ms  duration: how long it took

class network_error, may pass by itself
  by the rule "nobody answers"
`,
  );
});

test('--json answers with what others rely on, and what was masked; stage, exit code and signal are part of who it is', async () => {
  const asked = [[], ['--stage', 'vms'], ['--exit-code', '7'], ['--signal', 'SIGKILL']];
  const all = await Promise.all(asked.map((args) => fingerprint(['log', '--json', ...args])));
  const told = all.map((done) => jsonLines(done.stdout)[0] ?? {});
  assert.equal(Object.keys(told[0] ?? {}), [...KEYS.slice(1), 'masked']);
  assert.equal(told[0]?.masked, [{ mask: 'duration', text: '1203 ms', why: 'how long it took' }]);
  assert.is(new Set(told.map((t) => t.fingerprint)).size, 4);
});

test('the last green log decides between lines that are no clear errors', async () => {
  const stdin = 'disk of cp2 is unhealthy\nnode cp1 is unhealthy\n';
  const [alone, beside] = await Promise.all([
    fingerprint(['--json'], { stdin }),
    fingerprint(['--json', '--last-green', 'green'], { stdin }),
  ]);
  const lines = (done: typeof alone) => jsonLines(done.stdout)[0]?.error_lines;
  assert.equal(lines(alone), ['disk of cp2 is unhealthy', 'node cp1 is unhealthy']);
  assert.equal(lines(beside), ['disk of cp2 is unhealthy']);
});

test('what it cannot read is told with what to do instead', async () => {
  const name = '\n  next:  name a log, or - for stdin\n';
  const cases: [string[], Partial<RunOptions>, string][] = [
    [['none'], {}, `error E_USAGE: there is no file none${name}`],
    [['a folder'], {}, `error E_USAGE: a folder is a folder${name}`],
    [['log', '--last-green', 'none'], {}, `error E_USAGE: there is no file none${name}`],
    [['log', 'log'], {}, 'error E_USAGE: fingerprint reads one log\n  next:  mendloop fingerprint <log>\n'],
    ...['x', '', '-1', '256', '1.5'].map((code): [string[], Partial<RunOptions>, string] => [
      ['log', `--exit-code=${code}`],
      {},
      `error E_USAGE: --exit-code ${code} is not a number from 0 to 255\n  next:  for example: --exit-code 1\n`,
    ]),
  ];
  const all = await Promise.all(cases.map(([args, options]) => fingerprint(args, options)));
  all.forEach((done, i) => void assert.equal(done, { exit: 2, stdout: '', stderr: cases[i]?.[2] }));
  const terminal = await startProcess([process.execPath, ENTRY, 'fingerprint'], { cwd: outside, tty: true }).done;
  assert.is(terminal.exit, 2);
  assert.match(terminal.stdout, 'fingerprint reads a log');
});

test('nothing on stdin, nothing there at all, and bytes that are no text are answered, not refused', async () => {
  const noise = Buffer.from(Array.from({ length: 300_000 }, (_, i) => 128 + ((i * 7919) % 128)));
  const [none, empty, binary] = await Promise.all([
    fingerprint([]),
    fingerprint([], { stdin: '' }),
    fingerprint([], { stdin: noise }),
  ]);
  assert.match(none.stdout, '\n  none: the log is empty\n');
  assert.equal(none, empty);
  assert.match(binary.stdout, '\n  none: the log holds no readable text\n');
  assert.equal([none.exit, binary.exit, none.stderr + binary.stderr], [0, 0, '']);
});

test('--jsonl: one line out for each line in, in order, with these keys in this order', async () => {
  const stdin = stdinOf(
    { id: 'b', stage: 'vms', log: LOG, exit_code: 7 },
    { id: 1, log: LOG, exit_code: 7 },
    { id: 'silent', log: '' },
    { id: 'green', log: 'a is unhealthy\nb is unhealthy', last_green: 'b is unhealthy' },
  );
  const done = await fingerprint(['--jsonl'], { stdin });
  const told = jsonLines(done.stdout);
  assert.equal([done.exit, done.stderr], [0, '']);
  for (const line of told) assert.equal(Object.keys(line), KEYS);
  assert.equal(
    told.map((t) => [t.id, t.class, t.transient, t.external, (t.error_lines as string[]).length]),
    [
      ['b', 'network_error', true, false, 1],
      [1, 'network_error', true, false, 1],
      ['silent', 'unknown', false, false, 0],
      ['green', 'unknown', false, false, 1],
    ],
  );
  const alone = await fingerprint(['log', '--json', '--stage', 'vms', '--exit-code', '7']);
  assert.is(jsonLines(alone.stdout)[0]?.fingerprint, told[0]?.fingerprint);
  assert.is.not(told[0]?.fingerprint, told[1]?.fingerprint, 'the stage is part of it');
});

test('--jsonl: a bad line is answered in its place with what is wrong, the others as ever, and the exit code is 2', async () => {
  const stdin = stdinOf('nonsense', { id: 1, log: LOG }, { log: LOG }, { id: 2, log: 5 }, '', '[]', {
    id: 3,
    log: LOG,
  });
  const done = await fingerprint(['--jsonl'], { stdin });
  assert.is(done.exit, 2);
  const told = jsonLines(done.stdout);
  assert.equal(
    told.map((t) => [t.id, (t.error as { code: string } | undefined)?.code, (t.error as { line: number })?.line]),
    [
      [null, 'E_JSON_LINE', 1],
      [1, undefined, undefined],
      [null, 'E_JSON_LINE', 3],
      [2, 'E_JSON_LINE', 4],
      [null, 'E_JSON_LINE', 5],
      [null, 'E_JSON_LINE', 6],
      [3, undefined, undefined],
    ],
  );
  assert.equal(told[3], { id: 2, error: { code: 'E_JSON_LINE', line: 4, message: 'log: expected a text' } });
  assert.equal(await fingerprint(['--jsonl'], { stdin: '' }), { exit: 0, stdout: '', stderr: '' });
});

test('--jsonl: thousands of lines are answered as they come, each with its id', async () => {
  const count = cases(2_000, 20_000);
  const lines = Array.from({ length: count }, (_, id) =>
    JSON.stringify({ id, log: `Error: no such pool: p${id % 10}` }),
  );
  const done = await fingerprint(['--jsonl'], { stdin: `${lines.join('\n')}\n` });
  const told = jsonLines(done.stdout);
  assert.equal([done.exit, told.length], [0, count]);
  assert.ok(told.every((t, i) => t.id === i));
  assert.is(new Set(told.map((t) => t.fingerprint)).size, 10);
});

test('the rules of ai/loop.yaml in the working tree come first, and one that is not sound is refused', async () => {
  const s = scenario({ 'ai/context_map.yaml': contextMap({ a: 'true' }) });
  s.write({ 'ai/loop.yaml': '{"classify": [{"match": "port 8006", "class": "proxmox_error"}]}', log: LOG });
  const ruled = await s.run(['fingerprint', 'log', '--json']);
  assert.is(jsonLines(ruled.stdout)[0]?.class, 'proxmox_error');
  s.write({ 'ai/loop.yaml': 'classify: [{ match: "(", class: nonsense }]\n' });
  const [text, lines] = await Promise.all([
    s.run(['fingerprint', 'log']),
    s.run(['fingerprint', '--jsonl'], { stdin: stdinOf({ id: 1, log: LOG }) }),
  ]);
  assert.equal([text.exit, lines.exit, text.stdout, lines.stdout], [2, 2, '', '']);
  assert.match(text.stderr, /^error E_CONFIG: .*ai\/loop\.yaml/);
  assert.not(s.has('ai/state'), 'it wrote something');
});

test('a log of a hundred megabytes on stdin is answered as its end alone would be', async () => {
  const made = `{ yes 'a line of a stage that says it over and over again' | head -c 100000000; echo; cat log; }`;
  const line = `${made} | '${process.execPath}' '${ENTRY}' fingerprint --json`;
  const long = execFileSync('bash', ['-c', line], { cwd: outside, encoding: 'utf8' });
  assert.is(long, (await fingerprint(['log', '--json'])).stdout);
});

test.run();
