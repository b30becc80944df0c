// Kubernetes manifests, kustomizations and what operators make of them: objects, and the keys of their data.
import { ANY } from './definition.ts';
import { type Found, isComputed } from './found.ts';
import type { Form } from './rows.ts';
import { type Entry, entryAt, valueAt } from './yaml-outline.ts';

export const KUBERNETES: Form = {
  is: () => true,
  rows: [
    [/(?:^| )kind$/, object],
    [/^(?:configMap|secret)Generator name$/, generator],
  ],
};

const OF_DATA = [['data'], ['binaryData'], ['stringData']];
/** Where manifests have the keys of their data. */
const DATA: Readonly<Record<string, readonly string[][]>> = {
  ...{ ConfigMap: OF_DATA, Secret: OF_DATA },
  ...{ SealedSecret: [['spec', 'encryptedData']], ExternalSecret: [['spec', 'data']] },
};

function object({ value: kind, siblings }: Entry, found: Found): void {
  const named = entryAt(siblings, 'metadata', 'name');
  if (!named || kind === '') return;
  found.line = named.line;
  found.define('object', named.value, isComputed(kind) ? undefined : kind, valueAt(siblings, 'metadata', 'namespace'));
  // Operators make Secrets of these.
  const made: Readonly<Record<string, string>> = {
    Certificate: valueAt(siblings, 'spec', 'secretName'),
    SealedSecret: named.value,
    ExternalSecret: valueAt(siblings, 'spec', 'target', 'name') || named.value,
  };
  found.define('object', made[kind], 'Secret');
  const of = holder(kind === 'ConfigMap' ? kind : 'Secret', made[kind] ?? named.value);
  const has = (...way: string[]) => entryAt(siblings, 'spec', ...way) !== undefined;
  const isComputedData = kind === 'ExternalSecret' && (has('target', 'template') || has('dataFrom'));
  if (isComputedData) found.define('object-key', ANY, of);
  else
    for (const { key, value, line } of (DATA[kind] ?? []).flatMap((way) => entryAt(siblings, ...way)?.children ?? [])) {
      found.line = line;
      if (kind !== 'ExternalSecret') found.define('object-key', key, of);
      else if (key === 'secretKey') found.define('object-key', value, of);
    }
}

const holder = (kind: string, name: string) => (isComputed(name) ? undefined : `${kind}/${name}`);

/** The ConfigMap or Secret that kustomize makes: `files: [key=path, path]`, `literals: [key=value]`, `envs: [path]`. */
function generator({ value: name, siblings, owner }: Entry, found: Found): void {
  const kind = owner?.key === 'secretGenerator' ? 'Secret' : 'ConfigMap';
  found.define('object', name, kind);
  for (const { key, children } of siblings) {
    if (/^envs?$/.test(key)) found.define('object-key', ANY, holder(kind, name));
    for (const { value } of /^(?:files|literals)$/.test(key) ? children : [])
      found.define('object-key', value.replace(value.includes('=') ? /=.*/ : /.*\//, ''), holder(kind, name));
  }
}
