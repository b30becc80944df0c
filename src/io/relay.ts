// Copies an attempt's output into its log: a pipe, and a small process in its own session that reads from it. So a stage cannot
// truncate the log through its standard streams, and stage and log survive the loop.
import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { closeSync, constants, openSync, rmSync, writeSync } from 'node:fs';
import { type MendError, mendError } from '../errors.ts';
import { systemClock } from './clock.ts';
import { fileFacts, fileSize } from './files.ts';
import { HEAD_BYTES, leftOutLine, openFollow } from './log-window.ts';
import { ifPossible, NO_SPACE } from './store.ts';

/** What one read takes at most. */
const BLOCK = 65_536;

export interface Relay {
  /** The pipe's end that is written to. */
  readonly fd: number;
  /** Resolves when all that was written until now is in the log. Rejects with MendError when that could not be. */
  close(): Promise<void>;
}

/**
 * Copies stdin to the end of the log $1 in rounds of $2 blocks. When it is longer than $3 bytes, a new one takes its place: its first
 * $4 bytes, a line ($6) that says how much is left out, its last $5 bytes. When it cannot be written, the rest is read and
 * dropped, so that the writer does not block; the code tells. It writes to descriptor 3, which was opened before a stage could put
 * anything else in its place.
 */
const COPY = `
trap '' HUP INT PIPE TERM
umask 077
length() {
  # A stage has removed it or put something else there: then there is no log.
  [ -f "$1" ] && [ ! -h "$1" ] || { cat >/dev/null; exit 0; }
  size=$(wc -c <"$1")
}
copy() {
  length "$1" || return
  kept=$4 left=0
  while :; do
    before=$size
    dd bs=${BLOCK} count="$2" status=none >&3 || return
    length "$1" || return
    [ "$size" -ne "$before" ] || return 0
    [ "$size" -gt "$3" ] || continue
    left=$((left + size - kept - $5))
    { head -c "$4" "$1" && printf "$6" $((left / 1000000)) $left && tail -c "$5" "$1"; } >"$1.$$.tmp" &&
      exec 3>>"$1.$$.tmp" && mv "$1.$$.tmp" "$1" || { code=$?; rm -f "$1.$$.tmp"; return $code; }
    length "$1" || return
    kept=$((size - $5))
  done
}
copy "$@" || { code=$?; cat >/dev/null; exit $code; }`;

/** How long whoever else has the pipe open may take to end. */
const OTHERS_MS = 500;
const POLL_MS = 20;
const WRITTEN_MS = 10_000;
/** The most that a pipe and the relay can hold. */
const MAX_IN_FLIGHT = 2 * 1024 * 1024;

/** Starts copying to the end of `log`, which keeps its beginning, its end and at most `maxBytes`. Throws MendError when it cannot. */
export function startRelay(log: string, maxBytes: number): Relay {
  const out = ifPossible(() => openSync(log, constants.O_WRONLY | constants.O_APPEND | constants.O_NOFOLLOW));
  if (out === undefined) throw notWritten(log, 'it cannot be opened');
  const { reader, fd } = openPipe(log);
  const round = Math.floor(maxBytes / 8 / BLOCK);
  const bounds = [round, maxBytes - round * BLOCK, HEAD_BYTES, Math.floor(maxBytes / 2)].map(String);
  // Without a stage's marks in its environment: it must not be ended as a leftover.
  const child = spawn('/bin/sh', ['-c', COPY, 'mendloop-relay', ...[log, ...bounds, leftOutLine('%s', '%s')]], {
    ...{ detached: true, cwd: '/', env: environment() },
    stdio: [reader, 'ignore', 'pipe', out],
  });
  closeSync(reader);
  closeSync(out);
  let said = '';
  let fault = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    said += chunk;
    if (said.endsWith('\n')) fault = said;
  });
  const ended = new Promise<true>((resolve) => {
    const end = (why: string) => {
      fault ||= why;
      resolve(true);
    };
    child.once('error', ({ message }) => end(message));
    child.once('close', (code, signal) =>
      end(code === 0 ? '' : `the process that wrote it ended by ${signal ?? `exit code ${code}`}`),
    );
  });

  const close = async () => {
    // Reopened for reading: a writer would prevent end of file. Only Linux can; elsewhere nothing more is waited for.
    const again = ifPossible(() => openSync(`/proc/self/fd/${fd}`, constants.O_RDONLY | constants.O_NONBLOCK));
    closeSync(fd);
    try {
      if (!(await within(OTHERS_MS, ended)) && again !== undefined) await whileHeld(again);
    } finally {
      if (again !== undefined) closeSync(again);
      child.unref();
      child.stderr?.destroy();
    }
    // A stage may have removed the log before the relay had it open: that is no log.
    if (fault !== '' && (fileFacts(log) || NO_SPACE.test(fault))) throw notWritten(log, fault);
  };

  /** A process in its own session may keep the pipe open for ever: writes a marker line, and waits for it in the log. */
  async function whileHeld(again: number): Promise<void> {
    const nonce = randomBytes(9).toString('base64url');
    const more = openFollow(log, fileSize(log), false);
    const until = performance.now() + WRITTEN_MS;
    let isSent = false;
    let end = '';
    for (let passed = 0; performance.now() < until; ) {
      // The pipe is full or has lost its reader: the next round sees which.
      isSent ||= send(again, `mendloop: the attempt ended before its output did [${nonce}]\n`);
      if ((await within(POLL_MS, ended)) || fault !== '') return;
      const bytes = more()?.bytes ?? Buffer.alloc(0);
      passed += bytes.length;
      end += bytes.toString('latin1');
      if (isSent && (passed > MAX_IN_FLIGHT || end.includes(nonce))) return;
      end = end.slice(-nonce.length);
    }
    fault = `not done ${WRITTEN_MS / 1000} s after the attempt`;
  }

  return { fd, close };
}

/** Puts a line into the pipe that `again` reads, without waiting. */
function send(again: number, line: string): boolean {
  const writer = ifPossible(() => openSync(`/proc/self/fd/${again}`, constants.O_WRONLY | constants.O_NONBLOCK));
  if (writer === undefined) return false;
  const written = ifPossible(() => writeSync(writer, line));
  closeSync(writer);
  return written === Buffer.byteLength(line);
}

/** True when it ended within `ms`. */
const within = (ms: number, ended: Promise<true>): Promise<true | undefined> => {
  const over = new AbortController();
  const late = systemClock.sleep(ms, over.signal).then(() => undefined);
  return Promise.race([ended, late]).finally(() => over.abort('over'));
};

/** In the C locale, because what they say is read. */
const environment = () => ({ PATH: [process.env.PATH, '/usr/bin:/bin'].filter(Boolean).join(':'), LC_ALL: 'C' });

/**
 * A named pipe, because what Node calls one is a socket, and a socket cannot be opened as /dev/stderr. Its name begins with
 * `near` and is gone at once. Throws MendError when it cannot be made.
 */
export function openPipe(near: string): { reader: number; fd: number } {
  const path = `${near}.pipe`;
  rmSync(path, { force: true });
  const options = { env: environment(), detached: true, encoding: 'utf8' } as const;
  const { status, stderr, error } = spawnSync('mkfifo', ['-m', '600', path], options);
  if (status !== 0) throw notWritten(path, error?.message || stderr || `mkfifo ended with exit code ${status}`);
  const ends = bothEnds(path);
  rmSync(path);
  return ends;
}

function bothEnds(path: string): { reader: number; fd: number } {
  // Open both ways first: the others would wait for each other.
  const both = openSync(path, constants.O_RDWR);
  try {
    return { reader: openSync(path, constants.O_RDONLY), fd: openSync(path, constants.O_WRONLY) };
  } finally {
    closeSync(both);
  }
}

function notWritten(path: string, fault: string): MendError {
  if (NO_SPACE.test(fault)) return mendError('E_DISK_FULL', { path });
  return mendError('E_LOG_LOST', { path, reason: fault.trim().replace(/^\w+: /, '') });
}
