import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs, {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { formatError } from '../../src/errors.ts';
import { identify } from '../../src/io/identity.ts';
import { layout as layoutOf } from '../../src/io/layout.ts';
import { lockOwner, lockTakenAt, requireLock, runAtWork, takeLock, withLock } from '../../src/io/lock.ts';
import { folder } from '../environment.ts';
import { needs } from '../needs.ts';
import { program } from '../program.ts';

const fresh = () => join(folder(), 'lock.json');
const owner = (more: object) => JSON.stringify({ ...identify(process.pid), since: 'now', command: 'test', ...more });

test('the lock is taken once, and free again after its release', () => {
  const path = fresh();
  const first = takeLock(path, 'a');
  assert.match(readFileSync(path, 'utf8'), /^{\n {2}"pid": \d+,\n/, 'a person can read it');
  const second = takeLock(path, 'b');
  assert.ok(first.taken);
  assert.ok(!second.taken && second.why === 'alive' && second.owner.command === 'a');
  if (first.taken) first.release();
  assert.ok(takeLock(path, 'c').taken);
  assert.ok(takeLock(join(folder(), 'not/yet/lock.json'), 'd').taken);
  assert.equal(readdirSync(join(path, '..')), ['lock.json']);
});

test('its owner has it open for as long as it is held, and no longer', () => {
  const path = fresh();
  const open = () =>
    readdirSync('/proc/self/fd').filter((fd) => {
      try {
        return readlinkSync(`/proc/self/fd/${fd}`).startsWith(path);
      } catch {
        // The one that this list was read by.
        return false;
      }
    }).length;
  const got = takeLock(path, 'a');
  assert.is(open(), 1, 'by this others see that it lives');
  if (got.taken) got.release();
  assert.is(open(), 0);
});

test('a dead owner is recognised: gone pid, reused pid, earlier boot', () => {
  for (const dead of [{ pid: 2 ** 22 - 1 }, { start: '1' }, { boot: 'an earlier boot' }]) {
    const path = fresh();
    writeFileSync(path, owner(dead));
    const got = takeLock(path, 'new');
    assert.ok(got.taken && got.recovered !== 'unreadable' && got.recovered?.command === 'test');
    assert.is(lockOwner(path)?.command, 'new');
    assert.equal(readdirSync(join(path, '..')), ['lock.json']);
  }
});

test("another host's lock is left alone", () => {
  const path = fresh();
  writeFileSync(path, owner({ host: 'elsewhere', pid: 1 }));
  const got = takeLock(path, 'new');
  assert.ok(!got.taken && got.why === 'another host');
  assert.is(lockOwner(path)?.host, 'elsewhere');
});

test('a run is at work unless its lock is gone or its owner is proven dead', () => {
  const layout = layoutOf(folder());
  mkdirSync(layout.state, { recursive: true });
  assert.is(runAtWork(layout), undefined);
  for (const [holder, answer] of [
    [{}, true],
    [{ host: 'elsewhere' }, false],
    [{ start: null }, false],
    [{ pid: 2 ** 22 - 1 }, undefined],
    [{ start: '1' }, undefined],
    [{ boot: 'an earlier boot' }, undefined],
  ] as const) {
    writeFileSync(layout.lock, owner(holder));
    assert.is(runAtWork(layout)?.isCertain, answer, JSON.stringify(holder));
  }
  writeFileSync(layout.lock, 'half a lo');
  assert.is(runAtWork(layout), undefined);
});

test('who holds the lock says whether it is at a run; an older version means one', () => {
  const layout = layoutOf(folder());
  mkdirSync(layout.state, { recursive: true });
  for (const [kind, isRun] of [
    ['run', true],
    ['command', false],
  ] as const) {
    const got = takeLock(layout.lock, 'a', kind);
    assert.is(runAtWork(layout)?.isRun, isRun);
    if (got.taken) got.release();
  }
  writeFileSync(layout.lock, owner({}));
  assert.is(runAtWork(layout)?.isRun, true);
});

test('a release does not remove a lock that has become someone else’s', () => {
  const path = fresh();
  const got = takeLock(path, 'a');
  writeFileSync(path, owner({ host: 'elsewhere' }));
  if (got.taken) got.release();
  assert.ok(existsSync(path));
});

/** What `work` returns, and how each of its pauses ended. */
function withPauses<T>(work: () => T): [T, string[]] {
  const { wait } = Atomics;
  const ends: string[] = [];
  const noted = (...args: Parameters<typeof wait>) => {
    const end = wait(...args);
    ends.push(end);
    return end;
  };
  Atomics.wait = noted as typeof wait;
  try {
    return [work(), ends];
  } finally {
    Atomics.wait = wait;
  }
}

test('a claim on a dead owner that is not proven over ends the tries, and nothing is taken', () => {
  for (const holder of [{ host: 'elsewhere', command: 'claims' }, { command: 'claims' }]) {
    const path = fresh();
    const dead = owner({ pid: 2 ** 22 - 1 });
    writeFileSync(path, dead);
    writeFileSync(`${path}.${createHash('sha256').update(dead).digest('hex').slice(0, 12)}`, owner(holder));
    const began = performance.now();
    const [got, pauses] = withPauses(() => takeLock(path, 'new'));
    assert.ok(!got.taken && got.why === 'cannot tell' && got.owner.command === 'claims');
    const took = performance.now() - began;
    assert.ok(took > 1500 && took < 8000, `${took} ms`);
    assert.equal([...new Set(pauses)], ['timed-out'], 'it sleeps between its tries');
    assert.is(readFileSync(path, 'utf8'), dead);
  }
});

/** Does `work` while the next link() fails as the kernel would say it. */
function withLinkFailing<T>(code: string, work: () => T): T {
  const real = fs.linkSync;
  const restore = () => {
    fs.linkSync = real;
    syncBuiltinESMExports();
  };
  fs.linkSync = (temp) => {
    restore();
    // As when it was swept.
    if (code === 'ENOENT') rmSync(temp);
    throw Object.assign(new Error(code), { code });
  };
  syncBuiltinESMExports();
  try {
    return work();
  } finally {
    restore();
  }
}

test('a lock that was released before its owner could be read is taken at the next try', () => {
  for (const code of ['EEXIST', 'ENOENT']) {
    const got = withLinkFailing(code, () => takeLock(fresh(), 'a'));
    assert.equal([got.taken, got.taken && got.recovered], [true, undefined], code);
  }
});

test('a lock that the disk refuses is told, and not tried for again', () => {
  const path = fresh();
  assert.throws(() => withLinkFailing('EPERM', () => takeLock(path, 'a')), /EPERM/);
  assert.throws(() => withLinkFailing('EMLINK', () => takeLock(path, 'a')), /EMLINK/);
  assert.equal(readdirSync(join(path, '..')), []);
});

test('a lock whose owner cannot be proven alive is told as that, with the last sign of its life', async () => {
  for (const [holder, where, why] of [
    [{ host: 'elsewhere', pid: 77 }, '77 on elsewhere', 'another host'],
    [{ ns: 'pid:[1]', pid: 77 }, `77 on ${hostname()}`, 'another pid namespace'],
    [{ start: null }, `${process.pid} on ${hostname()}`, 'cannot tell'],
  ] as const)
    for (const [minutes, ago] of [
      [1, 'just now'],
      [50, '50 min ago'],
      [200, '3 h ago'],
    ] as const) {
      const layout = layoutOf(folder());
      mkdirSync(layout.state, { recursive: true });
      writeFileSync(layout.lock, owner(holder));
      const seen = Date.now() / 1000 - 60 * minutes - 1;
      utimesSync(layout.lock, seen, seen);
      const words = `the lock is held by pid ${where} since now (test); whether it lives cannot be told from here (${why}), last sign of life ${ago}`;
      assert.equal(runAtWork(layout)?.words, words);
      const refused = await withLock(layout, 'a', async () => undefined).catch(formatError);
      assert.is(
        refused,
        `error E_LOCK_UNPROVEN: ${words}\n  next:  look there; if it is gone for sure: mendloop abandon --unlock`,
      );
    }
});

test('an owner shows every minute that it lives, also on a disk that other hosts share, and no longer than it holds the lock', () => {
  const path = fresh();
  const timers: { sign: () => void; ms: number }[] = [];
  const { setInterval: real, clearInterval: realClear } = globalThis;
  const cleared: unknown[] = [];
  globalThis.setInterval = ((sign: () => void, ms: number) => {
    const timer = { sign, ms, unref: () => timer };
    timers.push(timer);
    return timer;
  }) as never;
  globalThis.clearInterval = ((timer: unknown) => cleared.push(timer)) as never;
  try {
    const got = takeLock(path, 'a');
    const takenAt = lockTakenAt(path);
    assert.is(takenAt, statSync(path).ctimeMs);
    utimesSync(path, 1, 1);
    const [{ sign, ms } = { sign() {}, ms: 0 }] = timers;
    sign();
    assert.is(ms, 60_000);
    assert.ok(Date.now() - statSync(path).mtimeMs < 5000);
    requireLock(path);
    assert.is(lockTakenAt(path), takenAt, 'its age stays that of the taking');
    if (got.taken) got.release();
    assert.equal(cleared, timers);
    assert.is(lockTakenAt(path), 0);
  } finally {
    Object.assign(globalThis, { setInterval: real, clearInterval: realClear });
  }
});

test('work under the lock hears whose lock was taken over; it ends with the work, also when that fails', async () => {
  const layout = layoutOf(folder());
  const notices = (text?: string) => {
    if (text !== undefined) writeFileSync(layout.lock, text);
    return withLock(layout, 'a', async (told) => [lockOwner(layout.lock)?.kind, ...told]);
  };
  assert.equal(await notices(), ['command']);
  const pid = 2 ** 22 - 1;
  assert.equal(await notices(owner({ pid })), ['command', `took over a lock of pid ${pid}, which is dead`]);
  assert.equal(await notices('{"pid":'), ['command', 'took over a lock that could not be read']);
  const failing = withLock(layout, 'a', () => Promise.reject(new Error('the work failed')), 'run');
  assert.is(await failing.catch((error) => error.message), 'the work failed');
  assert.is(existsSync(layout.lock), false);
  const locked = await notices(owner({})).catch((error) => error.message);
  assert.match(locked, /^another run is at work: pid \d+ on .* since now \(test\)$/);
});

test('a lock that cannot be read is taken over, and that is told', () => {
  const path = fresh();
  writeFileSync(path, '{"pid":');
  const got = takeLock(path, 'new');
  assert.ok(got.taken && got.recovered === 'unreadable');
});

test('a lock that cannot be read stays with whoever has it open, and is told as theirs', async () => {
  for (const text of ['', '{"pid":', '{}', 'null', '\0\0\0']) {
    const path = fresh();
    const holder = spawn(process.execPath, [...program('hold-lock'), path], { stdio: ['ignore', 'pipe', 'inherit'] });
    await new Promise((resolve) => holder.stdout?.once('data', resolve));
    writeFileSync(path, text);
    const got = takeLock(path, 'new');
    assert.ok(!got.taken && got.why === 'alive' && got.owner.pid === holder.pid, JSON.stringify(text));
    assert.is(lockOwner(path)?.pid, holder.pid);
    holder.kill('SIGKILL');
    await new Promise((resolve) => holder.once('exit', resolve));
    assert.ok(takeLock(path, 'new').taken, 'it is dead now');
  }
});

needs('right to mount')('a lock that cannot be read is left alone where nobody can tell who has it open', () => {
  const path = fresh();
  writeFileSync(path, '{"pid":');
  const words = [process.execPath, ...program('hold-lock'), path];
  const inside = 'mount -t tmpfs none /proc && exec "$@"';
  const told = execFileSync('unshare', ['--mount', 'sh', '-c', inside, 'sh', ...words], { encoding: 'utf8' });
  const got = JSON.parse(told);
  assert.equal([got.taken, got.why, got.owner.pid, got.owner.host], [false, 'another host', 0, 'an unknown host']);
});

test('a lock that lost a field is not taken from a living owner', () => {
  for (const lost of ['start', 'boot', 'host', 'ns', 'since', 'command']) {
    const path = fresh();
    writeFileSync(path, owner({ [lost]: undefined }));
    const got = takeLock(path, 'new');
    assert.ok(!got.taken && got.owner.pid === process.pid, lost);
    writeFileSync(path, owner({ [lost]: undefined, pid: 2 ** 22 - 1 }));
    assert.is(takeLock(path, 'new').taken, lost !== 'host', 'dead, if it was on this host at all');
  }
});

test('the lock of another pid namespace stays until a person says so', () => {
  const path = fresh();
  writeFileSync(path, owner({ ns: 'pid:[1]', pid: 2 ** 22 - 1 }));
  const got = takeLock(path, 'new');
  assert.ok(!got.taken && got.why === 'another pid namespace');
});

test('who holds a lock notices that it was removed, replaced or overwritten', () => {
  const changes: [(path: string) => void, RegExp][] = [
    [(path) => rmSync(path), /is no longer the lock of this run: it was removed or overwritten;/],
    [(path) => writeFileSync(path, ''), /it was removed or overwritten;/],
    [
      (path) => writeFileSync(path, owner({ command: 'other', pid: 7, host: 'elsewhere' })),
      /: pid 7 on elsewhere has it \(other\);/,
    ],
  ];
  for (const [change, message] of changes) {
    const path = fresh();
    requireLock(path);
    const got = takeLock(path, 'a');
    requireLock(path);
    change(path);
    assert.throws(() => requireLock(path), message);
    if (got.taken) got.release();
    requireLock(path);
  }
});

test('a half-made lock of another process with the same pid is not in the way', () => {
  const path = fresh();
  const theirs = `${path}.${process.pid}.tmp`;
  writeFileSync(theirs, 'theirs');
  assert.ok(takeLock(path, 'a').taken);
  assert.is(readFileSync(theirs, 'utf8'), 'theirs');
});

test('of many starters that see the same dead owner exactly one holds the lock at a time', async () => {
  const path = fresh();
  const trace = `${path}.trace`;
  writeFileSync(path, owner({ pid: 2 ** 22 - 1 }));
  const child = (): ChildProcess =>
    spawn(process.execPath, [...program('contend-for-lock'), path, trace], { stdio: 'inherit' });
  const ends = await Promise.all(Array.from({ length: 6 }, () => new Promise((r) => child().on('exit', r))));
  assert.equal(ends, [0, 0, 0, 0, 0, 0]);
  const lines = readFileSync(trace, 'utf8').trim().split('\n');
  assert.is(lines.length, 120);
  lines.forEach((line, i) => {
    const [word, pid] = line.split(' ');
    assert.is(word, i % 2 === 0 ? 'in' : 'out');
    if (word === 'out') assert.is(pid, lines[i - 1]?.split(' ')[1]);
  });
});

test('a folder, a link to nowhere or a pipe in the place of the lock is a clear error', () => {
  for (const [what, put] of [
    ['a folder, where a file belongs', (path: string) => mkdirSync(path)],
    ['a link that leads nowhere, or in a circle', (path: string) => symlinkSync('/nowhere/at/all', path)],
    ['a link that leads nowhere, or in a circle', (path: string) => symlinkSync(path, path)],
    ['a pipe, where a file belongs', (path: string) => execFileSync('mkfifo', [path])],
  ] as const) {
    const path = fresh();
    put(path);
    const error = new RegExp(`^${path} is ${what}$`);
    assert.throws(() => takeLock(path, 'a'), error);
    if (what.startsWith('a pipe')) assert.throws(() => lockOwner(path), error);
  }
});

test.run();
