// What a word may name where it stands, by its file and its place: which kind of definition settles whether it leads to something.
import type { Kind } from '../../repository/definition.ts';
import type { WordPlace } from './place.ts';

interface Names {
  readonly old: string;
  readonly new: string;
}

/** A word that is a name as a whole. */
const word = ({ old, new: now }: Names): Names => ({ old, new: now });
/** Names of several words: all of the value. */
const value = ({ left, old, new: now, right }: WordPlace): Names => ({
  old: left + old + right,
  new: left + now + right,
});

/** The one part that differs, and what stands behind it. */
export function differingPart(
  old: string,
  now: string,
  separator: string,
): (Names & { readonly rest: readonly string[] }) | undefined {
  const [a, b] = [old.split(separator), now.split(separator)];
  const at = a.findIndex((one, i) => one !== b[i]);
  const rest = a.slice(at + 1);
  if (at < 0 || a.length !== b.length || rest.join() !== b.slice(at + 1).join()) return undefined;
  return { old: a[at] as string, new: b[at] as string, rest };
}

export const partOfDotted = (old: string, now: string): Names | undefined => differingPart(old, now, '.');

/** The name at its beginning, when what follows is the same. */
function leading({ old, new: now }: Names): Names | undefined {
  const [a = '', b = ''] = [/^[A-Za-z_]\w*/.exec(old)?.[0], /^[A-Za-z_]\w*/.exec(now)?.[0]];
  return a !== '' && b !== '' && old.slice(a.length) === now.slice(b.length) ? { old: a, new: b } : undefined;
}

/** `var.x`, `local.x`, `module.x`, `data.type.name`, `type.name`, with the same attributes behind. */
function address({ old, new: now }: Names): Names | undefined {
  const [a, b] = [old.split('.'), now.split('.')];
  const size = a[0] === 'data' ? 3 : 2;
  if (a.length < size || a.slice(size).join('.') !== b.slice(size).join('.')) return undefined;
  return { old: a.slice(0, size).join('.'), new: b.slice(0, size).join('.') };
}

/** What a word names where it stands. */
interface Use {
  readonly kind: Kind;
  readonly of?: string;
  /** It could be defined in this repository only: what the table does not have is nowhere. */
  readonly isClosed?: true;
  /** The place itself defines it, to change what is defined elsewhere under the same name: a patch. */
  readonly isOwn?: true;
  /** The name, where it is more or less than the changed word. */
  readonly name?: (place: WordPlace) => Names | undefined;
}

export type Meaning = Omit<Use, 'name'> & Names;

const SERVICE: Use = { kind: 'service', isClosed: true };
const ROLE: Use = { kind: 'role', isClosed: true };
const target = (of: string): Use => ({ kind: 'target', isClosed: true, of });

const COMPOSE = /(?:^|\/)(?:docker-)?compose[^/]*\.ya?ml /i;
const TASKFILE = /(?:^|\/)taskfile[^/]*\.ya?ml /i;
const MAKE = /(?:^|\/)(?:GNU)?makefile[^/]* |\.mk /i;
const JUST = /(?:^|\/)\.?justfile |\.just /i;
const ANSIBLE = /(?:^|\/)(?:roles|playbooks|tasks|handlers|group_vars|host_vars|ansible)\/| -$/;

/** Path and first key, the word's role with its keys, and the word between what stands around it → what it names there. */
const USES: readonly (readonly [file: RegExp, way: RegExp, around: RegExp, use: Use])[] = [
  [/\.py /, /^(?!key)/, /./, { kind: 'python-name', name: ({ old, new: now }) => partOfDotted(old, now) }],
  [/\.(?:tf|tofu) /, /^(?!key)/, /(?<!["\w])‹/, { kind: 'terraform', isClosed: true, name: address }],
  [COMPOSE, /^key services \S+ depends_on$|^value services \S+ (?:depends_on|links) -$/, /^‹/, SERVICE],
  [COMPOSE, /^value services \S+ network_mode$/, /^service:‹/, SERVICE],
  [COMPOSE, /^value services \S+ volumes -$/, /^‹[^./]+›:/, { kind: 'volume', isClosed: true }],
  [
    COMPOSE,
    /^(?:key services \S+ networks|value services \S+ networks -)$/,
    /^‹.*›$/,
    { kind: 'network', isClosed: true },
  ],
  [COMPOSE, /^value services \S+ (?:secrets|configs) -$/, /^‹.*›$/, { kind: 'compose-config', isClosed: true }],
  [TASKFILE, /^value .*(?:deps|task)(?: -)?$/, /./, { ...target('task'), name: value }],
  [ANSIBLE, /^value .*(?:notify|listen)(?: -)?$/, /./, { kind: 'handler', name: value }],
  [ANSIBLE, /^value (?:.* )?roles?(?: -)?$|^value .*(?:include|import)_role name$/, /^‹[^.]+›$/, ROLE],
  [ANSIBLE, /^value - hosts$/, /./, { kind: 'group' }],
  [MAKE, /^token/, /\$[({]‹.*›[)}]/, { kind: 'make-variable' }],
  [MAKE, /^token/, /^(?!\.PHONY\s*:)[^\t#=‹][^=‹]*:(?!=).*(?<!\$[({])‹/, target('make')],
  [JUST, /^token/, /^[\w@-]+[^:=‹]*:(?!=).*‹/, target('just')],
  [/./, /^operand make $/, /./, target('make')],
  [/./, /^operand just $/, /./, target('just')],
  [/./, /^operand (?:go-)?task $/, /./, target('task')],
  [/./, /^operand \S+ (?:-n|--namespace)$/, /./, { kind: 'object', of: 'Namespace' }],
  [/./, /^operand (?:kubectl|flux) (?!-n$|--namespace$)/, /./, { kind: 'object', name: lastOfSlash }],
  [/./, /^program/, /./, { kind: 'shell-function' }],
];

function lastOfSlash({ old, new: now }: Names): Names | undefined {
  const other = differingPart(old, now, '/');
  return other?.rest.length === 0 ? other : undefined;
}

/** Every meaning that the word may have; most have none. */
export function meaningsOf(place: WordPlace): Meaning[] {
  const { path, keys, role, left, old, right } = place;
  if (role === 'option') return [];
  const [file, way, around] = [`${path} ${keys[0]}`, `${role} ${keys.join(' ')}`, `${left}‹${old}›${right}`];
  const uses: readonly Use[] =
    usesInExpression(place) ??
    usesInManifest(place) ??
    USES.filter(([a, b, c]) => a.test(file) && b.test(way) && c.test(around)).map(([, , , use]) => use);
  return uses.flatMap(({ name = word, ...use }) => {
    const names = name(place);
    return names ? [{ ...use, old: names.old, new: names.new }] : [];
  });
}

/** Inside `{{ … }}`, `{% … %}`, `${…}` and `$(…)` words are variables; undefined elsewhere. */
function usesInExpression({ path, role, left, right, keys }: WordPlace): Use[] | undefined {
  if (role === 'key' || /\.(?:tf|tofu|py)$/.test(path)) return undefined;
  const file = `${path} `;
  const isOpen = (open: string, close: string) => left.lastIndexOf(open) > left.lastIndexOf(close);
  const key = keys.findLast((each) => each !== '-') ?? '';
  if (isOpen('{{', '}}') || isOpen('{%', '%}') || /^(?:when|until|changed_when|failed_when|that|var)$/.test(key)) {
    if (JUST.test(file)) return [{ kind: 'just-variable', isClosed: true, name: leading }];
    if (TASKFILE.test(file)) return [{ kind: 'task-variable', name: leadingBehindDot }];
    if (/groups\[["']$/.test(left) && /^["']\]/.test(right)) return [{ kind: 'group' }];
    // What follows a dot, a filter's bar or stands in quotes is no variable.
    return /(?:\.|\|\s*|["'])$/.test(left) ? [] : [{ kind: 'ansible-variable', name: leading }];
  }
  if (!/\$\{?$/.test(left) || MAKE.test(file)) return undefined;
  const isOfEnvironment = COMPOSE.test(file) || /\.env$/.test(path);
  const kinds = isOfEnvironment ? [] : (['shell-variable', 'make-variable'] as const);
  return [...kinds, 'env-variable' as const].map((kind) => ({ kind, name: leading }));
}

const leadingBehindDot = ({ old, new: now }: Names): Names | undefined =>
  leading({ old: old.replace(/^\./, ''), new: now.replace(/^\./, '') });

/** Kinds that a key calls otherwise than they are called. */
const CALLED: Readonly<Record<string, string>> = { claim: 'PersistentVolumeClaim', backend: 'Service' };

/** The kind of object that a key names: `secretKeyRef`, `existingClaim`, `storageClassName`, `namespace`; undefined: none. */
function kindOfKey(key: string): string | undefined {
  const [, reference, existing] = /^(\w+?)(?:Key)?(?:Refs?|Name|From)$|^existing(\w+)$|^namespace$/.exec(key) ?? [];
  const name = reference ?? existing ?? (key === 'namespace' ? key : undefined);
  return name && (CALLED[name.toLowerCase()] ?? name.charAt(0).toUpperCase() + name.slice(1));
}

/** Whole values of a Kubernetes object may refer to another; undefined elsewhere. */
function usesInManifest({ role, keys, left, right, document }: WordPlace): Use[] | undefined {
  if (role !== 'value' || document?.kind === undefined || document.apiVersion === undefined) return undefined;
  const [key = '', above = ''] = keys.filter((each) => each !== '-').reverse();
  const holder = key === 'name' ? above : key;
  const isOwn = key === 'name' && above === 'metadata';
  const ofKind = isOwn || (key === 'name' && above === 'dependsOn') ? document.kind : undefined;
  const named = kindOfKey(holder);
  const of = ofKind ?? (named && key === 'name' ? document.beside?.kind : undefined) ?? named;
  if (left + right !== '' || of === undefined) return [];
  return [{ kind: 'object', of, ...(isOwn && { isOwn }) }];
}
