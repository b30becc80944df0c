// Copies an attempt's output into its log: a pipe, and a small process in its own session that reads from it. So a stage cannot
// truncate the log through its standard streams, and stage and log survive the loop. The process serves one attempt after the
// other: to start one takes longer than all that it does for a short stage.
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { closeSync, constants, openSync, rmSync, writeSync } from 'node:fs';
import { type MendError, mendError } from '../errors.ts';
import { systemClock } from './clock.ts';
import { fileFacts, readTail } from './files.ts';
import { hold, quote, runInShell } from './small-shell.ts';
import { ifPossible } from './store.ts';

export interface Relay {
  /** The pipe's end that is written to. */
  readonly fd: number;
  /** Resolves when all that was written until now is in the log. Rejects with MendError when that could not be. */
  close(): Promise<void>;
}

const ENV = { PATH: process.env.PATH ?? '/usr/bin:/bin', LC_ALL: 'C' };

/** How long whoever else has the pipe open may take to end. */
const OTHERS_MS = 500;
const POLL_MS = 20;
const WRITTEN_MS = 10_000;
/** The most that a pipe and the relay can hold. */
const MAX_IN_FLIGHT = 2 * 1024 * 1024;

/** Starts copying to the end of `log`. Throws MendError when it cannot. */
export async function startRelay(log: string): Promise<Relay> {
  const { copier, fd } = await openCopier(log);
  let fault = '';
  const ended = copier.copy(log, (why) => {
    fault ||= why;
  });

  const close = async () => {
    // Reopened for reading: a writer would prevent end of file. Works on Linux only.
    const again = ifPossible(() => openSync(`/proc/self/fd/${fd}`, constants.O_RDONLY | constants.O_NONBLOCK));
    closeSync(fd);
    try {
      const allEnded = await within(OTHERS_MS, ended);
      if (!allEnded) await whileHeld(again);
      // End of file: the pipe is empty and has no writer.
      else if (again !== undefined && fault === '') idle.set(copier, again);
    } finally {
      if (!idle.has(copier)) copier.end();
      if (again !== undefined && !idle.has(copier)) closeSync(again);
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
  return Promise.race([ended, late]).finally(() => over.abort('over'));
};

interface Copier {
  /** Copies until nobody has the pipe open for writing, and reports what goes wrong when it does. */
  copy(log: string, report: (fault: string) => void): Promise<true>;
  /** Starts no other copy; one that is under way goes on. */
  end(): void;
}

/** Copiers that wait for an attempt, each with a reader of its pipe, which is empty and which nobody else has open. */
const idle = new Map<Copier, number>();

/** A copier, and the end of its pipe that is written to. */
async function openCopier(log: string): Promise<{ copier: Copier; fd: number }> {
  const [[copier, pooled] = []] = idle;
  if (copier && pooled !== undefined) {
    idle.delete(copier);
    const fd = openSync(`/proc/self/fd/${pooled}`, constants.O_WRONLY);
    closeSync(pooled);
    return { copier, fd };
  }
  const { reader, fd } = await openPipe(log);
  return { copier: startCopier(reader), fd };
}

function startCopier(reader: number): Copier {
  // Without a stage's marks in its environment: it must not be ended as a leftover.
  const child = spawn('/bin/sh', ['-s', 'mendloop-relay'], {
    detached: true,
    cwd: '/',
    env: ENV,
    stdio: ['pipe', 'pipe', 'ignore', reader],
  });
  closeSync(reader);
  const { stdin, stdout } = child as ChildProcessWithoutNullStreams;
  let words = '';
  let report: (fault: string) => void = () => {};
  let done: (isEnded: true) => void = () => {};
  const end = (fault: string) => {
    if (fault !== '') report(fault);
    done(true);
  };
  stdout.on('data', (chunk: Buffer) => {
    words += chunk;
    const last = /^end (\d+)\n/m.exec(words);
    if (last) end(last[1] === '0' ? '' : words.slice(0, last.index) || `cat: exit code ${last[1]}`);
    else if (words.endsWith('\n')) report(words);
  });
  child.once('error', (error) => end(error.message));
  child.once('exit', (code, signal) => {
    const pooled = idle.get(copier);
    if (pooled !== undefined) closeSync(pooled);
    idle.delete(copier);
    end(`the process that wrote it ended by ${signal ?? `exit code ${code}`}`);
  });
  // Its exit is handled; errors of the pipe add nothing.
  stdin.on('error', () => {});
  stdin.write("trap '' HUP INT PIPE TERM; exec 2>&1\n");
  const copier: Copier = {
    copy(log, reportFault) {
      words = '';
      report = reportFault;
      hold(child, true);
      // When the log cannot be written, the rest is read and dropped, so that the writer does not block; the code tells.
      stdin.write(`c=0; cat <&3 >>${quote(log)} || { c=$?; cat <&3 >/dev/null; }; echo "end $c"\n`);
      return new Promise<true>((resolve) => {
        done = resolve;
      }).finally(() => hold(child, false));
    },
    end() {
      hold(child, false);
      stdin.end();
    },
  };
  return copier;
}

/**
 * A named pipe, because what Node calls one is a socket, and a socket cannot be opened as /dev/stderr. Its name begins with
 * `near` and is gone at once. Throws MendError when it cannot be made.
 */
export async function openPipe(near: string): Promise<{ reader: number; fd: number }> {
  const path = `${near}.pipe`;
  rmSync(path, { force: true });
  const { code, stderr } = await runInShell({ argv: ['mkfifo', '-m', '600', path], cwd: '/', env: ENV });
  if (code !== 0) throw notWritten(path, stderr.toString() || `mkfifo ended with exit code ${code}`);
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
