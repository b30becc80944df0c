// Which repository we work for: --root, MENDLOOP_HOME, else the git top level; inside a worktree, its owner.
import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fail } from '../errors.ts';

/** The owner's checkout. Throws MendError when there is none. */
export function findHome(options: { root?: string | undefined; env: NodeJS.ProcessEnv; cwd: string }): string {
  const named = options.root ?? options.env.MENDLOOP_HOME;
  const start = resolve(options.cwd, named ?? '.');
  if (!existsSync(start) || !statSync(start).isDirectory()) fail('E_ROOT_MISSING', { root: start });
  const top = topLevel(realpathSync(start));
  if (top === undefined) fail('E_NOT_GIT', { home: start });
  return ownerOf(top);
}

function topLevel(from: string): string | undefined {
  for (let at = from; ; at = dirname(at)) {
    if (existsSync(join(at, '.git'))) return at;
    if (dirname(at) === at) return undefined;
  }
}

/** A linked worktree's `.git` is a file that leads to its owner's; a submodule's leads elsewhere and stays itself. */
function ownerOf(top: string): string {
  const dotGit = join(top, '.git');
  if (statSync(dotGit).isDirectory()) return top;
  const gitDir = /^gitdir: (.*)$/m.exec(readFileSync(dotGit, 'utf8'))?.[1];
  const common = gitDir && join(resolve(top, gitDir), 'commondir');
  if (!common || !existsSync(common)) return top;
  const shared = resolve(dirname(common), readFileSync(common, 'utf8').trim());
  return shared.endsWith('/.git') ? dirname(shared) : top;
}
