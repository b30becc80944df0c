// What a command would destroy. A word that means removing, as sub-command, option or name of any program whose words are not
// mere names, is what it says; tables hold only what such words do not tell.
import { isInterpreter } from '../shell/wrappers.ts';
import { Arguments } from './arguments.ts';
import type { Fact } from './facts.ts';

/** `ask`: it can be undone, but not by everybody. */
export type Severity = 'refuse' | 'ask';

export interface Harm {
  readonly severity: Severity;
  /** For a model: what is wrong. */
  readonly why: string;
}

const REMOVING =
  'delete|deletemany|del|destroy|remove|removeall|rm|rmi|rmp|rmdirs|rmfailed|rb|erase|purge|wipe|zap|nuke|drop|dropall|prune|' +
  'uninstall|unpublish|autoremove|autopurge|reset|format|sanitize|evict|forget|flush|flushall|flushdb|clear|truncate|terminate|' +
  'undefine|unregister|unregistervm|deregister|obliterate|teardown|labelclear|delnode|delsnapshot|removenode|clean-all|distclean';
/** The word itself or a part of it: `delete-stack`, `vm-destroy`, `luksErase`. */
const REMOVES = new RegExp(
  `^(?:[a-z0-9]+[-_:.])*(?:${REMOVING})(?:[-_:.].*)?$|^[a-z]+(?:Delete|Remove|Erase|Format|Drop|Destroy)[A-Z]?\\w*$`,
  'i',
);
/** An option that says so; of `reset` alone nobody knows what. */
const REMOVING_OPTION =
  /^--?(?:[a-z0-9]+-)*(?:delete|del|destroy|remove|erase|purge|wipe|zap|nuke|drop|prune|uninstall|evict|flush|truncate|unlink|cluster-reset|factory-reset|force-new-cluster|force-(?:empty|zero))(?:-\S*?)?(?:=(?!false|no|0).*)?$/i;
/** Options of that kind that remove nothing which was there before. */
const HARMLESS_OPTION =
  /^--?(?:no-\S+|remove-signatures|\S*cache|drop-\S*cap\S*|\S*-(?:delay|timeout|interval|period|age|size|policy)\S*)$/;
/** What other texts than commands hardly say by chance. */
const PLAINLY_REMOVES =
  /^(?:destroy|nuke|wipe|wipe-.*|erase|purge|uninstall|obliterate|zap|drop|dropall|delete|delete-.*|remove-all|factory-reset|terminate|flushall)$/;
const PLAIN_OPTION =
  /^(?:--?purge|--(?:cluster-reset|force-new-cluster|factory-reset|(?:force-)?(?:wipe|erase|destroy|purge|delete|zap|drop|nuke|empty|zero|remove)(?:-\S*)?))(?:=(?!false|no).*)?$/;
/** Stops something, or takes a step back. */
const STOPS =
  /^(?:stop|disable|mask|kill|isolate|halt|down|unload|bootout|suspend|scale|drain|cordon|taint|rollback|undo|reboot|shutdown|poweroff|pause|hibernate|rescue|emergency|managedsave|move-disk|move-volume|upgrade-k8s|untaint|rebalance|failover)$/;
/** Verbs behind which only names stand. */
const ACTS =
  /^(?:get|describe|logs?|apply|create|install|upgrade|start|restart|reload|status|run|exec|pull|push|build|set|add|list|ls|show|plan|validate|diff|wait|template|check|test|init|info|version|up|cp|copy|reconcile|resume|backup|restore|bootstrap|label|annotate|rollout|login|import|patch|edit|send|inspect|enable|is-active|reset-failed)$/;
/** Programs whose words are names, patterns or texts, and those with rows of their own. */
export const SPEAKS =
  /^(?:echo|printf|print|logger|log\w*|info|warn\w*|error|die|fail\w*|debug|say|e?grep|fgrep|rg|ag|ack|test|\[\[?|case|export|local|declare|readonly|typeset|unset|read|set|cd|source|\.|mkdir|touch|ls|cat|head|tail|cut|sort|which|type|command|jq|yq|awk|gawk|sed|tr|wc|basename|dirname|for|function|alias|trap|git|tput|clear|reset|notify-send|true|false|:|let|return|exit|shift|getopts|wait|sleep|mapfile|readarray|diff|cmp|stat|file|date|man|apropos|less|more|tee|column|xargs|env|sudo|ssh|eval|find|test_.*|describe|it|assert.*|curl|wget|cp|mv|ln|install|tar|chmod|chown|rm|rmdir|kill|hostname|id|ps|pgrep|seq|openssl|base64|envsubst|sops|helm-docs)$/;
/** What runs targets, playbooks or scripts by their names. */
const RUNNERS = /^(?:g?make|just|task|go-task|npm|pnpm|yarn|mise|invoke|rake|ansible-playbook|ansible-pull)$/;

type Test = (args: Arguments, fact: Fact) => boolean;
type Row = readonly [programs: RegExp, test: Test, severity?: Severity];

const always: Test = () => true;
const verb =
  (verbs: RegExp, within = 3): Test =>
  (args) =>
    args.verb(verbs, within);

/** A verb with one of these options, short or long. */
const told =
  (verbs: RegExp, short: string, ...long: string[]): Test =>
  (args) =>
    args.verb(verbs, 4) && args.has(short, ...long);
const nested =
  (...verbs: RegExp[]): Test =>
  (args) =>
    args.verbs(...verbs);

const DISK = /^\/dev\/(?:sd|nvme|vd|hd|xvd|mapper|disk|mmcblk|md|dm-|zvol|loop|block|mem|kmem|port)/;
const KUBECTL = /^(?:kubectl|k|oc|kubecolor)$/;
const CONTAINERS = /^(?:docker|podman|nerdctl|docker-compose|podman-compose)$/;
const TERRAFORM = /^(?:terraform|tofu|terragrunt|pulumi|vagrant|cdk|cdktf)$/;

/** Deletes that a cluster makes good by itself. */
const MENDED_BY_CLUSTER =
  /^(?:pods?|po|jobs?|cronjobs?|cj|events?|ev|replicasets?|rs|leases?|csr|volumesnapshots?)(?:[/,.]|$)/;
const IS_NAMED = (word: string) => !word.startsWith('-');

function deletesSoftly(args: Arguments): boolean {
  if (args.has('', 'force', 'all', 'now', 'all-namespaces') || args.any(/^--grace-period=?0?$/) || args.any(/^-A$/))
    return false;
  const [kind = '', ...names] = args.operands.slice(args.operands.indexOf('delete') + 1).filter(IS_NAMED);
  return MENDED_BY_CLUSTER.test(kind) && (names.length > 0 || kind.includes('/') || args.has('l', 'selector'));
}

/** What words do not tell. */
const TABLE: readonly Row[] = [
  // Files and folders
  [/^(?:shred|srm|rimraf|trash|trash-put|bleachbit|deltree|unlink|chattr)$/, always],
  [/^find$/, (args) => args.any(/^-(?:delete|fprint\w*)$/)],
  [/^fd(?:find)?$/, (args) => args.any(/^(?:rm|shred|unlink)$/)],
  [/^(?:truncate|fallocate)$/, (args) => args.has('spcd', 'size', 'punch-hole', 'collapse-range')],
  [/^mv$/, (args) => /^\/(?:dev|run)\//.test(args.operands.at(-1) ?? '')],
  [/^(?:cp|mv|install|ln|cat)$/, (args) => args.operands.includes('/dev/null') && args.operands.at(-1) !== '/dev/null'],
  [/^(?:tar|7z)$/, (args) => args.has('', 'remove-files', 'recursive-unlink')],
  [/^zip$/, (args) => args.has('m')],
  [
    /^(?:chmod|chown|chgrp|setfacl)$/,
    (args) => args.has('R', 'recursive') && args.operands.some((word) => /^\/(?:$|[a-z]+\/?$|\*)/.test(word)),
  ],
  [/^chmod$/, (args) => args.operands.some((word) => /^(?:0?0?000?|[0-7]?777|a[+=]rwx|a-rwx|ugo-rwx)$/.test(word))],
  // Disks
  [
    /^(?:mkfs(?:\..*)?|mke2fs|mkswap|wipefs|blkdiscard|mkdosfs|mkntfs|badblocks|cfdisk|scrub|nwipe|hdparm|sg_format)$/,
    always,
  ],
  [/^dd$/, (args) => args.any(/^of=/)],
  [
    /^(?:sgdisk|gdisk|sfdisk|fdisk|parted|partprobe)$/,
    (args) => !args.has('', 'list', 'print', 'version') && !args.verb(/^print$/, 4) && !args.has('lp'),
  ],
  [/^(?:lv|vg|pv)(?:remove|reduce)$/, always],
  [/^(?:lv|vg|pv)(?:create|convert)$/, (args) => args.has('f', 'force')],
  [/^zpool$/, told(/^(?:create|add|replace)$/, 'f')],
  [/^(?:zpool|zfs)$/, verb(/^(?:rollback|offline|detach|receive|recv)$/)],
  [/^mdadm$/, (args) => args.has('SC', 'zero-superblock', 'stop', 'remove', 'fail', 'create')],
  [/^cryptsetup$/, verb(/^(?:luksKillSlot|reencrypt)$/)],
  [/^(?:tee|cp|cat|gzip|pv|xxd|openssl)$/, (args) => args.any(DISK) && !args.any(/^\/dev\/(?:null|zero|stdin)$/)],
  // Virtual machines, storage, clusters and containers
  [/^(?:virt-rescue|vzctl)$/, always],
  [/^(?:virsh|xe)$/, verb(/^snapshot-revert$/, 4)],
  [/^(?:qm|pct)$/, verb(/^(?:rollback|unlink)$/, 2)],
  [/^pvesm$/, verb(/^free$/, 4)],
  [/^(?:rclone|gsutil|s3cmd|s5cmd|mc|mcli|b2|azcopy)$/, verb(/^(?:sync|move|cleanup|mirror)$/)],
  [/^(?:restic|borg|borgmatic|kopia|duplicity)$/, verb(/^(?:unlock|rebuild-index|compact|break-lock)$/)],
  [/^(?:vault|bao|nomad)$/, verb(/^system-gc$/)],
  [/^(?:k3s|k3s-agent|rke2|k0s|microk8s)-killall(?:\.sh)?$/, always],
  [KUBECTL, (args) => args.verb(/^delete$/) && !deletesSoftly(args)],
  [KUBECTL, told(/^replace$/, '', 'force')],
  [KUBECTL, told(/^drain$/, '', 'force', 'disable-eviction')],
  [
    KUBECTL,
    (args) =>
      args.verb(/^patch$/) &&
      /finalizers["']?\s*:\s*(?:null|\[\s*\])|"op"\s*:\s*"remove"|finalizers"[^}]*"value"\s*:\s*(?:null|\[\s*\])|yes-really-destroy|[pP]olicy["']?\s*:\s*["']?(?:Delete|Recycle)|replicas["']?\s*:\s*0\b/.test(
        args.all,
      ),
  ],
  [KUBECTL, nested(/^config$/, /^unset$/)],
  [/^etcdctl$/, verb(/^(?:compact|defrag)$/)],
  [CONTAINERS, told(/^down$/, 'v', 'volumes', 'rmi')],
  [CONTAINERS, told(/^up$/, 'V', 'renew-anon-volumes', 'force-recreate')],
  [/^docker$/, nested(/^swarm$/, /^leave$/)],
  // Infrastructure as code and histories
  [TERRAFORM, nested(/^state$/, /^(?:mv|push|replace-provider)$/)],
  [/^gh$/, verb(/^archive$/)],
  [/^git$/, told(/^push$/, 'fd', 'force', 'force-with-lease', 'mirror', 'delete', 'prune')],
  [/^git$/, (args) => args.verb(/^push$/) && args.operands.slice(1).some((word) => /^[+:]/.test(word))],
  [/^git$/, verb(/^(?:clean|filter-branch|filter-repo|rm|update-ref|restore)$/, 2)],
  [/^git$/, told(/^reset$/, '', 'hard', 'merge', 'keep')],
  [/^git$/, told(/^(?:checkout|switch)$/, 'f', 'force', 'discard-changes')],
  [/^git$/, (args) => args.verb(/^checkout$/, 2) && (args.words.includes('--') || args.operands.at(-1) === '.')],
  [/^git$/, nested(/^(?:stash|reflog|worktree)$/, /^(?:drop|clear|expire|delete|remove|prune)$/)],
  [/^git$/, told(/^(?:branch|tag)$/, 'dD', 'delete', 'force')],
  [/^git$/, told(/^gc$/, '', 'prune')],
  // Databases and machines
  [/^(?:dropdb|dropuser|pg_resetwal|pg_dropcluster|userdel|groupdel|deluser|delgroup)$/, always],
  [/^(?:mysqladmin|redis-cli)$/, (args) => args.any(/^(?:shutdown|flush-.*|flushall|flushdb|del|unlink)$/i)],
  [/^(?:iptables|ip6tables|ebtables|nft|ipset|ipvsadm)$/, (args) => args.has('FXZ')],
  [
    /^(?:ip|nmcli|wg|tailscale|zerotier-cli)$/,
    (args) => args.verb(/^(?:logout|leave)$/) || / set .*\bdown\b/.test(` ${args.all}`),
  ],
  [/^ufw$/, verb(/^disable$/)],
  [/^(?:crontab|at|batch)$/, (args) => args.has('r')],
  [/^atrm$/, always],
  [/^kill$/, (args) => args.words.includes('-1') || args.words.includes('1')],
  [/^(?:pacman|dpkg|rpm|yay)$/, (args) => args.any(/^(?:-R[a-z]*|-P|-r|-e)$/)],
  [/^ipmitool$/, (args) => args.any(/^(?:off|cycle|reset|soft)$/)],
  [/^history$/, (args) => args.has('cdw')],
  [/^(?:curl|wget|http|https|xh|httpie)$/, (args) => args.any(/^(?:-X|--request=|--method=)?DELETE$/i)],
  [/^(?:ansible|ansible-playbook|ansible-pull)$/, (args) => /\bstate=absent\b/.test(args.all)],
  [/^(?:ansible-playbook|ansible-pull)$/, (args) => REMOVES.test(args.value(/^(?:-t|--tags)$/) ?? '')],
  [
    /^(?:sed|perl)$/,
    (args) =>
      args.words.some((word) => /^(?:-[a-zA-Z]*i|--in-place)/.test(word)) &&
      args.words.some((word) => /^(?:1,\$|0,\$|\$!N;)?\s*d$|^\/\.\*\/d$|^1,\$\s*d/.test(word)),
  ],
  // What can be undone
  [
    /^(?:qm|pct)$/,
    (args) => /^(?:scsi|virtio|sata|efidisk|unused|mp|rootfs|tpmstate)\d*/.test(args.value(/^-{1,2}delete$/) ?? ''),
    'ask',
  ],
  [
    /^(?:sed|perl|yq|dasel|jq)$/,
    (args) =>
      args.words.some((word) => /^(?:-[a-zA-Z]*i\S*|--in-place\S*|--inplace)$/.test(word)) &&
      args.words.some((word) => /(?:^|[\s/\d$}])d(?:;|$)|\bdel\(|\bdelete\(/.test(word)),
    'ask',
  ],
  [KUBECTL, verb(/^delete$/), 'ask'],
  [KUBECTL, nested(/^rollout$/, /^(?:undo|pause)$/), 'ask'],
  [/^(?:helm|helmfile)$/, (args) => args.has('', 'force', 'force-replace', 'cleanup-on-fail'), 'ask'],
  [/^git$/, told(/^(?:checkout|switch)$/, '', 'orphan'), 'ask'],
  [/^(?:reboot|shutdown|poweroff|halt|init|telinit|killall|pkill|kexec|swapoff|fsfreeze|rmdir)$/, always, 'ask'],
  [RUNNERS, (args) => args.operands.some((word) => /^(?:clean|mrproper)$/.test(word)), 'ask'],
  [/^kill$/, (args) => args.has('9', 'KILL') || args.any(/^-(?:SIG)?KILL$/), 'ask'],
  [/^umount$/, (args) => args.has('fl', 'force', 'lazy'), 'ask'],
  [/^(?:zpool|vgchange|vgexport)$/, (args) => args.verb(/^export$/) || args.has('', 'activate=n'), 'ask'],
  [TERRAFORM, (args) => args.any(/^-{1,2}replace/), 'ask'],
  [/^journalctl$/, (args) => args.any(/^--vacuum/), 'ask'],
];

/** What a program's name, verbs and options say. In a value that may be no command at all only plain verbs count. */
function harmByWords({ program, role, via }: Fact, args: Arguments): Severity | undefined {
  if (program === '' || SPEAKS.test(program) || isInterpreter(program) || args.operands[0] === 'kubectl')
    return undefined;
  const isMaybe = role === 'maybe';
  // What a container is started with are options of its own program, unless a shell runs it.
  const isRun = role === 'run' || (!isMaybe && via !== undefined);
  const bare = (word: string) => (word.split('/').at(-1) ?? '').replace(/\.\w+$/, '');
  if (RUNNERS.test(program)) return args.operands.some((word) => REMOVES.test(bare(word))) ? 'refuse' : undefined;
  if (isRun && REMOVES.test(bare(program))) return 'refuse';
  const verbs = args.operands.slice(0, isMaybe ? 2 : 4);
  const end = verbs.findIndex((word) => ACTS.test(word));
  const telling = end === -1 ? verbs : verbs.slice(0, end);
  if (telling.some((word) => (isMaybe ? PLAINLY_REMOVES : REMOVES).test(word))) return 'refuse';
  const isOption = (word: string) => (isRun ? REMOVING_OPTION : PLAIN_OPTION).test(word) && !HARMLESS_OPTION.test(word);
  if (!/^(?:qm|pct)$/.test(program) && args.words.some(isOption)) return 'refuse';
  return isRun && telling.slice(0, 2).some((word) => STOPS.test(word)) ? 'ask' : undefined;
}

const INLINE =
  /\b(?:shutil\.rmtree|rmtree|os\.(?:remove|unlink|rmdir|removedirs|truncate|kill)|FileUtils\.(?:rm|remove)\w*|File\.(?:delete|unlink)|Dir\.(?:delete|rmdir)|rm_rf?|fs\.(?:promises\.)?(?:rm|rmdir|unlink|truncate)\w*|rmSync|unlinkSync|RemoveAll|os\.Remove|removedirs|rimraf|Remove-Item|delete_namespaced?\w*|delete_collection\w*|deleteMany|dropDatabase|drop_all|drop_database|delete_bucket|terminate_instances|delete_(?:volume|snapshot|vm|instance|cluster|node|disk)\w*|unlink\s+glob|truncate\s*\()/;
const SQL =
  /\b(?:drop\s+(?:table|database|schema|user|role|index|view|keyspace|owned|collection)|delete\s+from\s+\S+(?!\s+where\b)|truncate\s+(?:table\s+)?\S+\s*;?|update\s+\S+\s+set\b(?!.*\bwhere\b)|alter\s+table\s+\S+\s+drop|dropDatabase|\.drop\(|deleteMany|flushall|flushdb|delete\s+from)\b/i;
const RUNS_SHELL =
  /\b(?:system|popen|exec[lv]p?e?|spawn\w*|subprocess\.\w+|check_call|check_output|child_process|execSync|spawnSync|Open3|IO\.popen|os\.system|shell_exec|passthru|qx)\b/;

/** What text of another language would destroy. */
export function inlineHarm(text: string): Harm | undefined {
  if (
    INLINE.test(text) ||
    /\.(?:unlink|rmdir|rmtree|rename|replace)\(\s*(?:missing_ok\s*=\s*\w+\s*)?\)|\.unlink\(/.test(text)
  )
    return { severity: 'refuse', why: 'deletes files or data' };
  if (
    /\bopen\([^)]*,\s*["']w["b+]*["']?\s*\)\s*\.(?:close|truncate)\(|^\s*open\([^=]*["']w[bt+]*["']\s*\)\s*$|\.write_text\(\s*["']{2}\s*\)/.test(
      text,
    )
  )
    return { severity: 'refuse', why: 'empties a file' };
  if (
    /\b(?:exec|eval|compile|__import__)\s*\(.*(?:b64decode|decode\(|fromhex|urlopen|requests\.|bytes\.)|(?:^|[;\s])(?:exec|eval)\s*\(\s*\w+\s*\)/.test(
      text,
    )
  )
    return { severity: 'refuse', why: 'runs what it downloads or decodes without anyone having seen it' };
  if (
    RUNS_SHELL.test(text) &&
    /\b(?:rm\s+-\w*[rf]|rm["',\s]+-\w*[rf]|mkfs|wipefs|dd\s+if|dd["',\s]+if|shred|kubectl["',\s]+delete|terraform["',\s]+destroy|zpool["',\s]+destroy|qm["',\s]+destroy|git["',\s]+(?:clean|reset|push))/.test(
      text,
    )
  )
    return { severity: 'refuse', why: 'runs a command that deletes' };
  return undefined;
}

/** Words of code that delete, however its texts are put together. */
const codeHarm = (text: string): Harm | undefined => {
  const joined = text.replace(/["']\s*[.+]\s*["']/g, '');
  const deletes =
    /\b(?:unlink|remove_tree|rmtree|rmSync|rm_rf?|remove|rmdir|rename|truncate)\b|\brm\s+-\w*[rf]|`[^`]*\brm\b/;
  return deletes.test(joined) || inlineHarm(joined) || sqlHarm(joined)
    ? { severity: 'refuse', why: 'deletes files or data' }
    : undefined;
};

/** What SQL would destroy. */
export const sqlHarm = (text: string): Harm | undefined =>
  SQL.test(text.replace(/\/\*.*?\*\//gs, ' '))
    ? { severity: 'refuse', why: 'drops or deletes data of a database' }
    : undefined;

const WHY: Readonly<Record<Severity, string>> = {
  refuse: 'removes, wipes or resets what cannot be had again; mend the cause instead',
  ask: 'stops, deletes or resets what can be made again',
};

/** What `fact` destroys by its own words; undefined: nothing that is known. */
export function harmOf(fact: Fact, isFunction: (name: string) => boolean): Harm | undefined {
  const { program, args: words, redirects, inline } = fact;
  const args = new Arguments(words);
  const emptied = redirects.find(
    ({ operator, target }) => /^(?:>|>\||&>)$/.test(operator) && DISK.test(target?.text ?? ''),
  );
  if (emptied) return { severity: 'refuse', why: 'writes over a block device' };
  if (inline) {
    const isCode = isInterpreter(inline.program);
    const harm =
      inlineHarm(inline.text) ??
      (isCode ? codeHarm(inline.text) : undefined) ??
      (/sql|maria|mongo|redis|influx|duck|cql|cockroach|clickhouse/.test(inline.program)
        ? sqlHarm(inline.text)
        : undefined);
    if (harm) return harm;
    if (
      /awk$/.test(inline.program) &&
      /\bsystem\s*\(|(?<!\|)\|&?\s*(?:getline|"")|>>?\s*""/.test(inline.text.replace(/"(?:[^"\\]|\\.)*"/g, '""'))
    )
      return { severity: 'refuse', why: 'runs a program out of awk' };
    if (
      inline.program === 'sed' &&
      /(?:^|[;\s\d$])e\s+\S|(?:^|[;{}\s\d$/])s([^\w\s\\])(?:\\.|(?!\1)[^\\])*\1(?:\\.|(?!\1)[^\\])*\1[gpiImM\d]*e/.test(
        sedScript(words.map(({ text }) => text)),
      )
    )
      return { severity: 'refuse', why: 'runs a program out of sed' };
  }
  if (/^wipe\w*\.(?:sh|py)$/.test(program)) return { severity: 'refuse', why: WHY.refuse };
  if (isFunction(program)) return undefined;
  const row = TABLE.find(([programs, test]) => programs.test(program) && test(args, fact));
  if (row) return { severity: row[2] ?? 'refuse', why: WHY[row[2] ?? 'refuse'] };
  const severity = harmByWords(fact, args);
  return severity && { severity, why: WHY[severity] };
}

const sedScript = (words: readonly string[]): string =>
  words
    .filter((word) => !word.startsWith('-'))
    .slice(0, 1)
    .join('');
