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

export function kubernetes(path: string, entries: readonly Entry[], found: Found): void {
  const isKustomization = /(?:^|\/)kustomization\.ya?ml$/i.test(path);
  if (!isKustomization && !entries.some(({ key, path }) => key === 'apiVersion' && path.length === 0)) {
    // A manifest in a task or in the values of a chart.
    for (const entry of entries) if (entry.key === 'kind') object(entry, found);
    return;
  }
  for (const entry of entries) {
    if (entry.key === 'kind') object(entry, found);
    if (entry.key === 'name') generated(entry, found);
    reference(entry, found);
  }
}

function object({ value: kind, siblings }: Entry, found: Found): void {
  const named = entryAt(siblings, 'metadata', 'name');
  if (!named || kind === '') return;
  const { value: name, line } = named;
  const of = isComputed(kind) ? undefined : kind;
  found.define('object', name, line, of, valueAt(siblings, 'metadata', 'namespace'));
  if (kind === 'ConfigMap') keys(siblings, ['data', 'binaryData'], `ConfigMap/${name}`, found);
  if (kind === 'Secret') keys(siblings, ['data', 'stringData'], `Secret/${name}`, found);
  // Operators make Secrets of these.
  if (kind === 'Certificate') found.define('object', valueAt(siblings, 'spec', 'secretName'), line, 'Secret');
  if (kind === 'SealedSecret') made(name, line, entryAt(siblings, 'spec')?.children ?? [], ['encryptedData'], found);
  if (kind === 'ExternalSecret') externalSecret(name, line, entryAt(siblings, 'spec')?.children ?? [], found);
}

function made(name: string, line: number, entries: readonly Entry[], below: readonly string[], found: Found): void {
  found.define('object', name, line, 'Secret');
  keys(entries, below, `Secret/${name}`, found);
}

function externalSecret(name: string, line: number, spec: readonly Entry[], found: Found): void {
  const target = valueAt(spec, 'target', 'name') || name;
  const template = entryAt(spec, 'target', 'template');
  made(target, line, template?.children ?? [], ['data'], found);
  const of = `Secret/${target}`;
  if (template && !entryAt(template.children, 'templateFrom')) return;
  if (template || entryAt(spec, 'dataFrom')) found.define('object-key', ANY, line, of);
  for (const { key, value, line } of entryAt(spec, 'data')?.children ?? [])
    if (key === 'secretKey') found.define('object-key', value, line, of);
}

function keys(entries: readonly Entry[], below: readonly string[], of: string, found: Found): void {
  const whose = isComputed(of) ? undefined : of;
  for (const { key, line } of below.flatMap((one) => entryAt(entries, one)?.children ?? []))
    found.define('object-key', key === '<<' ? ANY : key, line, whose);
}

/** The ConfigMap or Secret that kustomize makes: `files: [key=path, path]`, `literals: [key=value]`, `envs: [path]`. */
function generated({ value: name, line, path, siblings }: Entry, found: Found): void {
  const kind = { configMapGenerator: 'ConfigMap', secretGenerator: 'Secret' }[path.join()];
  if (!kind) return;
  found.define('object', name, line, kind);
  const of = isComputed(name) ? undefined : `${kind}/${name}`;
  const define = (key: string, at: number) => found.define('object-key', key, at, of);
  const below = (key: string) => entryAt(siblings, key)?.children ?? [];
  for (const { value, line } of below('files'))
    define(value.split('=').length > 1 ? (value.split('=')[0] as string) : (value.split('/').at(-1) as string), line);
  for (const { value, line } of below('literals')) define(value.split('=')[0] as string, line);
  if (entryAt(siblings, 'envs') || entryAt(siblings, 'env')) define(ANY, line);
}

function reference({ key, value, line, path, siblings, owner }: Entry, found: Found): void {
  const className = /^(\w)(\w*Class)(?:Name)?$/.exec(key);
  if (value !== '' && NAMES[key]) found.use('object', value, line, NAMES[key]);
  else if (value !== '' && className) found.use('object', value, line, `${className[1]?.toUpperCase()}${className[2]}`);
  if (key !== 'name' || value === '' || !owner || path.at(-1) === 'metadata') return;
  const above = owner.key;
  const kind =
    valueAt(siblings, 'kind') || (above === 'dependsOn' ? valueAt(rootOf(owner), 'kind') : '') || OWNERS[above];
  const isSecret = /^secret\w*Ref$/i.test(above);
  if (!kind && !isSecret && !/Refs?$/.test(above)) return;
  const of = kind || (isSecret ? 'Secret' : undefined);
  found.use('object', value, line, of);
  const data = valueAt(siblings, 'key') || valueAt(siblings, 'valuesKey');
  if (data && of) found.use('object-key', data, line, `${of}/${value}`);
}

function rootOf(entry: Entry | undefined): readonly Entry[] {
  let one = entry;
  while (one?.owner) one = one.owner;
  return one?.siblings ?? [];
}
