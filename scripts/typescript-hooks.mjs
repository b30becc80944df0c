// Module hooks for a Node that cannot strip types itself: each .ts file is compiled once and kept in node_modules/.cache.
// A ready-made loader would do the same, but starts its compiler every time: 250 ms that every command would pay.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const ROOT = new URL('../', import.meta.url).href;
/** A packed install has none, and keeps nothing. */
const PACKAGES = join(import.meta.dirname, '../node_modules');
const CACHE = join(PACKAGES, '.cache/mendloop');
/** Part of every cached name: change it when the options below change. */
const OPTIONS = { loader: 'ts', format: 'esm', target: 'node20', sourcemap: 'inline', sourcesContent: false };
const sha = (...parts) => createHash('sha256').update(parts.join('\0')).digest('hex').slice(0, 32);

export async function load(url, context, next) {
  if (!url.startsWith('file:') || !url.endsWith('.ts') || url.includes('/node_modules/')) return next(url, context);
  const text = readFileSync(new URL(url), 'utf8');
  const cached = join(CACHE, `${sha(url, text, JSON.stringify(OPTIONS))}.mjs`);
  return { format: 'module', source: kept(cached) ?? (await compiled(url, text, cached)), shortCircuit: true };
}

function kept(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

async function compiled(url, text, path) {
  const { transform } = await esbuildFor(url);
  const { code } = await transform(text, { ...OPTIONS, sourcefile: url });
  if (!existsSync(PACKAGES)) return code;
  try {
    mkdirSync(CACHE, { recursive: true });
    writeFileSync(`${path}.${process.pid}`, code);
    renameSync(`${path}.${process.pid}`, path);
  } catch {
    // A package folder this user may not write only means that the next start compiles again.
  }
  return code;
}

/** That of the repository the file is in: a clone has one of its own, a packed install has none. */
async function esbuildFor(url) {
  if (url.startsWith(ROOT)) return import('esbuild');
  try {
    return await import(pathToFileURL(createRequire(url).resolve('esbuild')).href);
  } catch (error) {
    if (error.code !== 'MODULE_NOT_FOUND') throw error;
    if (existsSync(PACKAGES)) return import('esbuild');
  }
  const ways = 'use Node 22.18 or newer, or give your repository esbuild (npm install --save-dev esbuild)';
  throw new Error(`it is TypeScript, which Node ${process.versions.node} does not run by itself: ${ways}`);
}
