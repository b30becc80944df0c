// What a word may name where it stands, by its file and its place: which kind of definition settles whether it leads to something.
import { basename } from 'node:path/posix';
import type { Kind } from '../../repository/definition.ts';
import type { WordPlace } from './place.ts';

export interface Meaning {
  readonly kind: Kind;
  readonly of?: string | undefined;
  /** It could be defined in this repository only: what the table does not have is nowhere. */
  readonly isClosed: boolean;
  /** The place itself defines it, to change what is defined elsewhere under the same name: a patch. */
  readonly isOwn?: true;
  /** The name before and after, where it is only a part of the changed word. */
  readonly old: string;
  readonly new: string;
}

const isCompose = (path: string): boolean => /^(?:docker-)?compose[^/]*\.ya?ml$/i.test(basename(path));
const isTaskfile = (path: string): boolean => /^taskfile[^/]*\.ya?ml$/i.test(basename(path));
const isAnsible = (path: string, keys: readonly string[]): boolean =>
  /(?:^|\/)(?:roles|playbooks|tasks|handlers|group_vars|host_vars|ansible)\//.test(path) || keys[0] === '-';

/** Keys of manifests whose value names another object, by the object's kind; '' where a `kind` beside it says so. */
const REFERENCES: Readonly<Record<string, string>> = {
  sourceRef: '',
  chartRef: '',
  targetRef: '',
  scaleTargetRef: '',
  issuerRef: '',
  secretRef: 'Secret',
  secretKeyRef: 'Secret',
  configMapRef: 'ConfigMap',
  configMapKeyRef: 'ConfigMap',
  claimName: 'PersistentVolumeClaim',
  existingClaim: 'PersistentVolumeClaim',
  storageClassName: 'StorageClass',
  ingressClassName: 'IngressClass',
  secretName: 'Secret',
  existingSecret: 'Secret',
  valuesFrom: '',
  substituteFrom: '',
  namespace: 'Namespace',
  parentRefs: '',
  backendRefs: 'Service',
};

/** Every meaning that the word may have; most have none. */
export function meaningsOf(place: WordPlace): Meaning[] {
  const { path, old, new: now, role } = place;
  if (role === 'option') return [];
  if (role === 'key') return composeKey(place);
  const whole = { old, new: now };
  if (/\.(?:tf|tofu)$/.test(path)) return terraform(place);
  if (/\.py$/.test(path)) return named('python-name', false, lastParts(old, now));
  const expression = inExpression(place);
  if (expression) return expression;
  if (/(?:^|\/)(?:GNU)?makefile[^/]*$|\.mk$/i.test(path)) return make(place);
  if (/(?:^|\/)\.?justfile$|\.just$/i.test(path))
    return /^[\w@-]+[^:=]*:(?!=)/.test(place.left) ? target('just', place) : [];
  if (role === 'program') return [{ kind: 'shell-function', isClosed: false, ...whole }];
  if (role === 'operand') return operand(place);
  if (role === 'value' && place.document) return yamlValue(place);
  return [];
}

const named = (
  kind: Kind,
  isClosed: boolean,
  pair: Pick<Meaning, 'old' | 'new'> | undefined,
  of?: string,
): Meaning[] => (pair ? [{ kind, isClosed, ...pair, ...(of !== undefined && { of }) }] : []);
const target = (of: string, { old, new: now }: WordPlace): Meaning[] => named('target', true, { old, new: now }, of);

/** The short form of a list is a mapping whose keys are names. */
function composeKey({ path, keys, old, new: now }: WordPlace): Meaning[] {
  const [top, , section] = keys;
  if (!isCompose(path) || top !== 'services' || keys.length !== 3) return [];
  if (section === 'depends_on') return named('service', true, { old, new: now });
  return section === 'networks' ? named('network', true, { old, new: now }) : [];
}

/** The one part between dots that differs. */
export function lastParts(old: string, now: string): Pick<Meaning, 'old' | 'new'> | undefined {
  const [a, b] = [old.split('.'), now.split('.')];
  const other = a.flatMap((part, i) => (part === b[i] ? [] : [i]));
  const [at] = other;
  return a.length === b.length && other.length === 1 && at !== undefined
    ? { old: a[at] as string, new: b[at] as string }
    : undefined;
}

/** The name that a word begins with, when what follows is the same. */
function leading(old: string, now: string): Pick<Meaning, 'old' | 'new'> | undefined {
  const [a = '', b = ''] = [/^[A-Za-z_]\w*/.exec(old)?.[0], /^[A-Za-z_]\w*/.exec(now)?.[0]];
  return a !== '' && b !== '' && old.slice(a.length) === now.slice(b.length) ? { old: a, new: b } : undefined;
}

/** Inside `{{ … }}`, `{% … %}`, `${…}` and `$(…)` words are variables. */
function inExpression({ path, left, right, old, new: now, keys }: WordPlace): Meaning[] | undefined {
  const isOpen = (open: string, close: string) => left.lastIndexOf(open) > left.lastIndexOf(close);
  const isJinja =
    isOpen('{{', '}}') ||
    isOpen('{%', '%}') ||
    /^(?:when|until|changed_when|failed_when|that|var)$/.test(keys.findLast((key) => key !== '-') ?? '');
  if (isJinja && /\.just$|justfile$/i.test(path)) return named('just-variable', true, leading(old, now));
  if (isJinja && isTaskfile(path))
    return named('task-variable', false, leading(old.replace(/^\./, ''), now.replace(/^\./, '')));
  if (isJinja) {
    // What follows a dot, a filter's bar or stands in quotes is no variable.
    if (/groups\[["']$/.test(left) && /^["']\]/.test(right)) return named('group', false, { old, new: now });
    if (/(?:\.|\|\s*|["'])$/.test(left)) return [];
    return named('ansible-variable', false, leading(old, now));
  }
  if (/\$\{?$/.test(left) && !/(?:^|\/)(?:GNU)?[Mm]akefile|\.mk$/.test(path)) {
    if (isCompose(path) || /\.env$/.test(path)) return named('env-variable', false, leading(old, now));
    return [
      ...named('shell-variable', false, leading(old, now)),
      ...named('env-variable', false, leading(old, now)),
      ...named('make-variable', false, leading(old, now)),
    ];
  }
  return undefined;
}

/** `var.x`, `local.x`, `module.x`, `data.type.name`, `type.name`, with attributes behind. */
function terraform({ old, new: now, left, role }: WordPlace): Meaning[] {
  if (role === 'key' || /["\w]$/.test(left)) return [];
  const [a, b] = [old.split('.'), now.split('.')];
  const size = a[0] === 'data' ? 3 : 2;
  if (a.length < size || a.slice(size).join('.') !== b.slice(size).join('.')) return [];
  return named('terraform', true, { old: a.slice(0, size).join('.'), new: b.slice(0, size).join('.') });
}

function make(place: WordPlace): Meaning[] {
  const { left, right, old, new: now } = place;
  if (/\$[({]$/.test(left) && /^[)}]/.test(right)) return named('make-variable', false, { old, new: now });
  const isPrerequisite = /^[^\t#=][^=]*:(?!=)/.test(left);
  const isPhony = /^\.PHONY\s*:/.test(left);
  return isPrerequisite && !isPhony ? target('make', place) : [];
}

const RUNNERS: Readonly<Record<string, string>> = { make: 'make', just: 'just', task: 'task', 'go-task': 'task' };

function operand(place: WordPlace): Meaning[] {
  const { old, new: now, keys } = place;
  const [program = '', option = ''] = keys;
  const of = RUNNERS[program];
  if (of !== undefined && option === '') return target(of, place);
  if (/^(?:-n|--namespace)$/.test(option)) return named('object', false, { old, new: now }, 'Namespace');
  return program === 'kubectl' || program === 'flux' ? named('object', false, lastOfSlash(old, now)) : [];
}

const lastOfSlash = (old: string, now: string): Pick<Meaning, 'old' | 'new'> | undefined => {
  const [a, b] = [old.split('/'), now.split('/')];
  return a.length === b.length && a.slice(0, -1).join() === b.slice(0, -1).join()
    ? { old: a.at(-1) as string, new: b.at(-1) as string }
    : undefined;
};

function yamlValue(place: WordPlace): Meaning[] {
  const { path, keys, left, right, old, new: now, document } = place;
  const isWhole = left === '' && right === '';
  const steps = keys.filter((key) => key !== '-');
  const key = steps.at(-1) ?? '';
  const whole = { old, new: now };
  if (isCompose(path)) return compose(place, steps);
  if (isTaskfile(path)) {
    const name = { old: left + old + right, new: left + now + right };
    return key === 'deps' || key === 'task' ? named('target', true, name, 'task') : [];
  }
  if (document?.kind !== undefined && document.apiVersion !== undefined) return manifest(place, steps);
  if (!isAnsible(path, keys)) return [];
  // Handlers and groups of several words are one name.
  const name = { old: left + old + right, new: left + now + right };
  if (key === 'notify' || key === 'listen') return named('handler', false, name);
  if (isWhole && (key === 'roles' || key === 'role') && !old.includes('.')) return named('role', true, whole);
  if (isWhole && key === 'name' && /(?:^|\.)(?:include|import)_role$/.test(steps.at(-2) ?? '') && !old.includes('.'))
    return named('role', true, whole);
  if (key === 'hosts' && keys.length <= 2) return named('group', false, whole);
  return [];
}

function compose({ keys, left, right, old, new: now }: WordPlace, steps: readonly string[]): Meaning[] {
  const whole = { old, new: now };
  const [top, , section] = steps;
  if (top !== 'services') return [];
  if (section === 'depends_on' || section === 'links') return left === '' ? named('service', true, whole) : [];
  if (section === 'network_mode' && left === 'service:') return named('service', true, whole);
  const isItem = keys.at(-1) === '-';
  if (section === 'volumes' && isItem && left === '' && right.startsWith(':') && !/[./]/.test(old + now))
    return named('volume', true, whole);
  if (section === 'networks' && isItem && left + right === '') return named('network', true, whole);
  return (section === 'secrets' || section === 'configs') && isItem && left + right === ''
    ? named('compose-config', true, whole)
    : [];
}

/** A reference of one object to another. */
function manifest({ left, right, old, new: now, document }: WordPlace, steps: readonly string[]): Meaning[] {
  if (left !== '' || right !== '') return [];
  const whole = { old, new: now };
  const [above = '', key = ''] = [steps.at(-2), steps.at(-1)];
  const beside = document?.beside?.kind;
  if (key === 'name' && above === 'metadata' && document?.kind !== undefined)
    return [{ kind: 'object', of: document.kind, isClosed: false, isOwn: true, ...whole }];
  if (key === 'name' && above === 'dependsOn') return named('object', false, whole, document?.kind);
  const holder = key === 'name' ? above : key;
  const kind = REFERENCES[holder];
  if (kind === undefined) return [];
  const of = kind || beside || (holder === 'issuerRef' ? 'Issuer' : undefined);
  return of === undefined ? [] : named('object', false, whole, of);
}
