// Where scripts/bootstrap_loop.mjs imports main() from. Loading hundreds of small modules is half of a start's work, so the
// entry is a bundle of them, made at the first start and again when a file in it has changed. Where none can be made (no
// esbuild, a folder that may not be written, a source with an error), the entry is src/cli/main.ts itself.
import module from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { currentBundle } from './cache.mjs';

/** The URL of a module that exports main(). MENDLOOP_UNBUNDLED=1 asks for the sources. */
export async function entry() {
  const folder = process.env.MENDLOOP_UNBUNDLED === '1' ? undefined : (currentBundle() ?? (await newBundle()));
  if (folder) {
    // Node 22 and newer keep what they compiled, here for as long as the bundle.
    module.enableCompileCache?.(join(folder, 'compiled'));
    return pathToFileURL(join(folder, 'main.mjs')).href;
  }
  await import('../typescript.mjs');
  return new URL('../../src/cli/main.ts', import.meta.url).href;
}

async function newBundle() {
  try {
    return await (await import('./build.mjs')).storeBundle();
  } catch {
    return undefined;
  }
}
