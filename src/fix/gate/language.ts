// What kind of text a file is, by its name and its first line; templates are what they make.

export type Language =
  | 'shell'
  | 'yaml'
  | 'toml'
  | 'make'
  | 'just'
  | 'docker'
  | 'hcl'
  /** `key=value` lines: environment files, systemd units, ini. */
  | 'settings'
  | 'prose'
  | 'program';

const TEMPLATE_ENDINGS = /\.(?:j2|jinja2?|tmpl|gotmpl|tpl|tftpl|erb|template)$/i;

const BY_NAME: readonly (readonly [RegExp, Language])[] = [
  [/\.(?:sh|bash|zsh|ksh|bats|envrc)$/i, 'shell'],
  [/\.(?:ya?ml|json5?|jsonc|geojson|webmanifest|code-workspace)$/i, 'yaml'],
  [/\.toml$/i, 'toml'],
  [/(?:^|\/)(?:GNU)?makefile[^/]*$|\.(?:mk|mak)$/i, 'make'],
  [/(?:^|\/)\.?justfile$|\.just$/i, 'just'],
  [/(?:^|\/)(?:Dockerfile|Containerfile)[^/]*$|\.(?:dockerfile|containerfile)$/i, 'docker'],
  [/\.(?:tf|tfvars|hcl|nomad)$/i, 'hcl'],
  [
    /\.(?:env|ini|cfg|conf|cnf|properties|service|timer|socket|mount|target|path|network|netdev|desktop)$|(?:^|\/)(?:\.?env|hosts|inventory)(?:\.[^/]*)?$/i,
    'settings',
  ],
  [
    /\.(?:md|markdown|txt|rst|adoc|org|csv|svg|html?|css)$|(?:^|\/)(?:LICENSE|COPYING|NOTICE|AUTHORS|README|CODEOWNERS)$/i,
    'prose',
  ],
];

const PROGRAM =
  /\.(?:py|rb|pl|pm|php|lua|go|rs|java|kt|scala|groovy|c|cc|cpp|h|cs|[cm]?[jt]sx?|vue|swift|dart|r|jl|ps1|psm1|bat|cmd|nix|cue|jsonnet|libsonnet|rego|sql|xml|proto|graphql|lock|sum|mod)$/i;
/** A line as scripts have them: a program with its words, a function, a setting of the shell. */
const LOOKS_LIKE_SHELL =
  /^\s*(?:set -|source |\. |export |if \[|[\w-]+\(\) *\{|(?:sudo |exec )?(?:kubectl|helm|flux|talosctl|docker|podman|terraform|tofu|ansible\S*|git|curl|wget|ssh|scp|rsync|systemctl|make|zfs|zpool|qm|pct|rm|cp|mv|mkdir|echo|cd|apt-get|apt|dnf|python3?|bash|sh) )/m;

/** `path` without the ending that only says that it is a template. */
export const untemplated = (path: string): string => path.replace(TEMPLATE_ENDINGS, '');

/** `isRun`: some script of the repository runs or sources it. */
export function languageOf(path: string, text: string, isRun = false): Language {
  const plain = untemplated(path);
  const [first = ''] = text.split('\n', 1);
  if (first.startsWith('#!')) {
    if (/\b(?:v?ba|da|z|k|a)?sh\b|\bbats\b/.test(first)) return 'shell';
    if (/\bjust\b/.test(first)) return 'just';
    if (/\bmake\b/.test(first)) return 'make';
    return 'program';
  }
  const named = BY_NAME.find(([pattern]) => pattern.test(plain))?.[1];
  if (named && !(isRun && named === 'prose')) return named;
  return !PROGRAM.test(plain) && LOOKS_LIKE_SHELL.test(text) ? 'shell' : 'program';
}

/** Whether bash and shellcheck have a say in whether `text` is sound. */
export const wantsShellCheck = (path: string, text: string): boolean =>
  languageOf(path, text) === 'shell' &&
  untemplated(path) === path &&
  !/\.(?:zsh|ksh|bats|envrc)$/i.test(path) &&
  !/^#!.*\b(?:zsh|ksh|bats)\b/.test(text);
