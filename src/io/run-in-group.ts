// A command as part of this process's own group: it ends with us, and its output goes to stderr.
import { spawn } from 'node:child_process';

/** Resolves to the exit code, 128 when a signal ended it. Rejects when it cannot be started. */
export function runInGroup(command: string | readonly string[], cwd: string, env: NodeJS.ProcessEnv): Promise<number> {
  const [program = '', ...args] = typeof command === 'string' ? ['bash', '-c', command] : command;
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd, env, stdio: ['ignore', 2, 2] });
    child.once('error', reject);
    child.once('exit', (code) => resolve(code ?? 128));
  });
}
