#!/usr/bin/env node
// The `mendloop` command of an installed package. In a clone scripts/bootstrap_loop.mjs is the way in.
import { main } from '../src/cli/main.ts';

process.exitCode = await main(process.argv.slice(2));
