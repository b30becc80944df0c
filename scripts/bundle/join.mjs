// Joins the many small files that one start loads into one: esbuild splits by who imports what, and each file costs a start
// more than a millisecond. What is joined is taken out of the other files' imports; what may be imported late stays as a door.
// A part is CommonJS, because only of that can load-part.mjs keep what V8 compiled.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { build } from 'esbuild';

/** At the top of a part: modules are strict, and know their place. */
const BANNER = `"use strict";const PART_URL=require("node:url").pathToFileURL(__filename).href;`;
/** How esbuild writes what a file takes from another. */
const FROM = /\b(import|export)\s*(?:\{([^{}]*)\}\s*from\s*)?"\.\/([\w.-]+\.mjs)"/g;

/**
 * Puts `roots` (sources) and all that they load at once into one file of `folder`, `name`.cjs, except what `joined` has
 * already; others import it as `name`.mjs. Returns the names of the files that are in it.
 */
export async function joinFiles(folder, metafile, name, roots, joined = new Set()) {
  const outputs = outputsByName(metafile);
  const entry = (root) => [...outputs.keys()].find((file) => outputs.get(file).entryPoint === root);
  const parts = reached(roots.map(entry), outputs, joined);
  const prefix = new Map(parts.map((file, index) => [file, `${name}${index}`]));
  const alias = (file, exported) => `${prefix.get(file)}_${exported}`;
  const target = `${name}.mjs`;
  const part = join(folder, `${name}.cjs`);

  await build({
    stdin: { contents: parts.map(reexport).join('\n'), resolveDir: folder },
    outfile: part,
    bundle: true,
    format: 'cjs',
    platform: 'node',
    target: 'node20',
    banner: { js: BANNER },
    define: { 'import.meta.url': 'PART_URL' },
    minifyWhitespace: true,
    sourcemap: parts.some((file) => outputs.has(`${file}.map`)) ? 'linked' : false,
    sourcesContent: false,
    logLevel: 'silent',
    plugins: [{ name: 'only-parts', setup: onlyParts }],
  });
  // A script cannot import; the other word is as long, so that the source map holds.
  writeFileSync(part, readFileSync(part, 'utf8').replaceAll(/\bimport\(/g, '$later('));
  const exported = parts.flatMap((file) => outputs.get(file).exports.map((each) => alias(file, each)));
  writeFileSync(
    join(folder, target),
    `import{loadPart}from"./load-part.mjs";export const{${exported.join(',')}}=loadPart("./${name}.cjs");\n`,
  );
  for (const file of parts) {
    rmSync(join(folder, `${file}.map`), { force: true });
    if (outputs.get(file).entryPoint) writeFileSync(join(folder, file), door(file));
    else rmSync(join(folder, file));
  }
  for (const file of [...outputs.keys()].filter((each) => each.endsWith('.mjs') && !joined.has(each)))
    if (!prefix.has(file)) rewrite(join(folder, file));
  return parts;

  function reexport(file) {
    const names = outputs.get(file).exports.map((exported) => `${exported} as ${alias(file, exported)}`);
    return names.length > 0 ? `export { ${names.join(', ')} } from './${file}';` : `import './${file}';`;
  }

  /** The place of a file that others import late, or that npm starts. */
  function door(file) {
    const names = outputs.get(file).exports.map((exported) => `${alias(file, exported)} as ${exported}`);
    const shebang = /^#!.*\n/.exec(readFileSync(join(folder, file), 'utf8'))?.[0] ?? '';
    return names.length > 0
      ? `${shebang}export{${names.join(',')}}from"./${target}";\n`
      : `${shebang}import"./${target}";\n`;
  }

  function onlyParts({ onResolve }) {
    onResolve({ filter: /^\.\// }, ({ path, kind }) => {
      if (kind === 'dynamic-import') return { path, external: true };
      return prefix.has(basename(path)) ? undefined : { path: path.replace(/\.mjs$/, '.cjs'), external: true };
    });
  }

  function rewrite(path) {
    const text = readFileSync(path, 'utf8');
    writeFileSync(
      path,
      text.replaceAll(FROM, (all, word, names, file) => (prefix.has(file) ? moved(word, names, file) : all)),
    );
  }

  function moved(word, names, file) {
    if (names === undefined) return `${word}"./${target}"`;
    const each = names.split(',').map((one) => one.trim().split(/\s+as\s+/));
    const list = each.map(([from, to = from]) => `${alias(file, from)} as ${to}`);
    return `${word}{${list.join(',')}}from"./${target}"`;
  }
}

const outputsByName = (metafile) =>
  new Map(Object.entries(metafile.outputs).map(([path, output]) => [basename(path), output]));

/** `files` and what they import at once, those first that others need. */
function reached(files, outputs, joined, found = new Set()) {
  for (const file of files.filter((each) => !found.has(each) && !joined.has(each))) {
    found.add(file);
    const imports = outputs.get(file).imports.filter(({ kind, external }) => kind === 'import-statement' && !external);
    reached(
      imports.map(({ path }) => basename(path)),
      outputs,
      joined,
      found,
    );
  }
  return [...found];
}
