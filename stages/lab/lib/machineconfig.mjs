// node machineconfig.mjs generate <out folder> <secrets file> <types> key=value… [patch flag, patch]…
// node machineconfig.mjs apply <staging folder> <machine config> [--config-patch, patch]…
// Machine configurations for the simulated talosctl: decoding that refuses unknown keys, strategic merge patches.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { readYaml, splitDocuments } from './go-yaml.mjs';
import { unknownKeys } from './talos-schema.mjs';

class Refusal extends Error {}
const indented = (value) => stringify(value, { indent: 4 });

function decode(text) {
  const config = {};
  for (const part of splitDocuments(text)) {
    const { value, error } = readYaml(part);
    if (error) throw new Refusal(`decode error: ${error}`);
    if (value?.kind) continue;
    const unknown = unknownKeys(value ?? {});
    if (unknown) throw new Refusal(`unknown keys found during decoding:\n${indented(unknown)}`);
    merge(config, value ?? {});
  }
  return config;
}

// Lists grow, except those that Talos documents as replaced.
const REPLACED = new Set(['podSubnets', 'serviceSubnets']);
function merge(into, from) {
  for (const [key, value] of Object.entries(from)) {
    const old = into[key];
    if (Array.isArray(value) && Array.isArray(old) && !REPLACED.has(key)) into[key] = [...old, ...value];
    else if (value && typeof value === 'object' && !Array.isArray(value) && old && typeof old === 'object')
      merge(old, value);
    else into[key] = value;
  }
  return into;
}

function loadPatch(word) {
  if (!word.startsWith('@')) return decode(word);
  try {
    return decode(readFileSync(word.slice(1), 'utf8'));
  } catch (error) {
    if (error.code === 'ENOENT') throw new Refusal(`open ${word.slice(1)}: no such file or directory`);
    throw error;
  }
}

function readPatches(words) {
  const patches = [];
  for (let i = 0; i < words.length; i += 2) patches.push({ flag: words[i], patch: loadPatch(words[i + 1]) });
  return patches;
}

function machineConfig(type, { cluster, endpoint, disk, image, kubernetes }, secrets) {
  const controlplane = type === 'controlplane';
  const ca = (pair) => ({ crt: pair.crt, key: controlplane ? pair.key : '' });
  return {
    version: 'v1alpha1',
    debug: false,
    persist: true,
    machine: {
      type,
      token: secrets.trustdinfo.token,
      ca: ca(secrets.certs.os),
      certSANs: [],
      kubelet: {
        image: `ghcr.io/siderolabs/kubelet:v${kubernetes}`,
        defaultRuntimeSeccompProfileEnabled: true,
        disableManifestsDirectory: true,
      },
      network: {},
      install: { disk, image, wipe: false },
      features: { rbac: true, stableHostname: true, kubePrism: { enabled: true, port: 7445 } },
    },
    cluster: {
      id: secrets.cluster.id,
      secret: secrets.cluster.secret,
      controlPlane: { endpoint },
      clusterName: cluster,
      network: { dnsDomain: 'cluster.local', podSubnets: ['10.244.0.0/16'], serviceSubnets: ['10.96.0.0/12'] },
      token: secrets.secrets.bootstraptoken,
      ca: ca(secrets.certs.k8s),
      discovery: { enabled: true },
      ...(controlplane ? { apiServer: { image: `registry.k8s.io/kube-apiserver:v${kubernetes}` } } : {}),
    },
  };
}

function generate([out, secretsFile, types, ...words]) {
  const options = {};
  while (words[0]?.includes('=') && !words[0].startsWith('-')) {
    const [key, ...rest] = words.shift().split('=');
    options[key] = rest.join('=');
  }
  let patches;
  try {
    patches = readPatches(words);
  } catch (error) {
    throw error instanceof Refusal ? new Refusal(`error parsing config JSON patch: ${error.message}`) : error;
  }
  const { value: secrets, error } = readYaml(readFileSync(secretsFile, 'utf8'));
  if (error) throw new Refusal(`failed to load secrets bundle: ${error}`);
  for (const type of types.split(',')) {
    const config = machineConfig(type, options, secrets);
    const own = type === 'worker' ? '--config-patch-worker' : '--config-patch-control-plane';
    for (const { flag, patch } of patches)
      if (flag === '--config-patch' || flag === own) merge(config, structuredClone(patch));
    writeFileSync(join(out, `${type}.yaml`), indented(config));
  }
}

function apply([staging, file, ...words]) {
  const patches = readPatches(words);
  let config;
  try {
    config = decode(readFileSync(file, 'utf8'));
  } catch (error) {
    throw error instanceof Refusal
      ? new Refusal(`rpc error: code = Unknown desc = failed to parse config: ${error.message}`)
      : error;
  }
  for (const { patch } of patches) merge(config, patch);
  const { machine = {}, cluster = {} } = config;
  const facts = {
    type: machine.type,
    hostname: machine.network?.hostname ?? '',
    machine_ca: machine.ca?.crt,
    cluster_ca: cluster.ca?.crt,
    cluster: cluster.clusterName,
    endpoint: cluster.controlPlane?.endpoint,
    kubernetes: machine.kubelet?.image?.split(':').pop(),
    disk: machine.install?.disk,
    schedulable: machine.type === 'worker' || cluster.allowSchedulingOnControlPlanes === true,
  };
  const problems = [];
  if (!['controlplane', 'worker', 'init'].includes(facts.type))
    problems.push(`unknown machine type ${JSON.stringify(facts.type ?? '')}`);
  if (!facts.endpoint) problems.push('cluster controlplane endpoint is required');
  if (!facts.disk) problems.push('either install disk or diskSelector should be defined');
  if (problems.length > 0)
    throw new Refusal(
      `rpc error: code = InvalidArgument desc = configuration validation failed: ${problems.length} error${problems.length > 1 ? 's' : ''} occurred:\n${problems.map((p) => `\t* ${p}`).join('\n')}\n`,
    );
  writeFileSync(
    join(staging, 'facts'),
    Object.entries(facts)
      .map(([k, v]) => `${k}=${v ?? ''}\n`)
      .join(''),
  );
  writeFileSync(join(staging, 'machineconfig.yaml'), indented(config));
}

try {
  const [verb, ...rest] = process.argv.slice(2);
  ({ generate, apply })[verb](rest);
} catch (error) {
  if (!(error instanceof Refusal)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
