// This repository as a test may have it: a copy of what git has or would take here, as it is on disk, in a repository of its own.
// What whoever uses this clone has made in it (branches, state, a worktree) is not in it.
import { cpSync, existsSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { gitNow, initNow } from './git-now.ts';

const ROOT = resolve(import.meta.dirname, '..');
const PERSON = ['-c', 'user.name=Owner', '-c', 'user.email=owner@example.org'];

const PARTS = ['.gitignore', 'ai', 'config', 'infrastructure', 'package.json', 'plugins', 'scripts', 'src', 'stages'];

/** The files of it that git has, below these parts, from its root. */
export const filesHere = (...parts: string[]): string[] => listed('--cached', '--', ...parts);

function listed(...words: string[]): string[] {
  const paths = gitNow(['ls-files', '-z', ...words], ROOT).split('\0');
  return [...new Set(paths)].filter((path) => path !== '' && existsSync(join(ROOT, path)));
}

/** Copies what its commands and its lab need into `to`, with the packages; all is committed there, on main. */
export function copyRepository(to: string): string {
  const paths = listed('--cached', '--others', '--exclude-standard', '--', ...PARTS);
  for (const path of paths) cpSync(join(ROOT, path), join(to, path));
  symlinkSync(join(ROOT, 'node_modules'), join(to, 'node_modules'));
  initNow(to);
  gitNow(['add', '-A'], to);
  gitNow([...PERSON, 'commit', '-q', '-m', 'as it is here'], to);
  return to;
}
