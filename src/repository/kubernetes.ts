// Kubernetes manifests, kustomizations and what operators make of them: objects, keys of their data, and references.
import { ANY } from './definition.ts';
import { type Found, isComputed } from './names.ts';
import { type Entry, entryAt, valueAt } from './yaml-outline.ts';

/** Keys whose value is the name of an object, where the key does not say the kind as `…ClassName` does. */
const NAMES: Readonly<Record<string, string>> = {
  claimName: 'PersistentVolumeClaim',
  existingClaim: 'PersistentVolumeClaim',
  secretName: 'Secret',
  existingSecret: 'Secret',
  serviceAccountName: 'ServiceAccount',
  serviceName: 'Service',
  'cert-manager.io/cluster-issuer': 'ClusterIssuer',
  'cert-manager.io/issuer': 'Issuer',
};
/** Keys above a `name` that belongs to an object, where no `kind` stands beside it. */
const OWNERS: Readonly<Record<string, string>> = {
  configMap: 'ConfigMap',
  configMapRef: 'ConfigMap',
  configMapKeyRef: 'ConfigMap',
  imagePullSecrets: 'Secret',
  issuerRef: 'Issuer',
  parentRefs: 'Gateway',
  service: 'Service',
  backendRefs: 'Service',
};
const GENERATORS: Readonly<Record<string, string>> = { configMapGenerator: 'ConfigMap', secretGenerator: 'Secret' };

export function kubernetes(path: string, entries: readonly Entry[], found: Found): void {
  const isKustomization = /(?:^|\/)kustomization\.ya?ml$/i.test(path);
  // Elsewhere there may be manifests as well, in a task or in the values of a chart.
  const refers = isKustomization || entries.some(({ key, path }) => key === 'apiVersion' && path.length === 0);
  for (const entry of entries) {
    found.line = entry.line;
    if (entry.key === 'kind') object(entry, found);
    if (refers && entry.key === 'name') generated(entry, found);
    if (refers) reference(entry, found);
  }
}

function object({ value: kind, siblings }: Entry, found: Found): void {
  const named = entryAt(siblings, 'metadata', 'name');
  if (!named || kind === '') return;
  found.line = named.line;
  const namespace = valueAt(siblings, 'metadata', 'namespace');
  found.define('object', named.value, isComputed(kind) ? undefined : kind, namespace);
  const spec = entryAt(siblings, 'spec')?.children ?? [];
  const secret = (kind === 'ExternalSecret' && valueAt(spec, 'target', 'name')) || named.value;
  const template = entryAt(spec, 'target', 'template')?.children;
  // Operators make Secrets of these.
  if (kind === 'Certificate') found.define('object', valueAt(spec, 'secretName'), 'Secret');
  if (kind === 'SealedSecret' || kind === 'ExternalSecret') found.define('object', secret, 'Secret');
  const keys = keysOf(kind === 'ConfigMap' ? kind : 'Secret', secret, found);
  if (kind === 'ConfigMap' || kind === 'Secret') keys(siblings, 'data', 'binaryData', 'stringData');
  if (kind === 'SealedSecret') keys(spec, 'encryptedData');
  if (kind !== 'ExternalSecret') return;
  keys(template ?? [], 'data');
  if (template ? entryAt(template, 'templateFrom') : entryAt(spec, 'dataFrom')) keys.define(ANY);
  for (const { key, value, line } of template ? [] : (entryAt(spec, 'data')?.children ?? []))
    if (key === 'secretKey') keys.define(value, line);
}

/** Takes the keys of the data of one object. */
function keysOf(kind: string, name: string, found: Found) {
  const of = isComputed(name) ? undefined : `${kind}/${name}`;
  const define = (key: string | undefined, line = found.line) => {
    found.line = line;
    found.define('object-key', key, of);
  };
  const take = (entries: readonly Entry[], ...below: string[]) => {
    for (const { key, line } of below.flatMap((one) => entryAt(entries, one)?.children ?? [])) define(key, line);
  };
  return Object.assign(take, { define });
}

/** The ConfigMap or Secret that kustomize makes: `files: [key=path, path]`, `literals: [key=value]`, `envs: [path]`. */
function generated({ value: name, path, siblings }: Entry, found: Found): void {
  const kind = GENERATORS[path.join()];
  if (!kind) return;
  found.define('object', name, kind);
  const { define } = keysOf(kind, name, found);
  const below = (key: string) => entryAt(siblings, key)?.children ?? [];
  for (const { value, line } of below('files')) define(/^([^=]*)=/.exec(value)?.[1] ?? value.split('/').at(-1), line);
  for (const { value, line } of below('literals')) define(value.split('=')[0], line);
  if (entryAt(siblings, 'envs') || entryAt(siblings, 'env')) define(ANY);
}

function reference({ key, value, line, path, siblings, owner }: Entry, found: Found): void {
  if (value === '') return;
  found.line = line;
  const className = /^(\w)(\w*Class)(?:Name)?$/.exec(key);
  const named = NAMES[key] ?? (className && `${className[1]?.toUpperCase()}${className[2]}`);
  if (named) found.use('object', value, named);
  if (key !== 'name' || !owner || path.at(-1) === 'metadata') return;
  const of =
    valueAt(siblings, 'kind') ||
    (owner.key === 'dependsOn' && valueAt(rootOf(owner), 'kind')) ||
    (OWNERS[owner.key] ?? (/^secret\w*Ref$/i.test(owner.key) ? 'Secret' : undefined));
  if (of || /Refs?$/.test(owner.key)) found.use('object', value, of);
  if (of) found.use('object-key', valueAt(siblings, 'key') || valueAt(siblings, 'valuesKey'), `${of}/${value}`);
}

const rootOf = ({ owner, siblings }: Entry): readonly Entry[] => (owner ? rootOf(owner) : siblings);
