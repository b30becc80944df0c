// Bundles in node_modules/.cache. The manifest names the newest one, every file that went into it and how each looked then.
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';

export const ROOT = resolve(import.meta.dirname, '../..');
const PACKAGES = join(ROOT, 'node_modules');
const ALL = join(PACKAGES, '.cache/mendloop/bundles');
/** Those of this package: another one may share its node_modules by a link. */
const BUNDLES = join(ALL, createHash('sha256').update(ROOT).digest('hex').slice(0, 16));
const MANIFEST = 'manifest.json';
/** A process may import a part of its bundle late, so one that has been replaced stays for as long as a run may take. */
const OUTDATED_MS = 7 * 24 * 3600 * 1000;
/** Times of files are coarse: one that seems to be written this shortly before a build may have been written after it was read. */
const COARSE_MS = 50;

/** The folder of the newest bundle, if every file in it is still what it was when it was made. Never throws. */
export function currentBundle() {
  try {
    const { folder, files } = JSON.parse(readFileSync(join(BUNDLES, MANIFEST), 'utf8'));
    return files.every(isUnchanged) && existsSync(join(folder, 'main.mjs')) ? folder : undefined;
  } catch {
    return undefined;
  }
}

/** A new, empty folder for a bundle. Throws where no packages are installed or nothing may be written. */
export function newBundleFolder() {
  if (!existsSync(PACKAGES)) throw new Error('no packages are installed');
  mkdirSync(BUNDLES, { recursive: true });
  return realpathSync(mkdtempSync(join(BUNDLES, 'bundle-')));
}

/**
 * From now on `folder` is the newest bundle, made of `paths` (from the root) since `began`. Of two at once the later one stays.
 * Throws when a file may have changed since then.
 */
export function setCurrentBundle(folder, paths, began) {
  const files = paths.map((path) => {
    const { size, mtimeMs, ctimeMs, ino } = statSync(`${ROOT}/${path}`);
    if (ctimeMs > began - COARSE_MS) throw new Error(`${path} changed meanwhile`);
    return [path, size, mtimeMs, ctimeMs, ino];
  });
  writeFileSync(`${folder}.json`, JSON.stringify({ root: ROOT, folder, files }));
  renameSync(`${folder}.json`, join(BUNDLES, MANIFEST));
  removeOutdated();
}

/** Every write to a file shows in its ctime, which nobody can set. */
function isUnchanged([path, size, mtimeMs, ctimeMs, ino]) {
  const now = statSync(`${ROOT}/${path}`);
  return now.ctimeMs === ctimeMs && now.mtimeMs === mtimeMs && now.size === size && now.ino === ino;
}

/** Bundles of packages that are gone, and what newer bundles of this one replaced long ago. */
function removeOutdated() {
  const isOutdated = (path) => Date.now() - statSync(path).mtimeMs > OUTDATED_MS;
  const isGone = (path) => {
    const manifest = join(path, MANIFEST);
    return existsSync(manifest) && !existsSync(JSON.parse(readFileSync(manifest, 'utf8')).root);
  };
  const below = (folder) => readdirSync(folder).map((name) => join(folder, name));
  for (const path of [...below(ALL).filter(isGone), ...below(BUNDLES).filter(isOutdated)]) {
    rmSync(path, { recursive: true, force: true });
  }
}
