// What an added line would do, as text that rules can match: the commands in it, and the line with its operators. Comments
// and what is only said (echo, log, a description) are left out.
import { type Segment, shellSegments } from './shell-words.ts';

export interface Reading {
  /** The simple commands, words joined by one space. */
  commands: string[];
  /** All of it, with the operators between. */
  line: string;
}

const KEYWORDS = new Set(['if', 'then', 'elif', 'else', 'do', 'while', 'until', '!', '{', '}', 'time', 'fi', 'done']);
const ASSIGNMENT = /^[A-Za-z_]\w*(?:\[[^\]]*\])?\+?=/;

/** Commands that say or compare their words and do nothing with them. */
const SPEAKERS =
  /^(?:echo|printf|print|say|puts|notice?|note|msg|message|usage|logger|(?:log|info|warn|warning|err|error|die|fail|fatal|debug|abort|step|ok|skip|title|section)(?:[_.-]\w+)?|\w+[_:](?:log|info|warn|error|msg)|[ef]?grep|rg|test|\[\[?|:)$/;

/** Programs that rules know: a quoted text is read as a command only when it begins with one, or with what runs others. */
const PROGRAMS =
  /^(?:\S*\/)?(?:rm|rmdir|unlink|find|dd|mkfs(?:\.\w+)?|mke2fs|mkswap|wipe\w*|blkdiscard|sgdisk|gdisk|fdisk|sfdisk|parted|shred|srm|truncate|z?pool|zfs|lv\w+|vg\w+|pv\w+|mdadm|cryptsetup|dmsetup|qm|pct|kubectl|k|oc|k3s\S*|kubeadm|talosctl|terraform|tofu|terragrunt|pulumi|vagrant|cdk|eksctl|flux|helm|argocd|git|docker|docker-compose|podman|nerdctl|crictl|ctr|ceph\S*|rbd|rados|etcdctl|virsh|virt-\w+|incus|lxc|aws|gcloud|az|s3cmd|rclone|mc|restic|borg|psql|mysql|mariadb|mongo\w*|redis-cli|drop|delete|DROP|DELETE|TRUNCATE|dropdb|dropuser|rsync|chmod|chown|crontab|mv|cp|tee|curl|wget|aria2c|fetch|http|eval|source|\.|base64|xxd|openssl|sh|bash|zsh|dash|ksh|python[\d.]*|perl|ruby|node|apt|apt-get|aptitude|dpkg|rpm|yum|dnf|microdnf|tdnf|zypper|pacman|paru|yay|apk|brew|snap|flatpak|pip[\d.]*|pipx|uv|uvx|poetry|conda|mamba|npm|npx|pnpm|yarn|bun|gem|bundle|cargo|go|krew|asdf|mise|nix-env|nix|ansible-galaxy|choco|winget|scoop|port|pkg|emerge|xbps-install|make|opkg|install|sudo|doas|env|exec|command|builtin|nohup|nice|ionice|timeout|setsid|stdbuf|xargs|ssh|su|runuser|chroot|nsenter|unshare|systemd-run|watch|parallel|retry|cd|set|exit|trap|true|kill|halt|pvesm|pvesh|vzdump|gpg|tar|flock|export|import|os|subprocess|shutil|system|fs|FileUtils)$/;

/** The readings of one shell line: itself, then every quoted text in it that could be a command. Never throws. */
export function readShell(text: string): Reading[] {
  return read(text, false, 0);
}

/** As `readShell`, for text that may as well be prose: only what begins with a known program is a command. */
export function readText(text: string): Reading[] {
  return read(text, true, 0);
}

const DEEPEST = 4;

function read(text: string, prose: boolean, depth: number): Reading[] {
  if (text.trim() === '') return [];
  const { segments, hidden } = shellSegments(text.replace(/\$\{?IFS\}?/g, ' '));
  const shown = segments.map((segment, i) => ({ ...segment, spoken: isSpoken(segment, segments[i - 1]) }));
  const line = shown
    .map(({ words, next, spoken }) => `${(spoken ? saidOnly(words) : words).join(' ')} ${next}`)
    .join(' ')
    .replace(/\s+/g, ' ')
    .trim();
  const commands = shown
    .filter(({ spoken, words }) => !spoken && words.length > 0 && (!prose || beginsWithProgram(words)))
    .map(({ words }) => words.join(' '));
  const inner = depth >= DEEPEST ? [] : [...shown.flatMap((s) => (s.spoken ? [] : s.strings)), ...hidden];
  return [{ commands, line }, ...inner.flatMap((string) => read(string, true, depth + 1))];
}

/** The first word that is neither keyword nor assignment. */
export function headOf(words: readonly string[]): string {
  return words.find((word) => !KEYWORDS.has(word) && !ASSIGNMENT.test(word)) ?? '';
}

const beginsWithProgram = (words: readonly string[]): boolean => PROGRAMS.test(headOf(words));

const TO_A_FILE = /^(?:\d*|&)>>?\|?(?!&|\/dev\/(?:null|stderr|stdout|tty))/;

function isSpoken({ words, next }: Segment, before: Segment | undefined): boolean {
  const head = headOf(words);
  const commits = head === 'git' && /^(?:commit|tag|notes)$/.test(words[words.indexOf('git') + 1] ?? '');
  if (!SPEAKERS.test(head) && !commits) return false;
  // `|| :` and `; true` are no speech but an end of the line, and what is piped on or written to a file may be run.
  if (head === ':' && before !== undefined) return false;
  return !next.startsWith('|') || next === '||' ? !words.some((word) => TO_A_FILE.test(word)) : false;
}

/** The head, and where its output goes. */
function saidOnly(words: readonly string[]): string[] {
  const at = words.indexOf(headOf(words));
  return [...words.slice(0, at + 1), '…', ...words.slice(at + 1).filter((word) => /^(?:\d*|&)>/.test(word))];
}
