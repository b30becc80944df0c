// Runs one diagnostic to its end and keeps the beginning and the end of what it says. It has a process group of its own, a
// deadline and a limit on its output, and nothing of it is left behind.
import { randomBytes } from 'node:crypto';
import { closeSync } from 'node:fs';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DiagnosticRun } from '../outbound/context.ts';
import type { Clock } from './clock.ts';
import { type Command, type CommandEnd, type CommandRequest, runCommand } from './command.ts';
import { endAll, marked } from './process-group.ts';
import { openPipe } from './relay.ts';
import { limited } from './signals.ts';

export interface DiagnosticRequest extends Pick<CommandRequest, 'command' | 'cwd' | 'env' | 'signal' | 'graceMs'> {
  timeoutMs: number;
}

/** A command that prints more is stopped. */
const MAX_OUTPUT_BYTES = 32 * 1024 * 1024;
/** What is still in the pipe when the command has ended. */
const DRAIN_MS = 200;

const MARK = 'MENDLOOP_DIAGNOSTIC';

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
  const { command, cwd, timeoutMs, graceMs } = request;
  if (request.signal.aborted) return 'not started: the run is stopping';
  const id = randomBytes(8).toString('hex');
  const [env, marks] = [{ ...request.env, [MARK]: id }, [`${MARK}=${id}`]];
  const limit = limited(timeoutMs, request.signal);
  let stdout: Socket | undefined;
  try {
    const pipe = openPipe(join(tmpdir(), `mendloop-${id}`));
    stdout = new Socket({ fd: pipe.reader, readable: true, writable: false });
    stdout.on('data', (chunk: Buffer) => {
      output.add(chunk);
      if (output.bytes > MAX_OUTPUT_BYTES) limit.end();
    });
    // A broken pipe ends the output; the exit code is still reported.
    stdout.on('error', () => {});
    const drained = new Promise<void>((resolve) => stdout?.once('close', resolve));
    const { signal } = limit;
    const running = runCommand({ command, kind: 'check', cwd, env, outputFd: pipe.fd, marks, signal, graceMs }, clock);
    closeSync(pipe.fd);
    const end = await running;
    // Processes in their own session still have the mark in their environment.
    const isGone = marked(marks).length === 0 || (await endAll(() => marked(marks), graceMs, clock));
    const waited = new AbortController();
    await Promise.race([drained, clock.sleep(DRAIN_MS, waited.signal)]);
    waited.abort();
    return `${end.stopped ? whyStopped() : howEnded(end)}${end.gone && isGone ? '' : '; something of it could not be ended'}`;
  } catch (error) {
    return `could not be started: ${(error as Error).message}`;
  } finally {
    limit.end();
    stdout?.destroy();
  }

  function whyStopped(): string {
    if (output.bytes > MAX_OUTPUT_BYTES) return `stopped after ${MAX_OUTPUT_BYTES / 1024 / 1024} MB of output`;
    return limit.isLate() ? `stopped after ${Math.round(timeoutMs / 100) / 10} s` : 'stopped: the run is stopping';
  }
}

const howEnded = ({ exitCode, signal }: CommandEnd): string =>
  signal ? `ended by ${signal}` : `exit code ${exitCode}`;

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
