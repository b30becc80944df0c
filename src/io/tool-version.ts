// What a program says its version is; apart from `shell-check.ts`, which must not load zx.
import { $ } from 'zx/core';

/** The first line it prints, or undefined when it cannot be run. */
export async function toolVersion(tool: string, flag: string): Promise<string | undefined> {
  const { exitCode, stdout } = await $({ nothrow: true, quiet: true, timeout: '5s' })`${tool} ${flag}`;
  return exitCode === 0 ? stdout.split('\n')[0] : undefined;
}
