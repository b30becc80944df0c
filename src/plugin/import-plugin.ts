// Importing a plugin's file: the one effect of this folder. A module that never settles is not waited for.
import { register } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { thrown } from './thrown.ts';

export type Imported = { readonly exported: unknown } | { readonly fault: string };

export const IMPORT_LIMIT_MS = 10_000;

/** The default export of `load()`'s module. Never throws; `where` is what a person calls the file. */
export async function defaultExport(
  load: () => Promise<unknown>,
  where: string,
  shown: (message: string) => string = (message) => message,
  limitMs: number = IMPORT_LIMIT_MS,
): Promise<Imported> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Imported>((resolve) => {
    const fault = `${where} was not loaded within ${limitMs / 1000} s`;
    timer = setTimeout(() => resolve({ fault }), limitMs);
  });
  const loaded = Promise.resolve()
    .then(load)
    .then(
      (module): Imported => {
        if (typeof module !== 'object' || module === null || !('default' in module)) {
          return { fault: `${where} has no default export` };
        }
        return { exported: module.default };
      },
      (error): Imported => ({ fault: `${where} cannot be loaded: ${shown(thrown(withPlace(error, where)))}` }),
    );
  return Promise.race([loaded, late]).finally(() => clearTimeout(timer));
}

/** The default export of a file below `folder`; messages name it from there. */
export async function ownExport(folder: string, file: string, limitMs?: number): Promise<Imported> {
  await lendPackages();
  const [path, url] = [join(folder, file), pathToFileURL(join(folder, file)).href];
  const [root, rootUrl] = [path.slice(0, -file.length), url.slice(0, -file.length)];
  const shown = (message: string) => message.replaceAll(rootUrl, 'plugins/').replaceAll(root, 'plugins/');
  return defaultExport(() => import(url), `plugins/${file}`, shown, limitMs);
}

/** Set in a bundle of this package: specifier → URL of the part of the bundle that plugins get for it. */
declare const BUNDLED_DOORS: Readonly<Record<string, string>> | undefined;

let lent = false;

/** From now on plugins find the packages that are promised to them, and may be TypeScript on any Node. */
async function lendPackages(): Promise<void> {
  if (lent) return;
  lent = true;
  const data = typeof BUNDLED_DOORS === 'undefined' ? {} : BUNDLED_DOORS;
  register('./bare-imports.mjs', { parentURL: import.meta.url, data });
  await import(new URL('../../scripts/typescript.mjs', import.meta.url).href);
}

/** Where a syntax error is, V8 says at the top of the stack (`file:///…/x.mjs:3`) or not at all. */
function withPlace(error: unknown, where: string): unknown {
  if (!(error instanceof SyntaxError)) return error;
  const place = /^file:\S+:\d+$/.exec(error.stack?.split('\n')[0] ?? '')?.[0];
  return `${error.message} (${place ?? `to see where: node --check ${where}`})`;
}
