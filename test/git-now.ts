// git for the tests themselves, without a turn of the event loop. A test of 150 MB takes 12 ms to start a process, and the tests
// start git ten thousand times; a shell that is told through a pipe with a name does it in two.
import { execFileSync, spawn } from 'node:child_process';
import {
  cpSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { commandOf } from '../src/io/small-shell.ts';

interface Shell {
  folder: string;
  commands: number;
  codes: number;
}

let shell: Shell | undefined;

/** What git printed, without space around it. Throws with all that it said when it failed. */
export function gitNow(args: readonly string[], cwd: string, env: NodeJS.ProcessEnv = process.env): string {
  shell ??= startShell();
  const output = join(shell.folder, 'output');
  const complaints = join(shell.folder, 'complaints');
  const command = commandOf({ argv: ['git', ...args], cwd, env });
  writeSync(shell.commands, `{ ${command}; } >'${output}' 2>'${complaints}'; echo $? >'${shell.folder}/codes'\n`);
  const code = Buffer.alloc(8);
  const status = Number(code.toString('latin1', 0, readSync(shell.codes, code)));
  if (status === 0) return readFileSync(output, 'utf8').trim();
  const stderr = readFileSync(complaints, 'utf8');
  throw Object.assign(new Error(`git ${args.join(' ')} (in ${cwd}): exit code ${status}\n${stderr}`), {
    status,
    stderr,
  });
}

let empty: string | undefined;

/** Makes an empty repository on branch main in `home`, as git makes one: the first is made by git, the others are its copies. */
export function initNow(home: string, env?: NodeJS.ProcessEnv): void {
  if (empty === undefined) {
    empty = mkdtempSync(join(tmpdir(), 'mendloop-empty-'));
    process.on('exit', () => rmSync(empty as string, { recursive: true, force: true }));
    gitNow(['init', '-q', '-b', 'main'], empty, env);
    // Samples of hooks are most of its files.
    for (const name of readdirSync(join(empty, '.git/hooks'))) rmSync(join(empty, '.git/hooks', name));
  }
  cpSync(empty, home, { recursive: true });
}

/** The commit at HEAD, which was just made: so its branch, if there is one, is a file. */
export function headNow(dir: string): string {
  const gitDir = join(dir, '.git');
  if (!statSync(gitDir).isDirectory()) return gitNow(['rev-parse', 'HEAD'], dir);
  const head = readFileSync(join(gitDir, 'HEAD'), 'utf8').trim();
  const [, branch] = /^ref: (.*)/.exec(head) ?? [];
  return branch === undefined ? head : readFileSync(join(gitDir, branch), 'utf8').trim();
}

/** It reads its commands from a pipe that ends with this process. */
function startShell(): Shell {
  const folder = mkdtempSync(join(tmpdir(), 'mendloop-git-now-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  execFileSync('mkfifo', [join(folder, 'commands'), join(folder, 'codes')]);
  spawn('sh', [join(folder, 'commands')], { env: {}, cwd: '/', detached: true, stdio: 'ignore' }).unref();
  return {
    folder,
    commands: openSync(join(folder, 'commands'), 'w'),
    codes: openSync(join(folder, 'codes'), 'r+'),
  };
}
