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

const TEMPLATE_ENDINGS = /\.(?:j2|jinja2?|tmpl|gotmpl|tpl|tftpl|erb|template|dist|example|sample)$/i;

const BY_NAME: readonly (readonly [RegExp, Language])[] = [
  [/\.(?:sh|bash|zsh|ksh|bats|envrc)$/i, 'shell'],
  [/\.(?:ya?ml|json5?|jsonc|geojson|webmanifest|code-workspace)$/i, 'yaml'],
  [/\.toml$/i, 'toml'],
  [/(?:^|\/)(?:GNU)?makefile[^/]*$|\.(?:mk|mak)$/i, 'make'],
  [/(?:^|\/)\.?justfile$|\.just$/i, 'just'],
  [/(?:^|\/)(?:Dockerfile|Containerfile)[^/]*$|\.(?:dockerfile|containerfile)$/i, 'docker'],
  [/\.(?:tf|tofu|tfvars|hcl|nomad)$/i, 'hcl'],
  [
    /\.(?:env|ini|cfg|conf|cnf|properties|service|timer|socket|mount|target|path|network|netdev|desktop|container|pod|volume)$|(?:^|\/)(?:\.?env|hosts|inventory)(?:\.[^/]*)?$/i,
    'settings',
  ],
  [/(?:^|\/)(?:requirements|constraints)[^/]*\.txt$/i, 'program'],
  [
    /\.(?:md|markdown|txt|rst|adoc|org|csv|svg|html?|css)$|(?:^|\/)(?:LICENSE|COPYING|NOTICE|AUTHORS|README|CODEOWNERS)$/i,
    'prose',
  ],
];

const PROGRAM =
  /\.(?:py|rb|pl|pm|php|lua|go|rs|java|kt|scala|groovy|c|cc|cpp|h|cs|[cm]?[jt]sx?|vue|swift|dart|r|jl|ps1|psm1|bat|cmd|nix|cue|jsonnet|libsonnet|rego|sql|xml|proto|graphql|lock|sum|mod)$|(?:^|\/)(?:Vagrant|Rake|Gem|Brew|Tilt)file$/i;
/** A line as scripts have them: a program with its words, a function, a setting of the shell. */
const LOOKS_LIKE_SHELL =
  /^\s*(?:set -|source |\. |export |if \[|[\w-]+\(\) *\{|(?:sudo |exec )?(?:kubectl|helm|flux|talosctl|docker|podman|terraform|tofu|ansible\S*|git|curl|wget|ssh|scp|rsync|systemctl|make|zfs|zpool|qm|pct|rm|cp|mv|mkdir|echo|cd|apt-get|apt|dnf|python3?|bash|sh) )/m;

/** `path` without the ending that only says that it is a template. */
const untemplated = (path: string): string => path.replace(TEMPLATE_ENDINGS, '');

/** A plain script has no templates: what looks like one is shell. */
export const isPlainScript = (path: string, language: Language): boolean =>
  language === 'shell' && untemplated(path) === path;

/** Kickstart: commands, and sections of shell. */
const KICKSTART = /^(?:%(?:pre|post|packages|addon)\b|clearpart\b|autopart\b)/m;
const CRON = /^\s*(?:@(?:reboot|yearly|annually|monthly|weekly|daily|midnight|hourly)|(?:[\d*/,-]+\s+){5})\s*\S/m;

function byFirstLine(text: string): Language | undefined {
  const [first = ''] = text.split('\n', 1);
  if (!first.startsWith('#!')) return undefined;
  if (/\b(?:v?ba|da|z|k|a)?sh\b|\bbats\b/.test(first)) return 'shell';
  if (/\bjust\b/.test(first)) return 'just';
  return /\bmake\b/.test(first) ? 'make' : 'program';
}

/** What first line and name say. Settings, prose and undefined are no certainty: a script may source the file. */
function declared(path: string, text: string): Language | undefined {
  const plain = untemplated(path);
  const named = BY_NAME.find(([pattern]) => pattern.test(plain))?.[1];
  // An inventory or list of hosts may be a program that makes one.
  const isProgram = PROGRAM.test(plain) && (named === undefined || named === 'settings');
  const language = byFirstLine(text) ?? (isProgram ? 'program' : named);
  return OPEN.includes(language) && text.startsWith('#cloud-config') ? 'yaml' : language;
}

const OPEN: readonly (Language | undefined)[] = ['settings', 'prose', undefined];

/** Whether it matters who sources the file. */
export const mayBeSourced = (path: string, text: string): boolean => {
  const language = declared(path, text);
  return language === 'shell' || OPEN.includes(language);
};

/** `isRun`: some script of the repository runs or sources it. */
export function languageOf(path: string, text: string, isRun = false): Language {
  const language = declared(path, text);
  if (language && !OPEN.includes(language)) return language;
  const mayBeKickstart = !language || /\.(?:cfg|conf)$/i.test(untemplated(path));
  if (mayBeKickstart && KICKSTART.test(text)) return 'shell';
  if (isRun && language !== 'settings') return 'shell';
  return language ?? (LOOKS_LIKE_SHELL.test(text) ? 'shell' : CRON.test(text) ? 'settings' : 'program');
}

export const isNix = (path: string): boolean => /\.nix$/i.test(path);

/** Whether bash and shellcheck have a say in whether `text` is sound. */
export const wantsShellCheck = (path: string, text: string): boolean =>
  isPlainScript(path, languageOf(path, text)) &&
  !/\.(?:zsh|ksh|bats|envrc)$/i.test(path) &&
  !/^#!.*\b(?:zsh|ksh|bats)\b/.test(text);
