// What installed programs say: bash and shellcheck of a script that is not run, a tool of its version.
import { spawn } from 'node:child_process';
import { $ } from 'zx';

const LIMIT_MS = 20_000;

/** Complaints of `after` that `before` did not have, one line each. */
export async function shellCheck(path: string, before: string | null, after: string): Promise<string[]> {
  const [old, now] = await Promise.all([before === null ? [] : complaints(before), complaints(after)]);
  const known = old.map(withoutPlace);
  return now
    .filter((line) => {
      const at = known.indexOf(withoutPlace(line));
      if (at === -1) return true;
      known.splice(at, 1);
      return false;
    })
    .map((line) => `${path}: ${line}`);
}

/** Whether bash takes the text for a script; false where there is no bash. */
export async function bashParses(text: string): Promise<boolean> {
  const bash = await told('bash', ['-n'], text);
  return bash !== undefined && bash.said.trim() === '';
}

async function complaints(text: string): Promise<string[]> {
  const [bash, shellcheck] = await Promise.all([
    // Not /dev/stdin: what a child process is given there may be a socket, which cannot be opened by name.
    told('bash', ['-n'], text),
    told('shellcheck', ['--severity=error', '--format=gcc', '--shell=bash', '-'], text),
  ]);
  // Where shellcheck is not installed, bash alone decides.
  return [...lines(bash?.said ?? ''), ...lines(shellcheck?.said ?? '')];
}

const lines = (said: string): string[] => said.split('\n').filter((line) => line.trim() !== '');
const withoutPlace = (line: string): string => line.replace(/\bline \d+\b|^[^:]*:\d+:\d+:/g, '');

/** What a program prints about a text on its standard input; undefined when there is no such program. */
function told(program: string, args: readonly string[], text: string): Promise<{ said: string } | undefined> {
  return new Promise((resolve) => {
    const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'pipe'] });
    // Not spawn's own: where there is no such program its timer stays, and holds the process up.
    const timer = setTimeout(() => child.kill('SIGKILL'), LIMIT_MS);
    let said = '';
    const add = (chunk: Buffer) => {
      if (said.length < 64_000) said += chunk.toString();
    };
    child.stdout.on('data', add);
    child.stderr.on('data', add);
    child.stdin.on('error', () => {});
    const end = (answer: { said: string } | undefined) => {
      clearTimeout(timer);
      resolve(answer);
    };
    child.on('error', () => end(undefined));
    child.on('close', () => end({ said }));
    child.stdin.end(text);
  });
}

/** The first line it prints, or undefined when it cannot be run. */
export async function toolVersion(tool: string, flag: string): Promise<string | undefined> {
  const said = await $({ nothrow: true, quiet: true, timeout: '5s' })`${tool} ${flag}`;
  return said.exitCode === 0 ? said.stdout.split('\n')[0] : undefined;
}
