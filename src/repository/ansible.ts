// Ansible: plays, tasks, handlers, variables, roles and inventories.
import { ANY, type Play } from './definition.ts';
import { condition, jinja } from './jinja.ts';
import { eachLine, type Found } from './names.ts';
import { type Entry, key, type Row, readRows, value, valueAt } from './yaml-outline.ts';

const FOLDERS =
  /(?:^|\/)(?:tasks|handlers|defaults|vars|meta|roles|playbooks|(?:group|host)_vars|inventor(?:y|ies)|ansible)\//;
const VARIABLE_FILE = /(?:^|\/)(?:(?:group|host)_vars\/|(?:vars|defaults)\/(?:[^/]+\/)?[^/]+$|vars?\.ya?ml$)/;
const INVENTORY = /(?:^|\/)(?:inventor(?:y|ies)(?:\/|[^/]*$)|hosts(?:[-_.][^/]*)?$)/;
const isInventory = (path: string): boolean => INVENTORY.test(path) && !/_vars\//.test(path);

const fileOf = ({ value, children }: Entry) => value || valueAt(children, 'file');
/** `node[1:9]` is many hosts. */
const ranged = (name: string): string => (name.includes('[') ? ANY : name);
const inside = (entries: readonly Entry[]): readonly Entry[] =>
  entries.flatMap((one) => [one, ...inside(one.children)]);
const words = ({ value }: Entry) => value.split(/[,\s]+/);

const ROWS: readonly Row[] = [
  [/(?:^| )(?:vars|set_fact) \S+$/, 'define', 'ansible-variable', key],
  [
    /(?:^| )set_fact$/,
    'define',
    'ansible-variable',
    ({ value }) => [...value.matchAll(/(?:^|\s)(\w+)=/g)].flatMap(([, name]) => name ?? []),
  ],
  [/(?:^| )(?:register|loop_control (?:loop|index)_var|vars_prompt name)$/, 'define', 'ansible-variable', value],
  [/(?:^| )include_vars$/, 'define', 'ansible-variable', (one) => (fileOf(one) ? '' : ANY)],
  [/(?:^| )(?:include|import)_(?:vars|tasks|playbook)$/, 'include', fileOf],
  [/(?:^| )vars_files $/, 'include', value],
  [/(?:^| )handlers (?:.* )?(?:name|listen ?)$/, 'define', 'handler', (one) => (isTask(one) ? one.value : '')],
  [/^roles (?!role$)\S+$/, 'guess', 'ansible-variable', (one) => (valueAt(one.siblings, 'role') ? one.key : '')],
  [/(?:^| )add_host (?:name|hostname|host)$/, 'define', 'host', value],
  [/(?:^| )add_host (?:groups|group|groupname)$/, 'define', 'group', words],
  [/(?:^| )add_host (?!name|host|group)\S+$/, 'define', 'ansible-variable', key],
  [/(?:^| )group_by$/, 'define', 'group', () => ANY],
];
const isTask = ({ key, owner }: Entry) =>
  key === '' || /^(?:handlers|block|rescue|always)$/.test(owner?.key ?? 'handlers');

const ROLE = /^roles (?:role|name)?$|(?:include|import)_role name$/;

const IN_HANDLERS: readonly Row[] = [[/^(?:(?:block|rescue|always) )*(?:name|listen ?)$/, 'define', 'handler', value]];
const IN_VARIABLES: readonly Row[] = [[/^\S+$/, 'define', 'ansible-variable', key]];
/** Roles of a requirements file are brought from elsewhere. */
const IN_REQUIREMENTS: readonly Row[] = [[/^roles (?:name|src)$/, 'guess', 'role', value]];
const IN_INVENTORY: readonly Row[] = [
  [/^plugin$/, 'define', 'group', () => ANY],
  [/^plugin$/, 'define', 'host', () => ANY],
  [/^\S+$|(?:^| )children \S+$/, 'define', 'group', key],
  [/(?:^| )hosts \S+$/, 'define', 'host', ({ key }) => ranged(key)],
  [/(?:^| )(?:vars|hosts \S+) \S+$/, 'define', 'ansible-variable', key],
];

function isAnsible(path: string, entries: readonly Entry[]): boolean {
  const hasKey = (...keys: string[]) => entries.some(({ key, path }) => path.length === 0 && keys.includes(key));
  return FOLDERS.test(path)
    ? !hasKey('apiVersion')
    : hasKey('hosts', 'import_playbook', 'ansible.builtin.import_playbook');
}

export function ansible(path: string, text: string, entries: readonly Entry[], found: Found): void {
  if (isInventory(path)) {
    readRows(entries, IN_INVENTORY, found);
    for (const { key: child, path: above } of entries)
      if (above.at(-1) === 'children') found.guess('group', child, above.at(-2));
  }
  const isRequirements = /(?:^|\/)requirements\.ya?ml$/.test(path);
  if (isRequirements) readRows(entries, IN_REQUIREMENTS, found);
  if (isRequirements || !isAnsible(path, entries)) return;
  readRows(entries, ROWS, found);
  if (/(?:^|\/)handlers\//.test(path)) readRows(entries, IN_HANDLERS, found);
  if (VARIABLE_FILE.test(path)) readRows(entries, IN_VARIABLES, found);
  for (const entry of entries) {
    found.line = entry.line;
    if (entry.key === 'hosts' && entry.path.length === 0) found.plays.push(playOf(entry));
    if (/^(?:when|until|(?:changed|failed)_when|that|var)$/.test(entry.key || (entry.owner?.key ?? '')))
      condition(entry.value, found);
  }
  jinja(text, found);
}

function playOf({ value, children, siblings }: Entry): Play {
  const roles = inside(siblings).filter(({ key, path }) => ROLE.test([...path, key].join(' ')));
  // Each name of a pattern, also where `!` or `&` stands before it.
  const hosts = [value, ...children.map(({ value }) => value)].flatMap((one) => one.split(/[:,&!\s]+/));
  return { hosts: hosts.filter((one) => one !== ''), roles: roles.map(({ value }) => value) };
}

/** `[group]`, `[group:children]`, `[group:vars]`, and hosts with their variables. */
export function inventoryIni(text: string, found: Found, path: string): void {
  if (!isInventory(path)) return;
  let kind = '';
  let parent = '';
  eachLine(text, found, (raw) => {
    const [, group, of = ''] = /^\s*\[([^\]:]+)(?::(\w+))?\]/.exec(raw) ?? [];
    const [first = '', ...rest] = raw
      .replace(/(?:^|\s)[#;].*/, '')
      .trim()
      .split(/\s+/);
    if (group !== undefined) {
      kind = of;
      parent = group;
      found.define('group', group);
    } else if (kind === 'children') found.guess('group', first, parent);
    else if (kind === 'vars') found.define('ansible-variable', /^\w+/.exec(first)?.[0]);
    else {
      found.define('host', ranged(first.replace(/:\d+$/, '')));
      for (const word of rest) found.define('ansible-variable', /^(\w+)=/.exec(word)?.[1]);
    }
  });
}
