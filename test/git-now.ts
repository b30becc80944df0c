// git for the tests themselves, without a turn of the event loop.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** What git printed, without space around it. Throws with all that it said when it failed. */
export function gitNow(args: readonly string[], cwd: string, env: NodeJS.ProcessEnv = process.env): string {
  const options = { cwd, env, encoding: 'utf8', maxBuffer: 2 ** 30, stdio: 'pipe' } as const;
  const { status, stdout, stderr, error } = spawnSync('git', args, options);
  if (status === 0) return stdout.trim();
  const why = error?.message ?? `exit code ${status}\n${stderr}`;
  throw Object.assign(new Error(`git ${args.join(' ')} (in ${cwd}): ${why}`), { status, stderr });
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
