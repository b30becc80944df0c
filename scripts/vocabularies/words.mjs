// Vocabularies without a tree: the words of a Caddyfile, and the programs that a homelab's scripts start.
import { parse } from 'yaml';

const unique = (words) => [...new Set(words)].sort();

/** `pages` are the manual's: its blocks of syntax name what stands inside of a directive. */
export function caddyWords(caddy, pages) {
  const sources = caddy.list('').filter((path) => path.endsWith('.go') && !path.endsWith('_test.go'));
  const code = sources.map(caddy.read).join('\n');
  const all = (text, pattern) => [...text.matchAll(pattern)].map(([, name]) => name);
  const blocks = pages
    .list('src/docs/markdown/caddyfile')
    .flatMap((path) => all(pages.read(path), /^```caddy-d\n([\s\S]*?)^```/gm).filter((text) => /<\w/.test(text)));
  return {
    directive: unique(['import', ...all(code, /Register(?:Handler)?Directive\("(\w+)"/g)]),
    option: unique(all(code, /RegisterGlobalOption\("(\w+)"/g)),
    subdirective: unique(blocks.flatMap((text) => all(text, /^\t+([a-z]\w*)/gm))),
    module: unique(all(code, /\bID:\s+"([a-z][\w.]+)"/g)),
  };
}

/** `debian`: packages. `aqua`: its registry, with what `released` are. `proxmox`: repositories, where a class is a program. */
export function programs(debian, aqua, released, proxmox) {
  const inPackages = debian.flatMap((each) =>
    each.list().flatMap((path) => /^(?:\/usr)?\/s?bin\/([\w.+-]+)$/.exec(path)?.[1] ?? []),
  );
  const inReleases = released.flatMap((name) =>
    parse(aqua.read(`pkgs/${name}/registry.yaml`)).packages.flatMap(ofRelease),
  );
  const inProxmox = proxmox.flatMap((each) =>
    each.list('').flatMap((path) => /PVE\/CLI\/(\w+)\.pm$/.exec(path)?.[1] ?? []),
  );
  return unique([...inPackages, ...inReleases, ...inProxmox]);
}

/** The programs of today's release; without a list the one that has the package's name. */
function ofRelease({ name, repo_name: repository, files, version_overrides: overrides = [] }) {
  const today = files ?? overrides.find(({ version_constraint: versions }) => versions === 'true')?.files;
  return today ? today.map((file) => file.name) : [(name ?? repository).split('/').at(-1)];
}
