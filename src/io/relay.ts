// The way of an attempt's output into its log: a pipe, and a small process in a session of its own that copies from it. So
// nothing that a stage does to its standard streams can cut the log, and a loop that dies takes neither stage nor log along.
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

// A log that cannot be written must not stop who writes: the rest is read and dropped, and the exit code tells.
const COPY = "trap '' HUP INT PIPE TERM; cat || { code=$?; cat >/dev/null; exit $code; }";
const ENV = { PATH: process.env.PATH ?? '/usr/bin:/bin', LC_ALL: 'C' };

/** How long whoever else has the pipe open may take to end. */
const OTHERS_MS = 500;
const POLL_MS = 20;
const WRITTEN_MS = 10_000;
/** No pipe holds more, with what the copying process has in hand. */
const MAX_IN_FLIGHT = 2 * 1024 * 1024;

/** Starts copying into `logFd`, which is `log` opened for appending. Throws MendError when it cannot. */
export async function startRelay(log: string, logFd: number): Promise<Relay> {
  const { reader, fd } = await openPipe(log);
  // Not one of the stage's marks in its environment: it is nobody's leftover and ends with the last writer.
  const child = spawn('/bin/sh', ['-c', COPY], {
    detached: true,
    cwd: '/',
    env: ENV,
    stdio: [reader, logFd, 'pipe'],
  });
  closeSync(reader);
  let said = '';
  child.stderr?.on('data', (text: Buffer) => {
    said += text;
  });
  const closed = new Promise<true>((resolve) => child.once('close', () => resolve(true)));
  const ended = new Promise<true>((resolve) => {
    child.once('error', (error) => {
      said ||= error.message;
      resolve(true);
    });
    child.once('exit', async (code, signal) => {
      // What it said of its end may come behind it; what outlives it has its outputs open.
      if (code !== 0) await within(POLL_MS, closed);
      if (code !== 0) said ||= `the process that wrote it ended by ${signal ?? `exit code ${code}`}`;
      resolve(true);
    });
  });

  const close = async () => {
    // A reader, for that a writer would keep the end of file from coming. Only Linux opens a pipe again like this.
    const again = ifPossible(() => openSync(`/proc/self/fd/${fd}`, constants.O_RDONLY | constants.O_NONBLOCK));
    closeSync(fd);
    try {
      const allEnded = await within(OTHERS_MS, ended);
      if (!allEnded) await whileHeld(again);
      // Read to its end: nothing is in it, and nobody can write to it.
      else if (again !== undefined && said === '') idle.push(again);
    } finally {
      if (again !== undefined && !idle.includes(again)) closeSync(again);
      child.unref();
      (child.stderr as Socket | null)?.unref();
    }
    if (said !== '') throw notWritten(log, said);
  };

  /** Something in a session of its own may have the pipe open for ever: a line of ours shows how far the log is. */
  async function whileHeld(again: number | undefined): Promise<void> {
    const nonce = randomBytes(9).toString('base64url');
    const size = () => fileFacts(log)?.size ?? 0;
    const until = performance.now() + WRITTEN_MS;
    let from = size();
    let isSent = false;
    while (performance.now() < until) {
      // The pipe may be full, or have lost its reader: then another round, or the end that is seen there.
      isSent ||= again !== undefined && send(again, `mendloop: the attempt ended before its output did [${nonce}]\n`);
      if ((await within(again === undefined ? OTHERS_MS : POLL_MS, ended)) || said !== '') return;
      const more = size() - from;
      // Where no line can be sent, a log that has stopped growing is as much as can be known.
      if (again === undefined && more === 0) return;
      if (again === undefined) from += more;
      else if (isSent && (more > MAX_IN_FLIGHT || readTail(log, more)?.text.includes(nonce))) return;
    }
    said = `not done ${WRITTEN_MS / 1000} s after the attempt`;
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
  const known = idle.pop();
  if (known !== undefined) {
    const ends = bothEnds(`/proc/self/fd/${known}`);
    closeSync(known);
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

function notWritten(path: string, said: string): MendError {
  if (/No space left|quota exceeded/i.test(said)) return mendError('E_DISK_FULL', { path });
  return mendError('E_LOG_LOST', { path, reason: said.trim().replace(/^cat: /, '') });
}
