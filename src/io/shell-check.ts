// What bash, and shellcheck where it is installed, say of a script's text. Nothing of it is run.
import { runProgram } from './program.ts';

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
async function outputOf(program: string, args: readonly string[], input: string): Promise<string | undefined> {
  const answer = await runProgram(program, args, { input });
  // What it could not say to its end is no praise.
  return answer && answer.stdout + answer.stderr + (answer.cut ? `${program} did not come to an end` : '');
}
