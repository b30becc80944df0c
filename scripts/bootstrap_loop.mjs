#!/usr/bin/env node
// The one way in: `npx zx scripts/bootstrap_loop.mjs`, `node scripts/bootstrap_loop.mjs` and `mendloop` all end here.
// It finds main() of src/cli/main.ts, bundled or as it is, and hands the arguments to it.
import { realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { entry } from './bundle/entry.mjs';

const self = fileURLToPath(import.meta.url);
const startedByZx = realpathSync(process.argv[1] ?? self) !== realpathSync(self);

if (process.argv.includes('--debug')) process.setSourceMapsEnabled(true);

try {
  const { main } = await import(await entry());
  process.exitCode = await main(process.argv.slice(startedByZx ? 3 : 2));
} catch (error) {
  if (error?.code !== 'ERR_MODULE_NOT_FOUND' || !/Cannot find package/.test(error.message)) throw error;
  console.error(
    `error E_DEPENDENCIES: ${error.message.split(' imported from')[0].replace('Cannot find', 'cannot find')}`,
  );
  console.error('  next:  run: npm ci');
  process.exitCode = 2;
}
