// The vocabularies as they are shipped: what is in them, where, and that nothing is made without its source.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { vocabularies } from '../../src/io/gate/vocabularies.ts';
import { vocabulariesFrom } from '../../src/repository/vocabulary/vocabulary.ts';

const ROOT = new URL('../..', import.meta.url).pathname;
const FOLDER = join(ROOT, 'src/repository/vocabulary');
const files = readdirSync(FOLDER).filter((name) => name.endsWith('.json'));
const textOf = (name: string) => readFileSync(join(FOLDER, name), 'utf8');
const has = (root: string, path: string, key: string) =>
  vocabularies.keysAt(root, path.split('.').filter(Boolean))?.has(key);

test('every file says which tool it is of, from what and at which version, and is small', () => {
  assert.ok(files.length > 10);
  for (const name of files) {
    const { tool, source, version } = JSON.parse(textOf(name));
    assert.is(`${tool}.json`, name);
    assert.match(source, /^[\w.+-]+(?:\/[\w.-]+)?(?:, [\w.+-]+(?:\/[\w.-]+)?)*$/);
    assert.is(version.split(', ').length, source.split(', ').length, name);
    assert.ok(textOf(name).length < 150_000, name);
  }
  assert.ok(files.reduce((sum, name) => sum + textOf(name).length, 0) < 600_000);
});

test('every type that a vocabulary names is in it', () => {
  for (const name of files) {
    const { roots = {}, types = {} } = JSON.parse(textOf(name));
    const named = [roots, ...Object.values(types)].flatMap((each) => Object.values(each as Record<string, string>));
    assert.equal(
      named.filter((type) => type !== '' && !(type in types)),
      [],
      name,
    );
  }
});

const KNOWN: readonly (readonly [root: string, path: string, key: string, misspelt: string])[] = [
  ['compose', '', 'services', 'servcies'],
  ['compose', 'services.web', 'depends_on', 'depend_on'],
  ['compose', 'services.web.healthcheck', 'start_period', 'startperiod'],
  ['compose', 'services.web.deploy.resources.limits', 'memory', 'mem'],
  ['compose', 'networks.proxy', 'external', 'extern'],
  ['kustomization', '', 'configMapGenerator', 'configmapGenerator'],
  ['kustomization', 'patches.target', 'labelSelector', 'lableSelector'],
  ['kustomization', 'replacements.targets.select', 'kind', 'knd'],
  ['prometheus', 'scrape_configs', 'static_configs', 'static_config'],
  ['prometheus', 'scrape_configs.static_configs', 'targets', 'target'],
  ['prometheus', 'scrape_configs.kubernetes_sd_configs', 'role', 'roles'],
  ['prometheus', 'scrape_configs.relabel_configs', 'source_labels', 'source_label'],
  ['prometheus', 'alerting.alertmanagers', 'scheme', 'schema'],
  ['prometheus', 'remote_write.basic_auth', 'password_file', 'passwordfile'],
  ['rules', 'groups.rules', 'expr', 'exp'],
  ['talconfig', 'nodes.networkInterfaces', 'deviceSelector', 'deviceselector'],
  ['machineconfig', 'machine.network.interfaces', 'dhcp', 'dchp'],
  ['machineconfig', 'cluster.etcd.ca', 'crt', 'cert'],
  ['HostnameConfig:v1alpha1', '', 'hostname', 'hostnam'],
  ['Deployment:apps/v1', 'spec.template.spec.containers', 'volumeMounts', 'volumesMounts'],
  ['CronJob:batch/v1', 'spec.jobTemplate.spec.template.spec', 'restartPolicy', 'restartpolicy'],
  ['Ingress:networking.k8s.io/v1', 'spec.rules.http.paths.backend.service', 'port', 'ports'],
  ['PersistentVolumeClaim:v1', 'spec', 'storageClassName', 'storageClass'],
  ['HelmRelease:helm.toolkit.fluxcd.io/v2', 'spec.chart.spec', 'sourceRef', 'sourceref'],
  ['HelmRelease:helm.toolkit.fluxcd.io/v2', 'metadata', 'namespace', 'namepsace'],
  ['Kustomization:kustomize.toolkit.fluxcd.io/v1', 'spec.postBuild', 'substituteFrom', 'substitueFrom'],
  ['OCIRepository:source.toolkit.fluxcd.io/v1', 'spec.ref', 'semver', 'semvar'],
  ['ImagePolicy:image.toolkit.fluxcd.io/v1', 'spec.filterTags', 'pattern', 'patern'],
  ['ClusterIssuer:cert-manager.io/v1', 'spec.acme', 'privateKeySecretRef', 'privateKeySecret'],
  ['Certificate:cert-manager.io/v1', 'spec.issuerRef', 'kind', 'knid'],
];
for (const [root, path, key, misspelt] of KNOWN)
  test(`${root}: ${path || 'the top'} has ${key}, and not ${misspelt}`, () => {
    assert.is(has(root, path, key), true);
    assert.is(has(root, path, misspelt), false);
  });

test('below a free map or a value, and in a root that no tool has, nothing is known', () => {
  for (const [root, path] of [
    ['compose', 'services'],
    ['compose', 'services.web.environment'],
    ['compose', 'services.web.image.tag'],
    ['HelmRelease:helm.toolkit.fluxcd.io/v2', 'spec.values'],
    ['ConfigMap:v1', 'data'],
    ['Deployment:apps/v1', 'spec.selector.matchLabels'],
    ['Deployment:apps/v1', 'constructor'],
    ['Deployment:example.com/v1', ''],
    ['constructor', ''],
  ] as const)
    assert.is(vocabularies.keysAt(root, path.split('.').filter(Boolean)), undefined, `${root} ${path}`);
});

test('a document has the vocabulary of its own words, else of its file', () => {
  const root = (path: string, keys: string, kind?: string, apiVersion?: string) =>
    vocabularies.rootOf(path, {
      keys: keys.split(' ').filter(Boolean),
      ...(kind && { kind }),
      ...(apiVersion && { apiVersion }),
    });
  const flux = 'kustomize.toolkit.fluxcd.io/v1';
  assert.is(root('apps/kustomization.yaml', 'spec', 'Kustomization', flux), `Kustomization:${flux}`);
  assert.is(root('a.yaml', 'resources', 'Kustomization', 'kustomize.config.k8s.io/v1beta1'), 'kustomization');
  assert.is(root('compose.yaml', 'data', 'ConfigMap', 'v1'), 'ConfigMap:v1');
  assert.is(root('a.yaml', 'spec', 'Service', 'serving.knative.dev/v1'), undefined);
  assert.is(root('apps/kustomization.yaml', 'resorces'), 'kustomization');
  for (const path of ['docker-compose.yml', 'media/compose.prod.yaml', 'stacks/media.yml'])
    assert.is(root(path, 'services volumes'), 'compose', path);
  assert.is(root('docker-compose.yml', 'servcies'), 'compose');
  assert.is(root('roles/x/tasks/docker-compose.yml', ''), undefined, 'a list');
  assert.is(root('charts/stack/values.yaml', 'services image ingress tls'), undefined);
  assert.is(root('monitoring/prometheus.yml', 'global scrape_config'), 'prometheus');
  assert.is(root('prometheus-values.yaml', 'global server alertmanager'), undefined);
  assert.is(root('monitoring/rules/disk.yml', 'groups'), 'rules');
  assert.is(root('talos/controlplane.yaml', 'version machine cluster'), 'machineconfig');
  assert.is(root('talconfig.yaml', 'nodez'), 'talconfig');
  assert.is(root('config.yml', 'services groups machine'), undefined);
});

test("Ansible's modules are known by every name it takes, with arguments and their aliases", () => {
  for (const name of [
    'ansible.builtin.copy',
    'copy',
    'systemd',
    'docker_container',
    'community.docker.docker_container',
  ])
    assert.ok(vocabularies.modules().has(name), name);
  for (const name of ['ansible.builtin.cpoy', 'cpoy', 'dokcer_container']) assert.not(vocabularies.modules().has(name));
  const takes = (module: string, argument: string) => vocabularies.moduleArguments(module)?.has(argument);
  assert.equal([takes('copy', 'dest'), takes('copy', 'mode'), takes('copy', 'dst')], [true, true, false]);
  assert.is(takes('ansible.legacy.apt', 'pkg'), true, 'an alias');
  assert.is(takes('docker_container', 'docker_host'), true, 'from a fragment of its collection');
  assert.is(takes('yum', 'name'), true, 'a module under its old name');
  assert.is(takes('community.general.proxmox', 'vmid'), true, 'a module that moved to another collection');
  assert.is(takes('kubernetes.core.k8s', 'definition'), true);
  assert.is(vocabularies.moduleArguments('cpoy'), undefined);
  assert.is(vocabularies.moduleArguments('amazon.aws.s3'), undefined);
});

for (const [tool, kind, word, misspelt] of [
  ['ansible', 'play', 'gather_facts', 'gather_fact'],
  ['ansible', 'task', 'delegate_to', 'delegateto'],
  ['ansible', 'task', 'with_items', 'with_item'],
  ['ansible', 'task', 'async', 'async_val'],
  ['ansible', 'handler', 'listen', 'listens'],
  ['ansible', 'block', 'rescue', 'rescu'],
  ['caddy', 'directive', 'reverse_proxy', 'reverseproxy'],
  ['caddy', 'subdirective', 'health_uri', 'health_url'],
  ['caddy', 'option', 'acme_dns', 'acme_dsn'],
  ['programs', 'program', 'kubectl', 'kubctl'],
  ['programs', 'program', 'tofu', 'opentofu'],
  ['programs', 'program', 'iptables', 'iptable'],
] as const)
  test(`${tool}: ${word} is a ${kind}, ${misspelt} is none`, () => {
    assert.is(vocabularies.words(tool, kind).has(word), true);
    assert.is(vocabularies.words(tool, kind).has(misspelt), false);
  });

test('a file is read when it is first needed, and once', () => {
  const read: string[] = [];
  const own = vocabulariesFrom((tool) => {
    read.push(tool);
    return JSON.parse(textOf(`${tool}.json`));
  });
  assert.equal(read, []);
  own.keysAt('compose', ['services']);
  own.rootOf('compose.yml', { keys: ['services'] });
  own.moduleArguments('copy');
  own.words('ansible', 'task');
  assert.equal(read, ['compose', 'ansible']);
  own.modules();
  assert.equal([...read].sort(), [...new Set(read)].sort());
  const withModules = files.filter((name) => 'modules' in JSON.parse(textOf(name)));
  assert.equal(
    withModules.filter((name) => !read.includes(name.replace('.json', ''))),
    [],
    'every collection that is shipped',
  );
});

test('without a source nothing is made, and the script says which one is missing', () => {
  const scratch = mkdtempSync(join(tmpdir(), 'vocabularies-'));
  try {
    const made = join(scratch, 'made');
    const { status, stderr } = spawnSync(process.execPath, [join(ROOT, 'scripts/vocabularies.mjs'), scratch, made], {
      encoding: 'utf8',
    });
    assert.is(status, 1);
    assert.match(stderr, /no source: prometheus\/prometheus at v[\d.]+ \(a git clone of it belongs at /);
    assert.equal(readdirSync(scratch), []);
  } finally {
    rmSync(scratch, { recursive: true });
  }
});

test.run();
