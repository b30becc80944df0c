// TypeScript programs of test/fixtures that tests start as processes of their own.
import { join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '..');

/** Arguments for node that run one: as scripts/test.mjs bundled it, or as it is. */
export function program(name: string): string[] {
  const bundle = process.env.TEST_BUNDLE;
  if (bundle) return [join(bundle, `test/fixtures/${name}.mjs`)];
  return ['--import', join(ROOT, 'scripts/typescript.mjs'), join(ROOT, `test/fixtures/${name}.ts`)];
}
