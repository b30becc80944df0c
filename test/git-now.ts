// git for the tests themselves, without a turn of the event loop. A test of 150 MB takes 12 ms to start a process, and the tests
// start git ten thousand times; a shell that is told through a pipe with a name does it in two.
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, openSync, readFileSync, readSync, rmSync, writeSync } from 'node:fs';
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
