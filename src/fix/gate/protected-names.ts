// Files that no machine may change, whatever a stage's `files` say, by their names; and what is carried.
import { isWipeScript } from '../../config/paths.ts';

/** By the names of files or folders on the way, in lower case (`.yml` stands for every ending of data), or by a pattern. */
const PROTECTED: readonly (readonly [what: string, names: string, pattern?: RegExp])[] = [
  ["git's own files", '', /^\.git/],
  [
    'hooks that run on commit',
    '.husky .lefthook .lefthook.yml lefthook.yml .lefthook-local.yml lefthook-local.yml .pre-commit-config.yml ' +
      '.pre-commit-hooks.yml .overcommit.yml',
  ],
  [
    'a file of continuous integration',
    '.circleci .buildkite .woodpecker .forgejo .tekton .teamcity .semaphore .ci .azure-pipelines .builds .travis.yml ' +
      '.drone.yml .woodpecker.yml .cirrus.yml .appveyor.yml .build.yml .gitlab-ci.yml .sr.ht.yml appveyor.yml ' +
      'azure-pipelines.yml bitbucket-pipelines.yml codefresh.yml wercker.yml cloudbuild.yml buildspec.yml',
    /^jenkinsfile(?:\.|$)/,
  ],
  ['a file of environment values', '', /^\.env/],
  [
    'an encrypted file, or how files are encrypted',
    '',
    /\.sops(?:\.|$)|\.enc\.(?:ya?ml|json|env|toml)$|\.(?:age|gpg|asc)$|^\.?vault[_-]pass/,
  ],
  [
    'a key, or a file of credentials',
    '.ssh .gnupg .kube .aws .talos known_hosts .netrc .htpasswd .pgpass keys.txt',
    /\.(?:pem|key|p12|pfx|jks|keystore|agekey|ppk|kdbx)$|^(?:|.*\.)(?:kube|talos)config$/,
  ],
  [
    'a key, or a file of credentials',
    '',
    /^id_(?:rsa|dsa|ecdsa|ed25519)|^(?:age|sops)[._-]keys?(?:\.txt)?$|^authorized_keys/,
  ],
  [
    'a file that shells read when they start',
    '.bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile .zshrc .zshenv .zprofile .zlogin .kshrc .inputrc',
  ],
];

/** What kind of protected file `path` is, or undefined. `path` is a plain path, or how one looks. */
export function protectedAs(path: string): string | undefined {
  const parts = path
    .toLowerCase()
    .split('/')
    .filter((part) => part !== '');
  if (parts[0] === 'ai' || parts[0] === 'plugins') return "the loop's own files";
  const plain = parts.map((part) => part.replace(/\.(?:yaml|json|jsonnet|star)$/, '.yml'));
  const protecting = PROTECTED.find(
    ([, names, pattern]) =>
      plain.some((part) => names.split(' ').includes(part)) || parts.some((part) => pattern?.test(part)),
  );
  return protecting?.[0] ?? (isWipeScript(path) ? 'a wipe script' : undefined);
}

/** Carried paths as such and as the trees below them. */
export const carriedPaths = (carry: readonly string[]): string[] =>
  carry.map((path) => path.replace(/\/+$/, '')).flatMap((path) => [path, `${path}/`]);
