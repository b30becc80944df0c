// The folder of sources: a clone (bare or not) of each repository at <owner>/<name>, and Debian packages in debian/.
import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

const run = (program, ...args) =>
  execFileSync(program, args, { encoding: 'utf8', maxBuffer: 1 << 28, stdio: ['ignore', 'pipe', 'pipe'] });

/** A repository at a tag or commit. Throws when the folder has no clone of it, or the clone not that version. */
export function repositoryIn(folder, name, version) {
  const git = (...args) => run('git', '-C', join(folder, name), ...args);
  try {
    git('cat-file', '-e', `${version}^{commit}`);
  } catch {
    throw new Error(`no source: ${name} at ${version} (a git clone of it belongs at ${join(folder, name)})`);
  }
  return {
    source: name,
    version,
    read: (path) => git('show', `${version}:${path}`),
    /** Every file in and below a folder. */
    list: (path) =>
      git('ls-tree', '-r', '--name-only', version, ...(path ? ['--', `${path}/`] : []))
        .split('\n')
        .filter(Boolean),
  };
}

/** Debian packages by name. Throws for the first that is not there as <name>_<version>_<arch>.deb. */
export function packagesIn(folder, names) {
  const place = join(folder, 'debian');
  const files = readable(place);
  return names.map((name) => {
    const file = files.find((each) => each.startsWith(`${name}_`) && each.endsWith('.deb'));
    if (!file) throw new Error(`no source: Debian package ${name} (apt-get download it into ${place})`);
    const path = join(place, file);
    return {
      source: name,
      version: run('dpkg-deb', '--field', path, 'Version').trim(),
      /** What it installs, and the names that its installation makes (update-alternatives), from the root. */
      list: () => [
        ...matches(run('dpkg-deb', '--contents', path), /\s\.(\/\S*)/),
        ...matches(postinst(path), /--(?:install|slave)\s+(\/\S+)/),
      ],
    };
  });
}

const matches = (text, pattern) => [...text.matchAll(new RegExp(pattern, 'g'))].map(([, found]) => found);

const postinst = (path) =>
  /\bpostinst\b/.test(run('dpkg-deb', '--info', path)) ? run('dpkg-deb', '--info', path, 'postinst') : '';

function readable(folder) {
  try {
    return readdirSync(folder);
  } catch {
    throw new Error(`no source: no folder ${folder}`);
  }
}
