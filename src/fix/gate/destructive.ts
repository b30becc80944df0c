// What a command would destroy: one table by program, and what holds for programs that no table knows.
import { programsOfSql } from '../shell/unwrap.ts';
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

type Test = (args: Arguments, fact: Fact) => boolean;
type Row = readonly [programs: RegExp, test: Test, severity?: Severity];

const always: Test = () => true;
const verb =
  (verbs: RegExp, within: number): Test =>
  (args) =>
    args.verb(verbs, within);

const DISK = /^\/dev\/(?:sd|nvme|vd|hd|xvd|mapper|disk|mmcblk|md|dm-|zvol|loop|block|mem|kmem|port)/;
const KUBECTL = /^(?:kubectl|k|oc|kubecolor)$/;
const CONTAINERS = /^(?:docker|podman|nerdctl|crictl|ctr|buildah|docker-compose|podman-compose)$/;
const TERRAFORM = /^(?:terraform|tofu|terragrunt|pulumi|vagrant|cdk|cdktf)$/;
const CLOUDS =
  /^(?:aws|gcloud|az|doctl|hcloud|linode-cli|vultr-cli|oci|scw|openstack|flyctl|heroku|wrangler|ibmcloud)$/;

/** Deletes that a cluster makes good by itself. */
const MENDED_BY_CLUSTER =
  /^(?:pods?|po|jobs?|cronjobs?|cj|events?|ev|replicasets?|rs|leases?|csr|volumesnapshots?)(?:[/,.]|$)/;

function deletesSoftly(args: Arguments): boolean {
  if (args.has('', 'force', 'all', 'now', 'all-namespaces') || args.any(/^(?:-A|--grace-period=?0?)$/)) return false;
  const [kind = '', ...names] = args.operands.slice(args.operands.indexOf('delete') + 1);
  return MENDED_BY_CLUSTER.test(kind) && (names.length > 0 || kind.includes('/') || args.has('l', 'selector'));
}

/** `programs | how many of the first words | verbs`, one line each. */
const byVerb = (text: string, severity: Severity = 'refuse'): Row[] =>
  text.split('\n').map((line): Row => {
    const [programs = '', within, verbs = ''] = line.split(' | ');
    return [anyOf(programs), verb(anyOf(verbs), Number(within)), severity];
  });
const anyOf = (words: string): RegExp => new RegExp(`^(?:${words.replaceAll(' ', '|')})$`);

const DESTROYING_VERBS = `zpool zfs | 3 | destroy labelclear rollback remove offline detach receive recv
cryptsetup | 3 | luksFormat erase luksErase luksKillSlot luksRemoveKey reencrypt format
dmsetup | 3 | remove remove_all wipe_table clear
btrfs snapper bcachefs xfs_repair tune2fs nvme multipath | 4 | delete del format sanitize remove wipe
qm pct virsh xl bhyve vboxmanage VBoxManage lxc incus multipass govc xe vmrun pveceph pvesr ha-manager | 4 | destroy undefine delete delsnapshot rollback unregistervm purge vol-delete pool-delete pool-destroy snapshot-delete snapshot-revert vm-destroy vdi-destroy unlink disk-unlink remove
pvesm pvesh pvecm pveum | 4 | free remove delete delnode del
rbd rados ceph ceph-volume cephadm radosgw-admin gluster linstor drbdadm | 6 | rm remove purge destroy zap delete rmfailed rm-cluster wipe-md trash
talosctl kubeadm k0s k0sctl k3d k3sup kind minikube microk8s rke rke2 eksctl clusterctl omnictl | 4 | reset delete destroy wipe remove uninstall shutdown-all
flux helm helmfile cilium istioctl linkerd velero argocd kustomize longhornctl kn tkn cmctl tridentctl | 3 | uninstall delete del un destroy purge remove
rclone gsutil s3cmd s5cmd mc mcli b2 azcopy | 3 | delete deletefile purge sync move rm rmdirs rb del remove cleanup mirror
restic borg borgmatic kopia duplicity rdiff-backup proxmox-backup-client zfs-auto-snapshot | 3 | forget prune delete remove unlock rebuild-index compact break-lock snapshots?-delete
vault bao consul nomad op bw | 3 | delete destroy metadata-delete purge system-gc
ufw | 3 | disable reset delete`;
const STOPPING_VERBS = `flux | 3 | suspend
systemctl service rc-service sv supervisorctl pm2 launchctl | 2 | stop disable mask kill isolate poweroff reboot halt rescue emergency down delete unload bootout
docker podman nerdctl crictl ctr buildah docker-compose podman-compose | 4 | stop kill down pause
qm pct virsh lxc incus multipass | 2 | stop shutdown reset suspend reboot pause hibernate managedsave move-disk move-volume resize template
talosctl | 2 | reboot shutdown rollback upgrade-k8s`;

const TABLE: readonly Row[] = [
  ...byVerb(DESTROYING_VERBS),
  // Files and folders
  [
    /^(?:shred|srm|rimraf|trash|trash-put|wipe|secure-delete|bleachbit|del|deltree|unlink)$/,
    // Alone it may be a word of another language: `del(.labels)`.
    (args, { via, role }) => args.operands.length > 0 || via !== undefined || role !== 'maybe',
  ],
  [/^find$/, (args) => args.any(/^-(?:delete|fprint\w*)$/)],
  [/^fd(?:find)?$/, (args) => args.any(/^(?:rm|shred|unlink)$/)],
  [/^rsync$/, (args) => args.any(/^--(?:del|delete.*|remove-source-files)$/)],
  [/^(?:truncate|fallocate)$/, (args) => args.has('spcd', 'size', 'punch-hole', 'collapse-range')],
  [/^(?:cp|mv|install|ln|cat)$/, (args) => args.operands.includes('/dev/null') && args.operands.at(-1) !== '/dev/null'],
  [
    /^(?:tar|zip|7z)$/,
    (args, { program }) => args.has('', 'remove-files', 'recursive-unlink') || (program === 'zip' && args.has('m')),
  ],
  [
    /^(?:chmod|chown|chgrp|setfacl)$/,
    (args) => args.has('R', 'recursive') && args.operands.some((word) => /^\/(?:$|[a-z]+\/?$|\*)/.test(word)),
  ],
  [/^chmod$/, (args) => args.operands.some((word) => /^(?:0?0?000?|[0-7]?777|a[+=]rwx|a-rwx|ugo-rwx)$/.test(word))],
  [/^chattr$/, always],
  // Disks
  [
    /^(?:mkfs(?:\..*)?|mke2fs|mkswap|wipefs|blkdiscard|mkdosfs|mkntfs|badblocks|cfdisk|scrub|nwipe|hdparm|sg_format)$/,
    always,
  ],
  [/^dd$/, (args) => args.any(/^of=/)],
  // Of an installer's answers
  [/^clearpart$/, (args) => args.has('', 'all', 'linux', 'drives', 'list', 'initlabel')],
  [/^zerombr$/, always],
  [
    /^(?:sgdisk|gdisk|sfdisk|fdisk|parted|partprobe)$/,
    (args) => !args.has('', 'list', 'print', 'version') && !args.verb(/^print$/, 4) && !args.has('lp'),
  ],
  [
    /^(?:lv|vg|pv)(?:remove|reduce|create|convert)$/,
    (args, { program }) => /remove|reduce/.test(program) || args.has('f', 'force'),
  ],
  [/^zpool$/, (args) => args.verb(/^(?:create|add|replace)$/) && args.has('f')],
  [/^mdadm$/, (args) => args.has('SC', 'zero-superblock', 'stop', 'remove', 'fail', 'create')],
  [/^(?:tee|cp|cat|gzip|pv|xxd|openssl)$/, (args) => args.any(DISK)],
  // Virtual machines and storage
  [/^(?:lxc-destroy|virt-rescue|vzctl)$/, always],
  // Clusters
  [/^talosctl$/, (args) => args.has('', 'wipe-mode', 'system-labels-to-wipe', 'user-disks-to-wipe')],
  [/^(?:k3s|k3s-agent|rke2|k0s|microk8s)-(?:uninstall|killall|agent-uninstall)(?:\.sh)?$/, always],
  [KUBECTL, (args) => args.verb(/^delete$/) && !deletesSoftly(args)],
  [KUBECTL, (args) => args.verb(/^replace$/) && args.has('', 'force')],
  [KUBECTL, (args) => args.verb(/^apply$/) && args.any(/^--prune(?:=true)?$/)],
  [
    KUBECTL,
    (args) =>
      args.verb(/^drain$/) && args.has('', 'force', 'delete-emptydir-data', 'delete-local-data', 'disable-eviction'),
  ],
  [
    KUBECTL,
    (args) =>
      args.verb(/^patch$/) &&
      /finalizers["']?\s*:\s*(?:null|\[\s*\])|"op"\s*:\s*"remove"|finalizers"[^}]*"value"\s*:\s*(?:null|\[\s*\])|yes-really-destroy|[pP]olicy["']?\s*:\s*["']?(?:Delete|Recycle)|replicas["']?\s*:\s*0\b/.test(
        args.all,
      ),
  ],
  [KUBECTL, (args) => args.verb(/^config$/) && args.verb(/^(?:delete-.*|unset)$/)],
  [/^etcdctl$/, (args) => args.verb(/^(?:del|rm|compact|defrag)$/) || args.verbs(/^member$/, /^remove$/)],
  // Containers
  [CONTAINERS, (args) => args.verb(/^(?:prune|rm|rmi|remove|rmp|rmsd|purge)$/, 4) && !args.verb(/^(?:run|exec)$/, 2)],
  [CONTAINERS, (args) => args.verb(/^down$/, 4) && args.has('v', 'volumes', 'rmi')],
  [CONTAINERS, (args) => args.verb(/^up$/, 4) && args.has('V', 'renew-anon-volumes')],
  [/^docker$/, (args) => args.verbs(/^swarm$/, /^leave$/)],
  // Infrastructure as code and clouds
  [TERRAFORM, (args) => args.verb(/^destroy$/) || args.any(/^-{1,2}destroy(?:=true)?$/)],
  [
    TERRAFORM,
    (args) =>
      args.verbs(/^state$/, /^(?:rm|mv|push|replace-provider|delete)$/) ||
      args.verbs(/^workspace$/, /^delete$/) ||
      args.verbs(/^stack$/, /^rm$/),
  ],
  [CLOUDS, (args) => args.any(/^(?:delete|delete-.*|terminate-.*|destroy|purge|rb|rm|remove|deregister-.*|erase)$/)],
  [/^gh$/, (args) => args.verb(/^(?:delete|delete-asset|archive)$/, 3)],
  // Histories and databases
  [
    /^git$/,
    (args) =>
      args.verb(/^push$/) &&
      (args.has('fd', 'force', 'force-with-lease', 'mirror', 'delete', 'prune') ||
        args.operands.slice(1).some((word) => /^[+:]/.test(word))),
  ],
  [/^git$/, (args) => args.verb(/^(?:clean|filter-branch|filter-repo|rm|update-ref)$/, 2)],
  [/^git$/, (args) => args.verb(/^reset$/, 2) && args.has('', 'hard', 'merge', 'keep')],
  [
    /^git$/,
    (args) =>
      args.verb(/^(?:checkout|switch|restore)$/, 2) &&
      (args.has('f', 'force', 'discard-changes') ||
        args.words.includes('--') ||
        args.verb(/^restore$/, 2) ||
        args.operands.at(-1) === '.'),
  ],
  [
    /^git$/,
    (args) =>
      args.verbs(/^stash$/, /^(?:drop|clear)$/) ||
      args.verbs(/^reflog$/, /^(?:expire|delete)$/) ||
      args.verbs(/^worktree$/, /^(?:remove|prune)$/),
  ],
  [
    /^git$/,
    (args) =>
      (args.verb(/^(?:branch|tag)$/, 2) && args.has('dD', 'delete', 'force')) ||
      (args.verb(/^gc$/, 2) && args.has('', 'prune')),
  ],
  [
    /^(?:dropdb|dropuser|mysqladmin|pg_resetwal|pg_dropcluster)$/,
    (args, { program }) => program !== 'mysqladmin' || args.verb(/^(?:drop|flush-.*|shutdown)$/),
  ],
  [/^redis-cli$/, (args) => args.any(/^(?:flushall|flushdb|del|unlink|shutdown)$/i)],
  [
    /^(?:rabbitmqctl|kafka-topics(?:\.sh)?|influx|nodetool|mongodump|minio)$/,
    verb(/^(?:reset|force_reset|delete.*|purge.*|--delete|bucket-delete|removenode)$/, 3),
  ],
  // Machines
  [/^(?:userdel|groupdel|deluser|delgroup)$/, always],
  [
    /^(?:iptables|ip6tables|ebtables|nft|ipset|ipvsadm)$/,
    (args) => args.has('FXZ', 'flush', 'delete-chain', 'clear', 'destroy') || args.verb(/^(?:flush|destroy|delete)$/),
  ],
  [
    /^(?:ip|nmcli|bridge|ovs-vsctl|netplan|ifdown|wg|tailscale|zerotier-cli)$/,
    (args) =>
      args.verb(/^(?:delete|del|flush|del-br|del-port|logout|leave)$/, 4) ||
      (args.verb(/^set$/) && args.verb(/^down$/, 6)),
  ],
  [/^(?:crontab|at|atrm|batch)$/, (args) => args.has('r')],
  [/^kill$/, (args) => args.any(/^-?1$/)],
  [
    /^(?:apt|apt-get|aptitude|dnf|yum|zypper|pacman|apk|snap|flatpak|brew|pip[\d.]*|pipx|npm|pnpm|yarn|gem|cargo|dpkg|rpm)$/,
    (args) =>
      args.verb(/^(?:remove|purge|autoremove|autopurge|uninstall|erase|del|unpublish|clean-all|rm)$/, 2) ||
      args.any(/^(?:-R[a-z]*|--purge|--remove|--erase|-P)$/),
  ],
  [/^ipmitool$/, (args) => args.any(/^(?:off|cycle|reset|soft)$/)],
  [/^history$/, (args) => args.has('cdw')],
  [/^(?:curl|wget|http|https|xh|httpie)$/, (args) => args.any(/^(?:-X\s*|--(?:request|method)=)?DELETE$/i)],
  [
    /^(?:ansible|ansible-playbook|ansible-pull)$/,
    (args) =>
      /\bstate=absent\b/.test(args.all) ||
      /^(?:reset|nuke|destroy|wipe|teardown|uninstall)/.test(args.value(/^(?:-t|--tags)$/) ?? '') ||
      args.operands.some((word) =>
        /(?:^|[/_-])(?:reset|nuke|destroy|wipe|teardown|uninstall)[\w-]*\.ya?ml$/.test(word),
      ),
  ],
  [
    /^(?:make|just|task|go-task|npm|pnpm|yarn|mise|invoke|rake)$/,
    (args) =>
      args.operands.some((word) =>
        /(?:^|[:_-])(?:destroy|nuke|wipe|reset|teardown|uninstall|purge|clean-all|distclean)(?:$|[:_-])/.test(word),
      ),
  ],

  [
    /^(?:sed|perl)$/,
    (args) =>
      (args.has('', 'in-place') || args.any(/^-[a-zA-Z]*i/)) &&
      args.any(/^(?:1,\$|0,\$|\$!N;)?\s*d$|^\/\.\*\/d$|^1,\$\s*d/),
  ],
  [/^mv$/, (args) => /^\/(?:dev|run)\//.test(args.operands.at(-1) ?? '')],
  // What can be undone
  [CONTAINERS, (args) => args.verb(/^up$/, 4) && args.has('', 'remove-orphans', 'force-recreate'), 'ask'],
  ...byVerb(STOPPING_VERBS, 'ask'),
  [
    /^(?:qm|pct)$/,
    (args) => /^(?:scsi|virtio|sata|efidisk|unused|mp|rootfs|tpmstate)\d*/.test(args.value(/^-{1,2}delete$/) ?? ''),
    'ask',
  ],
  [
    /^(?:sed|perl|yq|dasel|jq)$/,
    (args) =>
      args.any(/^(?:-[a-zA-Z]*i\S*|--in-place\S*|--inplace)$/) &&
      args.any(/(?:^|[\s/\d$}])d(?:;|$)|\bdel\(|\bdelete\(/),
    'ask',
  ],
  [KUBECTL, (args) => args.verb(/^delete$/), 'ask'],
  [
    KUBECTL,
    (args) => args.verb(/^(?:drain|scale|cordon|taint|evict)$/) || args.verbs(/^rollout$/, /^(?:undo|pause)$/),
    'ask',
  ],
  [/^(?:helm|helmfile)$/, (args) => args.verb(/^rollback$/) || args.has('', 'force', 'force-replace'), 'ask'],
  [/^git$/, (args) => args.verb(/^(?:checkout|switch)$/, 2) && args.has('', 'orphan'), 'ask'],
  [/^(?:reboot|shutdown|poweroff|halt|init|telinit|killall|pkill|kexec|swapoff|fsfreeze)$/, always, 'ask'],
  [/^(?:make|just|task)$/, (args) => args.operands.some((word) => /^(?:clean|mrproper)$/.test(word)), 'ask'],
  [/^kill$/, (args) => args.has('9', 'KILL', 'SIGKILL'), 'ask'],
  [
    /^(?:umount|zpool|vgchange|vgexport)$/,
    (args, { program }) =>
      program === 'umount'
        ? args.has('fl', 'force', 'lazy')
        : args.verb(/^export$/) || /-(?:a|-activate[= ]) ?n\b/.test(args.all),
    'ask',
  ],
  [TERRAFORM, (args) => args.verb(/^(?:taint|untaint)$/) || args.any(/^-{1,2}replace/), 'ask'],
  [/^journalctl$/, (args) => args.any(/^--vacuum/), 'ask'],
  [/^rmdir$/, always, 'ask'],
];

const GENERIC =
  /^(?:destroy|nuke|wipe|wipe-.*|erase|purge|uninstall|obliterate|zap|drop|dropall|delete|delete-.*|remove-all|factory-reset|terminate|flushall)$/;
const GENERIC_FLAG =
  /^(?:--?purge|--(?:cluster-reset|force-new-cluster|factory-reset|force-(?:empty|zero|destroy|remove|delete)|(?:wipe|erase|destroy|purge|delete|zap|drop|nuke)(?:-\S*)?))(?:=(?!false|no).*)?$/;
/** What any tool calls stopping something. */
const SOFT = /^(?:stop|scale|suspend|drain|rollback|reboot|shutdown|poweroff|pause|cordon)$/;
/** Programs whose words are names, patterns or texts. */
const SPEAKS =
  /^(?:echo|printf|print|logger|log\w*|info|warn\w*|error|die|fail\w*|debug|say|e?grep|fgrep|rg|ag|ack|test|\[\[?|case|export|local|declare|readonly|typeset|unset|read|set|cd|source|\.|mkdir|touch|ls|cat|head|tail|cut|sort|which|type|command|jq|yq|awk|gawk|sed|tr|wc|basename|dirname|for|function|alias|trap|git|kubectl|tput|notify-send|true|false|:|let|return|exit|shift|getopts|wait|sleep|mapfile|readarray|diff|cmp|stat|file|date|man|apropos|less|more|tee|column|xargs|env|sudo|ssh|eval|bash|sh|zsh|find|test_.*|describe|it|assert.*)$/;

const INLINE =
  /\b(?:shutil\.rmtree|rmtree|os\.(?:remove|unlink|rmdir|removedirs|truncate|kill)|FileUtils\.(?:rm|remove)\w*|File\.(?:delete|unlink)|Dir\.(?:delete|rmdir)|rm_rf?|fs\.(?:promises\.)?(?:rm|rmdir|unlink|f?truncate)\w*|rmSync|unlinkSync|RemoveAll|os\.Remove|removedirs|rimraf|Remove-Item|delete_namespaced?\w*|delete_collection\w*|deleteMany|dropDatabase|drop_all|drop_database|delete_bucket|terminate_instances|delete_(?:volume|snapshot|vm|instance|cluster|node|disk)\w*|unlink\s+glob)|\.truncate\(\s*0?\s*\)|\.rm\([^)]*\brecursive:\s*true/;
const SQL =
  /\b(?:drop\s+(?:table|database|schema|user|role|index|view|keyspace|owned|collection)|delete\s+from\s+\S+(?!\s+where\b)|truncate\s+(?:table\s+)?\S+\s*;?|update\s+\S+\s+set\b(?!.*\bwhere\b)|alter\s+table\s+\S+\s+drop|dropDatabase|\.drop\(|deleteMany|flushall|flushdb|delete\s+from)\b/i;
const RUNS_SHELL =
  /\b(?:system|popen|exec[lv]p?e?|spawn\w*|subprocess\.\w+|check_call|check_output|child_process|execSync|spawnSync|Open3|IO\.popen|os\.system|shell_exec|passthru|qx)\b/;

/** Calls that leave a file with nothing in it. */
const EMPTIES =
  /\bopen\([^)]*,\s*["']w["b+]*["']?\s*\)\s*\.(?:close|truncate)\(|\.write_(?:text|bytes)\(\s*b?["']{2}\s*\)|\bwriteFile(?:Sync)?\([^,]+,\s*(?:["'`]{2}|Buffer\.(?:alloc\(0|from\(["']{2}))|\bcreateWriteStream\([^)]*\)\.(?:end|close)\(\s*\)|\bcloseSync\(\s*(?:\w+\.)?openSync\([^)]*["']w/;

/** What text of another language would destroy. */
export function inlineHarm(text: string): Harm | undefined {
  if (
    INLINE.test(text) ||
    /\.(?:unlink|rmdir|rmtree|rename|replace)\(\s*(?:missing_ok\s*=\s*\w+\s*)?\)|\.unlink\(/.test(text)
  )
    return { severity: 'refuse', why: 'deletes files or data' };
  if (EMPTIES.test(text)) return { severity: 'refuse', why: 'empties a file' };
  if (/\b(?:os|shutil|fs|fsp|promises)\.(?:replace|rename|move|copy)\w*\([^)]*["']\/dev\/null["']/.test(text))
    return { severity: 'refuse', why: 'empties a file' };
  if (/\bgetattr\(\s*(?:os|shutil|subprocess)\s*,(?!\s*["']\w+["']\s*[,)])/.test(text))
    return { severity: 'refuse', why: 'calls what is only known at run time' };
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
export function sqlHarm(text: string): Harm | undefined {
  const plain = text.replace(/\/\*.*?\*\//gs, ' ');
  if (SQL.test(plain)) return { severity: 'refuse', why: 'drops or deletes data of a database' };
  return programsOfSql(plain).length > 0 ? { severity: 'refuse', why: 'runs a program out of a database' } : undefined;
}

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
  const isTalk = program === '' || SPEAKS.test(program) || isInterpreter(program) || args.operands[0] === 'kubectl';
  if (!isTalk && (args.verb(GENERIC, 2) || (args.any(GENERIC_FLAG) && !/^(?:qm|pct)$/.test(program))))
    return { severity: 'refuse', why: WHY.refuse };
  return !isTalk && fact.role === 'run' && args.verb(SOFT, 2) ? { severity: 'ask', why: WHY.ask } : undefined;
}

const sedScript = (words: readonly string[]): string =>
  words
    .filter((word) => !word.startsWith('-'))
    .slice(0, 1)
    .join('');
