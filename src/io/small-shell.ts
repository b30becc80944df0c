// Starts short programs from a shell that stays up. A process is started by copying the one that asks for it, which takes
// 12 ms for a Node of 150 MB and 1 ms for a shell; a run starts dozens of gits.
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import type { Writable } from 'node:stream';

/** How a program ended, and all that it printed. */
export interface Ended {
  /** As a shell counts: 127 when there is no such program, 128 and the signal's number when one ended it. */
  readonly code: number;
  readonly stdout: Buffer;
  readonly stderr: Buffer;
}

export interface Program {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** Read to its end by every program that succeeds. */
  readonly input?: string | Buffer | undefined;
}

/** How many gits a start runs at the same time. */
const MOST = 4;
const shells: Shell[] = [];
const queue: (() => void)[] = [];

/** Runs a program that reads nothing but its input, leaves no process behind and ends by itself. Throws when no shell can be started. */
export async function runInShell(program: Program): Promise<Ended> {
  for (;;) {
    const free = shells.find((shell) => !shell.isBusy()) ?? (shells.length < MOST ? startShell() : undefined);
    if (free) return free.run(program).finally(() => queue.shift()?.());
    await new Promise<void>((resolve) => queue.push(resolve));
  }
}

interface Shell {
  isBusy(): boolean;
  run(program: Program): Promise<Ended>;
}

/** Whether a child and its pipes keep this process alive. */
export function hold(child: ChildProcess, alive: boolean): void {
  const parts = [child, ...child.stdio] as unknown as ({ ref(): void; unref(): void } | null)[];
  for (const part of parts) part?.[alive ? 'ref' : 'unref']();
}

/** One shell, for one program at a time. It keeps the process alive only while a program runs, and ends with it. */
function startShell(): Shell {
  // Detached so that Ctrl-C reaches only the loop. With an empty environment: each program gets its own.
  const child = spawn('sh', [], { env: {}, cwd: '/', detached: true, stdio: ['pipe', 'pipe', 'pipe', 'pipe'] });
  const input = child.stdio[3] as Writable;
  // Random, so that no output can look like an end mark.
  const mark = randomBytes(16).toString('hex');
  const end = new RegExp(`${mark} (\\d+)\\n$`);
  let busy = false;
  let stop: (error: Error) => void = () => {};
  const stdout = collect(child.stdout, end);
  const stderr = collect(child.stderr, end);
  child.once('error', (error) => retire(error));
  child.once('close', () => retire(new Error('the shell that starts programs was ended')));
  // Its exit is handled; errors of the pipe add nothing.
  for (const pipe of [child.stdin, input]) pipe.on('error', () => {});
  hold(child, false);

  function retire(error: Error): void {
    const at = shells.indexOf(shell);
    if (at >= 0) shells.splice(at, 1);
    for (const pipe of [child.stdin, input]) pipe.destroy();
    stop(error);
  }

  async function run(program: Program): Promise<Ended> {
    busy = true;
    hold(child, true);
    try {
      const ended = new Promise<never>((_resolve, reject) => {
        stop = reject;
      });
      const answers = Promise.all([stdout(), stderr()]);
      child.stdin.write(`${commandOf(program)}; c=$?; printf '${mark} %d\\n' $c; printf '${mark} 0\\n' >&2\n`);
      if (program.input?.length) input.write(program.input);
      const [out, err] = await Promise.race([answers, ended]);
      // Unread input would be read by the next program.
      if (program.input?.length && out.code !== 0) retire(new Error('input may be left'));
      return { code: out.code, stdout: out.bytes, stderr: err.bytes };
    } finally {
      busy = false;
      stop = () => {};
      hold(child, false);
    }
  }

  const shell: Shell = { isBusy: () => busy, run };
  shells.push(shell);
  return shell;
}

/** Reads a stream that stays open: each call resolves with what came before the next end, and the code that stands in it. */
function collect(stream: NodeJS.ReadableStream, end: RegExp) {
  let chunks: Buffer[] = [];
  let resolve: (answer: { code: number; bytes: Buffer }) => void = () => {};
  const longest = 64;
  stream.on('data', (chunk: Buffer) => {
    // Join small pieces, so that an end mark is never split.
    while (chunks.length > 0 && chunk.length < longest) chunk = Buffer.concat([chunks.pop() as Buffer, chunk]);
    chunks.push(chunk);
    const match = end.exec(chunk.toString('latin1', Math.max(0, chunk.length - longest)));
    if (!match) return;
    const all = Buffer.concat(chunks);
    chunks = [];
    resolve({ code: Number(match[1]), bytes: all.subarray(0, all.length - match[0].length) });
  });
  return () =>
    new Promise<{ code: number; bytes: Buffer }>((done) => {
      resolve = done;
    });
}

/** What the shell is told, every word quoted. */
export function commandOf({ argv, cwd, env, input }: Program): string {
  const variables = Object.entries(env).filter(([name]) => isName(name));
  const exported = variables.map(([name, value = '']) => `${name}=${quote(value)}`).join(' ');
  const command = `${exported && `export ${exported}; `}cd ${quote(cwd)} && exec ${argv.map(quote).join(' ')}`;
  return input?.length ? `head -c ${Buffer.byteLength(input)} <&3 | (${command})` : `(${command}) </dev/null`;
}

export const quote = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`;

/** Names that a shell can set; functions that bash exports have others. */
const isName = (name: string): boolean => /^[A-Za-z_]\w*$/.test(name);
