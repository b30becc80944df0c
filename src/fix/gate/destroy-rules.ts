// Added lines that destroy data. Better one refusal too many: a human can still do by hand what is meant.
import { keyed, type LineRule, program } from './line-rule.ts';

const DESTROYS = 'destroys';
const FETCH = '\\b(?:curl|wget|aria2c|fetch|https?)\\b';
const SHELL = '(?:ba|z|k|da|a)?sh';
const INTERPRETER = 'python[\\d.]*|perl|ruby|node|php';

export const DESTROY_RULES: readonly LineRule[] = [
  {
    name: 'recursive delete',
    code: DESTROYS,
    why: 'deletes whole folders; a fix may not delete, mend what makes the folder a problem',
    command: [
      program('rm', '.*\\s(?:-\\w*[rR]\\w*|--recursive)(?=\\s|$)'),
      program('find', '.*\\s-delete(?=\\s|$)'),
      program('find', '.*\\s-(?:exec|execdir|ok)\\s+(?:\\S*/)?(?:rm|shred|unlink)\\b'),
      program('rsync', '.*\\s--(?:delete\\S*|remove-source-files)'),
      program('srm|rimraf|trash|rd'),
      program('xargs|parallel', '.*\\s(?:\\S*/)?(?:rm|unlink|shred)(?=\\s|$)'),
      // A command that is only known when it runs, with the flags of rm.
      /^(?:\$\{?\w+\}? )?-\w*(?:[rR]\w*f|f\w*[rR])\w* /,
      /\bshutil\.rmtree\b|\brm_rf?\b|\brmtree\b|\brimraf\b|\bremovedirs\b|\bRemoveAll\b|\brmSync\b/,
    ],
    line: [/\b(?:shutil\.rmtree|FileUtils\.rm_rf?|os\.RemoveAll|rimraf)\b|\b(?:rm|rmSync|rmdir)\s?\( .*recursive/],
  },
  {
    name: 'forced delete',
    code: DESTROYS,
    why: 'deletes without asking something that is not plainly temporary',
    command: [
      /(?:^|\s)(?:\S*\/)?rm\s+(?:-\w+\s+)*(?:-\w*f\w*|--force)(?=\s)(?!(?:\s+(?:-\S*|\d*>\S*|\S*(?:[tT][eE]?[mM][pP]|\.lock|\.pid|\.sock|\.part)\S*))+\s*$)/,
      program('kubectl|k|oc', '.*\\sdelete\\s.*--(?:force|grace-period=0|now|all)(?=[\\s=]|$)'),
      program(
        'kubectl|k|oc',
        '.*\\sdelete\\s+(?:-n\\s+\\S+\\s+|-\\S+\\s+)*(?:ns|namespaces?|pvc?|persistentvolume\\w*|crds?|customresourcedefinition\\S*|nodes?|sts|statefulsets?|helmreleases?|kustomizations?|storageclass\\w*)(?=[\\s/,]|$)',
      ),
      program('kubectl|k|oc', '.*\\s(?:replace\\s.*--force|drain\\s.*--(?:delete-(?:emptydir|local)-data|force))'),
      program('docker|podman|nerdctl', '.*\\s(?:rm|rmi|volume rm|network rm)\\s.*(?:-\\w*f|--force|-v)(?=\\s|$)'),
      program('git', '.*\\sbranch\\s.*-D(?=\\s|$)'),
    ],
  },
  {
    name: 'disks and volumes',
    code: DESTROYS,
    why: 'erases a disk, a file system or a volume',
    command: [
      program('mkfs|mkfs\\.\\w+|mke2fs|mkswap|wipe|wipefs|wipe\\w*\\.sh|blkdiscard|shred'),
      program('dd', '.*\\sof='),
      program('sgdisk|gdisk', '.*\\s(?:-\\w*[Zzo]|--zap\\S*|--clear)(?=\\s|$)'),
      program('sfdisk|fdisk', '.*\\s/dev/'),
      program('parted', '.*\\s(?:mklabel|rm|mkpart)(?=\\s|$)'),
      program('lvremove|vgremove|pvremove|lvreduce|zpool\\s+(?:destroy|labelclear)|zfs\\s+(?:destroy|rollback)'),
      program('mdadm', '.*\\s--(?:zero-superblock|stop)'),
      program('cryptsetup', '.*\\s(?:luksFormat|erase|luksErase)'),
      program('truncate', '.*\\s(?:-s\\s*0|--size[= ]0)(?=\\s|$)'),
      program('pvesm', '\\s+(?:free|remove)'),
      program('rbd|rados', '.*\\s(?:rm|remove|purge)(?=\\s|$)'),
      program('ceph\\S*', '.*\\s(?:purge|destroy|zap|rm|delete)(?=\\s|$)'),
      program('tee|cp|cat', '.*\\s/dev/(?:sd|nvme|vd|hd|mapper|disk)'),
    ],
    line: [/>{1,2}\|?\s?\/dev\/(?:sd|nvme|vd|hd|mapper|disk|mmcblk)/, /:\(\) ?\{|: \( \) \{ : \|/],
    data: [
      keyed('wipe(?!_?(?:interval|period|after|time|age|size|count|delay|log|label|name))\\w*', 'true|yes|on'),
      /yes-really-destroy-data/,
    ],
  },
  {
    name: 'machines, clusters and infrastructure',
    code: DESTROYS,
    why: 'takes down machines, clusters or what runs on them',
    command: [
      /^(?:(?:sudo|exec|command)\s+)?(?:\S*\/)?[\w.-]+(?:\s+[\w.-]+){0,2}\s+destroy(?=\s|$)/,
      program(
        'qm|pct|zpool|zfs|virsh|terraform|tofu|terragrunt|pulumi|vagrant|cdk',
        '(?:\\s+\\S+)*?\\s+destroy(?=\\s|$)',
      ),
      program('terraform|tofu|terragrunt', '.*\\s(?:apply\\s.*-destroy|state\\s+rm|workspace\\s+delete)'),
      program('virsh', '.*\\s(?:undefine|vol-delete|pool-delete|snapshot-delete)'),
      program('qm|pct', '.*\\s(?:delsnapshot|rollback|template)(?=\\s|$)'),
      program('pvesh', '.*\\sdelete(?=\\s|$)'),
      program('talosctl|kubeadm|k0s|k3d|kind|microk8s', '(?:\\s+\\S+)*?\\s+(?:reset|delete)(?=\\s|$)'),
      program('talosctl', '.*\\s--(?:wipe-mode|system-labels-to-wipe)'),
      program('k3s(?:-agent)?-(?:uninstall|killall)\\.sh|rke2-uninstall\\.sh'),
      program('flux', '.*\\s(?:uninstall|delete)(?=\\s|$)'),
      program('helm', '.*\\s(?:uninstall|delete|del|un)(?=\\s|$)'),
      program('argocd', '.*\\sdelete(?=\\s|$)'),
      program('docker|podman|nerdctl|crictl|ctr|buildah', '.*\\sprune(?=\\s|$)'),
      program('docker|podman|docker-compose|nerdctl', '(?:.*\\s)?down\\s.*(?:-v|--volumes|--rmi)(?=\\s|$)'),
      program('docker|podman|nerdctl', '.*\\svolume\\s+rm(?=\\s|$)'),
      program('etcdctl', '.*\\s(?:del|member\\s+remove)(?=\\s|$)'),
      program('aws', '.*\\s(?:delete-\\S+|terminate-\\S+|rb|rm\\s.*--recursive)(?=\\s|$)'),
      program('gcloud|az|eksctl|doctl|hcloud|incus|lxc', '.*\\s(?:delete|purge)(?=\\s|$)'),
      program('rclone', '.*\\s(?:delete|purge|sync)(?=\\s|$)'),
      program('restic|borg', '.*\\s(?:forget|prune|delete)(?=\\s|$)'),
    ],
  },
  {
    name: 'history and databases',
    code: DESTROYS,
    why: 'throws away history or data that cannot be had again',
    command: [
      program('git', '.*\\spush\\s.*(?:--force\\S*|-\\w*f|--mirror|--delete|\\s\\+\\S+|\\s:\\S+)(?=\\s|$)'),
      program('git', '.*\\sclean\\s(?:.*\\s)?(?:-\\w*[fdx]\\w*|--force)(?=\\s|$)'),
      program(
        'git',
        '.*\\s(?:reset\\s.*--hard|checkout\\s.*(?:-f|--force)|stash\\s+(?:drop|clear)|filter-branch|update-ref\\s+-d|reflog\\s+expire)(?=\\s|$)',
      ),
      program('crontab', '\\s+-\\w*r'),
      program('mv', '.*\\s/dev/null(?=\\s|$)'),
      program('redis-cli', '.*\\s(?:flushall|flushdb|FLUSHALL|FLUSHDB)'),
      /(?:^|\s)(?:drop|DROP|Drop)\s+(?:table|database|schema|TABLE|DATABASE|SCHEMA|user|USER|role|ROLE)(?=\s)/,
      /(?:^|\s)(?:delete|DELETE)\s+(?:from|FROM)\s+\S+\s*;?$|(?:^|\s)(?:truncate|TRUNCATE)\s+(?:table|TABLE)\s/,
      program('dropdb|dropuser'),
      program('chmod', '.*\\s(?:-\\w*R\\w*|--recursive)\\s+(?:\\S+\\s+)*?[0-7]?777(?=\\s|$)'),
      program('chmod', '\\s+[0-7]?777\\s+.*(?:-\\w*R|--recursive)|\\s+(?:-\\w*R\\w*\\s+)a\\+rwx'),
      program('chmod|chown', '\\s+-\\w*R\\w*\\s+.*\\s/(?=\\s|$)'),
      program('kill', '\\s+-(?:9|KILL)\\s+-1'),
    ],
  },
  {
    name: 'download into a shell',
    code: DESTROYS,
    why: 'runs what it downloads or decodes without anyone having seen it',
    line: [
      new RegExp(`${FETCH}.*\\|&? ?(?:[^|;&]* )?(?:\\S*/)?(?:${SHELL}|${INTERPRETER}|source|eval)(?= |$)`),
      new RegExp(
        `(?:^|[\\s/])(?:${SHELL}|${INTERPRETER}|source|\\.|eval)(?= )[^|;&]*(?:<\\(|\\$\\(|\`|<<<) ?(?:sudo )?(?:\\S*/)?${FETCH}`,
      ),
      new RegExp(
        `\\b(?:base64|base32|openssl|xxd|gpg|gunzip|gzip|zcat|rev|tr|printf|echo)\\b[^;]*\\| ?(?:sudo )?(?:\\S*/)?${SHELL}(?= |$)`,
      ),
      new RegExp(
        `(?:^|[\\s/])(?:${SHELL}|source|\\.|eval)(?= )[^|;&]*(?:<\\(|\\$\\(|\`|<<<)[^)]*\\b(?:base64|base32|xxd|openssl)\\b`,
      ),
      new RegExp(
        `${FETCH}.{0,300} (?:-o|-O|--output|--output-document|>)[ =]?(\\S{1,200}).{0,300}(?:&&|;) ?(?:sudo )?(?:${SHELL}|source|\\.|chmod \\S*x\\S*) \\S*\\1`,
      ),
    ],
  },
];
