// Added commands and tasks that install software: what a machine has is for its owner to decide.
import { distance } from 'fastest-levenshtein';
import { Arguments } from './arguments.ts';
import type { Change, Fact } from './facts.ts';
import { asks, type Finding, refuses } from './finding.ts';
import { isNix } from './language.ts';
import { shownWords } from './shown.ts';
import { callText, type Task } from './tasks.ts';
import { strings } from './texts.ts';

const WHY = 'installs software; a fix may not, the owner adds it to what the stage requires';
const ONE_MORE = 'adds to a list of packages that was there';

const verb =
  (verbs: RegExp, within = 2) =>
  (args: Arguments) =>
    args.verb(verbs, within);

const TABLE: readonly (readonly [programs: RegExp, test: (args: Arguments) => boolean])[] = [
  [
    /^(?:apt|apt-get|aptitude|nala)$/,
    verb(/^(?:install|reinstall|upgrade|full-upgrade|dist-upgrade|build-dep|satisfy)$/, 3),
  ],
  [
    /^(?:yum|dnf5?|microdnf|tdnf|zypper|pkg|pkgin|brew|snap|flatpak|port|choco|winget|scoop|opkg|slackpkg|eopkg|guix|swupd)$/,
    verb(/^(?:install|in|reinstall|localinstall|groupinstall|upgrade|update|bundle-add|tap)$/),
  ],
  [/^apk$/, verb(/^add$/)],
  [/^(?:pacman|yay|paru)$/, (args) => args.has('SU', 'sync', 'upgrade')],
  [/^dpkg$/, (args) => args.has('i', 'install', 'unpack')],
  [/^rpm$/, (args) => args.has('iUF', 'install', 'upgrade', 'freshen') && !args.has('q', 'query')],
  [/^nix-env$/, (args) => args.has('iu', 'install', 'upgrade')],
  [/^nix$/, (args) => args.verbs(/^profile$/, /^(?:install|add)$/)],
  [/^(?:emerge|xbps-install|add-apt-repository|alien|gdebi|installer|get-helm-\d)$/, () => true],
  [/^g?make$/, (args) => args.operands.some((word) => /^(?:install|install-\S+)$/.test(word))],
  [/^(?:pip[\d.]*|pipx)$/, verb(/^(?:install|inject|upgrade|upgrade-all|download|run)$/)],
  [
    /^python[\d.]*$/,
    (args) =>
      args.value(/^-m$/) === 'ensurepip' || (/^pipx?$/.test(args.value(/^-m$/) ?? '') && args.verb(/^install$/, 3)),
  ],
  [
    /^uv$/,
    (args) =>
      args.verbs(/^pip$/, /^(?:install|sync)$/) ||
      args.verbs(/^tool$/, /^(?:install|run)$/) ||
      args.verb(/^(?:add|sync)$/, 1),
  ],
  [/^(?:poetry|pdm|pipenv|rye)$/, verb(/^(?:add|install|update)$/)],
  [/^(?:conda|mamba|micromamba|pixi)$/, verb(/^(?:install|create|update|add|global)$/)],
  [/^npm$/, verb(/^(?:i|in|ins|install|ci|add|update|exec|link|install-\w+)$/)],
  [/^(?:pnpm|yarn|bun)$/, verb(/^(?:add|install|i|global|dlx|x|up|upgrade)$/)],
  [/^(?:npx|uvx|bunx|pnpx|nix-shell|pkgx)$/, (args) => args.operands.length > 0],
  [
    /^(?:gem|cargo|krew|asdf|mise|rtx|rustup|sdk|arkade|bundle|opam|luarocks|cpan|cpanm|composer|stack|cabal|eget|aqua|devbox|volta|fnm|nvm|pyenv|rbenv|tfenv|tfswitch|kubectx-install)$/,
    verb(/^(?:install|i|use|get|add|plugin|plugin-add|global|require|update)$/),
  ],
  [/^go$/, verb(/^(?:install|get)$/)],
  [
    /^(?:kubectl|k|helm|flux|terraform|vagrant|docker|krew)$/,
    (args) => args.verbs(/^(?:krew|plugin)$/, /^(?:install|add|upgrade)$/),
  ],
  [/^ansible-galaxy$/, (args) => args.words.includes('install')],
  [
    /^(?:curl|wget|aria2c)$/,
    (args) =>
      /^(?!\w+:\/\/).*(?:^|\/)s?bin\//.test(
        args.value(/^(?:-[a-zA-Z]*[oOP]|--output|--output-document|--directory-prefix|--output-dir|-d|--dir)$/) ?? '',
      ),
  ],
  [
    /^(?:install|cp|mv|ln|tar|unzip)$/,
    (args) =>
      /^(?:\/usr\/local|\/usr|~\/\.local|\$HOME\/\.local|\$HOME|\/opt)?\/s?bin(?:\/|$)/.test(
        args.operands.at(-1) ?? '',
      ) || /\/s?bin\/?$/.test(args.value(/^(?:-C|-d|--directory)$/) ?? ''),
  ],
  [/^(?:insmod|dkms)$/, (args) => !args.has('rl', 'remove', 'list', 'status')],
];

const installs = (fact: Fact): boolean => {
  // What a container installs for itself is gone with it.
  if (fact.role === 'container') return false;
  const args = new Arguments(fact.args);
  return TABLE.some(([programs, test]) => programs.test(fact.program) && test(args));
};

export function installFindings(change: Change): Finding[] {
  const { path, added, gone, old } = change;
  const targetOf = ({ args }: Fact) => args.at(-1)?.text ?? '';
  // Another source for a file that was put there before.
  const wasPut = (fact: Fact) =>
    !/\/s?bin\/?$/.test(targetOf(fact)) &&
    old.commands.some(
      (other) =>
        /^(?:cp|ln|mv|install)$/.test(other.program) &&
        targetOf(other) === targetOf(fact) &&
        other.program === fact.program,
    );
  const commands = added
    .filter((fact) => installs(fact) && !wasPut(fact))
    .flatMap((fact): Finding[] => {
      const before = gone.filter((other) => other.program === fact.program && installs(other));
      const words = shownWords(fact);
      if (before.length === 0) return [refuses('installs', path, fact.line, WHY, words)];
      const news = more(namesOf(fact), before.flatMap(namesOf));
      return news.length === 0 ? [] : [asks('softer', path, fact.line, ONE_MORE, news.join(' '))];
    });
  return [...commands, ...taskFindings(change), ...listFindings(change)];
}

const namesOf = ({ args }: Fact): string[] =>
  args
    .map(({ text }) => text)
    .filter((text, i, all) => !/^-|[/~]|\.ya?ml$/.test(text) && !/^-[otc]$/.test(all[i - 1] ?? ''));

/** Names that are neither there nor another version or a slip of one that was. */
function more(names: readonly string[], old: readonly string[]): string[] {
  const bare = (name: string) => name.replace(/(?:[=<>~!]=?|@(?=[\dv^~])|:(?=\d)).*$/, '');
  const before = new Set(old.map(bare));
  const left = old.map(bare).filter((name) => !names.map(bare).includes(name));
  return names.filter((name) => !before.has(bare(name)) && !left.some((other) => distance(other, bare(name)) <= 2));
}

const MODULES =
  /^(?:(?:community\.general|kubernetes\.core)\.)?(?:apt|dnf5?|yum|package|pip|npm|homebrew|homebrew_cask|apk|pacman|snap|gem|zypper|flatpak|pipx|cargo|opkg|apt_repository|deb822_repository|yum_repository|apt_key|rpm_key|helm_plugin|easy_install|pkgng|portage|xbps)$/;
const MODULE_LINE = new RegExp(`^\\s*(?:-\\s+)?(?:ansible\\.\\w+\\.)?${MODULES.source.slice(1, -1)}:`);
const LIST = /^(?:[\w-]+[_-])?(?:packages|pkgs|package_list|apt_packages)$/i;

/** What a task installs; of `{{ item }}` each item. */
const packagesOf = ({ args, words }: Task): string[] => {
  const names = ['name', 'pkg', 'package', 'deb', 'list', '_raw_params'].flatMap((key) => args[key] ?? []);
  const items = [words.loop ?? words.with_items ?? []].flat().map(String);
  return names.map(String).flatMap((name) => (/^\{\{ *item *\}\}$/.test(name) ? items : [name]));
};

/** It only has the list of packages read anew. */
const isRefresh = ({ args }: Task): boolean =>
  Object.keys(args).every((key) => /^(?:update_cache\w*|cache_valid_time|force_apt_get|lock_timeout)$/.test(key));

/** Tasks of Ansible, and lists of packages in its variables. */
function taskFindings({ path, addedLeaves, goneLeaves, old, now, lines }: Change): Finding[] {
  if (now.language !== 'yaml') return [];
  const [was, is] = [old.tasks, now.tasks].map((tasks) =>
    tasks.filter((task) => MODULES.test(task.module) && !isRefresh(task)),
  ) as [Task[], Task[]];
  const calls = new Set(was.map(callText));
  // One task made two installs nothing that was not installed before.
  const values = new Set([...was.flatMap(packagesOf), ...(old.data?.leaves ?? []).map(({ value }) => value)]);
  const isKnown = (names: readonly string[]) => names.length > 0 && names.every((name) => values.has(name));
  const isMore = (task: Task) => !calls.has(callText(task)) && !isKnown(packagesOf(task));
  const [first] = is.length > was.length ? is.filter(isMore) : [];
  if (first) return [refuses('installs', path, first.line, WHY, `${first.module}: ${packagesOf(first).join(' ')}`)];
  const unread = now.data?.parsed ? undefined : lines.added.find(({ text }) => MODULE_LINE.test(text));
  if (unread) return [refuses('installs', path, unread.number, WHY, unread.text.trim())];
  const listed = addedLeaves.filter(({ keys }) => LIST.test(keys.at(-1) ?? ''));
  const names = [
    ...is.filter((task) => !calls.has(callText(task))).flatMap(packagesOf),
    ...listed.map(({ value }) => value),
  ];
  const before = [...was.flatMap(packagesOf), ...goneLeaves.map(({ value }) => value)];
  const news = more(names, before).filter((value) => !/^\{\{.*\}\}$/.test(value));
  return news.length === 0 ? [] : [asks('softer', path, listed[0]?.line, ONE_MORE, news.join(' '))];
}

const INSTALLING = /\b(?:pip[\d.]*|apt(?:-get)?|dnf|yum|apk|npm|brew|gem|cargo|pipx)\s+(?:-\S+\s+)*(?:install|add)\b/;

const NIX_LIST = /^(?:systemPackages|packages|home\.packages|fonts)$/;

/** Lists of packages of a language or of a machine, and programs that install. */
function listFindings({ path, addedLeaves, goneLeaves, old, lines, now: { language } }: Change): Finding[] {
  const before = new Set((old.data?.leaves ?? []).map(({ keys }) => keys.join('.')));
  const needs = /(?:^|\/)package\.json$/.test(path)
    ? addedLeaves.filter(({ keys }) => /ependencies$/.test(keys[0] ?? '') && !before.has(keys.join('.')))
    : [];
  const runs = language === 'program' ? lines.added.filter(({ text }) => INSTALLING.test(strings(text).join(' '))) : [];
  const snaps = addedLeaves.filter(
    ({ keys, value }) => /^snap\.commands\b/.test(keys.join('.')) && value === 'install',
  );
  const ofNix = isNix(path) ? addedLeaves.filter(({ keys }) => NIX_LIST.test(keys.at(-1) ?? '')) : [];
  const names = more(
    ofNix.map(({ value }) => value),
    goneLeaves.map(({ value }) => value),
  );
  return [
    ...snaps.map(({ line }) => refuses('installs', path, line, WHY, 'snap install')),
    ...(names.length > 0 ? [asks('softer', path, ofNix[0]?.line, ONE_MORE, names.join(' '))] : []),
    ...needs.map(({ keys, line }) => asks('softer', path, line, ONE_MORE, keys.at(-1))),
    ...runs.map(({ text, number }) => refuses('installs', path, number, WHY, text.trim())),
  ];
}
