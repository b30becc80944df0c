// Files that no machine may change, whatever a stage's `files` say: a table of names with examples that are tests.
// Names are compared in lower case and with look-alike letters made plain.
import { isWipeScript } from '../../config/paths.ts';

interface ProtectedName {
  what: string;
  /** Given the parts of the path, in lower case, and the path itself. */
  match: (parts: readonly string[], path: string) => boolean;
  matches: readonly string[];
  misses: readonly string[];
}

const name = (parts: readonly string[]): string => parts.at(-1) ?? '';
const anyPart = (pattern: RegExp) => (parts: readonly string[]) => parts.some((part) => pattern.test(part));
const last = (pattern: RegExp) => (parts: readonly string[]) => pattern.test(name(parts));

export const PROTECTED_NAMES: readonly ProtectedName[] = [
  {
    what: "the loop's own files",
    match: ([first]) => first === 'ai' || first === 'plugins',
    matches: ['ai/context_map.yaml', 'AI/state/x', 'plugins/executors/a.ts', 'Plugins/a'],
    misses: ['config/ai/model.yaml', 'aid/a.sh', 'helm/plugins/a.yaml', 'main.ai'],
  },
  {
    what: "git's own files",
    match: anyPart(/^\.git/),
    matches: [
      '.git/config',
      '.gitmodules',
      'a/.gitignore',
      '.GITATTRIBUTES',
      '.github/workflows/a.yaml',
      '.githooks/x',
    ],
    misses: ['config/git.yaml', 'apps/gitea/values.yaml', 'a.git.yaml'],
  },
  {
    what: 'hooks that run on commit',
    match: anyPart(
      /^(?:\.husky|\.lefthook|\.?lefthook(?:-local)?\.ya?ml|\.pre-commit-(?:config|hooks)\.ya?ml|\.overcommit\.yml)$/,
    ),
    matches: ['.husky/pre-commit', 'a/.husky/x', '.pre-commit-config.yaml', 'lefthook.yml'],
    misses: ['husky/values.yaml', 'config/hooks.yaml'],
  },
  {
    what: 'a file of continuous integration',
    match: anyPart(
      /^(?:\.(?:circleci|buildkite|woodpecker|forgejo|tekton|teamcity|semaphore|ci|azure-pipelines|builds)|\.(?:travis|drone|woodpecker|cirrus|appveyor|build|gitlab-ci|sr\.ht)\.(?:ya?ml|star|jsonnet)|(?:azure|bitbucket)-pipelines\.ya?ml|appveyor\.ya?ml|codefresh\.ya?ml|wercker\.ya?ml|cloudbuild\.(?:ya?ml|json)|buildspec\.ya?ml|jenkinsfile(?:\..*)?)$/,
    ),
    matches: [
      '.ci/run',
      '.circleci/config.yml',
      'Jenkinsfile',
      '.drone.yml',
      '.woodpecker/a.yaml',
      'azure-pipelines.yml',
    ],
    misses: ['apps/drone/values.yaml', 'stages/ci/run.sh', 'apps/tekton/pipeline.yaml', 'config/travis.conf'],
  },
  {
    what: 'a file of environment values',
    match: anyPart(/^\.env/),
    matches: ['.env', '.envrc', 'apps/.env.local', '.ENV', 'a/.env/b'],
    misses: ['config/env.yaml', 'environments/lab.yaml', 'config/app.env.yaml'],
  },
  {
    what: 'an encrypted file, or how files are encrypted',
    match: last(/\.sops(?:\.|$)|\.enc\.(?:ya?ml|json|env|toml)$|\.(?:age|gpg|asc)$|^\.?vault[_-]pass/),
    matches: ['.sops.yaml', 'apps/secret.sops.yaml', 'a.sops', 'a/Secrets.SOPS.json', 'a/db.enc.yaml', 'keys/a.age'],
    misses: ['docs/sops.yaml', 'config/encoder.yaml', 'config/vault.yaml', 'config/storage.yaml'],
  },
  {
    what: 'a key, or a file of credentials',
    match: (parts) =>
      parts.slice(0, -1).some((part) => /^\.(?:ssh|gnupg|kube|aws|talos)$/.test(part)) ||
      /^id_(?:rsa|dsa|ecdsa|ed25519)|\.(?:pem|key|p12|pfx|jks|keystore|agekey|ppk|kdbx|kubeconfig)$|^(?:age|sops)[._-]keys?(?:\.txt)?$|^keys\.txt$|^authorized_keys|^known_hosts$|^(?:kube|talos)config$|^\.netrc$|^\.htpasswd$|^\.pgpass$/.test(
        name(parts),
      ),
    matches: [
      'tls/ca.pem',
      'certs/server.KEY',
      'id_ed25519.pub',
      'age.agekey',
      'keys.txt',
      '.ssh/config',
      'kubeconfig',
    ],
    misses: ['config/keyboard.yaml', 'apps/keycloak/values.yaml', 'config/ssh.yaml', 'docs/kubeconfig.md', 'key.yaml'],
  },
  {
    what: 'a wipe script',
    match: (_, path) => isWipeScript(path),
    matches: [
      'infrastructure/proxmox/wipe_proxmox.sh',
      'bin/WIPE',
      'a/disk-wipe.yml',
      'a/wipeDisks.sh',
      'Wipe_Proxmox.sh',
    ],
    misses: ['config/wiper.yaml', 'docs/swipe.sh', 'stages/vms/run.sh', 'playbooks/cluster-nuke.yml'],
  },
];

/** What kind of protected file `path` is, or undefined. `path` is a plain path, or how one looks. */
export function protectedAs(path: string): string | undefined {
  const parts = path.toLowerCase().split('/');
  return PROTECTED_NAMES.find(({ match }) => match(parts, path))?.what;
}
