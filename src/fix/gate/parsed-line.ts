// What an added line would do, as text that rules can match: the commands in it, and the line with its operators. Comments
// and what is only said (echo, log, a description) are left out.
import type { Line } from './changed-lines.ts';
import { type Segment, shellSegments } from './shell-words.ts';

export interface ParsedLine {
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

/** One shell line, then every quoted text in it that could be a command. Never throws. */
export const parseShell = (text: string): ParsedLine[] => parse(text, false, 0);

/** As `parseShell`, for text that may as well be prose: only what begins with a known program is a command. */
const parseText = (text: string): ParsedLine[] => parse(text, true, 0);

/** One line of a file in this language. */
export function parseLine(text: string, language: Language): ParsedLine[] {
  if (language === 'shell') return parseShell(text);
  const value = dataValue(text);
  return value === undefined ? [] : parseText(value);
}

/** As `parseLine`; the line with this `number` in `lines` is also read as part of the list it is an item of. */
export function parseInList(text: string, language: Language, lines: readonly string[], number: number): ParsedLine[] {
  const list = language === 'data' ? listAround(lines, number - 1) : undefined;
  return [...parseLine(text, language), ...(list === undefined ? [] : parseText(list))];
}

const MAX_QUOTES_IN_QUOTES = 4;

function parse(text: string, prose: boolean, depth: number): ParsedLine[] {
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
  const inner = depth >= MAX_QUOTES_IN_QUOTES ? [] : [...shown.flatMap((s) => (s.spoken ? [] : s.strings)), ...hidden];
  return [{ commands, line }, ...inner.flatMap((string) => parse(string, true, depth + 1))];
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

/** `prose` is only read by people; `data` holds commands as values; anything unknown is taken for a script. */
export type Language = 'shell' | 'data' | 'prose';

const PROSE = /\.(?:md|markdown|mdx|rst|adoc)$/i;
const SHELL =
  /\.(?:sh|bash|zsh|ksh|dash|bats|mk|fish)$|(?:^|\/)(?:[^/.]+|[^/]*makefile|[^/]*dockerfile|containerfile|justfile)$/i;
const SHELL_START = /^#!\s*\S*(?:\/|\s)(?:env\s+(?:-S\s+)?)?(?:\S*\/)?(?:ba|z|k|da|a)?sh\b/;
const ANY_START = /^#!/;

export function languageOf(path: string, text: string): Language {
  if (SHELL_START.test(text)) return 'shell';
  if (ANY_START.test(text)) return 'data';
  if (PROSE.test(path)) return 'prose';
  return SHELL.test(path) ? 'shell' : 'data';
}

/** Whether `bash -n` and shellcheck have something to say about the file. */
export function wantsShellCheck(path: string, text: string): boolean {
  const first = text.slice(0, 200);
  return SHELL_START.test(first)
    ? /(?:ba|da|k|\/|\s)sh\b/.test(first.split('\n')[0] ?? '')
    : /\.(?:sh|bash)$/i.test(path);
}

const KEYED = /^(?:-\s+)*(?:(["']?)([\w./$-]+)\1\s*(?::(?=\s|$)|=)\s*)?(.*)$/s;
/** Keys whose values people read. */
const SAID =
  /(?:^|[._-])(?:description|summary|title|message|msg|comment|comments|notes?|help|text|name|label|reason|doc|docs|info|changelog)$/i;
const BLOCK = /^[|>][+-]?\d*[+-]?$/;
const CALLS_TO_SAY =
  /^(?:await\s+)?(?:print|println|console\.\w+|(?:log|logger|logging)\.\w+|fmt\.Print\w*|raise\s+\w+|throw\s+new\s+\w+|puts)\s*\(/;
const COMMENT = /^(?:#|\/\/\s|\/?\*\s)/;

/** The part of a line of YAML, JSON, TOML or program text that could be run, or undefined when there is none. */
function dataValue(line: string): string | undefined {
  const trimmed = line.trim();
  if (COMMENT.test(trimmed) && !/["'](?=[\s;&|)])/.test(trimmed)) return undefined;
  if (CALLS_TO_SAY.test(trimmed) && !/\b(?:system|exec|popen|subprocess|spawn)/i.test(trimmed)) return undefined;
  const [, , key = '', rest = ''] = KEYED.exec(trimmed) ?? [];
  const value = rest.replace(/,\s*$/, '').trim();
  if (value === '' || BLOCK.test(value)) return undefined;
  // In a script such a line would end at the first operator; what follows is no longer a description.
  if (key !== '' && SAID.test(key)) return `echo ${value}`;
  // A list of words is the command that they make together.
  const listed = value
    .replace(/(["'])\s*,\s*\1/g, ' ')
    .replace(/^\[\s*(.*?)\s*\]$/s, '$1')
    .replace(/\[\s*(?=["'])/g, '( ');
  return unquoted(listed);
}

function unquoted(value: string): string {
  const [, quote, inner] = /^(["'])(.*)\1$/s.exec(value) ?? [];
  if (quote === undefined || inner === undefined || inner.includes(quote === '"' ? '" ' : "' ")) return value;
  if (quote === "'") return inner.replaceAll("''", "'");
  return inner.replace(/\\([nt"\\/])/g, (_, c: string) => ({ n: '\n', t: '\t' })[c] ?? c);
}

const ITEM = /^(\s*)(?:-\s+)?(?:"([^"]*)"|'([^']*)'|([^\s:#"'[\]{}][^\s:#]*)),?\s*$/;

/** The words of the list that the line at `index` is an item of, one word an item, when it is such an item. */
function listAround(lines: readonly string[], index: number): string | undefined {
  const indent = itemOf(lines[index])?.indent;
  if (indent === undefined) return undefined;
  const words: string[] = [];
  let from = index;
  while (from > Math.max(0, index - 30) && itemOf(lines[from - 1])?.indent === indent) from--;
  for (let i = from; i < Math.min(lines.length, index + 30); i++) {
    const item = itemOf(lines[i]);
    if (item?.indent !== indent) break;
    words.push(item.word);
  }
  return words.length > 1 ? words.join(' ') : undefined;
}

function itemOf(line: string | undefined): { indent: string; word: string } | undefined {
  const match = ITEM.exec(line ?? '');
  if (!match) return undefined;
  const [, indent = '', double, single, plain] = match;
  return { indent: `${indent}${/^\s*-/.test(line ?? '') ? '-' : ''}`, word: double ?? single ?? plain ?? '' };
}

const MAX_JOINED_LINES = 40;

interface LogicalLine {
  text: string;
  lines: Line[];
  /** There is more of it than was joined. */
  cut: boolean;
}

/** The line `number` of `lines` (from 1) with those that a shell reads as one with it: behind a backslash or an operator. */
export function logicalLine(lines: readonly string[], number: number, language: Language): LogicalLine {
  const joins = (i: number) => i >= 0 && i < lines.length - 1 && goesOn(lines[i] ?? '', lines[i + 1] ?? '', language);
  let from = number - 1;
  let to = number - 1;
  while (to - from < MAX_JOINED_LINES && joins(from - 1)) from--;
  while (to - from < MAX_JOINED_LINES && joins(to)) to++;
  const joined = lines.slice(from, to + 1);
  return {
    text: joined.map((line, i) => (i < joined.length - 1 ? `${line.replace(/\\$/, '')} ` : line)).join(''),
    lines: joined.map((text, i) => ({ number: from + i + 1, text })),
    cut: joins(from - 1) || joins(to),
  };
}

function goesOn(line: string, next: string, language: Language): boolean {
  if (/^\s*#/.test(line)) return false;
  if (/(?:^|[^\\])(?:\\\\)*\\$/.test(line)) return true;
  if (/(?:&&|\|\|)\s*$/.test(line)) return true;
  // In a folded text of YAML the flags of a command may stand on a line of their own.
  if (language === 'data' && /^\s*--?[A-Za-z]/.test(next) && !/^\s*(?:- |---|$)/.test(line)) return true;
  // In YAML a bar behind a key or a dash begins a text of its own.
  return /[^|]\|\s*$/.test(line) && (language === 'shell' || !/(?:[:-]|:\s+[!&]\S+)\s+\|\s*$/.test(line));
}
