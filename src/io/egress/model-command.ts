// A program that talks to a model: the prompt on its stdin, the answer from its stdout. Whoever calls has masked what is sent.
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Clock, systemClock } from '../clock.ts';
import { endAll, groupMembers } from '../process-group.ts';
import { limited } from '../signals.ts';
import { ModelFault } from './model-fault.ts';

export interface ModelCommand {
  readonly argv: readonly string[];
  /** What it reads from stdin. */
  readonly input: string;
  /** All of its environment, but for SHLVL. */
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Whether it may end well without a word: for one that is told something and not asked. */
  readonly mayBeSilent?: boolean;
  /** Between asking it to end and making it. */
  readonly graceMs?: number;
}

const GRACE_MS = 2000;
const MAX_OUTPUT_BYTES = 1_000_000;
const MAX_STDERR_CHARS = 4000;
/** How long output may take to arrive after the end. */
const OUTPUT_MS = 1000;

/**
 * What the program says on stdout. It runs in an empty folder of its own and in its own process group, of which nothing is
 * left afterwards. Throws ModelFault when it cannot be started, fails, says nothing or too much, is late or is stopped.
 */
export async function runModelCommand(command: ModelCommand, clock: Clock = systemClock): Promise<string> {
  if (command.signal.aborted) throw new ModelFault('it was stopped');
  const folder = await mkdtemp(join(tmpdir(), 'mendloop-model-'));
  try {
    return await run(command, folder, clock);
  } finally {
    await rm(folder, { recursive: true, force: true }).catch(() => {});
  }
}

async function run(command: ModelCommand, cwd: string, clock: Clock): Promise<string> {
  const { argv, input, env, timeoutMs, signal, mayBeSilent = false, graceMs = GRACE_MS } = command;
  const [program = '', ...args] = argv;
  // A bash whose stdin is a socket, as Node's pipes are, reads the owner's start files as rshd logins do, unless SHLVL says that it
  // is a subshell.
  const whole = { SHLVL: '1', ...env };
  const child = spawn(program, args, { cwd, env: whole, detached: true, stdio: ['pipe', 'pipe', 'pipe'] });
  const [stdout, stderr]: [Buffer[], Buffer[]] = [[], []];
  let bytes = 0;
  const limit = limited(timeoutMs, signal);
  child.stdout.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > MAX_OUTPUT_BYTES) limit.end();
    else stdout.push(chunk);
  });
  child.stderr.on('data', (chunk: Buffer) => {
    stderr.push(chunk);
    if (stderr.length > 64) stderr.splice(0, 32);
  });
  for (const pipe of [child.stdin, child.stdout, child.stderr]) pipe.on('error', () => {});
  // EPIPE when a program ends without reading its input.
  child.stdin.end(input);
  const ended = new Promise<{ code: number | null; by: string | null }>((resolve, reject) => {
    child.once('error', (error: NodeJS.ErrnoException) =>
      reject(new ModelFault(`${program} cannot be started: ${error.code}`)),
    );
    child.once('exit', (code, by) => resolve({ code, by }));
  });
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const outcome = await Promise.race([ended, aborted(limit.signal)]).finally(limit.end);
  if (child.pid !== undefined) {
    const group = child.pid;
    await endAll(() => groupMembers(group), graceMs, clock);
  }
  // A process in its own session may keep the output open for ever.
  await Promise.race([closed, clock.sleep(OUTPUT_MS)]);
  for (const pipe of [child.stdout, child.stderr]) pipe.destroy();
  if (bytes > MAX_OUTPUT_BYTES) throw new ModelFault(`${program} said more than ${MAX_OUTPUT_BYTES} bytes`);
  if (signal.aborted && outcome === undefined) throw new ModelFault('it was stopped');
  if (outcome === undefined) throw new ModelFault(`${program} did not end within ${timeoutMs / 1000} s`);
  if (outcome.code !== 0) {
    const how = outcome.code === null ? `was ended by ${outcome.by}` : `ended with exit code ${outcome.code}`;
    throw new ModelFault(`${program} ${how}${lastWords(Buffer.concat(stderr).toString('utf8'))}`);
  }
  const text = Buffer.concat(stdout).toString('utf8');
  if (text.trim() === '' && !mayBeSilent) throw new ModelFault(`${program} said nothing`);
  return text;
}

function aborted(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(undefined);
    signal.addEventListener('abort', () => resolve(undefined), { once: true });
  });
}

function lastWords(text: string): string {
  const line = text.slice(-MAX_STDERR_CHARS).trim().split('\n').at(-1)?.trim() ?? '';
  return line === '' ? '' : `: ${line}`;
}
