// Starts a program that outlives this process: in a session of its own, its output in a file.
import { spawn } from 'node:child_process';
import { closeSync } from 'node:fs';
import { openToAppend } from './regular-file.ts';
import { removeFile } from './store.ts';

export interface Detached {
  readonly pid: number;
  /** Its exit code, or null when a signal ended it; never settles when this process ends first. */
  readonly ended: Promise<number | null>;
}

/** `output`: the file, written anew. Rejects when it cannot be started. */
export async function startDetached(
  argv: readonly string[],
  { cwd, env, output }: { cwd: string; env: NodeJS.ProcessEnv; output: string },
): Promise<Detached> {
  const [program = '', ...args] = argv;
  removeFile(output);
  const fd = openToAppend(output);
  try {
    const child = spawn(program, args, { cwd, env, detached: true, stdio: ['ignore', fd, fd] });
    const ended = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)));
    await new Promise<void>((resolve, reject) => child.once('spawn', resolve).once('error', reject));
    child.unref();
    return { pid: child.pid as number, ended };
  } finally {
    closeSync(fd);
  }
}
