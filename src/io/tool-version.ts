// What a program says its version is.
import { $ } from 'zx';

/** The first line it prints, or undefined when it cannot be run. */
export async function toolVersion(tool: string, flag: string): Promise<string | undefined> {
  const said = await $({ nothrow: true, quiet: true, timeout: '5s' })`${tool} ${flag}`;
  return said.exitCode === 0 ? said.stdout.split('\n')[0] : undefined;
}
