// What stages, models and files are called and say reaches a terminal as text: nothing of it is acted on.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { startOllamaServer } from '../../src/testing/ollama-server.ts';
import { probe as probeIn, probePlugin } from '../run/probe.ts';
import { contextMap, folder, namesIn, scenario } from './scenario.ts';

const OSC = '\u001b]0;taken over\u0007';
const BIDI = '\u202egpj.exe';
const C1 = '\u009b31mred';
const HOSTILE = `${OSC}${BIDI}${C1}\u001b[2Jgone\u001b[31mRED`;
/** Of these only the sequences that erase, move and colour are ours, and those never stand before these words. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not come.
const TAKEN = /\u001b[^[]|[\u0000-\u0006\u0007\u0080-\u009f\u202a-\u202e\u2066-\u2069]|\u001b\[(?:2Jgone|31mRED)/;
const FILE = 'conf/a.txt';
const TEXT = `bad\n# ${HOSTILE}\n`;
const NOTE = { fix: `Say good ${HOSTILE}`, reason: `because ${HOSTILE}` };

/** A stage that says and writes hostile things, and is mended by a plugin with a hostile note. */
function lab(loop: object = {}, host = 'http://127.0.0.1:9') {
  const probe = probeIn('probe', folder());
  const s = scenario({
    'ai/context_map.yaml': contextMap({
      a: { command: ['bash', 'stage.sh'], files: ['conf/'], outputs: { key: `${BIDI}.txt` } },
    }),
    'ai/loop.yaml': JSON.stringify({
      unattended: 'all',
      executors: ['probe'],
      escalations: [],
      plugins: { probe: { folder: probe.folder }, ollama: { model: `llama${HOSTILE}`, host } },
      ...loop,
    }),
    'stage.sh': `printf '%s\\n' "$HOSTILE"; echo "$RANDOM" > tracked/*; echo > "$MENDLOOP_OUT/${BIDI}.txt"
grep -q good conf/* || { echo "Error: $HOSTILE is bad"; printf 'a\\rb\\r\\n'; exit 1; }\n`,
    [`tracked/${BIDI}`]: 'one\n',
    [FILE]: TEXT,
    'plugins/executors/probe.mjs': probePlugin(),
  });
  probe.answers({ files: { [FILE]: TEXT.replace('bad', 'good') }, note: NOTE });
  return { ...s, probe, env: { HOSTILE } };
}

const HERE = (env: Record<string, string>) => ({ tty: 'here' as const, env });

test('on a terminal no command lets through what a stage, a note, a file or a model is named or says', async () => {
  const server = await startOllamaServer();
  const s = lab({ unattended: 'none', executors: ['probe', 'ollama'] }, server.url);
  await s.run([], { env: s.env });
  const [name = ''] = namesIn(s.path('ai/escalations')).filter((one) => one !== '.gitignore');
  const print = s.events().find(({ type }) => type === 'failure.seen')?.data.fingerprint;
  const shown: Record<string, string> = Object.fromEntries(
    await Promise.all(
      [
        ['status'],
        ['explain', String(print)],
        ['logs', 'a'],
        ['cases'],
        ['cases', 'show', name],
        ['doctor'],
        ['validate'],
        ['check-patch', 'nothing', '--stage', HOSTILE],
        ['status', '--json'],
        ['cases', '--json'],
        [HOSTILE],
      ].map(async (args) => [args.join(' '), (await s.run(args, HERE(s.env))).stdout] as const),
    ),
  );
  await server.close();
  for (const [what, text] of Object.entries(shown)) assert.not.match(text, TAKEN, `${what}: ${JSON.stringify(text)}`);
  for (const what of ['status', 'logs a', `cases show ${name}`]) {
    assert.match(shown[what] ?? '', '\\u{202e}gpj.exe', what);
  }
  assert.match(shown['logs a'] ?? '', /a\\u\{d\}b\r?\n/, 'a lone carriage return is seen, a line end is one');
  assert.match(shown['logs a'] ?? '', '\\u{1b}[2JgoneRED', 'colours of tools are left out');
  assert.match(shown.doctor ?? '', /llama .*taken over \\u\{202e\}gpj.exe/, 'the name of a model');
  assert.is(JSON.parse(shown['status --json'] ?? '').home, s.home);
});

test('fixes, get and a run that mends', async () => {
  const s = lab();
  const mended = await s.run([], { tty: true, env: s.env });
  assert.is(mended.exit, 0, mended.stdout);
  const [fixes, diffs, output] = await Promise.all(
    [['fixes'], ['fixes', '--diff'], ['get', 'a.key']].map((args) => s.run(args, HERE(s.env))),
  );
  for (const done of [mended, fixes, diffs, output]) {
    assert.not.match(done?.stdout ?? '', TAKEN, JSON.stringify(done?.stdout));
  }
  assert.match(diffs?.stdout ?? '', '\\u{202e}gpj.exe');
  assert.match(output?.stdout ?? '', '\\u{202e}gpj.exe.txt');
  const piped = await s.run(['get', 'a.key'], { cwd: s.home });
  assert.is(piped.stdout, `${s.path('ai/state/out/a', `${BIDI}.txt`)}\n`, 'a script gets the path as it is');
});

test('a log is raw bytes where it is piped, and with --raw', async () => {
  const s = lab({ executors: [] });
  await s.run([], { env: s.env });
  const [log = ''] = namesIn(s.path('ai/logs/a'));
  const bytes = readFileSync(join(s.path('ai/logs/a'), log), 'utf8');
  assert.ok(bytes.includes(HOSTILE));
  assert.is((await s.run(['logs', 'a'], { cwd: s.home })).stdout, bytes);
  assert.is((await s.run(['logs', 'a', '-f'], { cwd: s.home })).stdout, bytes);
  const raw = await s.run(['logs', 'a', '--raw'], HERE({}));
  assert.is(raw.stdout.replaceAll('\r', ''), bytes.replaceAll('\r', ''));
});

test.run();
