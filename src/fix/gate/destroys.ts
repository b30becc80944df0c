// Commands and tasks of a file that take away what cannot be had again, by their program and verb; and those that a change adds. The
// table spares the owner questions, and nothing rests on its being complete.
import type { Edit } from '../edit.ts';
import { isShell, isWrapper } from '../shell/inner-commands.ts';
import type { ParseShell } from '../shell/node.ts';
import { type ReadCommand, readCommands } from '../shell/read-commands.ts';
import { type ModuleCall, runTexts } from './run-texts.ts';

/** In the place of a verb these mean it, whatever the program. */
const VERB = /^(?:destroy|delete|uninstall|purge|wipe|nuke|teardown|reset|undefine|labelclear)$/;
/** So they do in the name of a script. */
const NAME = /(?:^|[-_])(?:wipe|uninstall|destroy|nuke|teardown)(?:[-_.]|$)/;
/** To these such a word is a text, a package that can be had again, or has a row of its own. */
const TAKES_WORDS: ReadonlySet<string> = new Set(
  (
    '[ [[ test echo printf log info warn error die say read local for case tput grep egrep sed awk dd curl git make just ' +
    'task systemctl apt apt-get dpkg dnf yum apk pacman brew snap pip pip3 npm cargo'
  ).split(' '),
);

/** A program, and its words with one blank between; the second tells which of its uses destroy. */
const ROWS: readonly (readonly [program: RegExp, words?: RegExp])[] = [
  [/^(?:mkfs(?:\..+)?|mke2fs|blkdiscard|shred|dropdb|dropuser|userdel|deluser)$/],
  [/^(?:lv|vg|pv)remove$|^(?:lv|vg)reduce$/],
  [/^wipefs$/, /^(?!.*(?:-n|--no-act)\b).*(?:-a|--all|-o)\b/],
  [/^dd$/, /\bof=(?:\/dev\/(?!null|stdout)|\$)/],
  [/^sgdisk$/, /(?:^| )(?:-[Zzod]|--(?:zap|zap-all|clear|delete))/],
  [/^parted$/, /\b(?:mklabel|mktable|mkpart|rm|resizepart)\b/],
  [/^(?:s|c)?fdisk$/, /^(?!.*(?:-l|--list|--dump|-d)\b).*\/dev\//],
  [/^cryptsetup$/, /\b(?:luksFormat|luksErase|erase|reencrypt)\b/],
  [/^mdadm$/, /--(?:zero-superblock|stop|create)\b/],
  [/^zpool$/, /^create .*-f\b|^create -\w*f/],
  [/^(?:zfs|qm|pct|virsh)$/, /^(?:rollback|snapshot-revert)\b/],
  [/^pvesm$/, /^free\b/],
  [/^pvecm$/, /^delnode\b/],
  [/^rbd$/, /^(?:rm|remove|snap (?:rm|purge|rollback))\b/],
  [/^ceph-volume$/, /\bzap\b/],
  [/^truncate$/, /(?:-s ?|--size[= ])0\b/],
  [/^find$/, / -delete\b/],
  [/^git$/, /\bclean -\w*[fdx]|\breset .*--hard\b|\bpush .*(?:-f\b|--force|--delete|-d\b|--mirror| :\w)/],
  [/^git$/, /\b(?:checkout (?:-f|--force|--) ?|branch -\w*D|stash (?:drop|clear)|reflog expire|update-ref -d)/],
  [/^(?:docker|podman|nerdctl)$/, /\b(?:system|volume|builder) prune\b|\bvolume (?:rm|remove)\b/],
  [/^(?:docker|podman|nerdctl)(?:-compose)?$/, /\bdown .*(?:-v|--volumes|--rmi)\b/],
  [/^(?:docker|podman|nerdctl)(?:-compose)?$/, /\b(?:swarm leave|up .*--renew-anon-volumes)\b/],
  [/^(?:kubectl|oc)$/, /\breplace .*--force\b/],
  [/^helm$/, /^(?:un|del)\b/],
  [/^talosctl$/, /--wipe-mode|--system-labels-to-wipe/],
  [/^etcdctl$/, /\b(?:del|member remove)\b/],
  [/^(?:terraform|tofu|terragrunt)$/, /(?:^| )-destroy(?: |$)|\bstate .*rm\b|\bdestroy-all\b/],
  [/^(?:restic|borg|proxmox-backup-client|velero)$/, /\bprune\b|--prune\b/],
  [/^pulumi$/, /\bstack rm\b/],
  [/^aws$/, /\b(?:terminate|delete)-|\bs3 r[bm]\b/],
  [/^mysqladmin$/, /\bdrop\b/],
  [/^redis-cli$/, /\bflush(?:all|db)\b/i],
  [/^(?:curl|http|wget)$/, /(?:-X ?|--request[= ]|--method[= ]|^)delete\b/i],
  [/^ansible$/, /\bstate=absent\b/],
  [/^crontab$/, /(?:^| )-r\b/],
  [/^rm$/, /(?:^| )(?:-\w*[rR]|--recursive)/],
];

/** Code that programs of other languages are given. */
const CODE =
  /\b(?:drop\s+(?:table|database|schema|user|role)|truncate\s+(?:table\s+)?\w|delete\s+from)\b|\brmtree\(|\brmSync\(/i;

/** Ansible's modules that hold something, by the last part of their name; those that only tell of it end in `_info`. */
const MODULES: ReadonlySet<string> = new Set(
  (
    'k8s helm terraform user docker_volume docker_stack docker_swarm zfs zpool lvol lvg parted filesystem mysql_db mysql_user ' +
    'postgresql_db postgresql_user mongodb_db mongodb_user'
  ).split(' '),
);
const MODULE_FAMILY = /^(?:proxmox|hcloud_|ec2|virt)(?!.*_info$)/;

/** What is kept under these outlives whoever writes there; below them these do not count. */
const KEPT =
  /^(?:\/(?!tmp\/|dev\/shm|var\/(?:tmp|cache|log|lib\/apt\/lists)(?:\/|$))|~|\$\{?HOME\b|\.{1,2}\/?$|\*$|\.git\b)/;
/** A folder of data, for who removes files one by one. */
const DATA = /^\/(?:srv|mnt|media|data|home|var\/lib)\/?/;

export interface Destroying {
  readonly line: number;
  /** The command or task, as people read it. */
  readonly words: string;
  /** It runs only where a condition of Ansible holds. */
  readonly guarded: boolean;
}

/** `path` only says what kind of text it is. Never throws. */
export function destroyingIn(path: string, text: string, parse: ParseShell): readonly Destroying[] {
  const { texts, calls } = runTexts(path, text);
  const commands = texts.flatMap(({ text: shell, line, guarded }) => {
    const { commands: all, functions } = readCommands(shell, parse);
    return all
      .filter((command) => !functions.includes(command.program) && destroys(command))
      .map((command) => ({ line: line + command.line - 1, words: shownWords(command), guarded }));
  });
  const tasks = calls.filter(removes).map(({ module, args, line, guarded }) => {
    const said = args.get('state') === 'absent' ? 'state: absent' : 'force: true';
    return { line, words: `${module} ${said}`, guarded };
  });
  return [...commands, ...tasks].sort((a, b) => a.line - b.line);
}

/** What the new text has and the old one had not, or not as often. Never throws. */
export function newDestroying({ path, before, after }: Edit, parse: ParseShell): readonly Destroying[] {
  const left = destroyingIn(path, before ?? '', parse).map(({ words }) => words);
  return destroyingIn(path, after, parse).filter(({ words }) => {
    const at = left.indexOf(words);
    if (at !== -1) left.splice(at, 1);
    return at === -1;
  });
}

const DISK = /^\/dev\/(?:sd|hd|vd|xvd|nvme|mapper|disk|md|zd)/;

function destroys({ program, args, redirects, code }: ReadCommand): boolean {
  const texts = args.map(({ text }) => text);
  if (redirects.some(({ operator, target }) => operator.includes('>') && DISK.test(target?.text ?? ''))) return true;
  if (code !== undefined && CODE.test(code)) return true;
  const words = texts.join(' ');
  if (isWrapper(program) || isShell(program)) return false;
  if (program === 'rm' || program === 'find')
    return (
      ROWS.some(([of, has]) => of.test(program) && has?.test(` ${words}`)) && texts.some((text) => KEPT.test(text))
    );
  if (ROWS.some(([of, has]) => of.test(program) && (has === undefined || has.test(words)))) return true;
  if (TAKES_WORDS.has(program) || /^(?:log|warn)/.test(program)) return false;
  return NAME.test(program) || hasVerb(program, texts);
}

/** What runs from a description is made again from it. */
const MADE_AGAIN = /^(?:po|pods?|rs|replicasets?|jobs?)(?:\/|$)/;

/** Among the first three words that are no options. */
function hasVerb(program: string, texts: readonly string[]): boolean {
  const operands = texts.filter((text) => !text.startsWith('-')).slice(0, 4);
  const at = operands.slice(0, 3).findIndex((text) => VERB.test(text));
  return at !== -1 && program !== '' && !MADE_AGAIN.test(operands[at + 1] ?? '');
}

function removes({ module, args }: ModuleCall): boolean {
  const isAbsent = args.get('state') === 'absent';
  const path = args.get('path') ?? args.get('dest') ?? args.get('name') ?? '';
  if (module === 'file') return isAbsent && DATA.test(path);
  const holds = MODULES.has(module) || MODULE_FAMILY.test(module);
  return holds && (isAbsent || /^(?:true|yes)$/i.test(args.get('force') ?? ''));
}

const shownWords = ({ words }: ReadCommand): string =>
  words
    .map(({ text }) => text)
    .join(' ')
    .replace(/\ue000+/g, '…')
    .replace(/\s+/g, ' ')
    .trim();
