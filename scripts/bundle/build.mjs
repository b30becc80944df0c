// Bundles TypeScript with esbuild: the entry of a clone, and what a package ships.
import { copyFileSync, readFileSync, rmSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { DOORS, doorName } from '../../src/plugin/bare-imports.mjs';
import { newBundleFolder, ROOT, setCurrentBundle } from './cache.mjs';

/** esbuild is a program. */
const EXTERNAL = ['esbuild'];
/** The thread of the gate, which is started by its address. */
const GATE = 'src/io/gate/worker.ts';
/** The parser that the thread's grammar needs, a file that no import names. */
const PARSER = 'node_modules/web-tree-sitter/web-tree-sitter.wasm';
/** What makes the bundle: it is another when this changes. */
const MAKER = 'scripts/bundle/build.mjs';

const MAIN = 'src/cli/main.ts';

/** Makes the bundle of the entry and gives its folder. Throws when that is not possible, or a source changed meanwhile. */
export async function storeBundle() {
  const began = Date.now();
  const folder = newBundleFolder();
  try {
    const inputs = await bundle({ main: MAIN }, folder);
    setCurrentBundle(folder, [...inputs, ...packageFiles(inputs)], began);
    return folder;
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
}

/**
 * Bundles `entries` (name → source) and the doors of plugins into `folder`, one .mjs each; the files that went in, from the root.
 * `packed`: the folder stands for the root, wherever it is moved to, and has every package but esbuild.
 */
export async function bundle(entries, folder, { packed = false } = {}) {
  const { build } = await import('esbuild');
  const doorsOf = (names) => Object.fromEntries(names.map((name) => [doorName(name), DOORS[name]]));
  const doors = doorsOf(Object.keys(DOORS).filter((name) => name !== 'zod'));
  const options = {
    absWorkingDir: ROOT,
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    external: EXTERNAL,
    banner: { js: banner(packed ? undefined : folder) },
    minifyWhitespace: true,
    minifySyntax: true,
    sourcemap: packed ? false : 'linked',
    sourcesContent: false,
    metafile: true,
    logLevel: 'silent',
    plugins: [{ name: 'as-unbundled', setup: asUnbundled }],
  };
  const { metafile } = await build({ ...options, entryPoints: { ...entries, ...doors } });
  // A thread shares nothing: with files of the loop it would load what others of them share.
  const gate = await build({ ...options, entryPoints: { 'gate-worker': GATE } });
  // A plugin may use all of it; the loop loads the fifth that it uses. Schemas of both are the same to both.
  await build({ ...options, entryPoints: doorsOf(['zod']), minifyIdentifiers: packed });
  copyFileSync(join(ROOT, PARSER), join(folder, basename(PARSER)));
  const inputs = new Set([metafile, gate.metafile].flatMap((one) => Object.keys(one.inputs)));
  return [...inputs].filter((path) => !path.startsWith('<'));
}

/**
 * At the top of every file: packages in CommonJS require parts of Node; sources ask where the bundle is, and where they would be.
 * Nothing is worked out before it is asked for: a start loads dozens of files.
 */
function banner(folder) {
  const url = (path) => JSON.stringify(pathToFileURL(`${path}/`).href);
  const [bundleUrl, rootUrl] = folder ? [url(folder), url(ROOT)] : ['import.meta.url', 'import.meta.url'];
  return [
    `import { createRequire as bundleRequire } from 'node:module';`,
    'const require = (id) => bundleRequire(import.meta.url)(id);',
    `const BUNDLE_URL = ${bundleUrl}, BUNDLE_ROOT_URL = ${rootUrl};`,
  ].join(' ');
}

function asUnbundled({ onLoad, onResolve }) {
  onLoad({ filter: /\.ts$|\/scripts\/(?:bench\/.*|typescript)\.mjs$/ }, withOwnPlace);
  // Node finds the names that a package in CommonJS exports; a bundle that is imported late would have its default export only.
  onResolve({ filter: /^\w/ }, ({ kind }) => (kind === 'dynamic-import' ? { external: true } : undefined));
}

/** A source that asks where it lies is told its own place, not the bundle's. */
function withOwnPlace({ path }) {
  const url = (to) => `new globalThis.URL(${JSON.stringify(relative(ROOT, to))}, BUNDLE_ROOT_URL)`;
  const text = readFileSync(path, 'utf8')
    .replaceAll(/\bimport\.meta\.dirname\b/g, `decodeURIComponent(${url(dirname(path))}.pathname)`)
    .replaceAll(/\bimport\.meta\.filename\b/g, `decodeURIComponent(${url(path)}.pathname)`)
    .replaceAll(/\bimport\.meta\.url\b/g, `${url(path)}.href`);
  return { contents: text, loader: 'ts' };
}

/** The package.json of every package in the bundle, which decides what its imports resolve to; and what makes the bundle. */
function packageFiles(inputs) {
  const packages = inputs.map((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0]).filter(Boolean);
  const folders = [...new Set([...packages, 'node_modules/esbuild'])];
  return ['package.json', MAKER, ...folders.map((folder) => `${folder}/package.json`)];
}
