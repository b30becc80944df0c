// Runs a short program and collects its output.
import { execFile } from 'node:child_process';

export interface ProgramEnd {
  readonly ok: boolean;
  readonly stdout: string;
  readonly stderr: string;
  /** It was killed because it took too long or printed too much. */
  readonly cut: boolean;
}

interface ProgramOptions {
  /** What its standard input holds; nothing unless given. */
  readonly input?: string;
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly limitMs?: number;
  /** How much it may print. */
  readonly maxBytes?: number;
  /** Of its input and output; in latin1 each character is a byte. */
  readonly encoding?: 'utf8' | 'latin1';
}

const LIMIT_MS = 20_000;
const MAX_OUTPUT_BYTES = 64_000;

/** How it ended; undefined when there is no such program to start. Never rejects. */
export function runProgram(program: string, args: readonly string[], options: ProgramOptions = {}) {
  const { input = '', limitMs: timeout = LIMIT_MS, maxBytes: maxBuffer = MAX_OUTPUT_BYTES, ...rest } = options;
  const { encoding = 'utf8', ...place } = rest;
  return new Promise<ProgramEnd | undefined>((resolve) => {
    const limits = { timeout, killSignal: 'SIGKILL', maxBuffer, encoding } as const;
    const child = execFile(program, args, { ...limits, ...place }, (error, stdout, stderr) => {
      const isMissing = error?.code === 'ENOENT' || error?.code === 'EACCES';
      resolve(isMissing ? undefined : { ok: !error, stdout, stderr, cut: error?.killed === true });
    });
    child.stdin?.on('error', () => {});
    child.stdin?.end(input, encoding);
  });
}

/** The first line it prints about its version, or undefined when it cannot be run. */
export async function toolVersion(tool: string, flag: string): Promise<string | undefined> {
  const answer = await runProgram(tool, [flag], { limitMs: 5_000 });
  return answer?.ok ? answer.stdout.split('\n')[0] : undefined;
}
