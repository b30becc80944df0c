// What destroys, as data: programs with the words that make them do it. It spares the owner questions, and nothing rests on its
// being complete.

/** In the place of a verb these mean it, whatever the program. */
export const VERB = /^(?:destroy|delete|uninstall|purge|wipe|nuke|teardown|reset|undefine|labelclear)$/;
/** So they do in the name of a script. */
export const NAME = /(?:^|[-_])(?:wipe|uninstall|destroy|nuke|teardown)(?:[-_.]|$)/;
/** To these such a word is a text, a package that can be had again, or has a row of its own. */
export const TAKES_WORDS: ReadonlySet<string> = new Set(
  (
    '[ [[ test echo printf log info warn error die say read local for case tput grep egrep sed awk dd curl git make just ' +
    'task systemctl apt apt-get dpkg dnf yum apk pacman brew snap pip pip3 npm cargo'
  ).split(' '),
);

/** A program, and its words with one blank between; the second tells which of its uses destroy. */
export const ROWS: readonly (readonly [program: RegExp, words?: RegExp])[] = [
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
export const CODE =
  /\b(?:drop\s+(?:table|database|schema|user|role)|truncate\s+(?:table\s+)?\w|delete\s+from)\b|\brmtree\(|\brmSync\(/i;

/** Ansible's modules that hold something, by the last part of their name; those that only tell of it end in `_info`. */
export const MODULES: ReadonlySet<string> = new Set(
  (
    'k8s helm terraform user docker_volume docker_stack docker_swarm zfs zpool lvol lvg parted filesystem mysql_db mysql_user ' +
    'postgresql_db postgresql_user mongodb_db mongodb_user'
  ).split(' '),
);
export const MODULE_FAMILY = /^(?:proxmox|hcloud_|ec2|virt)(?!.*_info$)/;

/** What is kept under these outlives whoever writes there; below them these do not count. */
export const KEPT =
  /^(?:\/(?!tmp\/|dev\/shm|var\/(?:tmp|cache|log|lib\/apt\/lists)(?:\/|$))|~|\$\{?HOME\b|\.{1,2}\/?$|\*$|\.git\b)/;
/** A folder of data, for who removes files one by one. */
export const DATA = /^\/(?:srv|mnt|media|data|home|var\/lib)\/?/;
