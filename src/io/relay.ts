// Copies an attempt's output into its log: a pipe, and a small process in its own session that reads from it. So a stage cannot
// truncate the log through its standard streams, and stage and log survive the loop.
import { execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { closeSync, constants, openSync, rmSync, writeSync } from 'node:fs';
import type { Socket } from 'node:net';
import { promisify } from 'node:util';
import { type MendError, mendError } from '../errors.ts';
import { systemClock } from './clock.ts';
import { fileFacts, readTail } from './files.ts';
import { ifPossible } from './store.ts';

export interface Relay {
  /** The pipe's end that is written to. */
  readonly fd: number;
  /** Resolves when all that was written until now is in the log. Rejects with MendError when that could not be. */
  close(): Promise<void>;
}

// When the log cannot be written, the rest is read and dropped, so that the writer does not block; the exit code tells.
const COPY = "trap '' HUP INT PIPE TERM; cat || { code=$?; cat >/dev/null; exit $code; }";
const ENV = { PATH: process.env.PATH ?? '/usr/bin:/bin', LC_ALL: 'C' };

/** How long whoever else has the pipe open may take to end. */
const OTHERS_MS = 500;
const POLL_MS = 20;
const WRITTEN_MS = 10_000;
/** The most that a pipe and the relay can hold. */
const MAX_IN_FLIGHT = 2 * 1024 * 1024;

/** Starts copying into `logFd`, which is `log` opened for appending. Throws MendError when it cannot. */
export async function startRelay(log: string, logFd: number): Promise<Relay> {
  const { reader, fd } = await openPipe(log);
  // Without the stage's marks in its environment: it must not be ended as a leftover.
  const child = spawn('/bin/sh', ['-c', COPY], {
    detached: true,
    cwd: '/',
    env: ENV,
    stdio: [reader, logFd, 'pipe'],
  });
  closeSync(reader);
  let fault = '';
  child.stderr?.on('data', (text: Buffer) => {
    fault += text;
  });
  const closed = new Promise<true>((resolve) => child.once('close', () => resolve(true)));
  const ended = new Promise<true>((resolve) => {
    child.once('error', (error) => {
      fault ||= error.message;
      resolve(true);
    });
    child.once('exit', async (code, signal) => {
      // Its stderr may arrive after its exit, and a child that outlives it may keep it open.
      if (code !== 0) await within(POLL_MS, closed);
      if (code !== 0) fault ||= `the process that wrote it ended by ${signal ?? `exit code ${code}`}`;
      resolve(true);
    });
  });

  const close = async () => {
    // Reopened for reading: a writer would prevent end of file. Works on Linux only.
    const again = ifPossible(() => openSync(`/proc/self/fd/${fd}`, constants.O_RDONLY | constants.O_NONBLOCK));
    closeSync(fd);
    try {
      const allEnded = await within(OTHERS_MS, ended);
      if (!allEnded) await whileHeld(again);
      // End of file: the pipe is empty and has no writer.
      else if (again !== undefined && fault === '') idle.push(again);
    } finally {
      if (again !== undefined && !idle.includes(again)) closeSync(again);
      child.unref();
      (child.stderr as Socket | null)?.unref();
    }
    if (fault !== '') throw notWritten(log, fault);
  };

  /** A process in its own session may keep the pipe open for ever: writes a marker line, and waits for it in the log. */
  async function whileHeld(again: number | undefined): Promise<void> {
    const nonce = randomBytes(9).toString('base64url');
    const size = () => fileFacts(log)?.size ?? 0;
    const until = performance.now() + WRITTEN_MS;
    let from = size();
    let isSent = false;
    while (performance.now() < until) {
      // The pipe is full or has lost its reader: the next round sees which.
      isSent ||= again !== undefined && send(again, `mendloop: the attempt ended before its output did [${nonce}]\n`);
      if ((await within(again === undefined ? OTHERS_MS : POLL_MS, ended)) || fault !== '') return;
      const more = size() - from;
      // When no marker can be written, wait until the log stops growing.
      if (again === undefined && more === 0) return;
      if (again === undefined) from += more;
      else if (isSent && (more > MAX_IN_FLIGHT || readTail(log, more)?.text.includes(nonce))) return;
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
  return Promise.race([ended, late]).finally(() => over.abort());
};

/** Empty pipes that nobody else has open, each by a reader: opened again they cost no process. */
const idle: number[] = [];

/**
 * A named pipe, because what Node calls one is a socket, and a socket cannot be opened as /dev/stderr. Its name begins with
 * `near` and is gone at once. Throws MendError when it cannot be made.
 */
export async function openPipe(near: string): Promise<{ reader: number; fd: number }> {
  const pooled = idle.pop();
  if (pooled !== undefined) {
    const ends = bothEnds(`/proc/self/fd/${pooled}`);
    closeSync(pooled);
    return ends;
  }
  const path = `${near}.pipe`;
  rmSync(path, { force: true });
  await promisify(execFile)('mkfifo', ['-m', '600', path], { env: ENV }).catch((error: Error & { stderr?: string }) => {
    throw notWritten(path, error.stderr || error.message);
  });
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
  if (/No space left|quota exceeded/i.test(fault)) return mendError('E_DISK_FULL', { path });
  return mendError('E_LOG_LOST', { path, reason: fault.trim().replace(/^cat: /, '') });
}
