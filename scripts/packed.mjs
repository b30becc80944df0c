#!/usr/bin/env node
// The `mendloop` command of an installed package. In a clone scripts/bootstrap_loop.mjs is the way in.
import module from 'node:module';
import { fileURLToPath } from 'node:url';

// Not Node's default below /tmp: only who may change the package may write what is run as a part of it.
module.enableCompileCache?.(fileURLToPath(new URL('../../.cache/mendloop/compiled', import.meta.url)));
const { main } = await import('../src/cli/main.ts');
process.exitCode = await main(process.argv.slice(2));
