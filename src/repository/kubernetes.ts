// Kubernetes manifests, kustomizations and what operators make of them: objects, and the keys of their data.
import { ANY } from './definition.ts';
import { type Found, isComputed } from './names.ts';
import { type Entry, entryAt, valueAt } from './yaml-outline.ts';

const GENERATORS: Readonly<Record<string, string>> = { configMapGenerator: 'ConfigMap', secretGenerator: 'Secret' };

export function kubernetes(entries: readonly Entry[], found: Found): void {
  for (const entry of entries) {
    const generated = entry.key === 'name' && GENERATORS[entry.path.join()];
    found.line = entry.line;
    if (entry.key === 'kind') object(entry, found);
    else if (generated) generator(entry, generated, found);
  }
}

const below = (entries: readonly Entry[], ...keys: string[]) =>
  keys.flatMap((key) => entryAt(entries, key)?.children ?? []);

function object({ value: kind, siblings }: Entry, found: Found): void {
  const named = entryAt(siblings, 'metadata', 'name');
  if (!named || kind === '') return;
  found.line = named.line;
  const namespace = valueAt(siblings, 'metadata', 'namespace');
  found.define('object', named.value, isComputed(kind) ? undefined : kind, namespace);
  const spec = below(siblings, 'spec');
  // Operators make Secrets of these.
  if (kind === 'Certificate') found.define('object', valueAt(spec, 'secretName'), 'Secret');
  const secret = (kind === 'ExternalSecret' && valueAt(spec, 'target', 'name')) || named.value;
  if (kind === 'SealedSecret' || kind === 'ExternalSecret') found.define('object', secret, 'Secret');
  const keys = (list: readonly (readonly [string, number])[]) =>
    defineKeys(kind === 'ConfigMap' ? kind : 'Secret', secret, list, found);
  const keysOf = (entries: readonly Entry[]) => keys(entries.map(({ key, line }) => [key, line]));
  if (kind === 'ConfigMap' || kind === 'Secret') keysOf(below(siblings, 'data', 'binaryData', 'stringData'));
  if (kind === 'SealedSecret') keysOf(below(spec, 'encryptedData'));
  if (kind !== 'ExternalSecret') return;
  if (entryAt(spec, 'target', 'template') || entryAt(spec, 'dataFrom')) keys([[ANY, named.line]]);
  else keys(below(spec, 'data').flatMap(({ key, value, line }) => (key === 'secretKey' ? [[value, line]] : [])));
}

function defineKeys(kind: string, name: string, keys: readonly (readonly [string, number])[], found: Found): void {
  for (const [key, line] of keys) {
    found.line = line;
    found.define('object-key', key, isComputed(name) ? undefined : `${kind}/${name}`);
  }
}

/** The ConfigMap or Secret that kustomize makes: `files: [key=path, path]`, `literals: [key=value]`, `envs: [path]`. */
function generator({ value: name, siblings }: Entry, kind: string, found: Found): void {
  found.define('object', name, kind);
  const pairs = [
    ...below(siblings, 'files').map(
      ({ value, line }) => [value.replace(value.includes('=') ? /=.*/ : /.*\//, ''), line] as const,
    ),
    ...below(siblings, 'literals').map(({ value, line }) => [value.replace(/=.*/, ''), line] as const),
    ...['envs', 'env'].flatMap((key) => (entryAt(siblings, key) ? [[ANY, found.line] as const] : [])),
  ];
  defineKeys(kind, name, pairs, found);
}
