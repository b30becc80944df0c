// talosctl, flux and helm. A Talos machine config, and the values and manifests of a Helm release, hold secrets in plain.
import { flags, listOf, matching, NAME, oneOf, operands, type Tool, verbsWith } from '../grammar.ts';

const TALOS_TYPES = oneOf(
  [
    'members member nodename nodenames nodestatus nodestatuses addresses address addressstatus links link linkstatus',
    'routes route routestatus resolvers resolverstatus hostname hostnames hostnamestatus timeservers timestatus',
    'services service svc machinestatus machinestatuses disks disk discoveredvolumes discoveredvolume dv volumestatus',
    'volumestatuses mounts mountstatus staticpods staticpodstatus staticpodstatuses etcdmembers etcdmember extensions',
    'extensionstatus systemdisk kubespanpeerstatuses affiliates memorystats cpustat',
  ].join(' '),
);
const TALOS_FORMAT = matching('table, yaml, json or jsonpath=…', /^(?:table|yaml|json|jsonpath=[ -~]{1,250})$/);
const NODES = '-n --nodes <hosts>';

const talos = verbsWith({ format: TALOS_FORMAT });

export const TALOSCTL: Tool = {
  name: 'talosctl',
  go: true,
  before: flags(NODES),
  verbs: [
    talos('get', `${NODES}, --namespace <namespace>, -o --output <format>`, {
      ...operands(NAME, 1, 2),
      check: ({ operands: [type = ''] }) =>
        TALOS_TYPES.takes(type.toLowerCase())
          ? undefined
          : `talosctl may not show ${JSON.stringify(type)}; it may show ${TALOS_TYPES.what}`,
    }),
    talos('service', NODES, {
      ...operands(NAME, 0, 2),
      check: ({ operands: [, action = 'status'] }) =>
        action === 'status' ? undefined : `talosctl service may only be asked for its status, not to ${action}`,
    }),
    talos('services, dmesg, version, mounts', NODES),
    talos('containers, stats', `${NODES}, -k --kubernetes`),
    talos(
      'logs',
      `${NODES}, -k --kubernetes, --tail <number>`,
      operands(matching('a service', /^[A-Za-z0-9][\w.:/-]{0,200}$/), 1, 1),
    ),
    talos('processes, memory, disks', NODES),
    talos('health', `${NODES}, --wait-timeout <seconds>`, { needs: [['--wait-timeout']] }),
    talos('etcd members, etcd status, etcd alarm list', NODES),
    talos('config info, config contexts'),
  ].flat(),
};

const FLUX_FLAGS = '-n --namespace <namespace>, --timeout <duration>';
const FLUX_CHOSEN = `${FLUX_FLAGS}, -A --all-namespaces`;
// Not receivers, nor `all` with them: the path of a webhook is as good as its token.
const FLUX_KINDS = ['kustomizations', 'kustomization', 'ks', 'helmreleases', 'helmrelease', 'hr', 'alerts'];
const FLUX_SOURCES = ['all', 'git', 'helm', 'oci', 'chart', 'bucket'].flatMap((kind) => [
  `sources ${kind}`,
  `source ${kind}`,
]);

const flux = verbsWith({
  kind: matching('a kind', /^[A-Za-z]{2,40}$/),
  types: listOf(oneOf('Normal Warning')),
  object: matching('<kind>/<name>', /^[A-Za-z]{2,40}\/[a-z0-9][a-z0-9.-]{0,200}$/),
});

export const FLUX: Tool = {
  name: 'flux',
  go: true,
  before: flags(FLUX_FLAGS),
  verbs: [
    flux(
      [...FLUX_KINDS, ...FLUX_SOURCES].map((kind) => `get ${kind}`).join(', '),
      `${FLUX_CHOSEN}, --no-header, --status-selector -l --label-selector <selector>`,
      operands(NAME, 0, 1),
    ),
    flux(
      'logs',
      `${FLUX_CHOSEN}, --tail <number>, --since <duration>, --name <name>, --kind <kind>, --level <debug|info|error>,
       --flux-namespace <namespace>`,
    ),
    flux('events', `${FLUX_CHOSEN}, --no-header, --types <types>, --for <object>`),
    flux('tree kustomization, tree ks', `${FLUX_FLAGS}, --compact`, operands(NAME, 1, 1)),
    flux('stats', FLUX_CHOSEN),
    flux('check', `${FLUX_FLAGS}, --pre`),
    flux('version', `${FLUX_FLAGS}, --client, -o --output <yaml|json>`),
  ].flat(),
};

const HELM_NAMESPACE = '-n --namespace <namespace>';
const RELEASE = operands(NAME, 1, 1);

const verb = verbsWith();

export const HELM: Tool = {
  name: 'helm',
  go: true,
  before: flags(HELM_NAMESPACE),
  verbs: [
    verb(
      'list, ls',
      `${HELM_NAMESPACE}, -o --output <table|yaml|json>, -f --filter <text>,
       -A --all-namespaces -a --all --failed --pending --deployed --superseded --uninstalling`,
    ),
    // With -o it would print the whole release.
    verb('status', `${HELM_NAMESPACE}, --revision <number>`, RELEASE),
    verb('history', `${HELM_NAMESPACE}, --max <number>, -o --output <table|yaml|json>`, RELEASE),
    verb('get metadata', `${HELM_NAMESPACE}, --revision <number>`, RELEASE),
    verb('version', '--short'),
  ].flat(),
};

/** Containers beside the cluster. `inspect` would show their environment. */
export const CONTAINERS: readonly Tool[] = ['docker', 'nerdctl'].map((name) => ({
  name,
  go: true,
  verbs: [
    verb('ps', '-a --all -q --quiet --no-trunc, --filter <selector>'),
    verb('images', '-a --all -q --quiet --no-trunc'),
    verb('logs', '-t --timestamps, --tail <number>, --since --until <duration>', RELEASE),
    verb('version'),
  ].flat(),
}));
