#!/usr/bin/env node
// Runs what the pages show and writes what is printed today into them, and the recording: `npm run docs`. Read the difference
// before you commit it. An output that shows `…` is only named when it no longer fits.
import './typescript.mjs';

await import('../test/docs/write.ts');
