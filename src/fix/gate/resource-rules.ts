// What manifests, values, tasks and Terraform would destroy or stop: judged on their trees.
import type { Leaf, Value } from './data.ts';
import { sqlHarm } from './destructive.ts';
import type { Change } from './facts.ts';
import { asks, type Finding, refuses } from './finding.ts';
import type { Tree } from './rules.ts';
import { taskAt } from './tasks.ts';

type Test = (leaf: Leaf) => boolean;

const last = ({ keys }: Leaf): string => keys.at(-1) ?? '';
const is =
  (key: RegExp, value: RegExp, above?: RegExp): Test =>
  (leaf) =>
    key.test(last(leaf)) &&
    value.test(leaf.value.trim()) &&
    (above === undefined || leaf.keys.slice(0, -1).some((one) => above.test(one)));

const YES = /^(?:true|yes|on|1)$/i;
const NO = /^(?:false|no|off|0)$/i;

/** Leaves that destroy. */
const DESTROYS: readonly (readonly [Test, string])[] = [
  [is(/state$/, /^(?:absent|purged|removed|deleted|force_absent|wiped)$/i), 'removes what the task names'],
  [
    is(
      /^(?:force|wipe|force_format|force_wipe|reformat|wipeTable|wipe_disk|forceReset|clean)$/i,
      YES,
      /(?:^|\.)(?:filesystem|parted|lvol|lvg|zfs|zpool|luks_device|mysql_db|postgresql_db|mongodb_\w+|proxmox\w*|virt\w*|docker_volume|install|disks?|machine|git)$/i,
    ),
    'formats, wipes or overwrites what is there',
  ],
  [is(/^wipe(?!_?(?:interval|period|after|time|age|size|count|delay|log|label|name))\w*$/i, YES), 'wipes a disk'],
  [
    is(
      /^(?:force_destroy|skip_final_snapshot|delete_on_termination|purge_on_delete|destroy|cleanupPolicy|purge|delete_branch_on_merge|allow_destroy|force_delete|remove_volumes|dropDatabase|cascade)$/i,
      YES,
    ),
    'lets data be destroyed',
  ],
  [
    is(/^(?:prevent_destroy|deletion_protection|deletionProtection|disable_api_termination)$/i, /^(?!true$)/),
    'takes the protection away that keeps data from being destroyed',
  ],
  [is(/^overwrite$/, YES, /^(?:fs|disk)_setup$/), 'formats, wipes or overwrites what is there'],
  [is(/^installed$/, NO, /^releases$/), 'uninstalls the release'],
  [is(/^content$/, /^$/), 'empties a file'],
  [is(/^delete$/, YES, /synchronize|rsync/), 'deletes what is not on the other side'],
  [
    ({ keys, value }) =>
      /(?:query|queries|sql|statement|script)$/i.test(keys.at(-1) ?? '') && sqlHarm(value) !== undefined,
    'drops or deletes data of a database',
  ],
  [is(/./, /^absent$/, /^(?:loop|with_\w+)$/), 'removes what the task names'],
  [
    ({ keys, value }) => /tmpfiles/i.test(keys.join('.')) && /^[rRD][!+=-]*\s+\S/.test(value),
    'removes files at each start',
  ],
  [is(/^kind$/, /^(?:Cluster)?CleanupPolicy$/), 'deletes resources on a schedule'],
  [is(/^confirmation$/, /yes-really-destroy-data/), 'destroys data'],
  [
    is(/^(?:persistentVolumeClaimRetentionPolicy|whenDeleted|whenScaled)$/, /^Delete$/),
    'deletes volumes with what uses them',
  ],
];

const LOADS = /^(?:LD_\w+|BASH_ENV|PROMPT_COMMAND|PYTHONSTARTUP|NODE_OPTIONS|PERL5OPT|RUBYOPT)$/;

/** Blocks of Terraform that say what must hold. */
const CHECKED = /^(?:(?:pre|post)condition|validation|assert)\b/;

/** Leaves that stop something, or let it be removed. */
const SOFTER: readonly (readonly [Test, string])[] = [
  [is(/^prune$/, YES), 'lets what is no longer in the files be deleted from the cluster'],
  [
    is(/(?:policy|reclaim|onDelete|deletion)\w*$|^persistentVolumeReclaimPolicy$/i, /^(?:Delete|Recycle|prune)$/i),
    'deletes data with what uses it',
  ],
  [
    ({ keys, value }) =>
      /^(?:replicas|replicaCount|minReplicas|desired_capacity|count|scale)$/i.test(keys.at(-1) ?? '') &&
      value.trim() !== '' &&
      Number(value) === 0,
    'runs none of it any more',
  ],
  [is(/^(?:count|for_each)$/, /^(?:\{\s*\}|\[\s*\]|toset\(\[\s*\]\)|.*\?.*:\s*0)$/), 'runs none of it any more'],
  [({ value }) => /^--delete/.test(value), 'deletes what is not on the other side'],
  [
    ({ keys, value }) =>
      /^(?:volumes|path|hostPath|source)$/.test(keys.at(-1) ?? '') &&
      /(?:docker|containerd|crio|podman)\.sock(?!.*:ro$)|^\/:|^\/(?:etc|root|boot|proc|sys|run|var\/run)\/?:(?!.*:ro$)/.test(
        value,
      ),
    'gives a container the host',
  ],
  [is(/^(?:pid|ipc|userns_mode|network_mode)$/, /^host$/), 'gives a container the host'],
  [is(/^(?:enabled|retain)$/, NO, /persistence/i), 'keeps its data elsewhere, or not at all'],
  [is(/^enabled$/, NO, /probe|liveness|readiness/i), 'is no longer looked after'],
  [is(/^(?:releaseName|storageNamespace)$/, /./, /^spec$/), 'makes another release of it, and removes this one'],
  [is(/^condition$/, /./, /^releases$/), 'may no longer be installed where it was'],
  [is(/^strategy$/, /^uninstall$/), 'removes the release when it fails'],
  [is(/toolkit\.fluxcd\.io\/reconcile$/, /^disabled$/), 'suspends it'],
  [is(/^(?:ignoreTestFailures|disableHealthChecks)$/, YES), 'is no longer looked after'],
  [is(/^enable$/, NO, /^test$/), 'is no longer looked after'],
  [is(/^action$/, /^Ignore$/, /^podFailurePolicy$/), 'may fail'],
  [({ keys, value }) => keys.at(-1) === 'name' && keys.includes('env') && LOADS.test(value), 'loads other code'],
  [is(/^restart$/, /^(?:no|never)$/i, /^services$/), 'is no longer looked after'],
  [is(/^condition$/, /^service_started$/, /^depends_on$/), 'no longer waits for what it needs'],
  [is(/^required$/, NO, /^depends_on$/), 'no longer waits for what it needs'],
  [is(/^profiles$/, /./, /^services$/), 'starts only when asked for'],
  [is(/^(?:PGDATA|MYSQL_DATADIR|DATA_DIR)$/, /^\/(?:tmp|run|dev\/shm)/), 'keeps its data elsewhere, or not at all'],
  [is(/HOST_AUTH_METHOD$/, /^trust$/), 'lets everybody in'],
  [is(/^anonymous-?auth(?:entication)?$/i, YES), 'lets everybody in'],
  [is(/^authorization-mode$/, /AlwaysAllow/), 'lets everybody in'],
  // Terraform
  [is(/^(?:removed|moved)(?:\.|$)/, /^\{\}$/), 'lets Terraform forget or rename what it made'],
  [({ keys }) => keys.some((key) => /^backend\./.test(key)), 'keeps the state elsewhere'],
  [
    is(/^(?:syncOptions|argocd\.argoproj\.io\/sync-options)$/, /(?:Replace|Force)=true/),
    'deletes and makes again what it syncs',
  ],
  [is(/^kustomize\.toolkit\.fluxcd\.io\/force$/, /^(?:enabled|true)$/i), 'forces it'],
  [is(/^ignore_changes$/, /^all$/), 'no longer sees what is wrong'],
  [is(/^replace_triggered_by$/, /./), 'makes it anew when something else changes'],
  [is(/^condition$/, /^(?:true|.*\|\|\s*true)$/, CHECKED), 'holds always'],
  [is(/^(?:started|running|power_on)$/, NO), 'stops it'],
  [is(/^(?:when|on_failure)$/, /^(?:destroy|continue)$/, /^provisioner/), 'runs at another time, or may fail'],
  [is(/^interpreter$/, /^(?!\["(?:\/bin\/)?(?:ba)?sh", "-\w*c"\]$)/, /^provisioner/), 'is run by another program'],
  [is(/^(?:suspend|paused)$/, YES), 'suspends it'],
  [
    ({ keys, value }) => /"?\$patch"?\s*:\s*"?delete\b/.test(value) || (keys.at(-1) === '$patch' && value === 'delete'),
    'deletes what it patches',
  ],
  [
    ({ keys, value }) =>
      keys.includes('healthcheck') && (value === 'NONE' || (keys.at(-1) === 'disable' && YES.test(value))),
    'is no longer looked after',
  ],
  [is(/^wait$/, NO), 'does not wait until it is ready'],
  [is(/^(?:recreate|remove_orphans)$/, YES), 'makes containers anew, or removes them'],
  [
    is(
      /^(?:force|forceUpgrade|recreatePods|disableWait|disableHooks|disableOpenAPIValidation|skipCrds|force_update|force_new_deployment)$/i,
      YES,
    ),
    'forces it',
  ],
  [is(/^state$/, /^(?:stopped|rebooted|restarted_force|shutdown|suspended|paused)$/i), 'stops it'],
  [
    is(/^enabled$/, NO, /(?:^|\.)(?:ansible\.builtin\.(?:systemd|systemd_service|service)|systemd|systemd_service)$/),
    'no longer starts it by itself',
  ],
  [
    is(
      /^(?:insecure|insecureSkipVerify|insecure_skip_verify|tls_insecure|skip_tls_verify|insecureSkipTLSVerify)$/i,
      YES,
    ),
    'no longer checks who it talks to',
  ],
  [is(/^(?:validate_certs|sslVerify|verify_ssl|ssl_verify|tlsVerify)$/i, NO), 'no longer checks who it talks to'],
];

/** Leaves that are missed when they are gone: then their default holds. `true`: what they kept is lost. */
const LOST: readonly (readonly [Test, why: string, firm?: true])[] = [
  [
    is(/^(?:prevent_destroy|deletion_protection|deletionProtection)$/, YES),
    'takes the protection away that keeps data from being destroyed',
    true,
  ],
  [
    is(
      /^(?:helm\.sh\/resource-policy|kustomize\.toolkit\.fluxcd\.io\/prune|argocd\.argoproj\.io\/sync-options)$/,
      /^keep$|^disabled$|(?:Prune|Delete)=false/,
    ),
    'is no longer kept from being deleted',
  ],
  [({ keys, value }) => keys.join('.') === 'spec.wait' && YES.test(value), 'does not wait until it is ready'],
  [({ keys }) => keys.join('.') === 'spec.path', 'reads another folder than before'],
  [is(/^provider$/, /./, /^decryption$/), 'can no longer read its secrets'],
  [is(/^condition$/, /./, CHECKED), 'is no longer checked'],
  [is(/^external$/, YES, /^volumes$/), 'keeps its data elsewhere, or not at all'],
  [({ keys }) => keys.some((key) => /^backend\./.test(key)), 'keeps the state elsewhere'],
  [
    is(
      /^(?:module\.|resource\.\w*(?:vm|virtual|machine|instance|disk|volume|bucket|database|_db|cluster|lxc|container|dataset|pool))/,
      /^\{\}$/,
    ),
    'is no longer in the plan, so that Terraform destroys it',
  ],
];

const isOpenState: Test = (leaf) => last(leaf) === 'state' && /\{\{/.test(leaf.value);
const KIND: Test = ({ keys }) => /^(?:path)$/.test(keys.at(-1) ?? '') && keys.includes('spec');

export function resourceFindings(change: Change, tree: Tree): Finding[] {
  const { path, addedLeaves, goneLeaves, old, now } = change;
  const shown = ({ keys, value }: Leaf) => `${keys.at(-1)}: ${value}`;
  // Of a task's module it says something else, or nothing that matters.
  const isTasks = (now.data?.documents ?? []).some(Array.isArray);
  // Of a copy that only makes what is missing.
  const isFilled = (leaf: Leaf) =>
    last(leaf) === 'content' &&
    now.tasks.some(
      ({ line, args }) =>
        args.content !== undefined &&
        /^(?:no|false)$/i.test(String(args.force)) &&
        leaf.line >= line &&
        !now.tasks.some((other) => other.line > line && other.line <= leaf.line),
    );
  const firm = addedLeaves.flatMap((leaf) =>
    DESTROYS.filter(([test]) => test(leaf) && !isFilled(leaf))
      .slice(0, 1)
      .map(([, why]) => refuses('destroys', path, leaf.line, why, shown(leaf))),
  );
  // A service that is new was never looked after otherwise.
  const wasService = ({ keys: [first, name] }: Leaf) =>
    first !== 'services' || old.data?.leaves.some(({ keys }) => keys[0] === first && keys[1] === name);
  // Nobody comes between a machine and itself.
  const asksItself = ({ line }: Leaf) =>
    /\/\/(?:localhost|127\.\d|\[::1\])/.test(String(taskAt(now.tasks, line)?.args.url));
  const loose = addedLeaves.flatMap((leaf) =>
    SOFTER.filter(
      ([test, why]) =>
        test(leaf) &&
        !(last(leaf) === 'validate_certs' && asksItself(leaf)) &&
        !(isTasks && /^(?:force|wait|prune|count)$/.test(last(leaf))) &&
        (!/ no longer |^starts only/.test(why) || wasService(leaf)),
    )
      .slice(0, 1)
      .map(([, why]) => asks('softer', path, leaf.line, why, shown(leaf))),
  );
  // Health checks are waited for, too.
  const hasNow = (leaf: Leaf) =>
    addedLeaves.some(({ keys }) => keys.at(-1) === last(leaf) || (last(leaf) === 'wait' && keys[1] === 'healthChecks'));
  const lost = goneLeaves.flatMap((leaf) => {
    const row = hasNow(leaf) ? undefined : LOST.find(([test]) => test(leaf));
    if (!row) return [];
    const [, why, isFirm] = row;
    return [
      isFirm
        ? refuses('destroys', path, undefined, why, shown(leaf))
        : asks('softer', path, undefined, why, shown(leaf)),
    ];
  });
  return [
    ...firm,
    ...addedLeaves
      .filter((leaf) => isOpenState(leaf) && now.tasks.some(({ args }) => args.state === leaf.value))
      .map((leaf) => asks('softer', path, leaf.line, 'is in a state that is only known at run time', shown(leaf))),
    ...lost,
    ...loose,
    ...lostKeeping(change),
    ...fewer(change),
    ...fluxPaths(now.data?.documents ?? [], change, tree),
  ];
}

/** Terraform: fewer of them, or a smaller disk, is one destroyed. */
function fewer({ path, addedLeaves, goneLeaves, now: { language } }: Change): Finding[] {
  if (language !== 'hcl') return [];
  return addedLeaves.flatMap((leaf) => {
    const was = goneLeaves.find(({ keys }) => keys.join('\0') === leaf.keys.join('\0'))?.value;
    const isLess = /^(?:count|size|disk_size)$/.test(last(leaf)) && Number(leaf.value) < Number(was);
    return isLess
      ? [asks('softer', path, leaf.line, 'is less than before: the rest is destroyed', `${last(leaf)}: ${leaf.value}`)]
      : [];
  });
}

/** Where Flux or Argo reads from: one that does not exist empties the cluster, another one exchanges it. */
function fluxPaths(documents: readonly Value[], { path, addedLeaves, goneLeaves }: Change, tree: Tree): Finding[] {
  const kinds = documents.flatMap((document) =>
    typeof document === 'object' && !Array.isArray(document) && typeof document.kind === 'string'
      ? [document.kind]
      : [],
  );
  if (!kinds.some((kind) => /^(?:Kustomization|Application|ApplicationSet|Terraform)$/.test(kind))) return [];
  const plain = (value: string) => value.replace(/^\.?\/+/, '').replace(/\/+$/, '');
  const isThere = (value: string) => {
    // Behind a variable the end of a path tells.
    const [, tail] = /^\$\{\w+\}\/+([^${\ue000]+)$/.exec(value) ?? [];
    if (tail !== undefined) return tree.hasFolder(plain(tail));
    return (
      plain(value) === '' ||
      plain(value) === '.' ||
      /[${\ue000]/.test(value) ||
      tree.exists(plain(value)) ||
      tree.isFolder(plain(value))
    );
  };
  return addedLeaves.filter(KIND).flatMap((leaf): Finding[] => {
    const before = goneLeaves.find((other) => KIND(other));
    if (!before) return [];
    if (!isThere(leaf.value))
      return isThere(before.value)
        ? [
            refuses(
              'destroys',
              path,
              leaf.line,
              'points at a folder that does not exist, so that everything below it is removed',
              leaf.value,
            ),
          ]
        : [];
    return isThere(before.value)
      ? [
          asks(
            'softer',
            path,
            leaf.line,
            `no longer points at ${before.value}, so that what is there is removed`,
            leaf.value,
          ),
        ]
      : [];
  });
}

const PROBES = /^(?:liveness|readiness|startup)Probe$|^(?:healthcheck|healthChecks)$/;
const KEPT = /^(?:claimName|existingClaim|volumeClaimTemplates)$/;

/** Where data is kept and what looks after a workload: gone without another one in its place. */
function lostKeeping({ path, old, now, goneLeaves, addedLeaves }: Change): Finding[] {
  const count = (file: typeof now, keys: RegExp) =>
    new Set(
      // What a schema says of a key is none.
      (file.data?.leaves ?? []).flatMap(({ keys: all }) =>
        all
          .slice(0, all.includes('openAPIV3Schema') ? 0 : undefined)
          .flatMap((key, i) => (keys.test(key) ? [all.slice(0, i + 1).join('.')] : [])),
      ),
    ).size;
  const claim = goneLeaves.find(({ keys }) => KEPT.test(keys.at(-1) ?? ''));
  const isKept = addedLeaves.some(({ keys }) => KEPT.test(keys.at(-1) ?? ''));
  const mount = goneLeaves.find(
    ({ keys, value }) => keys.includes('volumes') && keys.includes('services') && /^[\w-]+:\//.test(value),
  );
  const isMounted = mount && addedLeaves.some(({ value }) => value.split(':')[0] === mount.value.split(':')[0]);
  return [
    ...(claim && !isKept
      ? [asks('softer', path, undefined, 'keeps its data elsewhere, or not at all', claim.value)]
      : []),
    ...(mount && !isMounted
      ? [asks('softer', path, undefined, 'keeps its data elsewhere, or not at all', mount.value)]
      : []),
    ...(now.data?.parsed && old.data?.parsed && count(now, PROBES) < count(old, PROBES)
      ? [asks('masks', path, undefined, 'is no longer looked after, or no longer waits for what it needs')]
      : []),
  ];
}
