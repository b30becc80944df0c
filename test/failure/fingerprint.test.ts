import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { AttemptEnd } from '../../src/events.ts';
import type { LogEnd } from '../../src/failure/clean.ts';
import { excerptOf } from '../../src/failure/excerpt.ts';
import { type FailureInput, identify, masksOf, WINDOWS } from '../../src/failure/fingerprint.ts';
import { fc, runs } from '../sweep.ts';
import { cpuTime } from './cpu-time.ts';

const whole = (text: string): LogEnd => ({ text, cut: false });
const end = (more: Partial<AttemptEnd> = {}): AttemptEnd => ({ exit_code: 1, signal: null, timed_out: false, ...more });
const failure = (text: string | undefined, more: Partial<FailureInput> = {}) =>
  identify({ stage: 'vms', ended: end(), log: text === undefined ? undefined : whole(text), ...more });
const print = (text: string | undefined, more: Partial<FailureInput> = {}) => failure(text, more).fingerprint;

/** What goes wrong in a homelab, as it stands at the end of a log; each is a failure of its own. */
const ERRORS = [
  './run.sh: line 12: CLUSTER: unbound variable',
  './run.sh: line 12: talosctl: command not found',
  "cp: cannot stat 'talos.yaml': No such file or directory",
  'bash: ./stages/vms/run.sh: Permission denied',
  'curl: (7) Failed to connect to pve1.lan port 8006 after 3 ms: Connection refused',
  'curl: (22) The requested URL returned error: 404',
  'curl: (22) The requested URL returned error: 503',
  'ssh: connect to host pve1 port 22: Connection timed out',
  'root@pve1: Permission denied (publickey,password).',
  'fatal: unable to access: Could not resolve host: git.lan',
  'Error from server (NotFound): deployments.apps "web" not found',
  'Error from server (Invalid): Service "web" is invalid: spec.ports: Required value',
  'error: timed out waiting for the condition on deployments/web',
  'Error: INSTALLATION FAILED: cannot re-use a name that is still in use',
  'error applying new configuration: rpc error: code = InvalidArgument desc = unknown keys found during decoding:\nmachine:\n    netwrok: {}',
  "TASK ERROR: storage 'nas' is not online",
  'unable to create VM 101 - VM 101 already exists on node "pve1"',
  'Traceback (most recent call last):\n  File "render.py", line 9, in <module>\n    main()\nKeyError: \'nodes\'',
  'Traceback (most recent call last):\n  File "render.py", line 9, in <module>\n    main()\nValueError: no such cluster: blue',
  'panic: nil map\n\ngoroutine 1 [running]:\nmain.main()\n\t/src/lab/main.go:12 +0x25',
  'TypeError: fetch failed\n    at main (check.mjs:4:13) {\n  [cause]: Error: connect ECONNREFUSED 127.0.0.1:8006\n}',
  'Exception in thread "main" java.lang.IllegalStateException: cannot start\n\tat lab.Main.main(Main.java:12)',
  'fatal: [pve2]: FAILED! => {"changed": false, "msg": "No package matching \'qemu-agent\' is available"}',
  '╷\n│ Error: Unsupported argument\n│ \n│   on main.tf line 12:\n│ \n│ An argument named "memroy" is not expected here.\n╵',
  'yaml.scanner.ScannerError: mapping values are not allowed here\n  in "site.yml", line 3, column 9',
  'npm error code E404\nnpm error 404 Not Found - GET https://registry.home.arpa/no-such-pkg - Not found',
  'E: Unable to locate package talosctl',
  "thread 'main' panicked at src/main.rs:12:34:\ncalled `Option::unwrap()` on a `None` value",
];

const anyError = fc.constantFrom(...ERRORS);
const anyPlain = fc.constantFrom('==> stage vms', '+ ./run.sh', 'reading inventory', 'namespace/apps unchanged', '');
const around = fc.array(anyPlain, { maxLength: 6 });
const wrappers = fc.constantFrom([], ['make: *** [Makefile:12: vms] Error 1'], ['exit status 1']);

/** A log with one error in it, as its lines. */
const anyLog = fc
  .tuple(around, anyError, wrappers)
  .map(([lines, error, last]) => [...lines, ...error.split('\n'), ...last]);

test('each of two failures has a fingerprint of its own', () => {
  assert.is(new Set(ERRORS.map((error) => print(error))).size, ERRORS.length);
  for (const error of ERRORS) assert.is(failure(error).grade, 'strong', error);
});

test('a fingerprint is sixteen hexadecimal digits', () => {
  fc.assert(fc.property(fc.string(), (text) => assert.match(print(text), /^[0-9a-f]{16}$/)));
});

test('the same log gives the same answer on any day: these are fixed', () => {
  assert.equal(failure(ERRORS[2]), {
    fingerprint: '6af022b432fe8c70',
    class: 'missing_file',
    transient: false,
    external: false,
    rules: ['file missing'],
    errors: [{ lines: [ERRORS[2] as string], template: ERRORS[2] as string }],
    grade: 'strong',
  });
});

test('property: what was identified before has no part in it', () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.oneof(
          anyLog.map((lines) => lines.join('\n')),
          fc.string(),
        ),
        { minLength: 2 },
      ),
      (texts) => {
        const there = texts.map((text) => failure(text));
        const back = texts.toReversed().map((text) => failure(text));
        assert.equal(back.reverse(), there);
      },
    ),
  );
});

test('property: a clear error is the same with any last green log, even one that has that very error', () => {
  const green = fc.oneof(
    fc.string(),
    anyLog.map((lines) => lines.join('\n')),
    fc.array(fc.oneof(anyError, anyPlain)).map((lines) => lines.join('\n')),
  );
  fc.assert(
    fc.property(anyLog, green, (lines, text) => {
      const log = lines.join('\n');
      const alone = failure(log);
      for (const one of [text, log, `${text}\n${log}`]) assert.equal(failure(log, { green: whole(one) }), alone);
    }),
    runs(50, 5000),
  );
});

const moment = fc
  .tuple(fc.nat(23), fc.nat(59), fc.nat(59))
  .map((parts) => parts.map((n) => `${n}`.padStart(2, '0')).join(':'));
const chatter = fc.oneof(
  fc.tuple(moment, fc.nat()).map(([time, n]) => `2026-05-04T${time}Z INFO  heartbeat seq=${n}`),
  fc.nat().map((n) => `[INFO] kept ${n} layers`),
  fc.nat().map((n) => `level=info msg="lease renewed" holder=${n}`),
  fc.nat().map((n) => `{"level":"info","msg":"tick","n":${n}}`),
  fc.nat(99).map((n) => `pulling ${n - 1}%\rpulling ${n}%`),
  fc.nat(99).map((n) => `[${'#'.repeat(3 + n / 10)}>   ] ${n}%`),
);
const COLOURS = ['\u001b[31m', '\u001b[0m', '\u001b[1;38;5;196m', '\u001b[K', '\u001b[?25l', '\u001b]0;title\u0007'];

/** Puts pieces into a text, each at its place. */
function scattered(text: string, pieces: readonly (readonly [number, string])[]): string {
  const places = pieces.map(([at, piece]) => [at % (text.length + 1), piece] as const);
  return places.sort(([a], [b]) => b - a).reduce((out, [at, piece]) => out.slice(0, at) + piece + out.slice(at), text);
}

test('property: neither the ends of its lines nor colours change a fingerprint', () => {
  const colours = fc.array(fc.tuple(fc.nat(), fc.constantFrom(...COLOURS)), { maxLength: 12 });
  fc.assert(
    fc.property(anyLog, colours, (lines, pieces) => {
      const log = lines.join('\n');
      assert.is(print(lines.join('\r\n')), print(log));
      const coloured = scattered(log, pieces);
      assert.is(print(coloured), print(log), JSON.stringify(coloured));
    }),
    runs(50, 5000),
  );
});

test('property: neither do time stamps in front of each line', () => {
  const styles = fc.constantFrom(
    (time: string) => `2026-05-04T${time}Z `,
    (time: string) => `2026-05-04 ${time},123 `,
    (time: string) => `[${time}] `,
    (time: string) => `May  4 ${time} `,
    (time: string) => `2026/05/04 ${time} `,
  );
  fc.assert(
    fc.property(anyLog, styles, fc.array(moment, { minLength: 1 }), (lines, style, times) => {
      const stamped = lines.map((line, i) => style(times[i % times.length] as string) + line);
      assert.is(print(stamped.join('\n')), print(lines.join('\n')), stamped.join('\n'));
    }),
    runs(50, 5000),
  );
});

test('property: neither do records and progress that other work prints in between', () => {
  fc.assert(
    fc.property(anyLog, fc.array(fc.tuple(fc.nat(), chatter), { maxLength: 8 }), (lines, others) => {
      const mixed = [...lines];
      for (const [at, line] of others) mixed.splice(at % (mixed.length + 1), 0, line);
      assert.is(print(mixed.join('\n')), print(lines.join('\n')), mixed.join('\n'));
    }),
    runs(50, 5000),
  );
});

test('property: neither does a progress bar on the line of the error', () => {
  const bar = fc.array(fc.nat(100), { minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(anyError, bar, (error, steps) => {
      const shown = steps.map((n) => `copying ${n}%\r`).join('');
      assert.is(print(shown + error), print(error), JSON.stringify(shown + error));
    }),
  );
});

test('another exit code, another signal, another stage: another failure', () => {
  fc.assert(
    fc.property(anyLog, fc.uniqueArray(fc.nat(255), { minLength: 2, maxLength: 5 }), (lines, codes) => {
      const log = lines.join('\n');
      const ends = [
        ...codes.map((exit_code) => end({ exit_code })),
        ...['SIGKILL', 'SIGSEGV', 'SIGTERM'].map((signal) => end({ exit_code: null, signal })),
        end({ exit_code: null }),
        end({ timed_out: true }),
      ];
      const prints = ends.flatMap((ended) => [print(log, { ended }), print(log, { ended, stage: 'talos' })]);
      assert.is(new Set(prints).size, prints.length);
    }),
  );
});

test('a timeout is one failure, whatever ended the process at last', () => {
  const ends = [{ exit_code: null, signal: 'SIGTERM' }, { exit_code: null, signal: 'SIGKILL' }, { exit_code: 143 }];
  const prints = ends.map((how) => print(ERRORS[0], { ended: end({ ...how, timed_out: true }) }));
  assert.is(new Set(prints).size, 1);
});

test('the class has no part in a fingerprint', () => {
  const own = { name: 'own', match: /talos/, class: 'talos_error', transient: true, external: true } as const;
  const ours = failure(ERRORS[2], { rules: [own] });
  assert.equal([ours.class, ours.rules, ours.fingerprint], ['talos_error', ['own'], print(ERRORS[2])]);
});

const SILENT: [string, string | undefined][] = [
  ['no log', undefined],
  ['empty log', ''],
  ['only progress', '[####    ] 40%\r[########] 80%\n...........\n'],
  ['no text', Buffer.from([0xff, 0xfe, 0x80, 0x81, 0xc3, 0xff, 0x90, 0x0a, 0xfa, 0xfb, 0xfc]).toString('utf8')],
];

test('logs that say nothing are told apart by why, and by how the attempt ended; their class is unknown', () => {
  const prints = SILENT.flatMap(([why, text]) =>
    [0, 1, 2, 137, null].map((exit_code) => {
      const found = failure(text, { ended: end({ exit_code }) });
      assert.equal([found.silence, found.class, found.errors, found.grade], [why, 'unknown', [], 'nothing']);
      return found.fingerprint;
    }),
  );
  assert.is(new Set(prints).size, prints.length);
});

test('how much of nothing there is makes no difference', () => {
  assert.is(print('\n \n\t\n'), print(''));
  assert.is(print('.....\n'), print('..........\n[##  ] 20%\n'));
  assert.is(failure('x', {}).silence, undefined);
});

test('between weak lines the last green log decides: what it says too is not what went wrong', () => {
  const usual = 'node cp1 is not ready';
  const telling = 'pool tank is unhealthy';
  const log = [telling, ...Array.from({ length: 9 }, (_, i) => `step ${i} is under way`), usual].join('\n');
  const said = (green?: string) =>
    failure(log, green === undefined ? {} : { green: whole(green) }).errors.map((error) => error.template);
  assert.is(failure(log).grade, 'weak');
  assert.equal(said(), [usual]);
  assert.equal(said(`${usual}\nall nodes are up`), [telling]);
  assert.equal(said('all nodes are up'), [usual]);
});

test('a green log that says all of it decides nothing', () => {
  const log = 'pool tank is unhealthy\nnode cp1 is not ready';
  assert.is(print(log, { green: whole(log) }), print(log));
});

test('property: errors that come in another order are the same failure', () => {
  const three = fc.uniqueArray(fc.constantFrom('web', 'db', 'cache', 'dns', 'proxy'), { minLength: 2, maxLength: 3 });
  fc.assert(
    fc.property(
      three.chain((names) => fc.tuple(fc.constant(names), fc.shuffledSubarray(names, { minLength: names.length }))),
      ([names, other]) => {
        const log = (order: string[]) => order.map((name) => `Error: cannot start ${name}`).join('\n');
        assert.is(print(log(other)), print(log(names)));
      },
    ),
  );
});

test('property: whatever the bytes, there is an answer: at most three errors, and a reason when there are none', () => {
  const bytes = fc.uint8Array({ maxLength: 400 }).map((raw) => Buffer.from(raw).toString('utf8'));
  const unicode = fc.string({ unit: 'binary', maxLength: 400 });
  const pieces = fc
    .array(
      fc.oneof(
        anyError,
        chatter,
        bytes,
        unicode,
        fc.constantFrom(...COLOURS, '╷', '│ ', '╵', 'goroutine 1 [running]:'),
      ),
    )
    .map((lines) => lines.join('\n'));
  fc.assert(
    fc.property(fc.oneof(bytes, unicode, pieces), fc.boolean(), fc.oneof(bytes, pieces), (text, cut, green) => {
      const found = failure(undefined, { log: { text, cut }, green: whole(green) });
      assert.ok(found.errors.length <= 3);
      assert.is(found.errors.length === 0, found.silence !== undefined);
      assert.is(found.grade === 'nothing', found.silence !== undefined);
      for (const { lines, template } of found.errors) assert.ok(lines.length > 0 && typeof template === 'string');
    }),
    runs(100, 10000),
  );
});

test('of a long line the end tells too: Go and Ansible put the cause there', () => {
  const go = (end: string) => `Error: apply failed: ${'waiting for the pool to settle, '.repeat(200)}${end}`;
  const ansible = (msg: string) =>
    `fatal: [pve1]: FAILED! => {"changed": false, "stdout": "${'installed one more package; '.repeat(200)}", "msg": "${msg}"}`;
  for (const line of [go, ansible]) {
    const [refused, missing] = ['dial tcp: connection refused', 'a.yaml: no such file or directory'].map((end) =>
      failure(line(end)),
    );
    assert.is(refused?.class, 'network_error');
    assert.is(missing?.class, 'missing_file');
    assert.is.not(refused?.fingerprint, missing?.fingerprint);
    assert.match(
      refused?.errors[0]?.lines[0] ?? '',
      /^(?:Error: apply failed: .* … |fatal: \[pve1\]: FAILED! => ).*connection refused/,
    );
  }
});

test('for people: the first two lines that tell it, or why there are none', () => {
  assert.is(excerptOf(failure('Error: one\nError: two\nError: three')), 'Error: one\nError: two');
  const long = excerptOf(failure(`   Error: ${'long '.repeat(100)}: connection refused`));
  assert.match(long, /^Error: long .{100,} … long .*: connection refused$/);
  assert.ok(long.length <= 200);
  assert.is(excerptOf(failure(`Error: ${'x'.repeat(300)}`)), `Error: ${'x'.repeat(192)}…`);
  assert.is(excerptOf(failure('')), '(empty log)');
});

/** Log → its two lines, where it is no matter of the order alone. */
const EXCERPTS: readonly (readonly [what: string, log: string, lines: string])[] = [
  [
    'the line that names a file of the repository comes first, then what the tool thinks was meant',
    '╷\n│ Error: Reference to undeclared input variable\n│\n│   on vms/main.tf line 22, in resource "vm" "a":\n│   22:   memory = var.memry\n│\n│ An input variable with the name "memry" has not been declared. Did you\n│ mean "memory"?\n╵',
    'on vms/main.tf line 22, in resource "vm" "a":\nAn input variable with the name "memry" has not been declared. Did you mean "memory"?',
  ],
  [
    'where the checkout lies is gone',
    'Error: open /home/me/lab/ai/worktree/apps/web.yaml: no such file or directory',
    'Error: open apps/web.yaml: no such file or directory',
  ],
  [
    'of a long line the last clause that tells a path stays whole',
    `Error: accumulating resources: ${'err: recursed accumulation of a folder: '.repeat(9)}lstat apps/base/web/deploy.yaml: no such file or directory`,
    'Error: accumulating resources: err: recursed accumulation of a folder: err: recursed accumulation of a folder: err: recursed accumulation … lstat apps/base/web/deploy.yaml: no such file or directory',
  ],
  [
    'npm ci: no code, and none of the options that it explains',
    'npm error code EUSAGE\nnpm error\nnpm error `npm ci` can only install packages when both files are in sync.\nnpm error\nnpm error Missing: chalk@5.6.2 from lock file\nnpm error\nnpm error Usage:\nnpm error npm ci\nnpm error Options:\nnpm error [--include <prod|dev|optional|peer>]',
    'npm error `npm ci` can only install packages when both files are in sync.\nnpm error Missing: chalk@5.6.2 from lock file',
  ],
  [
    'ansible without a playbook keeps its host',
    'nas | CHANGED | rc=0 >>\nok\nnuc2 | FAILED | rc=127 >>\n/bin/sh: 1: k3sx: not foundnon-zero return code',
    'nuc2 | FAILED | rc=127 >> /bin/sh: 1: k3sx: not found',
  ],
  [
    'that the command succeeded and only a check failed is said',
    'wrote nothing\nmendloop: verify: test -s out.yaml\nmendloop: verify: test -s out.yaml: exit code 1',
    'the command succeeded; the check `test -s out.yaml` failed (exit code 1)',
  ],
];
for (const [what, log, lines] of EXCERPTS) test(`for people: ${what}`, () => assert.is(excerptOf(failure(log)), lines));

test('the lock of apt is one failure, whoever holds it', () => {
  const log = (holder: string) =>
    `E: Could not get lock /var/lib/dpkg/lock-frontend. It is held by process ${holder}\nN: Be aware of this.\nE: Unable to acquire the dpkg frontend lock, is another process using it?`;
  assert.is(print(log('1234 (unattended-upgr)')), print(log('99 (apt-get)')));
  assert.is(print(log('1234 (unattended-upgr)')), print(log('7')));
});

test('for people: what was masked and why, each once', () => {
  const found = failure('Error: gave up on 10.0.0.5 after 30s\nError: no lease for 10.0.0.5');
  assert.equal(masksOf(found), [
    { mask: 'address', text: '10.0.0.5', why: 'an address that may be given anew' },
    { mask: 'duration', text: '30s', why: 'how long it took' },
  ]);
});

/** So much of a text, repeated, as a log may have that is looked at. */
const much = (piece: string, of = 1) => piece.repeat(Math.ceil((WINDOWS[1] * of) / Buffer.byteLength(piece)));

const HOSTILE: Record<string, string> = {
  ...Object.fromEntries(
    ['a', '0', ' ', ':', '(', '│', '\ufffd', '\u001b', '\u001b[', '\r', '🚀', 'ab12:', 'a: ', 'error: ', '- ', '='].map(
      (piece) => [`one line of ${JSON.stringify(piece)}`, much(piece)],
    ),
  ),
  ...Object.fromEntries(
    ['Error', 'a: ', 'http://', '=', '1.1', '### ', 'ok=1 ', 'downloading ', ' ', '-', '1% ', 'command '].map(
      (piece) => [`long lines of ${JSON.stringify(piece)}`, much(`${piece.repeat(4000 / piece.length)}x\n`)],
    ),
  ),
  ...Object.fromEntries(
    ['╷', '│', 'Error:', 'panic: x', 'Traceback (most recent call last):', ' ^', '', 'Error: a', 'a', 'not ready'].map(
      (piece) => [`lines of ${JSON.stringify(piece)}`, much(`${piece}\n`, 0.25)],
    ),
  ),
  boxes: much('╷\n│ a\n╵\n', 0.5),
  'goroutines after many lines': much('a\n', 0.125) + much('goroutine 1 [running]:\n', 0.125),
  'panics with goroutines': much('panic: x\ngoroutine 1 [running]:\nmain.main()\n\t/a.go:1 +0x1\n', 0.5),
};

for (const [what, text] of Object.entries(HOSTILE)) {
  test(`bounded: ${what} are identified in a moment`, () => {
    const took = cpuTime(() => failure(text));
    assert.ok(took < 1500, `took ${took} ms`);
  });
}

test('what a tool lists of its hosts is one failure, however many they are and in any order', () => {
  const talos = (hosts: readonly string[]) =>
    failure(
      [
        `error applying new configuration: ${hosts.length} error${hosts.length === 1 ? '' : 's'} occurred:`,
        ...hosts.map(
          (host) => `\t* ${host}: rpc error: code = InvalidArgument desc = failed to parse config: missing kind`,
        ),
      ].join('\n'),
    );
  const hosts = Array.from({ length: 8 }, (_, i) => `10.0.0.${i + 1}`);
  const all = [hosts.slice(0, 1), hosts.slice(0, 2), hosts, hosts.toReversed()].map(talos);
  assert.is(new Set(all.map(({ fingerprint }) => fingerprint)).size, 1);
  assert.ok(all[2]?.errors[0]?.lines.includes(`on 8 hosts: ${hosts.join(', ')}`));
  assert.is(talos(['cp1', 'cp2']).fingerprint, talos(['cp3', 'cp2', 'cp1']).fingerprint);
  const two = failure('2 errors occurred:\n\t* 10.0.0.1: rpc error: missing kind\n\t* 10.0.0.2: rpc error: no disk\n');
  const turned = failure(
    '2 errors occurred:\n\t* 10.0.0.2: rpc error: no disk\n\t* 10.0.0.1: rpc error: missing kind\n',
  );
  assert.is(two.fingerprint, turned.fingerprint);
  assert.is.not(two.fingerprint, talos(['10.0.0.1', '10.0.0.2']).fingerprint);
});

test('of more lines than count that say the same behind a name, their order does not choose', () => {
  const log = (names: readonly string[]) => names.map((name) => `${name}: error: disk is not empty`).join('\n');
  const names = ['zeus', 'hera', 'ares', 'gaia', 'eris'];
  assert.is(failure(log(names)).fingerprint, failure(log(names.toReversed())).fingerprint);
});

test.run();
