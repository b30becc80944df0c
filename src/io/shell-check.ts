// What bash, and shellcheck where it is installed, say of a script's text. Nothing of it is run.
import { execFile } from 'node:child_process';

const LIMIT_MS = 20_000;
const MAX_OUTPUT_BYTES = 64_000;

/** Complaints of `after` that `before` did not have, one line each. */
export async function shellCheck(path: string, before: string | null, after: string): Promise<string[]> {
  const [old, now] = await Promise.all([before === null ? [] : complaints(before), complaints(after)]);
  const earlier = old.map(withoutPlace);
  return now
    .filter((line) => {
      const at = earlier.indexOf(withoutPlace(line));
      if (at === -1) return true;
      earlier.splice(at, 1);
      return false;
    })
    .map((line) => `${path}: ${line}`);
}

/** Whether bash takes the text for a script; false where there is no bash. */
export async function bashParses(text: string): Promise<boolean> {
  return (await outputOf('bash', ['-n'], text))?.trim() === '';
}

async function complaints(text: string): Promise<string[]> {
  const [bash, shellcheck] = await Promise.all([
    // Not /dev/stdin: what a child process is given there may be a socket, which cannot be opened by name.
    outputOf('bash', ['-n'], text),
    outputOf('shellcheck', ['--severity=error', '--format=gcc', '--shell=bash', '-'], text),
  ]);
  // Where shellcheck is not installed, bash alone decides.
  return [...lines(bash), ...lines(shellcheck)];
}

const lines = (output = ''): string[] => output.split('\n').filter((line) => line.trim() !== '');
const withoutPlace = (line: string): string => line.replace(/\bline \d+\b|^[^:]*:\d+:\d+:/g, '');

/** What a program prints about a text on its standard input; undefined when there is no such program. */
function outputOf(program: string, args: readonly string[], text: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const limits = { timeout: LIMIT_MS, killSignal: 'SIGKILL', maxBuffer: MAX_OUTPUT_BYTES } as const;
    const child = execFile(program, args, limits, (error, stdout, stderr) =>
      // What it could not say to its end is no praise.
      resolve(
        error?.code === 'ENOENT'
          ? undefined
          : stdout + stderr + (error?.killed ? `${program} did not come to an end` : ''),
      ),
    );
    child.stdin?.on('error', () => {});
    child.stdin?.end(text);
  });
}
