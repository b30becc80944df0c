// A throw-away copy of a repository, in which commands can be tried.
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openGit } from './git.ts';
import { copyFile, ifPossible, readText } from './store.ts';

/**
 * A repository of its own with what git tracks here, made when first asked for. No filter of .gitattributes runs: it might decrypt
 * or download. It is removed when the process ends, however it is stopped.
 */
export function scratchCopy(home: string, stopTries: () => void) {
  let made: Promise<string> | undefined;
  let path: string | undefined;
  const remove = () => {
    if (path !== undefined) rmSync(path, { recursive: true, force: true });
    path = undefined;
  };
  const stop = () => {
    stopTries();
    setTimeout(() => {
      remove();
      process.exit(130);
    }, STOP_MS);
  };
  return {
    folder: () => {
      made ??= make();
      return made;
    },
    remove: () => {
      for (const name of SIGNALS) process.off(name, stop);
      remove();
    },
  };

  async function make(): Promise<string> {
    path = realpathSync(mkdtempSync(join(tmpdir(), 'mendloop-init-')));
    for (const name of SIGNALS) process.on(name, stop);
    const git = openGit(home);
    await git.run(['clone', '--quiet', '--shared', '--no-checkout', '--template=', '.', path]);
    const index = (await git.run(['rev-parse', '--path-format=absolute', '--git-path', 'index'])).trim();
    copyFile(index, join(path, '.git/index'));
    await openGit(path).run([...withoutFilters(home), 'checkout-index', '--all', '--force']);
    return path;
  }
}

/** What is being tried is ended in this time. */
const STOP_MS = 700;
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

const withoutFilters = (home: string): string[] => {
  const attributes = ifPossible(() => readText(join(home, '.gitattributes'))) ?? '';
  const names = new Set(Array.from(attributes.matchAll(/\bfilter=(\S+)/g), ([, name = '']) => name));
  const off = ['smudge=', 'process=', 'required=false'];
  return [...names].flatMap((name) => off.flatMap((setting) => ['-c', `filter.${name}.${setting}`]));
};
