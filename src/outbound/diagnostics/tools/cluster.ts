// talosctl, flux and helm. A Talos machine config, and the values and manifests of a Helm release, hold secrets in plain.
import {
  DURATION,
  HOST,
  listOf,
  matching,
  NAME,
  NAMESPACE,
  NUMBER,
  on,
  oneOf,
  SECONDS,
  SELECTOR,
  TEXT,
  type Tool,
  taking,
  verbs,
} from '../grammar.ts';

const TALOS_TYPES = oneOf(
  [
    'members member nodename nodenames nodestatus nodestatuses addresses address addressstatus links link linkstatus',
    'routes route routestatus resolvers resolverstatus hostname hostnames hostnamestatus timeservers timestatus',
    'services service svc machinestatus machinestatuses disks disk discoveredvolumes discoveredvolume dv volumestatus',
    'volumestatuses mounts mountstatus staticpods staticpodstatus staticpodstatuses etcdmembers etcdmember extensions',
    'extensionstatus systemdisk kubespanpeerstatuses affiliates memorystats cpustat',
  ].join(' '),
);
const NODES = { ...taking(listOf(HOST), '-n --nodes') };
const TALOS_FORMAT = matching('table, yaml, json or jsonpath=…', /^(?:table|yaml|json|jsonpath=[ -~]{1,250})$/);

export const TALOSCTL: Tool = {
  name: 'talosctl',
  go: true,
  before: NODES,
  verbs: [
    {
      words: 'get',
      flags: { ...NODES, ...taking(NAMESPACE, '--namespace'), ...taking(TALOS_FORMAT, '-o --output') },
      ...{ operand: NAME, count: [1, 2] },
      check: ({ operands: [type = ''] }) =>
        TALOS_TYPES.takes(type.toLowerCase())
          ? undefined
          : `talosctl may not show ${JSON.stringify(type)}; it may show ${TALOS_TYPES.what}`,
    },
    {
      words: 'service',
      ...{ flags: NODES, operand: NAME, count: [0, 2] },
      check: ({ operands: [, action = 'status'] }) =>
        action === 'status' ? undefined : `talosctl service may only be asked for its status, not to ${action}`,
    },
    ...verbs('services dmesg version mounts', { flags: NODES }),
    ...verbs('containers stats', { flags: { ...NODES, ...on('-k --kubernetes') } }),
    {
      words: 'logs',
      ...{ flags: { ...NODES, ...on('-k --kubernetes'), ...taking(NUMBER, '--tail') } },
      ...{ operand: matching('a service', /^[A-Za-z0-9][\w.:/-]{0,200}$/), count: [1, 1] },
    },
    ...verbs('processes memory disks', { flags: NODES }),
    { words: 'health', flags: { ...NODES, ...taking(SECONDS, '--wait-timeout') }, needs: [['--wait-timeout']] },
    ...['etcd members', 'etcd status', 'etcd alarm list'].map((words) => ({ words, flags: NODES })),
    ...['config info', 'config contexts'].map((words) => ({ words })),
  ],
};

const FLUX_FLAGS = { ...taking(NAMESPACE, '-n --namespace'), ...taking(DURATION, '--timeout') };
const FLUX_CHOSEN = { ...FLUX_FLAGS, ...on('-A --all-namespaces') };
// Not receivers, nor `all` with them: the path of a webhook is as good as its token.
const FLUX_KINDS = ['kustomizations', 'kustomization', 'ks', 'helmreleases', 'helmrelease', 'hr', 'alerts'];
const FLUX_SOURCES = ['all', 'git', 'helm', 'oci', 'chart', 'bucket'].flatMap((kind) => [
  `sources ${kind}`,
  `source ${kind}`,
]);
const FLUX_KIND = matching('a kind', /^[A-Za-z]{2,40}$/);

export const FLUX: Tool = {
  name: 'flux',
  go: true,
  before: FLUX_FLAGS,
  verbs: [
    ...[...FLUX_KINDS, ...FLUX_SOURCES].map((kind) => ({
      words: `get ${kind}`,
      flags: { ...FLUX_CHOSEN, ...on('--no-header'), ...taking(SELECTOR, '--status-selector -l --label-selector') },
      ...{ operand: NAME, count: [0, 1] as const },
    })),
    {
      words: 'logs',
      flags: {
        ...{ ...FLUX_CHOSEN, ...taking(NUMBER, '--tail'), ...taking(DURATION, '--since'), ...taking(NAME, '--name') },
        ...{ ...taking(FLUX_KIND, '--kind'), ...taking(oneOf('debug info error'), '--level') },
        ...taking(NAMESPACE, '--flux-namespace'),
      },
    },
    {
      words: 'events',
      flags: {
        ...{ ...FLUX_CHOSEN, ...on('--no-header'), ...taking(listOf(oneOf('Normal Warning')), '--types') },
        ...taking(matching('<kind>/<name>', /^[A-Za-z]{2,40}\/[a-z0-9][a-z0-9.-]{0,200}$/), '--for'),
      },
    },
    ...['tree kustomization', 'tree ks'].map((words) => ({
      words,
      ...{ flags: { ...FLUX_FLAGS, ...on('--compact') }, operand: NAME, count: [1, 1] as const },
    })),
    { words: 'stats', flags: FLUX_CHOSEN },
    { words: 'check', flags: { ...FLUX_FLAGS, ...on('--pre') } },
    { words: 'version', flags: { ...FLUX_FLAGS, ...on('--client'), ...taking(oneOf('yaml json'), '-o --output') } },
  ],
};

const RELEASE = { operand: NAME, count: [1, 1] as const };
const HELM_NAMESPACE = taking(NAMESPACE, '-n --namespace');

export const HELM: Tool = {
  name: 'helm',
  go: true,
  before: HELM_NAMESPACE,
  verbs: [
    ...verbs('list ls', {
      flags: {
        ...{ ...HELM_NAMESPACE, ...taking(oneOf('table yaml json'), '-o --output'), ...taking(TEXT, '-f --filter') },
        ...on('-A --all-namespaces -a --all --failed --pending --deployed --superseded --uninstalling'),
      },
    }),
    // With -o it would print the whole release.
    { words: 'status', flags: { ...HELM_NAMESPACE, ...taking(NUMBER, '--revision') }, ...RELEASE },
    {
      words: 'history',
      flags: { ...HELM_NAMESPACE, ...taking(NUMBER, '--max'), ...taking(oneOf('table yaml json'), '-o --output') },
      ...RELEASE,
    },
    { words: 'get metadata', flags: { ...HELM_NAMESPACE, ...taking(NUMBER, '--revision') }, ...RELEASE },
    { words: 'version', flags: on('--short') },
  ],
};

const CONTAINER = { operand: NAME, count: [1, 1] as const };

/** Containers beside the cluster. `inspect` would show their environment. */
export const CONTAINERS: readonly Tool[] = ['docker', 'nerdctl'].map((name) => ({
  name,
  go: true,
  verbs: [
    { words: 'ps', flags: { ...on('-a --all -q --quiet --no-trunc'), ...taking(SELECTOR, '--filter') } },
    { words: 'images', flags: on('-a --all -q --quiet --no-trunc') },
    {
      words: 'logs',
      flags: { ...on('-t --timestamps'), ...taking(NUMBER, '--tail'), ...taking(DURATION, '--since --until') },
      ...CONTAINER,
    },
    { words: 'version' },
  ],
}));
