// Bundles TypeScript with esbuild: the entry, and test files for scripts/test.mjs.
import { readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { newBundleFolder, ROOT, setCurrentBundle } from './cache.mjs';

/** zx looks for files beside its own; esbuild is a program. */
const EXTERNAL = ['zx', 'esbuild'];
/** What a plugin may import, each a part of the bundle, so that a plugin and the loop share one copy: specifier → source. */
const DOORS = { ...ownDoors(), zod: 'zod' };
/** The thread of the gate, which is started by its address. */
const GATE = 'src/io/gate/worker.ts';

/** Makes the bundle of the entry and gives its folder. Throws when that is not possible, or a source changed meanwhile. */
export async function storeBundle() {
  const began = Date.now();
  const folder = newBundleFolder();
  try {
    const inputs = await bundle({ main: 'src/cli/main.ts' }, folder);
    setCurrentBundle(folder, [...inputs, ...packageFiles(inputs)], began);
    return folder;
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
}

/** Bundles `entries` (name → source) and the doors of plugins into `folder`, one .mjs each; the files that went in, from the root. */
export async function bundle(entries, folder, external = []) {
  const { build } = await import('esbuild');
  const doors = Object.keys(DOORS).map((specifier) => [specifier, `door-${specifier.replaceAll('/', '-')}`]);
  const urls = doors.map(([specifier, name]) => [specifier, pathToFileURL(join(folder, `${name}.mjs`)).href]);
  const { metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: {
      ...entries,
      'gate-worker': GATE,
      ...Object.fromEntries(doors.map(([specifier, name]) => [name, DOORS[specifier]])),
    },
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    external: [...EXTERNAL, ...external],
    define: {
      BUNDLED_DOORS: JSON.stringify(Object.fromEntries(urls)),
      BUNDLED_GATE: JSON.stringify(pathToFileURL(join(folder, 'gate-worker.mjs')).href),
    },
    // Packages in CommonJS require parts of Node.
    banner: { js: `import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);` },
    keepNames: true,
    minifyWhitespace: true,
    minifySyntax: true,
    sourcemap: 'linked',
    sourcesContent: false,
    metafile: true,
    logLevel: 'silent',
    plugins: [{ name: 'as-unbundled', setup: asUnbundled }],
  });
  return Object.keys(metafile.inputs).filter((path) => !path.startsWith('<'));
}

function asUnbundled({ onLoad, onResolve }) {
  onLoad({ filter: /\.ts$/ }, withOwnPlace);
  // Node finds the names that a package in CommonJS exports; a bundle that is imported late would have its default export only.
  onResolve({ filter: /^\w/ }, ({ kind }) => (kind === 'dynamic-import' ? { external: true } : undefined));
}

/** A source that asks where it lies is told its own place, not the bundle's. */
function withOwnPlace({ path }) {
  const text = readFileSync(path, 'utf8')
    .replaceAll(/\bimport\.meta\.dirname\b/g, JSON.stringify(dirname(path)))
    .replaceAll(/\bimport\.meta\.filename\b/g, JSON.stringify(path))
    .replaceAll(/\bimport\.meta\.url\b/g, JSON.stringify(pathToFileURL(path).href));
  return { contents: text, loader: 'ts' };
}

/** `mendloop` and its subpaths, as package.json exports them. */
function ownDoors() {
  const { name, exports } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const sources = Object.entries(exports).filter(([, path]) => path.endsWith('.ts'));
  return Object.fromEntries(sources.map(([subpath, path]) => [name + subpath.slice(1), path]));
}

/** The package.json of every package in the bundle, which decides what its imports resolve to; and what makes the bundle. */
function packageFiles(inputs) {
  const packages = inputs.map((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0]).filter(Boolean);
  const folders = [...new Set([...packages, 'node_modules/esbuild'])];
  return ['package.json', 'scripts/bundle/build.mjs', ...folders.map((folder) => `${folder}/package.json`)];
}
