// Runs test files in this process, one after the other, each with a summary of its own: `batch.mjs name module name module …`.
// Started by scripts/test.mjs, which judges the output; a file that leaves the process takes the others with it.
import { readFileSync } from 'node:fs';

globalThis.UVU_DEFER = 1;
const { exec } = await import('uvu');

const words = process.argv.slice(2);
let failed = false;
for (let at = 0; at < words.length; at += 2) {
  console.log(`=== ${words[at]}`);
  const before = processorSeconds();
  globalThis.UVU_QUEUE.splice(0, Number.POSITIVE_INFINITY, [null]);
  await import(words[at + 1]);
  await exec(process.env.TEST_BAIL === '1');
  console.log(`  Processor: ${(processorSeconds() - before).toFixed(1)} s`);
  failed ||= process.exitCode !== 0;
}
if (failed) process.exitCode = 1;

/** What this process and those it has waited for have used; 0 where /proc does not say. */
function processorSeconds() {
  try {
    const fields = readFileSync('/proc/self/stat', 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / 100;
  } catch {
    return 0;
  }
}
