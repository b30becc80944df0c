// Finding a plugin's file by its name alone and importing it: the one effect of this folder. A module that never settles is
// not waited for.
import { join, posix } from 'node:path';
import { pathToFileURL } from 'node:url';
import { PLUGIN_NAME } from '../config/loop-config.ts';
import { entryAt } from '../io/links.ts';
import { LISTS } from './contract.ts';
import { thrownLine } from './examine.ts';

const ENDINGS = ['.ts', '.mjs', '.js'] as const;

/** `files` are relative to the folder: none, the one it is in, or several that cannot be told apart. */
type Located = { readonly files: readonly string[] } | { readonly refused: string };

/** Looks for `name` in `folder` and its folders of lists. A name or a link that could lead out of it is refused. */
export async function locate(folder: string | undefined, name: string): Promise<Located> {
  if (!PLUGIN_NAME.test(name)) return { refused: 'not the name of a plugin: letters, digits, "-" and "_", at most 64' };
  if (folder === undefined) return { files: [] };
  const files: string[] = [];
  for (const place of ['', ...LISTS]) {
    for (const file of ENDINGS.map((ending) => posix.join(place, `${name}${ending}`))) {
      const { kind } = await entryAt(join(folder, file));
      if (kind === 'nothing') continue;
      // What a link points to is not what was committed under this name.
      const isLinked = place !== '' && (await entryAt(join(folder, place))).kind === 'link';
      if (isLinked) return { refused: `plugins/${place} is a link; expected a folder` };
      if (kind !== 'file') return { refused: `plugins/${file} is a ${kind}; expected a file` };
      files.push(file);
    }
  }
  return { files };
}

type Load = () => Promise<unknown>;
type Imported = { readonly exported: unknown } | { readonly fault: string };

const IMPORT_LIMIT_MS = 10_000;

/** The default export of `load()`'s module. Never throws; `where` is what a person calls the file. */
export async function defaultExport(load: Load, where: string, limitMs = IMPORT_LIMIT_MS): Promise<Imported> {
  const loaded = async (): Promise<Imported> => {
    try {
      const module = await load();
      const isModule = typeof module === 'object' && module !== null && 'default' in module;
      return isModule ? { exported: module.default } : { fault: `${where} has no default export` };
    } catch (error) {
      return { fault: `${where} cannot be loaded: ${thrownLine(withPlace(error, where))}` };
    }
  };
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Imported>((resolve) => {
    timer = setTimeout(() => resolve({ fault: `${where} was not loaded within ${limitMs / 1000} s` }), limitMs);
  });
  return Promise.race([loaded(), late]).finally(() => clearTimeout(timer));
}

/** The default export of a file below `folder`; messages name it from there. */
export async function ownExport(folder: string, file: string, limitMs?: number): Promise<Imported> {
  await lendPackages();
  const [path, url] = [join(folder, file), pathToFileURL(join(folder, file)).href];
  const imported = await defaultExport(() => import(url), `plugins/${file}`, limitMs);
  if (!('fault' in imported)) return imported;
  const [root, rootUrl] = [path.slice(0, -file.length), url.slice(0, -file.length)];
  return { fault: imported.fault.replaceAll(rootUrl, 'plugins/').replaceAll(root, 'plugins/') };
}

/** Set in a bundle of this package: the URL of its folder, or of a file there. */
declare const BUNDLE_URL: string | undefined;

let lent = false;

/** From now on plugins find the packages that are promised to them, and may be TypeScript on any Node that can be helped to it. */
async function lendPackages(): Promise<void> {
  if (lent) return;
  lent = true;
  await import(new URL('../../scripts/typescript.mjs', import.meta.url).href);
  // The hook that was registered last is asked first.
  const { lendDoors } = await import(new URL('./bare-imports.mjs', import.meta.url).href);
  lendDoors(typeof BUNDLE_URL === 'undefined' ? undefined : BUNDLE_URL);
}

/** Where a syntax error is, V8 says at the top of the stack (`file:///…/x.mjs:3`) or not at all. */
function withPlace(error: unknown, where: string): unknown {
  if (!(error instanceof SyntaxError)) return error;
  const place = /^file:\S+:\d+$/.exec(error.stack?.split('\n')[0] ?? '')?.[0];
  return `${error.message} (${place ?? `to see where: node --check ${where}`})`;
}
