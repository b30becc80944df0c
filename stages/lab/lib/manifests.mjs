// node manifests.mjs <staging folder> (-f <path>)… | -k <folder>
// Reads Kubernetes manifests for the simulated kubectl. Each object becomes <staging>/<n>/ with `facts` (key=value, for
// the shell) and `yaml`; what cannot be read becomes a line of <staging>/errors.
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { stringify } from 'yaml';
import { readYaml, splitDocuments } from './go-yaml.mjs';
import { objection } from './kube-schemas.mjs';

const [staging, ...words] = process.argv.slice(2);
const errors = [];
let count = 0;

const images = (spec) =>
  [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])].map((c) => c?.image).filter(Boolean);

/** What the shell needs to know of an object, by kind. */
function particulars({ kind, spec, metadata, data }) {
  switch (kind) {
    case 'Deployment':
    case 'StatefulSet':
    case 'DaemonSet':
      return { replicas: spec?.replicas ?? 1, images: images(spec?.template?.spec).join(' ') };
    case 'Service':
      return {
        type: spec?.type ?? 'ClusterIP',
        ports: (spec?.ports ?? []).map((p) => `${p.port}/${p.protocol ?? 'TCP'}`).join(','),
      };
    case 'ConfigMap':
      return { entries: Object.keys(data ?? {}).length };
    case 'Ingress':
      return {
        class: spec?.ingressClassName ?? '<none>',
        hosts: (spec?.rules ?? []).map((r) => r.host ?? '*').join(','),
      };
    case 'HelmRepository':
      return { url: spec?.url ?? '' };
    case 'HelmRelease': {
      const chart = spec?.chart?.spec ?? {};
      const source = chart.sourceRef ?? {};
      return {
        chart: chart.chart ?? '',
        version: chart.version ?? '*',
        source: `${source.namespace ?? metadata.namespace}/${source.name}`,
        suspended: spec?.suspend === true ? 'True' : 'False',
      };
    }
    case 'IPAddressPool':
      return { addresses: (spec?.addresses ?? []).join(',') };
    case 'CustomResourceDefinition':
      return {
        group: spec?.group ?? '',
        crd_kind: spec?.names?.kind ?? '',
        plural: spec?.names?.plural ?? '',
        short: (spec?.names?.shortNames ?? []).join(','),
        scope: spec?.scope ?? 'Namespaced',
        versions: (spec?.versions ?? []).map((v) => v.name).join(','),
      };
    default:
      return {};
  }
}

function stage(object, file) {
  const folder = join(staging, String(++count).padStart(4, '0'));
  const { apiVersion, kind, metadata } = object;
  const facts = {
    apiVersion,
    kind,
    namespace: metadata?.namespace ?? '',
    name: metadata?.name ?? '',
    file,
    ...particulars({ ...object, metadata: metadata ?? {} }),
  };
  const refused = objection(object, file);
  mkdirSync(folder);
  writeFileSync(
    join(folder, 'facts'),
    Object.entries(facts)
      .map(([k, v]) => `${k}=${String(v).replaceAll('\n', ' ')}\n`)
      .join(''),
  );
  writeFileSync(join(folder, 'yaml'), stringify(object));
  if (refused) writeFileSync(join(folder, 'refused'), `${refused}\n`);
}

function readObjects(file, complain) {
  const objects = [];
  for (const text of splitDocuments(readFileSync(file, 'utf8'))) {
    const { value, error } = readYaml(text);
    if (error) {
      complain(error);
      return objects;
    }
    if (value !== null && value !== undefined) objects.push(value);
  }
  return objects;
}

/** A `List` counts as its items; an object without a kind or version is the client's own refusal. */
function accept(object, file) {
  if (object?.kind === 'List' && Array.isArray(object.items)) return object.items.every((item) => accept(item, file));
  if (typeof object !== 'object' || Array.isArray(object))
    errors.push(
      `error: error parsing ${file}: error converting YAML to JSON: yaml: unmarshal errors:\n  line 1: cannot unmarshal into map`,
    );
  else if (!object.kind)
    errors.push(`error: unable to decode "${file}": Object 'Kind' is missing in '${JSON.stringify(object)}'`);
  else if (!object.apiVersion)
    errors.push(
      `error: error validating "${file}": error validating data: apiVersion not set; if you choose to ignore these errors, turn validation off with --validate=false`,
    );
  else return stage(object, file) ?? true;
  return false;
}

function fromPath(path) {
  if (!statSync(path).isDirectory()) return fromFile(path);
  const files = readdirSync(path)
    .filter((name) => /\.(ya?ml|json)$/.test(name))
    .sort();
  if (files.length === 0)
    errors.push(`error: error reading [${path}]: recognized file extensions are [.json .yaml .yml]`);
  for (const name of files) fromFile(join(path, name));
}

function fromFile(file) {
  const read = readObjects(file, (e) =>
    errors.push(`error: error parsing ${file}: error converting YAML to JSON: ${e}`),
  );
  for (const object of read) accept(object, file);
}

const CLUSTER_SCOPED = new Set([
  'Namespace',
  'ClusterRole',
  'ClusterRoleBinding',
  'CustomResourceDefinition',
  'ClusterIssuer',
  'IngressClass',
  'StorageClass',
]);
const KUSTOMIZE_FIELDS = ['apiVersion', 'kind', 'metadata', 'namespace', 'resources'];

function fromKustomization(folder) {
  const name = ['kustomization.yaml', 'kustomization.yml', 'Kustomization'].find((n) => existsSync(join(folder, n)));
  if (!name) {
    errors.push(
      `error: unable to find one of 'kustomization.yaml', 'kustomization.yml' or 'Kustomization' in directory '${resolve(folder)}'`,
    );
    return;
  }
  const { value, error } = readYaml(readFileSync(join(folder, name), 'utf8'));
  if (error) {
    errors.push(`error: invalid Kustomization: error converting YAML to JSON: ${error}`);
    return;
  }
  const unknown = Object.keys(value ?? {}).find((key) => !KUSTOMIZE_FIELDS.includes(key));
  if (unknown) {
    errors.push(`error: invalid Kustomization: json: unknown field "${unknown}"`);
    return;
  }
  for (const resource of value?.resources ?? []) {
    const path = join(folder, resource);
    if (!existsSync(path)) {
      const absolute = resolve(path);
      errors.push(
        `error: accumulating resources: accumulation err='accumulating resources from '${resource}': evalsymlink failure on '${absolute}' : lstat ${absolute}: no such file or directory'`,
      );
      return;
    }
    if (statSync(path).isDirectory()) fromKustomization(path);
    else {
      const complain = (e) =>
        errors.push(
          `error: accumulating resources: accumulation err='accumulating resources from '${resource}': MalformedYAMLError: ${e} in File: ${resource}': must build at directory: '${resolve(path)}': file is not directory`,
        );
      for (const object of readObjects(path, complain)) {
        if (value.namespace && !CLUSTER_SCOPED.has(object?.kind))
          object.metadata = { ...object.metadata, namespace: value.namespace };
        accept(object, folder);
      }
    }
  }
  // kustomize builds everything or nothing.
  if (errors.length > 0) count = 0;
}

for (let i = 0; i < words.length; i += 2) {
  if (words[i] === '-k') fromKustomization(words[i + 1]);
  else fromPath(words[i + 1]);
}
writeFileSync(join(staging, 'count'), `${count}\n`);
writeFileSync(join(staging, 'errors'), errors.map((e) => `${e}\n`).join(''));
