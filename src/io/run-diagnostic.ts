// Runs one diagnostic to its end and keeps the beginning and the end of what it says. It has a process group of its own, a
// deadline and a limit on its output, and nothing of it is left behind.
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { closeSync } from 'node:fs';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DiagnosticRun } from '../outbound/context.ts';
import type { Clock } from './clock.ts';
import { argvOf, type Command, type CommandRequest } from './command.ts';
import { endAll, groupAndMarked } from './process-group.ts';
import { openPipe } from './relay.ts';

export interface DiagnosticRequest extends Pick<CommandRequest, 'command' | 'cwd' | 'env' | 'signal' | 'graceMs'> {
  timeoutMs: number;
}

/** A command that prints more is stopped. */
const MAX_OUTPUT_BYTES = 32 * 1024 * 1024;
/** What is still in the pipe when the command has ended. */
const DRAIN_MS = 200;

const MARK = 'MENDLOOP_DIAGNOSTIC';
// Both outputs into one pipe, in the order they come.
const JOINED = 'exec "$@" 2>&1';

/** Never throws for what the command is or does: that it could not be started is how it ended. */
export async function runDiagnostic(request: DiagnosticRequest, clock: Clock): Promise<DiagnosticRun> {
  const began = clock.monotonic();
  const output = new EndsOfOutput();
  const ended = await runToEnd(request, output, clock);
  const { text, cut } = output.read();
  const ms = Math.round(clock.monotonic() - began);
  return { command: asRead(request.command), ended, output: text, cut, ms };
}

async function runToEnd(request: DiagnosticRequest, output: EndsOfOutput, clock: Clock): Promise<string> {
  const { command, cwd, env, timeoutMs, signal, graceMs } = request;
  if (signal.aborted) return 'not started: the run is stopping';
  const id = randomBytes(8).toString('hex');
  let child: ChildProcess;
  let stdout: Socket;
  try {
    const pipe = await openPipe(join(tmpdir(), `mendloop-${id}`));
    stdout = new Socket({ fd: pipe.reader, readable: true, writable: false });
    try {
      child = spawn('/bin/sh', ['-c', JOINED, 'mendloop', ...argvOf(command, 'check')], {
        cwd,
        env: { ...env, [MARK]: id },
        detached: true,
        stdio: ['ignore', pipe.fd, 'ignore'],
      });
    } finally {
      closeSync(pipe.fd);
    }
  } catch (error) {
    return `could not be started: ${(error as Error).message}`;
  }
  const pgid = child.pid;
  const exit = exitOf(child);
  if (pgid === undefined) return exit;
  const over = new AbortController();
  const stopped = new Promise<string>((resolve) => {
    stdout.on('data', (chunk: Buffer) => {
      output.add(chunk);
      if (output.bytes > MAX_OUTPUT_BYTES) resolve(`stopped after ${MAX_OUTPUT_BYTES / 1024 / 1024} MB of output`);
    });
    const onAbort = () => resolve('stopped: the run is stopping');
    signal.addEventListener('abort', onAbort, { once: true, signal: over.signal });
    const late = `stopped after ${Math.round(timeoutMs / 100) / 10} s`;
    void clock.sleep(timeoutMs, over.signal).then(() => resolve(late));
  });
  // A broken pipe ends the output; the exit code is still reported.
  stdout.on('error', () => {});
  const drained = new Promise<void>((resolve) => stdout.once('close', resolve));
  const ended = await Promise.race([exit, stopped]);
  over.abort();
  // Also processes in their own session: they still have the mark in their environment.
  const left = () => groupAndMarked(pgid, [`${MARK}=${id}`]);
  const gone = left().length === 0 || (await endAll(left, graceMs, clock));
  const waited = new AbortController();
  await Promise.race([drained, clock.sleep(DRAIN_MS, waited.signal)]);
  waited.abort();
  stdout.destroy();
  child.unref();
  return gone ? ended : `${ended}; something of it could not be ended`;
}

/** How the leader itself ended: not when its output closes, which a grandchild may hold for ever. */
function exitOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    child.once('error', (error) => resolve(`could not be started: ${error.message}`));
    child.once('exit', (code, signal) => resolve(signal ? `ended by ${signal}` : `exit code ${code}`));
  });
}

/** Words that would be read otherwise stand in quotes. */
const asRead = (command: Command): string =>
  typeof command === 'string'
    ? command
    : command.map((word) => (/^[\w./:=@,+-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`)).join(' ');

const HEAD_BYTES = 8 * 1024;
const TAIL_BYTES = 24 * 1024;

export class EndsOfOutput {
  /** How many came in all. */
  bytes = 0;
  #head = Buffer.alloc(0);
  #tail: Buffer[] = [];
  #tailBytes = 0;

  add(chunk: Buffer): void {
    this.bytes += chunk.length;
    const more = chunk.subarray(0, HEAD_BYTES - this.#head.length);
    if (more.length > 0) this.#head = Buffer.concat([this.#head, more]);
    const rest = chunk.subarray(more.length);
    if (rest.length === 0) return;
    // A copy: a small piece would keep all of its chunk in memory.
    this.#tail.push(Buffer.from(rest.subarray(-TAIL_BYTES)));
    this.#tailBytes += Math.min(rest.length, TAIL_BYTES);
    while (this.#tailBytes - (this.#tail[0]?.length ?? 0) >= TAIL_BYTES)
      this.#tailBytes -= this.#tail.shift()?.length ?? 0;
  }

  /** Bytes that are no UTF-8 become U+FFFD. */
  read(): { text: string; cut: boolean } {
    const tail = Buffer.concat(this.#tail).subarray(-TAIL_BYTES);
    if (this.bytes <= this.#head.length + tail.length) {
      return { text: Buffer.concat([this.#head, tail]).toString('utf8'), cut: false };
    }
    const first = toLastBreak(this.#head.toString('utf8'));
    const last = fromFirstBreak(tail.toString('utf8'));
    const missing = this.bytes - Buffer.byteLength(first) - Buffer.byteLength(last);
    return { text: `${first.trimEnd()}\n… (${missing} bytes not shown)\n${last}`, cut: true };
  }
}

const WORD_END = /[\s"',;]/;
const LAST_WORD_END = /[\s"',;][^\s"',;]*$/;

function toLastBreak(text: string): string {
  const line = text.lastIndexOf('\n');
  return text.slice(0, (line >= 0 ? line : text.search(LAST_WORD_END)) + 1);
}

function fromFirstBreak(text: string): string {
  const line = text.indexOf('\n');
  const at = line >= 0 ? line : text.search(WORD_END);
  return at < 0 ? '' : text.slice(at + 1);
}
