// Loads the large parts of the bundle that it lies in with what V8 compiled of them in an earlier start, which saves a start a quarter
// of its work. V8 trusts what it is given, so a digest decides; what is missing, damaged or of another Node is compiled and kept again.
import { createHash, randomUUID } from 'node:crypto';
import { accessSync, constants, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { cachedDataVersionTag } from 'node:v8';
import { Script } from 'node:vm';

const DIGEST_BYTES = 32;
/** Of this Node and its flags: V8 takes only what was compiled with the same. */
const TAG = cachedDataVersionTag();
const nodeRequire = createRequire(import.meta.url);
const parts = new Map();

// What a part calls instead of import(), which a script of node:vm does not have.
globalThis.$later = (specifier) => import(specifier);

/** The exports of a part (`./name.cjs`), or what require gives. */
export function loadPart(id) {
  // Scripts of node:vm have no source maps.
  if (!id.startsWith('./') || process.sourceMapsEnabled) return nodeRequire(id);
  if (!parts.has(id)) parts.set(id, run(new URL(id, import.meta.url)));
  return parts.get(id).module.exports;
}

function run(url) {
  const path = fileURLToPath(url);
  const source = readFileSync(path);
  const hash = createHash('sha256').update(source);
  const codePath = path.replace(/cjs$/, `${TAG.toString(16)}.code`);
  const cachedData = keptCode(codePath, hash);
  const wrapped = `(function(exports,require,module,__filename){${source}\n})`;
  const script = new Script(wrapped, { filename: path, cachedData });
  const module = { exports: {} };
  script.runInThisContext()(module.exports, loadPart, module, path);
  return { module, hash, script, codePath, isKept: cachedData !== undefined && !script.cachedDataRejected };
}

/** What V8 compiled of the source in `hash`, if it is there and whole. */
function keptCode(path, hash) {
  try {
    const kept = readFileSync(path);
    const code = kept.subarray(DIGEST_BYTES);
    return digest(hash, code).equals(kept.subarray(0, DIGEST_BYTES)) ? code : undefined;
  } catch {
    return undefined;
  }
}

const digest = (hash, code) => hash.copy().update(code).digest();

// At the end all functions are compiled that such a start calls. A command that loads one more part adds its own to the others.
process.on('exit', () => {
  const all = [...parts.values()];
  // The gate's thread changes a flag of the whole process.
  if (all.every(({ isKept }) => isKept) || cachedDataVersionTag() !== TAG) return;
  try {
    accessSync(import.meta.dirname, constants.W_OK);
    for (const part of all) keepCode(part);
  } catch {
    // A folder that may not be written, or is gone, only means that the next start compiles again.
  }
});

function keepCode({ hash, script, codePath }) {
  const code = script.createCachedData();
  const made = `${codePath}.${randomUUID()}`;
  try {
    writeFileSync(made, Buffer.concat([digest(hash, code), code]));
    renameSync(made, codePath);
  } catch (error) {
    rmSync(made, { force: true });
    throw error;
  }
}
