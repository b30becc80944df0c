// Added lines that install software: what a machine has is for its owner to decide.
import { type LineRule, program } from './line-rule.ts';

const INSTALLS = 'installs';
const WHY = 'installs software; a fix may not, the owner adds it to what the stage requires';

export const INSTALL_RULES: readonly LineRule[] = [
  {
    name: "the system's packages",
    code: INSTALLS,
    why: WHY,
    command: [
      program(
        'apt|apt-get|aptitude|nala',
        '(?:\\s+-\\S+(?:\\s+[\\w:-]+=\\S+)?)*\\s+(?:install|reinstall|upgrade|full-upgrade|dist-upgrade|build-dep)(?=\\s|$)',
      ),
      program(
        'yum|dnf|microdnf|tdnf|zypper|pkg|brew|snap|flatpak|port|choco|winget|scoop|opkg|slackpkg',
        '(?:\\s+-\\S+)*\\s+(?:install|in|reinstall|localinstall|groupinstall|upgrade)(?=\\s|$)',
      ),
      program('apk', '(?:\\s+-\\S+)*\\s+add(?=\\s|$)'),
      program('pacman|yay|paru', '\\s+(?:-S\\w*|-U\\w*|--sync|--upgrade)(?=\\s|$)'),
      program('dpkg', '.*\\s(?:-i|--install)(?=\\s|$)'),
      program('rpm', '\\s+(?:-[ivhUF]*[iUF][vh]*|--install|--upgrade)(?=\\s|$)'),
      program('nix-env', '.*\\s(?:-i|-iA|--install)'),
      program('nix', '\\s+profile\\s+install'),
      program('emerge|xbps-install|add-apt-repository'),
      program('make', '.*\\sinstall(?=\\s|$)'),
    ],
    line: [/\b(?:curl|wget)\b[^;|&]*\s(?:-\w*[oO]|--output|--output-document|-P|>{1,2}\|?)[ =]?\S*\/s?bin\//],
    data: [
      /(?:^|[\s{-])["']?(?:ansible\.builtin\.(?:apt|dnf|dnf5|yum|package|pip|deb822_repository|apt_repository)|community\.general\.(?:npm|homebrew|homebrew_cask|snap|apk|pacman|zypper|flatpak|gem|pipx|cargo|opkg))["']?\s*:/,
      /^(?:-\s+)?(?:apt|dnf|yum|package|pip|npm|homebrew|apk|pacman|snap|gem|zypper):\s*(?:(?:name|pkg)=|\{.*\bname\b)/,
    ],
  },
  {
    name: "a language's packages",
    code: INSTALLS,
    why: WHY,
    command: [
      program('pip[\\d.]*|pipx', '(?:\\s+-\\S+)*\\s+(?:install|inject|upgrade)(?=\\s|$)'),
      program('python[\\d.]*', '\\s+-m\\s+(?:pip|ensurepip)(?:\\s+(?:-\\S+\\s+)*install|\\s*$)'),
      program('uv', '\\s+(?:pip\\s+install|tool\\s+install|add|sync)(?=\\s|$)'),
      program('poetry|pdm|pipenv', '\\s+(?:add|install)(?=\\s|$)'),
      program('conda|mamba|micromamba', '.*\\s(?:install|create)(?=\\s|$)'),
      program('npm', '(?:\\s+-\\S+)*\\s+(?:i|in|install|ci|add|update|exec)(?=\\s|$)'),
      program('pnpm|yarn|bun', '(?:\\s+-\\S+)*\\s+(?:add|install|i|global|dlx|x)(?=\\s|$)'),
      program('npx|uvx|bunx', '\\s+\\S'),
      program(
        'gem|cargo|krew|asdf|mise|rustup|sdk|arkade|bundle',
        '(?:\\s+-\\S+)*\\s+(?:install|i|use|get|plugin\\s+add|plugin-add)(?=\\s|$)',
      ),
      program('go', '\\s+(?:install|get)(?=\\s|$)'),
      program('kubectl', '\\s+krew\\s+install'),
      program('helm', '\\s+plugin\\s+install'),
      program('ansible-galaxy', '.*\\sinstall(?=\\s|$)'),
    ],
  },
];
