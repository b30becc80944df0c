#!/usr/bin/env node
// Makes dist/, which is what `npm pack` packs: the bundle with everything it needs, at the places that the sources would look for
// it, and the types of the doors. Run by npm as prepack; a clone needs none of it, and postpack (--clean) removes it.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { build } from 'esbuild';
import { bundle } from './bundle/build.mjs';
import { ROOT } from './bundle/cache.mjs';

const DIST = join(ROOT, 'dist');
/** What is read or run at its place, from the root. */
const COPIED = [
  'ai/executor_instructions.md',
  'ai/schema',
  'demo',
  'scripts/typescript-hooks.mjs',
  'scripts/typescript.mjs',
  'src/io/gate/tree-sitter-bash.wasm',
  'src/page/style.css',
  'src/serve/page.js',
  'src/plugin/bare-imports.mjs',
  ...vocabularies(),
  'stages/lab',
  // The exams of the model bench.
  'test/fixtures/mistakes',
];
/** By its place in the package; the stand-in is started by the bench, which looks for it beside itself. */
const ENTRIES = {
  mendloop: 'scripts/packed.mjs',
  'bench-model': 'scripts/bench/model.mjs',
  'scripts/bench/model/stand-in': 'scripts/bench/model/stand-in.mjs',
};
/** Programs of the lab that import a package. */
const LAB_PROGRAMS = ['machineconfig', 'manifests'].map((name) => `stages/lab/lib/${name}.mjs`);

const read = (path) => readFileSync(join(ROOT, path), 'utf8');

async function makePackage() {
  for (const path of COPIED) cpSync(join(ROOT, path), join(DIST, path), { recursive: true });
  const { type, version } = JSON.parse(read('package.json'));
  writeFileSync(join(DIST, 'package.json'), `${JSON.stringify({ type, version })}\n`);
  await bundleLab();
  const inputs = await bundle(ENTRIES, DIST, { packed: true });
  writeFileSync(join(DIST, 'LICENSES'), licences(inputs));
  makeTypes();
}

function vocabularies() {
  const folder = 'src/repository/vocabulary';
  const files = readdirSync(join(ROOT, folder)).filter((name) => name.endsWith('.json'));
  return files.map((name) => `${folder}/${name}`);
}

function bundleLab() {
  const banner = `import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);`;
  const entryPoints = LAB_PROGRAMS.map((path) => join(ROOT, path));
  // What both import is one file.
  const options = { bundle: true, splitting: true, platform: 'node', format: 'esm', target: 'node20', minify: true };
  return build({
    ...options,
    entryPoints,
    outdir: join(DIST, 'stages/lab/lib'),
    outExtension: { '.js': '.mjs' },
    banner: { js: banner },
  });
}

/** The declarations that the doors reach, and no others. */
function makeTypes() {
  const made = join(DIST, 'every-type');
  const doors = ['src/index.ts', 'src/model.ts', 'src/testing/index.ts'];
  writeFileSync(
    join(ROOT, 'dist/tsconfig.json'),
    JSON.stringify({
      extends: '../tsconfig.json',
      compilerOptions: {
        noEmit: false,
        declaration: true,
        emitDeclarationOnly: true,
        stripInternal: true,
        noCheck: true,
        outDir: made,
        rootDir: ROOT,
      },
      files: doors.map((path) => join(ROOT, path)),
      include: [],
    }),
  );
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
  execFileSync(process.execPath, [tsc, '--project', join(DIST, 'tsconfig.json')], { stdio: 'inherit' });
  for (const path of reachedFrom(made, doors.map(declaration))) {
    const text = readFileSync(join(made, path), 'utf8').replaceAll(/(from '\.[^']*)\.ts';/g, "$1.js';");
    mkdirSync(join(DIST, 'types', dirname(path)), { recursive: true });
    writeFileSync(join(DIST, 'types', path), text);
  }
  for (const path of [made, join(DIST, 'tsconfig.json')]) rmSync(path, { recursive: true });
}

const declaration = (path) => path.replace(/\.ts$/, '.d.ts');

function reachedFrom(folder, paths, reached = new Set()) {
  for (const path of paths.filter((each) => !reached.has(each))) {
    reached.add(path);
    const imports = readFileSync(join(folder, path), 'utf8').matchAll(
      /\bfrom '(\.[\w./-]+)'|\bimport\('(\.[\w./-]+)'\)/g,
    );
    const next = [...imports].map(([, from, called]) => join(dirname(path), declaration(from ?? called)));
    reachedFrom(folder, next, reached);
  }
  return reached;
}

/** The licence of every package that is in the bundle, as each of them asks for. */
function licences(inputs) {
  const folders = inputs.map((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0]).filter(Boolean);
  const texts = [...new Set([...folders, 'node_modules/yaml'])].sort().map((folder) => {
    const { name, version, license } = JSON.parse(read(join(folder, 'package.json')));
    const file = readdirSync(join(ROOT, folder)).find((entry) => /^licen[cs]e/i.test(entry));
    return `${name} ${version} (${license})\n\n${file ? read(join(folder, file)) : ''}`;
  });
  return [...texts, `tree-sitter-bash\n\n${read('src/io/gate/LICENSE-tree-sitter-bash')}`].join(
    `\n${'-'.repeat(80)}\n\n`,
  );
}

rmSync(DIST, { recursive: true, force: true });
if (!process.argv.includes('--clean')) await makePackage();
