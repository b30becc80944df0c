// The running package: its folder, version, and the stand-ins it ships.
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

export const PACKAGE_ROOT = resolve(import.meta.dirname, '../..');
export const LAB_TOOLS = join(PACKAGE_ROOT, 'stages/lab/bin');

export function packageVersion(): string {
  return (JSON.parse(readFileSync(join(PACKAGE_ROOT, 'package.json'), 'utf8')) as { version: string }).version;
}
