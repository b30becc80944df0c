#!/usr/bin/env node
// Makes src/repository/vocabulary/*.json, the keys, modules and programs that tools define, from their own schemas, sources and
// packages: `node scripts/vocabularies.mjs <folder of sources> [<target folder>]`. The folder has a git clone of each repository
// below at <owner>/<name>, and the Debian packages in debian/. Only names are taken. Where a source is missing nothing is written.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { keywords, moduleArguments, redirectsTo } from './vocabularies/ansible.mjs';
import { structTypes } from './vocabularies/go-structs.mjs';
import { asSchemas, schemaTypes, within } from './vocabularies/json-schema.mjs';
import { builtInKinds, customKinds } from './vocabularies/kubernetes.mjs';
import { prometheusTypes } from './vocabularies/prometheus.mjs';
import { packagesIn, repositoryIn } from './vocabularies/sources.mjs';
import { caddyWords, programs } from './vocabularies/words.mjs';

/** Repository → tag, or the commit where it has no tags. To renew a vocabulary is to change this. */
const VERSIONS = {
  'ansible/ansible': 'v2.17.5',
  'ansible-collections/ansible.posix': '2.2.0',
  'ansible-collections/community.docker': '5.2.2',
  'ansible-collections/community.general': '13.3.0',
  'ansible-collections/community.proxmox': '2.0.0',
  'ansible-collections/kubernetes.core': '6.5.0',
  'aquaproj/aqua-registry': 'v4.554.0',
  'budimanjojo/talhelper': 'v3.1.16',
  'caddyserver/caddy': 'v2.11.4',
  'caddyserver/website': '1a6bbd7d92ea03da4fc4864a096dbbb290ffc1fc',
  'cert-manager/cert-manager': 'v1.21.1',
  'compose-spec/compose-go': 'v2.13.0',
  'fluxcd/helm-controller': 'v1.6.3',
  'fluxcd/image-automation-controller': 'v1.2.1',
  'fluxcd/image-reflector-controller': 'v1.2.0',
  'fluxcd/kustomize-controller': 'v1.9.4',
  'fluxcd/notification-controller': 'v1.9.3',
  'fluxcd/source-controller': 'v1.9.1',
  'kubernetes/kubernetes': 'v1.36.4',
  'kubernetes-sigs/kustomize': 'api/v0.21.1',
  'prometheus/common': 'v0.70.1',
  'prometheus/prometheus': 'v3.14.0',
  'prometheus/sigv4': 'v0.4.1',
  'proxmox/pve-container': '94f558522ef61f9858c39c264d0ac4e697e49268',
  'proxmox/pve-manager': '14a22df35955d97dfc1af21e117dc894a29df0c9',
  'proxmox/qemu-server': 'e6352be67f70042a7433a3a3c712b36d02f9f7cb',
  'siderolabs/talos': 'v1.13.9',
};
const KINDS =
  `ClusterRole ClusterRoleBinding ConfigMap CronJob DaemonSet Deployment HorizontalPodAutoscaler Ingress IngressClass Job
  Namespace NetworkPolicy PersistentVolume PersistentVolumeClaim Pod PodDisruptionBudget PriorityClass ResourceQuota Role RoleBinding
  Secret Service ServiceAccount StatefulSet StorageClass`.split(/\s+/);
const DEBIAN =
  `ansible-core apt bash bc bind9-dnsutils borgbackup bridge-utils bsdutils btrfs-progs buildah bzip2 ca-certificates coreutils cron
  cryptsetup-bin curl dash diffutils dmidecode docker-compose docker.io dpkg e2fsprogs ethtool fail2ban findutils gawk gdisk
  gettext-base git gpg grep gzip hostname iproute2 iptables iputils-ping jq kmod libc-bin libvirt-clients login lsb-release lsof lvm2 make mariadb-client mawk mdadm moreutils
  mount nano netcat-openbsd nfs-common nftables openssh-client openssl parted passwd patch podman postgresql-client-common procps psmisc python3-minimal python3-pip
  qemu-system-x86 qemu-utils rclone redis-tools restic rsync sed shellcheck skopeo smartmontools socat sqlite3 sudo systemd tar tcpdump tmux udev
  ufw unzip util-linux vim-tiny virtinst wget wireguard-tools xfsprogs xz-utils yamllint zfsutils-linux zip zstd`.split(
    /\s+/,
  );
const RELEASED =
  `1password/cli FiloSottile/age ahmetb/kubectx alexellis/k3sup argoproj/argo-cd astral-sh/uv budimanjojo/talhelper
  caddyserver/caddy cert-manager/cmctl cilium/cilium-cli cli/cli cloudflare/cloudflared derailed/k9s direnv/direnv fluxcd/flux2
  getsops/sops go-task/task gruntwork-io/terragrunt casey/just hashicorp/packer hashicorp/terraform hashicorp/vault helm/helm
  helmfile/helmfile jdx/mise k0sproject/k0s k0sproject/k0sctl k3d-io/k3d k3s-io/k3s kubernetes-sigs/kind kubernetes-sigs/kustomize
  kubernetes/kubernetes/kubectl kubernetes/minikube mikefarah/yq minio/mc opentofu/opentofu prometheus/prometheus siderolabs/talos
  stern/stern terraform-linters/tflint velero-io/velero yannh/kubeconform`.split(/\s+/);

const [given, target = join(import.meta.dirname, '../src/repository/vocabulary')] = process.argv.slice(2);
if (!given) throw new Error('usage: node scripts/vocabularies.mjs <folder of sources> [<target folder>]');
const folder = resolve(given);
const repository = (name) => repositoryIn(folder, name, VERSIONS[name]);
const all = (start) =>
  Object.keys(VERSIONS)
    .filter((name) => name.startsWith(start))
    .map(repository);

const mapped = (object, change) =>
  Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value, key)]));

/** The file of a tool: where `content` is from, and `content`. */
const vocabulary = (tool, sources, content) => ({
  tool,
  source: sources.map(({ source }) => source).join(', '),
  version: sources.map(({ version }) => version).join(', '),
  ...content,
});

/** The one with a JSON Schema of its own. */
function schemaVocabulary(tool, name, path, rootsOf) {
  const source = repository(name);
  const schema = JSON.parse(source.read(path));
  return vocabulary(tool, [source], schemaTypes(rootsOf(schema), within(schema)));
}

/** A file for Ansible itself, with the short names of modules that went into the collections, and one for each of these. */
function ansible() {
  const core = repository('ansible/ansible');
  const collections = Object.fromEntries(all('ansible-collections/').map((each) => [each.source.split('/')[1], each]));
  const known = { 'ansible.builtin': core, ...collections };
  const modules = mapped(known, (_, name) => moduleArguments(known, name));
  const redirects = redirectsTo(known, new Set(Object.values(modules).flatMap(Object.keys)));
  const content = (name) => ({ redirects: redirects[name], modules: modules[name] });
  return [
    vocabulary('ansible', [core], { words: keywords(core), ...content('ansible.builtin') }),
    ...Object.entries(collections).map(([name, source]) => vocabulary(name, [source], content(name))),
  ];
}

function ofKubernetes() {
  const kubernetes = repository('kubernetes/kubernetes');
  const flux = all('fluxcd/');
  const certManager = repository('cert-manager/cert-manager');
  const bases = flux.map((each) => [each, 'config/crd/bases']);
  const issued = ['Certificate', 'ClusterIssuer', 'Issuer'];
  return [
    vocabulary('kubernetes', [kubernetes], builtInKinds(kubernetes, KINDS)),
    vocabulary('flux', [...flux, kubernetes], customKinds(kubernetes, bases)),
    vocabulary(
      'cert-manager',
      [certManager, kubernetes],
      customKinds(kubernetes, [[certManager, 'deploy/crds']], issued),
    ),
  ];
}

function kustomize() {
  const source = repository('kubernetes-sigs/kustomize');
  const root = { kustomization: ['sigs.k8s.io/kustomize/api/types', 'Kustomization'] };
  const packages = {
    'sigs.k8s.io/kustomize/api': { repository: source, folder: 'api/' },
    'sigs.k8s.io/kustomize/kyaml': { repository: source, folder: 'kyaml/' },
  };
  return vocabulary('kustomize', [source], structTypes(root, packages));
}

/** Its schema leaves out what is deprecated and still taken; its structs leave out what other repositories define. */
function talos() {
  const source = repository('siderolabs/talos');
  const path = 'github.com/siderolabs/talos/pkg/machinery/config/types/v1alpha1';
  const structs = structTypes(
    { machineconfig: [path, 'Config'] },
    { 'github.com/siderolabs/talos': { repository: source } },
  );
  const schema = JSON.parse(source.read('pkg/machinery/config/schemas/config.schema.json'));
  const documents = Object.values(schema.$defs).flatMap((each) => {
    const [kind, version] = [each.properties?.kind?.enum, each.properties?.apiVersion?.enum];
    return kind && version ? [[`${kind[0]}:${version[0]}`, each]] : [];
  });
  const both = [{ $ref: '#/$defs/v1alpha1.Config' }, { $ref: `#/structs/${structs.roots.machineconfig}` }];
  const roots = { machineconfig: { anyOf: both }, ...Object.fromEntries(documents) };
  return vocabulary('talos', [source], schemaTypes(roots, within({ ...schema, structs: asSchemas(structs.types) })));
}

function plainWords() {
  const caddy = [repository('caddyserver/caddy'), repository('caddyserver/website')];
  const aqua = repository('aquaproj/aqua-registry');
  const proxmox = all('proxmox/');
  const debian = packagesIn(folder, DEBIAN);
  const program = programs(debian, aqua, RELEASED, proxmox);
  return [
    vocabulary('caddy', caddy, { words: caddyWords(...caddy) }),
    vocabulary('programs', [...debian, aqua, ...proxmox], { words: { program } }),
  ];
}

const prometheus = ['prometheus/prometheus', 'prometheus/common', 'prometheus/sigv4'].map(repository);
const made = [
  schemaVocabulary('compose', 'compose-spec/compose-go', 'schema/compose-spec.json', (schema) => ({ compose: schema })),
  ...ansible(),
  ...ofKubernetes(),
  kustomize(),
  vocabulary('prometheus', prometheus, prometheusTypes(...prometheus)),
  schemaVocabulary('talhelper', 'budimanjojo/talhelper', 'pkg/config/schemas/talconfig.json', (schema) => ({
    talconfig: schema,
  })),
  talos(),
  ...plainWords(),
];
mkdirSync(target, { recursive: true });
for (const each of made) {
  const text = `${JSON.stringify(each)}\n`;
  writeFileSync(join(target, `${each.tool}.json`), text);
  console.log(`${each.tool}.json ${text.length} bytes`);
}
