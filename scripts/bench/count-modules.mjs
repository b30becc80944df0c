// Loaded with --import: writes the URL of every file that the process loads as a module to the file BENCH_MODULES names.
// The resolve hook sees what is imported, also by other hooks; what is required is in the cache of require at the end.
import { appendFileSync } from 'node:fs';
import { createRequire, register } from 'node:module';
import { pathToFileURL } from 'node:url';
import { isMainThread } from 'node:worker_threads';

const note = (urls) => appendFileSync(process.env.BENCH_MODULES, urls.map((url) => `${url}\n`).join(''));

if (isMainThread) {
  register(import.meta.url);
  process.on('exit', () => note(Object.keys(createRequire(import.meta.url).cache).map((path) => pathToFileURL(path))));
}

export async function resolve(specifier, context, next) {
  const found = await next(specifier, context);
  if (found.url.startsWith('file:') && !found.url.startsWith(import.meta.url)) note([found.url.replace(/[?#].*/, '')]);
  return found;
}
