// What a test needs of the machine. Where that is missing the test is skipped, and the test command says at its end what was missing;
// with CI=true a skip is a failure.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { test } from 'uvu';

export type Test = (name: string, body: () => void | Promise<void>) => void;

declare global {
  /** Why each test that was skipped was: scripts/test/file.mjs reads it. */
  var SKIPPED_TESTS: string[] | undefined;
}

/** Stand-ins are started with Debian's python. */
const python = (code: string) => () =>
  ['/usr/bin/python3', 'python3'].every((program) => spawnSync(program, ['-c', code]).status === 0);

/** What is no program, and whether it is here. */
const OTHERS: Record<string, () => boolean> = {
  'python3-yaml': python('import yaml'),
  'python3-jinja2': python('import jinja2'),
  'right to mount': () => {
    const place = mkdtempSync(join(tmpdir(), 'mount-'));
    const isMounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', place]).status === 0;
    return isMounted && spawnSync('umount', [place]).status === 0;
  },
  'right to make a pid namespace': () => spawnSync('unshare', ['--pid', '--fork', '--mount-proc', 'true']).status === 0,
  'cgroups of the first version': () => existsSync('/sys/fs/cgroup/memory/memory.oom_control'),
  'user root': () => process.getuid?.() === 0,
};

/** uvu's test; or a skip, where one of these programs, modules or rights is missing here. */
export function needs(...names: string[]): Test {
  const missing = names.find((name) => !isThere(name));
  if (missing === undefined) return test;
  const isInstallable = !/^(right|user|cgroups) /.test(missing);
  return () => {
    test.skip();
    globalThis.SKIPPED_TESTS?.push(`no ${missing}${isInstallable ? ' (scripts/install_test_tools.sh)' : ''}`);
  };
}

export const isThere = (name: string): boolean => OTHERS[name]?.() ?? programAt(name) !== undefined;

/** Where a program is, or undefined; daemons are not on everybody's PATH. */
export function programAt(name: string): string | undefined {
  const folders = isAbsolute(name) ? [''] : [...(process.env.PATH ?? '').split(':'), '/usr/sbin', '/sbin'];
  const isExecutable = (path: string) => ((statSync(path, { throwIfNoEntry: false })?.mode ?? 0) & 0o111) !== 0;
  return folders.map((folder) => join(folder, name)).find(isExecutable);
}
