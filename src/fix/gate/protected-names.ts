// Files that no machine may change, whatever a stage's `files` say: by their names (compared in lower case and with look-alike
// letters made plain), and what is carried.
import { isWipeScript } from '../../config/paths.ts';

interface ProtectedName {
  what: string;
  /** Given the parts of the path, in lower case, and the path itself. */
  match: (parts: readonly string[], path: string) => boolean;
}

const name = (parts: readonly string[]): string => parts.at(-1) ?? '';
const anyPart = (pattern: RegExp) => (parts: readonly string[]) => parts.some((part) => pattern.test(part));
const last = (pattern: RegExp) => (parts: readonly string[]) => pattern.test(name(parts));

export const PROTECTED_NAMES: readonly ProtectedName[] = [
  { what: "the loop's own files", match: ([first]) => first === 'ai' || first === 'plugins' },
  { what: "git's own files", match: anyPart(/^\.git/) },
  {
    what: 'hooks that run on commit',
    match: anyPart(
      /^(?:\.husky|\.lefthook|\.?lefthook(?:-local)?\.ya?ml|\.pre-commit-(?:config|hooks)\.ya?ml|\.overcommit\.yml)$/,
    ),
  },
  {
    what: 'a file of continuous integration',
    match: anyPart(
      /^(?:\.(?:circleci|buildkite|woodpecker|forgejo|tekton|teamcity|semaphore|ci|azure-pipelines|builds)|\.(?:travis|drone|woodpecker|cirrus|appveyor|build|gitlab-ci|sr\.ht)\.(?:ya?ml|star|jsonnet)|(?:azure|bitbucket)-pipelines\.ya?ml|appveyor\.ya?ml|codefresh\.ya?ml|wercker\.ya?ml|cloudbuild\.(?:ya?ml|json)|buildspec\.ya?ml|jenkinsfile(?:\..*)?)$/,
    ),
  },
  { what: 'a file of environment values', match: anyPart(/^\.env/) },
  {
    what: 'an encrypted file, or how files are encrypted',
    match: last(/\.sops(?:\.|$)|\.enc\.(?:ya?ml|json|env|toml)$|\.(?:age|gpg|asc)$|^\.?vault[_-]pass/),
  },
  {
    what: 'a key, or a file of credentials',
    match: (parts) =>
      parts.slice(0, -1).some((part) => /^\.(?:ssh|gnupg|kube|aws|talos)$/.test(part)) ||
      /^id_(?:rsa|dsa|ecdsa|ed25519)|\.(?:pem|key|p12|pfx|jks|keystore|agekey|ppk|kdbx|kubeconfig)$|^(?:age|sops)[._-]keys?(?:\.txt)?$|^keys\.txt$|^authorized_keys|^known_hosts$|^(?:kube|talos)config$|^\.netrc$|^\.htpasswd$|^\.pgpass$/.test(
        name(parts),
      ),
  },
  {
    what: 'a file that shells read when they start',
    match: last(
      /^\.(?:bashrc|bash_(?:profile|login|logout|aliases)|profile|zshrc|zshenv|zprofile|zlogin|kshrc|inputrc)$/,
    ),
  },
  { what: 'a wipe script', match: (_, path) => isWipeScript(path) },
];

/** What kind of protected file `path` is, or undefined. `path` is a plain path, or how one looks. */
export function protectedAs(path: string): string | undefined {
  const parts = path.toLowerCase().split('/');
  return PROTECTED_NAMES.find(({ match }) => match(parts, path))?.what;
}

/** Carried paths as such and as the trees below them. */
export const carriedPaths = (carry: readonly string[]): string[] =>
  carry.map((path) => path.replace(/\/+$/, '')).flatMap((path) => [path, `${path}/`]);
