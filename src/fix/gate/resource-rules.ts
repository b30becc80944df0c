// What manifests, values, tasks and Terraform would destroy or stop: judged on their trees.
import type { Leaf, Value } from './data.ts';
import { sqlHarm } from './destructive.ts';
import type { Change } from './facts.ts';
import { asks, type Finding, refuses } from './finding.ts';
import type { Tree } from './rules.ts';

type Test = (leaf: Leaf) => boolean;

const last = ({ keys }: Leaf): string => keys.at(-1) ?? '';
/** A leaf by its key, its value and a key above it. */
export const is =
  (key: RegExp, value: RegExp, above?: RegExp): Test =>
  (leaf) =>
    key.test(last(leaf)) &&
    value.test(leaf.value.trim()) &&
    (above === undefined || leaf.keys.slice(0, -1).some((one) => above.test(one)));

const YES = /^(?:true|yes|on|1)$/i;
const NO = /^(?:false|no|off|0)$/i;

/** Why a leaf matters, and by which tests it is known. */
export type Row = readonly [why: string, ...tests: Test[]];

const KEEPS_FROM_DESTROYING = /^(?:prevent_destroy|deletion_?protection|disable_api_termination)$/i;
const UNPROTECTED = 'takes the protection away that keeps data from being destroyed';
const KEPT_ELSEWHERE = 'keeps its data elsewhere, or not at all';
const NOT_LOOKED_AFTER = 'is no longer looked after';
const STATE_ELSEWHERE = 'keeps the state elsewhere';
const NOT_WAITED_FOR = 'does not wait until it is ready';
const isBackend: Test = ({ keys }) => keys.some((key) => key.startsWith('backend.'));

/** Leaves that destroy. */
const DESTROYS: readonly Row[] = [
  ['removes what the task names', is(/state$/, /^(?:absent|purged|removed|deleted|force_absent|wiped)$/i)],
  [
    'formats, wipes or overwrites what is there',
    is(
      /^(?:force|reformat|force_?(?:format|wipe|reset)|clean)$/i,
      YES,
      /(?:^|\.)(?:filesystem|parted|lvol|lvg|zfs|zpool|luks_device|mysql_db|postgresql_db|mongodb_\w+|proxmox\w*|virt\w*|docker_volume|install|disks?|machine|git)$/i,
    ),
    is(/^wipe(?!_?(?:interval|period|after|time|age|size|count|delay|log|label|name))\w*$/i, YES),
    is(/^overwrite$/, YES, /^(?:fs|disk)_setup$/),
  ],
  [
    'lets data be destroyed',
    is(
      /^(?:(?:force|allow)_(?:destroy|delete)|skip_final_snapshot|(?:delete|purge)_on_\w+|destroy|cleanupPolicy|purge|delete_branch_on_merge|recreate|remove_(?:orphans|volumes)|dropDatabase|cascade)$/i,
      YES,
    ),
    is(/^confirmation$/, /yes-really-destroy-data/),
  ],
  [UNPROTECTED, is(KEEPS_FROM_DESTROYING, /^(?!true$)/)],
  ['empties a file', is(/^content$/, /^$/)],
  ['deletes what is not on the other side', is(/^delete$/, YES, /synchronize|rsync/)],
  [
    'drops or deletes data of a database',
    (leaf) => /(?:query|queries|sql|statement|script)$/i.test(last(leaf)) && sqlHarm(leaf.value) !== undefined,
  ],
  [
    'deletes what depends on it',
    is(/^(?:persistentVolumeClaimRetentionPolicy|whenDeleted|whenScaled)$/, /^Delete$/),
    is(/^(?:deleteOptions|propagationPolicy)$/, /^(?:Foreground|Background|Orphan)$/),
  ],
  [
    'deletes and makes again what cannot be changed',
    is(/^kustomize\.toolkit\.fluxcd\.io\/force$/, /^(?:enabled|true)$/i),
    is(/^argocd\.argoproj\.io\/sync-options$/, /(?:Replace|Force)=true/),
  ],
];

const LOADS = /^(?:LD_\w+|BASH_ENV|PROMPT_COMMAND|PYTHONSTARTUP|NODE_OPTIONS|PERL5OPT|RUBYOPT)$/;
/** Keys that are about removing something. */
const REMOVES =
  /(?:^|[_-])(?:delete|destroy|remove|erase|purge|wipe|drop|prune)(?:$|[_A-Z-])|[a-z](?:Delete|Destroy|Remove|Prune|Purge)(?:$|[A-Z])/;

/** Leaves that stop something, or let it be removed. */
const SOFTER: readonly Row[] = [
  ['lets something be deleted that is no longer in the files, or in use', is(REMOVES, YES)],
  ['deletes data with what uses it', is(/(?:policy|reclaim|onDelete|deletion)\w*$/i, /^(?:Delete|Recycle|prune)$/i)],
  [
    'runs none of it any more',
    is(/^(?:replicas|replicaCount|minReplicas|desired_capacity|count|scale)$/i, /^[+-]?0[0.xob]*$/),
    is(/^(?:count|for_each)$/, /^(?:\{\s*\}|\[\s*\]|toset\(\[\s*\]\)|.*\?.*:\s*0)$/),
  ],
  ['deletes what is not on the other side', ({ value }) => /^--delete/.test(value)],
  [
    'gives a container the host, or all rights',
    is(/^(?:add|cap_add)$/, /^(?:ALL|(?:CAP_)?SYS_ADMIN)$/i),
    is(/^(?:volumes|path|hostPath|source)$/, /(?:docker|containerd|crio|podman)\.sock(?!.*:ro$)|^\/:/),
    is(/^(?:pid|ipc|userns_mode)$/, /^host$/),
    is(/^(?:privileged|hostPID|hostIPC|allowPrivilegeEscalation)$/, /^true$/i),
    is(/^path$/, /^\/(?:$|etc|root|var\/run|var\/lib\/kubelet|proc|sys)?(?:\/|$)/, /^hostPath$/),
  ],
  [
    KEPT_ELSEWHERE,
    is(/^(?:enabled|retain)$/, NO, /persistence|backup/i),
    is(/^(?:PGDATA|MYSQL_DATADIR|DATA_DIR)$/, /^\/(?:tmp|run|dev\/shm)/),
  ],
  ['is about another cluster', ({ keys }) => keys.includes('kubeConfig')],
  [
    NOT_LOOKED_AFTER,
    is(/^enabled$/, NO, /probe|liveness|readiness/i),
    is(/^(?:ignoreTestFailures|disableHealthChecks)$/, YES),
    is(/^restart$/, /^(?:no|never)$/i, /^services$/),
    is(/^(?:test|healthcheck)$/, /^NONE$/),
    is(/^disable$/, YES, /^healthcheck$/),
  ],
  [
    'removes the release, or makes another one of it',
    is(/^(?:releaseName|storageNamespace)$/, /./, /^spec$/),
    is(/^strategy$/, /^uninstall$/),
  ],
  ['suspends it', is(/toolkit\.fluxcd\.io\/reconcile$/, /^disabled$/), is(/^suspend$/, YES)],
  ['may be stopped as a whole', is(/^minAvailable$/, /^0%?$/), is(/^maxUnavailable$/, /^100%$/)],
  ['loads other code', is(/^name$/, LOADS, /^env$/)],
  [
    'no longer waits for what it needs',
    is(/^condition$/, /^service_started$/, /^depends_on$/),
    is(/^required$/, NO, /^depends_on$/),
  ],
  ['starts only when asked for', is(/^profiles$/, /./, /^services$/)],
  [
    'lets everybody in',
    is(/HOST_AUTH_METHOD$/, /^trust$/),
    is(/^anonymous-?auth(?:entication)?$/i, YES),
    is(/^authorization-mode$/, /AlwaysAllow/),
  ],
  ['lets Terraform forget or rename what it made', is(/^(?:removed|moved)(?:\.|$)/, /^\{\}$/)],
  [STATE_ELSEWHERE, isBackend],
  ['deletes and makes again what it syncs', is(/^syncOptions$/, /^(?:Replace|Force)=true/)],
  ['no longer sees what is wrong', is(/^ignore_changes$/, /^all$/)],
  ['makes it anew when something else changes', is(/^replace_triggered_by$/, /./)],
  [
    'stops it',
    is(/^(?:started|running|power_on)$/, NO),
    is(/^state$/, /^(?:stopped|rebooted|restarted_force|shutdown|suspended|paused)$/i),
  ],
  ['runs at another time, or may fail', is(/^(?:when|on_failure)$/, /^(?:destroy|continue)$/, /^provisioner/)],
  ['is run by another program', is(/^interpreter$/, /./, /^provisioner/)],
  ['deletes what it patches', ({ value }) => /"?\$patch"?\s*:\s*"?delete\b/.test(value), is(/^\$patch$/, /^delete$/)],
  [NOT_WAITED_FOR, is(/^wait$/, NO)],
  [
    'forces it',
    is(/^(?:force|forceUpgrade|recreatePods|cleanupOnFail|skipCrds|force_update|force_new_deployment)$/i, YES),
    is(/^disable(?:Wait|Hooks|OpenAPIValidation)$/i, YES),
  ],
  ['no longer starts it by itself', is(/^enabled$/, NO, /(?:^|\.)(?:systemd|systemd_service|service)$/)],
  [
    'no longer checks who it talks to',
    is(/^(?:tls_)?insecure(?:_?skip(?:_?tls)?_?verify)?$|^skip_tls_verify$/i, YES),
    is(/^(?:validate_certs|(?:ssl|tls)_?verify|verify_ssl)$/i, NO),
  ],
];

/** Leaves that are missed when they are gone: then their default holds. */
const LOST: readonly Row[] = [
  [UNPROTECTED, is(KEEPS_FROM_DESTROYING, YES)],
  [NOT_WAITED_FOR, ({ keys, value }) => keys.join('.') === 'spec.wait' && YES.test(value)],
  ['reads another folder than before', ({ keys }) => keys.join('.') === 'spec.path'],
  ['can no longer read its secrets', is(/^provider$/, /./, /^decryption$/)],
  [KEPT_ELSEWHERE, is(/^external$/, YES, /^volumes$/)],
  [STATE_ELSEWHERE, isBackend],
  [
    'is no longer in the plan, so that Terraform destroys it',
    is(
      /^(?:module\.|resource\.\w*(?:vm|virtual|machine|instance|disk|volume|bucket|database|_db|cluster|lxc|container|dataset|pool))/,
      /^\{\}$/,
    ),
  ],
];

export const whyOf = (leaf: Leaf, rows: readonly Row[]): string | undefined =>
  rows.find(([, ...tests]) => tests.some((test) => test(leaf)))?.[0];

const isOpenState: Test = (leaf) => last(leaf) === 'state' && /\{\{/.test(leaf.value);
const KIND: Test = ({ keys }) => /^(?:path)$/.test(keys.at(-1) ?? '') && keys.includes('spec');

export function resourceFindings(change: Change, tree: Tree): Finding[] {
  const { path, addedLeaves, goneLeaves, old, now } = change;
  const shown = ({ keys, value }: Leaf) => `${keys.at(-1)}: ${value}`;
  const firm = addedLeaves.flatMap((leaf) => {
    const why = whyOf(leaf, DESTROYS);
    return why === undefined ? [] : [refuses('destroys', path, leaf.line, why, shown(leaf))];
  });
  // Of a task's module it says something else, or nothing that matters.
  const isTasks = (now.data?.documents ?? []).some(Array.isArray);
  // A service that is new was never looked after otherwise.
  const wasService = ({ keys: [first, name] }: Leaf) =>
    first !== 'services' || old.data?.leaves.some(({ keys }) => keys[0] === first && keys[1] === name);
  const loose = addedLeaves.flatMap((leaf) => {
    const why = isTasks && /^(?:force|wait|prune|count)$/.test(last(leaf)) ? undefined : whyOf(leaf, SOFTER);
    const isOfNew = why !== undefined && / no longer |^starts only/.test(why) && !wasService(leaf);
    return why === undefined || isOfNew ? [] : [asks('softer', path, leaf.line, why, shown(leaf))];
  });
  const hasNow = (leaf: Leaf) => addedLeaves.some((other) => last(other) === last(leaf));
  const lost = goneLeaves.flatMap((leaf) => {
    const why = hasNow(leaf) ? undefined : whyOf(leaf, LOST);
    if (why === undefined) return [];
    return why === UNPROTECTED
      ? [refuses('destroys', path, undefined, why, shown(leaf))]
      : [asks('softer', path, undefined, why, shown(leaf))];
  });
  const free = addedLeaves
    .filter(({ keys, value }) => isFreeForm(keys.at(-1) ?? '') && /\bstate=(?:absent|purged)\b/.test(value))
    .map((leaf) => refuses('destroys', path, leaf.line, 'removes what the task names', shown(leaf)));
  return [
    ...firm,
    ...free,
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

const isFreeForm = (key: string): boolean =>
  /(?:^|\.)(?:file|apt|service|user|docker_container|k8s|lvol|parted|package|cron|mount|zfs|git|homebrew|dnf|yum)$/.test(
    key,
  );

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
const SIZED = /^(?:size|storageClass\w*|existingClaim|accessModes?)$/;
const KEPT = /^(?:claimName|existingClaim|volumeClaimTemplates)$/;

/** Where data is kept and what looks after a workload: gone without another one in its place. */
function lostKeeping({ path, old, now, goneLeaves, addedLeaves }: Change): Finding[] {
  const count = (file: typeof now, keys: RegExp) =>
    new Set(
      (file.data?.leaves ?? []).flatMap(({ keys: all }) =>
        all.flatMap((key, i) => (keys.test(key) ? [all.slice(0, i + 1).join('.')] : [])),
      ),
    ).size;
  const claim = goneLeaves.find(({ keys }) => KEPT.test(keys.at(-1) ?? ''));
  const isKept = addedLeaves.some(({ keys }) => KEPT.test(keys.at(-1) ?? ''));
  const mount = goneLeaves.find(
    ({ keys, value }) => keys.includes('volumes') && keys.includes('services') && /^[\w-]+:\//.test(value),
  );
  const parent = ({ keys }: Leaf) => keys.slice(0, -1).join('.');
  const forgotten = addedLeaves.find(
    (leaf) =>
      last(leaf) === 'type' &&
      /^(?:emptyDir|tmpfs)$/.test(leaf.value) &&
      old.data?.leaves.some((other) => parent(other) === parent(leaf) && SIZED.test(last(other))),
  );
  const isMounted = mount && addedLeaves.some(({ value }) => value.split(':')[0] === mount.value.split(':')[0]);
  return [
    ...(claim && !isKept ? [asks('softer', path, undefined, KEPT_ELSEWHERE, claim.value)] : []),
    ...(forgotten ? [asks('softer', path, forgotten.line, KEPT_ELSEWHERE, forgotten.value)] : []),
    ...(mount && !isMounted ? [asks('softer', path, undefined, KEPT_ELSEWHERE, mount.value)] : []),
    ...(now.data?.parsed && old.data?.parsed && count(now, PROBES) < count(old, PROBES)
      ? [asks('masks', path, undefined, 'is no longer looked after, or no longer waits for what it needs')]
      : []),
  ];
}
