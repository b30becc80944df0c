// TypeScript programs of test/fixtures that tests start as processes of their own.
import { join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '..');

/** Arguments for node that run one. */
export const program = (name: string): string[] => [
  ...['--import', join(ROOT, 'scripts/typescript.mjs')],
  join(ROOT, `test/fixtures/${name}.ts`),
];
