// The forms that files of YAML have, and what stands where in each.
import { ANSIBLE } from './ansible.ts';
import { type Form, isComputed, key, lines, value } from './rows.ts';
import { type Entry, entryAt, valueAt } from './yaml-outline.ts';

const nameOf = ({ siblings }: Entry) => valueAt(siblings, 'metadata', 'name');
const namespaceOf = ({ siblings }: Entry) => valueAt(siblings, 'metadata', 'namespace');
const kindOf = ({ value: kind }: Entry) => (isComputed(kind) ? undefined : kind);

/** The Secret that an operator makes of a manifest. */
function secretOf({ value: kind, siblings }: Entry): string {
  const name = valueAt(siblings, 'metadata', 'name');
  if (kind === 'Certificate') return name && valueAt(siblings, 'spec', 'secretName');
  if (kind === 'ExternalSecret') return name && (valueAt(siblings, 'spec', 'target', 'name') || name);
  return kind === 'SealedSecret' ? name : '';
}

const KUBERNETES: Form = {
  is: () => true,
  rows: [
    [/(?:^| )kind$/, 'define', 'object', (one) => (one.value ? nameOf(one) : ''), kindOf, namespaceOf],
    [/(?:^| )kind$/, 'define', 'object', secretOf, () => 'Secret'],
    [/^configMapGenerator name$/, 'define', 'object', value, () => 'ConfigMap'],
    [/^secretGenerator name$/, 'define', 'object', value, () => 'Secret'],
  ],
};

const COMPOSE_NAME = /(?:^|\/)(?:docker-)?compose[^/]*\.ya?ml$|compose\.ya?ml$/;
export const isComposeName = (path: string): boolean => COMPOSE_NAME.test(path.replace(/\.(?:j2|tmpl)$/, ''));

const COMPOSE: Form = {
  is(path, [first]) {
    const services = entryAt(first?.siblings ?? [], 'services')?.children ?? [];
    const runs = ({ children }: Entry) => entryAt(children, 'image') ?? entryAt(children, 'build');
    return isComposeName(path) || (!entryAt(first?.siblings ?? [], 'kind') && services.some(runs));
  },
  rows: [
    [/^services \S+$/, 'define', 'service', key],
    [/^services$/, 'define', 'network', () => 'default'],
    [/^volumes \S+$/, 'define', 'volume', key],
    [/^networks \S+$/, 'define', 'network', key],
    [/^(?:configs|secrets) \S+$/, 'define', 'compose-config', key],
    [/^include(?: (?:path|env_file)?)? ?$/, 'use', 'file', value],
    [/^services \S+ (?:extends file|env_file(?: (?:path)?)?)$/, 'use', 'file', value],
  ],
  lines: lines([[/(?<!\$)(?:\$\$)*\$(?:\{(\w+)|([A-Za-z_]\w*))/g, 'use', 'env-variable']]),
};

const prefixOf = ({ key, children }: Entry) => (valueAt(children, 'flatten') === 'true' ? '' : `${key}:`);
const TASKFILE: Form = {
  is: (path, [first]) =>
    /(?:^|\/)\.?taskfile[^/]*\.ya?ml$/i.test(path) ||
    ['version', 'tasks'].every((key) => entryAt(first?.siblings ?? [], key)),
  rows: [
    [/^tasks \S+$/, 'define', 'target', key, () => 'task'],
    [/^tasks \S+ aliases $/, 'define', 'target', value, () => 'task'],
    [/(?:^| )(?:vars|env) \S*$/, 'define', 'task-variable', (one) => one.key || one.value],
    [/^tasks .* for as$/, 'define', 'task-variable', value],
    [/^includes \S+$/, 'use', 'file', (one) => one.value || valueAt(one.children, 'taskfile'), prefixOf],
  ],
  lines: lines([[/\{\{([^{}]*)\}\}/g, 'use', 'task-variable', /"[^"]*"|(?<![\w)\]])\.([A-Za-z_]\w*)/g]]),
};

const HELM_VALUES = /(?:^|\/)values(?:[^/]*|\/[^/]+)\.ya?ml$/;
const CHART_TEMPLATE = /(?:^|\/)templates\/.*\.ya?ml$/;
const topKey = ({ key, owner }: Entry) => (owner ? '' : key);
const nearTop = ({ key, owner }: Entry) => (owner?.owner ? '' : key);

/** A file may have several. */
export const FORMS: readonly Form[] = [
  KUBERNETES,
  COMPOSE,
  TASKFILE,
  ...ANSIBLE,
  { is: () => true, rows: [[/./, 'define', 'entry', nearTop, ({ owner }) => owner?.key]] },
  { is: (path) => HELM_VALUES.test(path), rows: [[/./, 'define', 'helm-value', topKey]] },
  { is: (path) => CHART_TEMPLATE.test(path), lines: lines([[/\.Values\.(\w+)/g, 'use', 'helm-value']]) },
];
