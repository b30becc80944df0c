// The running package: its folder, version, and the stand-ins it ships.
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { findTool } from './files.ts';

export const PACKAGE_ROOT = resolve(import.meta.dirname, '../..');
export const LAB_TOOLS = join(PACKAGE_ROOT, 'stages/lab/bin');

/** The program that starts the loop, in a clone or as it was packed. */
export function packageEntry(): string {
  const inClone = join(PACKAGE_ROOT, 'scripts/bootstrap_loop.mjs');
  return existsSync(inClone) ? inClone : join(PACKAGE_ROOT, 'mendloop.mjs');
}

export function packageVersion(): string {
  return (JSON.parse(readFileSync(join(PACKAGE_ROOT, 'package.json'), 'utf8')) as { version: string }).version;
}

/** argv to start this program again: a path of Node that survives its upgrade, if there is one, and the entry. */
export function programArguments(path: string): [node: string, entry: string] {
  const node = findTool('node', path);
  return [node && realpathSync(node) === process.execPath ? node : process.execPath, packageEntry()];
}
