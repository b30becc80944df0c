// Everything that leaves goes through src/io/egress: no other module can open a connection or start a program that would.
import { readdirSync } from 'node:fs';
import { dirname, join, normalize, resolve } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { folder, write } from '../environment.ts';
import { type Uses, usesOf } from './source-uses.ts';

const ROOT = `${resolve(import.meta.dirname, '../..')}/`;

/** What reads, computes or draws, and reaches nobody. A new package is written here only after a look at what it can do. */
const HARMLESS = new Set([
  ...[
    'buffer',
    'crypto',
    'events',
    'fs',
    'fs/promises',
    'os',
    'path',
    'path/posix',
    'perf_hooks',
    'process',
    'readline',
  ],
  ...['readline/promises', 'stream', 'stream/promises', 'string_decoder', 'timers', 'timers/promises', 'tty', 'url'],
  ...[
    'util',
    'vm',
    'zlib',
    'chalk',
    'diff',
    'get-east-asian-width',
    'fastest-levenshtein',
    'picomatch',
    'smol-toml',
    'yaml',
    'zod',
  ],
]);

/** Who may do more, and why. */
const MAY: Readonly<Record<string, readonly string[]>> = {
  // The one connection: to addresses that were looked at.
  'src/io/egress/guarded-request.ts': ['dns', 'http', 'https', 'net'],
  // Only with the fetch that it is given, which is the one above.
  'src/io/egress/ollama-chat.ts': ['ollama'],
  // The one start of a program that talks to a model.
  'src/io/egress/model-command.ts': ['child_process'],
  // Looks whether a port or an address of `verify` answers; sends nothing of ours.
  'src/io/probe.ts': ['net', 'fetch'],
  // Asks the system for a port that is free on loopback, for the demo's registry.
  'src/io/scratch.ts': ['net'],
  // Listens where its owner says, for the page; what the page answers is put together in serve/app.ts.
  'src/io/http-server.ts': ['@hono/node-server'],
  'src/serve/app.ts': ['hono', 'hono/streaming'],
  // Listens on loopback, for tests.
  'src/testing/loopback.ts': ['http', 'https'],
  // Asks itself, as a phone would.
  'src/testing/ntfy-server.ts': ['fetch'],
  // The thread that judges, and the grammar it reads with: a file beside it.
  'src/io/gate/gate.ts': ['worker_threads'],
  'src/io/gate/worker.ts': ['worker_threads'],
  'src/io/gate/grammar.ts': ['module', 'v8', 'web-tree-sitter'],
  // Stages, checks and diagnostics, as their owner wrote them.
  'src/io/command.ts': ['child_process'],
  // A run that goes on when the page is closed.
  'src/io/start-detached.ts': ['child_process'],
  // What they say, copied into a file.
  'src/io/relay.ts': ['child_process'],
  // What a model asked to see, of an allow list that only reads; a socket only to read from its pipe.
  'src/io/run-diagnostic.ts': ['net'],
  // git, ps, and what STARTS names: shellcheck, the versions of tools, gh with a text that is masked.
  'src/io/git.ts': ['child_process'],
  'src/io/git-objects.ts': ['child_process'],
  'src/io/identity.ts': ['child_process'],
  'src/io/program.ts': ['child_process'],
  'src/io/simple-git.ts': ['simple-git'],
  // Runs in a browser, and asks only the page that sent it: the page's policy lets it ask nobody else.
  'src/serve/page.js': ['fetch', 'EventSource'],
  // Loads the plugins of the owner.
  'src/plugin/bare-imports.mjs': ['module'],
  'src/plugin/import-plugin.ts': ['computed import'],
};

/** Only plugins ask, through their door: they are given what is masked already. */
const ASKS = /^src\/(?:model\.ts$|model\/|io\/egress\/)/;
/** Who may start a program by its name. */
const STARTS = new Set([
  'src/io/shell-check.ts',
  'src/inspect/doctor.ts',
  // bash, asked which words it knows.
  'src/inspect/validate.ts',
  'src/promote/pull-request.ts',
  // crontab and systemctl, with lines that its owner was shown.
  'src/cron/schedulers.ts',
  // Slurm's programs, and the job that proves the share.
  'src/slurm/client.ts',
  'src/backend/probe.ts',
]);
/** All of src that a plugin may use. */
const FOR_PLUGINS = 'src/model.ts';

/** Every use that is not allowed, one line each. */
function violations(found: ReadonlyMap<string, Uses>): string[] {
  return [...found].flatMap(([file, { imports, globals, computed }]) => {
    const outside = imports.filter((name) => !name.startsWith('.')).map((name) => name.replace(/^node:/, ''));
    const used = [...outside, ...globals, ...(computed ? ['computed import'] : [])];
    const powers = used.filter((name) => !HARMLESS.has(name) && !MAY[file]?.includes(name));
    const inside = imports.filter((name) => name.startsWith('.')).map((name) => normalize(join(dirname(file), name)));
    const reached = inside.filter(
      (path) =>
        (path.startsWith('src/io/egress/') && !ASKS.test(file)) ||
        (path === 'src/io/program.ts' && !STARTS.has(file)) ||
        (file.startsWith('plugins/') && path.startsWith('src/') && path !== FOR_PLUGINS) ||
        // Whoever else took what the door offers would go out by it.
        (path === FOR_PLUGINS && !file.startsWith('plugins/')),
    );
    return [...powers, ...reached].map((name) => `${file}: ${name}`);
  });
}

test('only the modules named here reach the network or start programs', async () => {
  const files = ['src', 'plugins'].flatMap((top) =>
    readdirSync(join(ROOT, top), { recursive: true, encoding: 'utf8' })
      .map((path) => `${top}/${path}`)
      .filter((path) => /\.[cm]?[jt]s$/.test(path)),
  );
  const found = await usesOf(ROOT.replace(/\/$/, ''), files);
  assert.ok(files.length > 100 && [...found.values()].every(({ imports }) => Array.isArray(imports)));
  assert.equal(violations(found), []);
  // A permission that nobody needs any more is taken back.
  const idle = Object.entries(MAY).flatMap(([file, powers]) => {
    const { imports = [], globals = [], computed = false } = found.get(file) ?? {};
    const used = [...imports.map((name) => name.replace(/^node:/, '')), ...globals, computed ? 'computed import' : ''];
    return powers.filter((power) => !used.includes(power)).map((power) => `${file}: ${power}`);
  });
  assert.equal(idle, []);
});

const PLANTED: readonly [string, string[]][] = [
  ["import { connect } from 'node:net';\nconnect(1);", ['net']],
  ["import { connect } from 'net';\nconnect(1);", ['net']],
  ["import * as tls from 'node:tls';\ntls.connect(1);", ['tls']],
  ["import dgram from 'node:dgram';\ndgram.createSocket('udp4');", ['dgram']],
  ["import 'node:http2';", ['http2']],
  ["export { lookup } from 'node:dns';", ['dns']],
  ["export * from 'node:dns/promises';", ['dns/promises']],
  ["const { request } = await import('node:https');\nrequest('x');", ['https']],
  ["const http = require('node:http');\nhttp.get('x');", ['http']],
  ["import { request } from 'undici';\nrequest('x');", ['undici']],
  ["import axios from 'axios';\naxios('x');", ['axios']],
  ["import { Ollama } from 'ollama/browser';\nnew Ollama();", ['ollama/browser']],
  ["import { spawn } from 'node:child_process';\nspawn('x');", ['child_process']],
  ["import { $ } from 'zx';\n$`curl x`;", ['zx']],
  ["import { createRequire } from 'node:module';\ncreateRequire('/')('net');", ['module']],
  ["import cluster from 'node:cluster';\ncluster.fork();", ['cluster']],
  ["import { Worker } from 'node:worker_threads';\nnew Worker('x');", ['worker_threads']],
  ["await fetch('http://x');", ['fetch']],
  ["globalThis.fetch('http://x');", ['globalThis']],
  ["const all = global;\nall['fetch']('http://x');", ['global']],
  ["new WebSocket('ws://x');", ['WebSocket']],
  ["new EventSource('http://x');", ['EventSource']],
  ["process.binding('tcp_wrap');", ['process.binding']],
  ["const { getBuiltinModule } = process;\ngetBuiltinModule('net');", ['computed import']],
  ["const name = 'node:' + 'net';\nawait import(name);", ['computed import']],
  ["const name = 'net';\nrequire('node:' + name);", ['computed import']],
  ["eval('1');", ['eval']],
  ["new Function('return 1')();", ['Function']],
  ["import { postJson } from '../io/egress/post-json.ts';\npostJson('x');", ['src/io/egress/post-json.ts']],
  ["import { postJson } from '../model.ts';\npostJson('x');", ['src/model.ts']],
  // What only looks like it.
  ["import type { Socket } from 'node:net';\nexport type S = Socket;", []],
  ["// fetch('x')\nexport const text = 'fetch(1); import(\"node:net\")';", []],
  ['const fetch = (x: number) => x;\nexport const one = fetch(1);', []],
];

test('each way out is seen when it is planted, and what only looks like one is not', async () => {
  const dir = folder();
  const name = (i: number) => `src/planted/f${i}.ts`;
  write(dir, Object.fromEntries(PLANTED.map(([text], i) => [name(i), text])));
  const found = await usesOf(
    dir,
    PLANTED.map((_, i) => name(i)),
  );
  for (const [i, [text, expected]] of PLANTED.entries()) {
    const told = violations(new Map([[name(i), found.get(name(i)) as Uses]]));
    assert.equal(
      told,
      expected.map((power) => `${name(i)}: ${power}`),
      text,
    );
  }
});

test('a plugin starts no program and uses nothing of src but its door', async () => {
  const dir = folder();
  write(dir, {
    'plugins/a.mjs': "import { runInGroup } from '../src/io/command.ts';\nrunInGroup();",
    'plugins/b.ts': "import { exec } from 'child_process';\nexec('x');",
    'plugins/c.ts': "import { postJson } from '../src/io/egress/post-json.ts';\npostJson('x');",
    'plugins/d.ts': "import { postJson } from '../src/model.ts';\npostJson('x');",
  });
  assert.equal(violations(await usesOf(dir, ['plugins/a.mjs', 'plugins/b.ts', 'plugins/c.ts', 'plugins/d.ts'])), [
    'plugins/a.mjs: src/io/command.ts',
    'plugins/b.ts: child_process',
    'plugins/c.ts: src/io/egress/post-json.ts',
  ]);
});

test.run();
