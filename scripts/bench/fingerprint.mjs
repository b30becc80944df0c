#!/usr/bin/env node
// How fast a failure is known from a large log, against taking its last lines and against reading all of it; and what the
// command needs in memory for a log of 1 GB.
import { closeSync, openSync, readFileSync, rmSync, statfsSync, statSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import '../typescript.mjs';
import { bench, compare, ENTRY, run, scratch, short, sideBySide } from './measure.mjs';

const { identifyFrom, WINDOWS } = await import('../../src/failure/fingerprint.ts');
const { readTail } = await import('../../src/io/files.ts');

const BYTES = 200_000_000;
const HUGE = 1_000_000_000;
const SPARE = 300_000_000;
const ROUNDS = 9;
const CALLS = 20;
const INPUT = { stage: 'talos', ended: { exit_code: 1, signal: null, timed_out: false }, rules: [] };

/** What the tools of a homelab print while nothing is wrong; the number is another one each time. */
const CHATTER = [
  (n) =>
    `2026-11-10T06:${two(n)}:${two(n * 7)}.${n % 1000}Z INFO reconciling kustomization apps-${n % 40}, revision main@sha1:${hex(n)}`,
  (n) => `TASK [proxmox : create guest ${100 + (n % 900)}] ${'*'.repeat(40)}`,
  (n) => `ok: [pve${n % 9}] => (item=vm-${n % 300})`,
  (n) =>
    `Get:${n} http://mirror.home.arpa/debian bookworm/main amd64 package-${n % 5000} all 1.${n % 90} [${n % 900} kB]`,
  (n) => `waiting for node cp${n % 5} (10.0.${n % 4}.${n % 250}) to be ready, ${n % 600} s`,
  (n) => `deployment.apps/web-${n % 70} configured`,
  (n) => `I1110 06:${two(n)}:00.${n % 100000} 1 controller.go:${n % 900}] synced default/pod-${hex(n).slice(0, 8)}`,
  (n) =>
    `{"level":"info","ts":${1_762_000_000 + n},"msg":"applied","object":"ConfigMap/settings-${n % 99}","took":"${n % 400}ms"}`,
  (n) => `\u001b[32m✔\u001b[0m module.vm["cp${n % 5}"].proxmox_vm.this: Refreshing state... [id=pve1/qemu/${n % 999}]`,
  (n) => `downloading talos-amd64.iso ${'#'.repeat(n % 40)} ${n % 100}%\rdownloading talos-amd64.iso ${n % 100}%`,
];
const FAILURE = `+ talosctl apply-config --nodes 10.0.0.11 --file cp1.yaml
error applying new configuration: rpc error: code = Unavailable desc = connection error: dial tcp 10.0.0.11:50000: i/o timeout
cleaning up
removed 3 temporary files
`;

await bench('fingerprint', async () => {
  if (process.platform !== 'linux') throw new Error('peak memory is read from /proc, which only Linux has');
  const { bavail, bsize } = statfsSync(scratch);
  const wanted = BYTES * 2 + HUGE + SPARE;
  if (bavail * bsize < wanted)
    throw new Error(`${gb(bavail * bsize)} free where temporary files go, ${gb(wanted)} needed`);
  const [log, vague, huge] = ['log', 'vague', 'huge'].map((name) => join(scratch, name));
  makeLog(log, BYTES, FAILURE);
  makeLog(vague, BYTES, 'done with what there was to do\n');

  const took = await sideBySide(
    {
      command: timed(process.execPath, [ENTRY, 'fingerprint', log, '--stage', 'talos', '--exit-code', '1']),
      node: timed(process.execPath, ['--eval', '0']),
      tail: timed('bash', ['-c', `tail -n 100 '${log}' | md5sum`]),
      whole: timed('bash', ['-c', `cat '${log}' > /dev/null`]),
      call: () => identified(log, 'strong'),
      worst: () => identified(vague, 'plain'),
    },
    { rounds: ROUNDS },
  );
  const { command, node, tail, whole, call, worst } = took;
  for (const path of [log, vague]) rmSync(path);
  makeLog(huge, HUGE, FAILURE);
  const { ms, peakMb } = await peakOf(huge);
  const speed = (ms) => BYTES / 1e3 / ms;
  return {
    rows: [
      compare(
        'the command, tail | md5sum',
        'ms',
        command.ms,
        tail.ms,
        `(ours ${command.range.ms}; node alone ${short(node.ms)} ms)`,
      ),
      compare('the command, reading all', 'MB/s', speed(command.ms), speed(whole.ms), '(file size / time)'),
      compare('the call, tail | md5sum', 'ms', call.ms, tail.ms, `(ours ${call.range.ms})`),
      compare('the call, reading all', 'MB/s', speed(call.ms), speed(whole.ms), '(file size / time)'),
      alone('the call, bytes it read', call),
      alone('no clear error, bytes it read', worst),
      ['the command, log of 1 GB', `ours ${short(ms)} ms`, '', '', `peak ${short(peakMb)} MB (target < 150 MB)`],
    ],
    notes: [
      `a log of ${BYTES / 1e6} MB with ${CHATTER.length} kinds of lines and its error near the end; median of ${ROUNDS} rounds`,
      'peers: tail -n 100 LOG | md5sum, and cat LOG > /dev/null; both from the page cache, as ours',
      `no clear error: the first ${WINDOWS[0]} bytes from the end are not enough, and ${WINDOWS[1]} are looked at`,
    ],
  };
});

/** Nothing else looks at so few bytes so closely: without a peer. */
function alone(name, { read, ms }) {
  return [name, `ours ${short(read / 1e3 / ms)} MB/s`, '', '', `(${read} bytes in ${short(ms)} ms)`];
}

function two(n) {
  return String(n % 60).padStart(2, '0');
}

function hex(n) {
  return ((n * 2_654_435_761) % 2 ** 32).toString(16).padStart(8, '0').repeat(5);
}

function gb(bytes) {
  return `${(bytes / 1e9).toFixed(1)} GB`;
}

/** Writes a log of at least `size` bytes that ends in `last`. */
function makeLog(path, size, last) {
  const fd = openSync(path, 'w');
  let [written, n] = [0, 0];
  while (written < size - last.length) {
    let block = '';
    while (block.length < 4_000_000) block += `${CHATTER[n % CHATTER.length](n++)}\n`;
    written += writeSync(fd, block);
  }
  writeSync(fd, last);
  closeSync(fd);
  if (statSync(path).size < size) throw new Error(`the log has ${statSync(path).size} of ${size} bytes`);
}

function timed(program, args) {
  return async () => ({ ms: (await run(program, args, { cwd: scratch })).ms });
}

/** One call in this process, from the log to the failure: how long it took, and how many bytes it read. */
function identified(log, grade) {
  let read = 0;
  const end = (bytes) => {
    read += bytes;
    return readTail(log, bytes);
  };
  const began = performance.now();
  for (let i = 0; i < CALLS; i++) {
    const failure = identifyFrom(end, INPUT);
    if (failure.grade !== grade) throw new Error(`expected a ${grade} failure, found ${JSON.stringify(failure)}`);
  }
  return { ms: (performance.now() - began) / CALLS, read: read / CALLS };
}

/** The most memory that the command had, told by itself at its end, and its time. */
async function peakOf(log) {
  const report = join(scratch, 'peak.txt');
  const hook = join(scratch, 'peak.mjs');
  writeFileSync(
    hook,
    `import { readFileSync, writeFileSync } from 'node:fs';
process.on('exit', () => writeFileSync(${JSON.stringify(report)}, readFileSync('/proc/self/status', 'utf8')));
`,
  );
  const { ms } = await run(process.execPath, ['--import', hook, ENTRY, 'fingerprint', log], { cwd: scratch });
  const kib = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(report, 'utf8'))?.[1];
  if (kib === undefined) throw new Error('the peak memory was not told');
  return { ms, peakMb: (Number(kib) * 1024) / 1e6 };
}
