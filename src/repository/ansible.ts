// Ansible: plays, tasks, handlers, variables, roles and inventories.
import { ANY } from './definition.ts';
import { condition, jinja } from './jinja.ts';
import { eachLine, type Found } from './names.ts';
import { type Entry, valueAt } from './yaml-outline.ts';
import { key, type Row, readRows, value } from './yaml-rows.ts';

const FOLDERS =
  /(?:^|\/)(?:tasks|handlers|defaults|vars|meta|roles|playbooks|(?:group|host)_vars|inventor(?:y|ies)|ansible)\//;
const VARIABLE_FILE = /(?:^|\/)(?:(?:group|host)_vars\/|(?:vars|defaults)\/(?:[^/]+\/)?[^/]+$|vars?\.ya?ml$)/;
const INVENTORY = /(?:^|\/)(?:inventor(?:y|ies)(?:\/|[^/]*$)|hosts(?:[-_.][^/]*)?$)/;
export const isInventory = (path: string): boolean => INVENTORY.test(path) && !/_vars\//.test(path);

const fileOf = ({ value, children }: Entry) => value || valueAt(children, 'file');
/** `node[1:9]` is many hosts. */
const ranged = (name: string): string => (name.includes('[') ? ANY : name);
/** Of a pattern of hosts: parted by colon or comma, and `!` or `&` may stand before a name. */
const hosts = ({ value }: Entry) =>
  value.includes('{{') ? [] : [...value.matchAll(/(?<![\w.[-])[\w.-]+(?!\])/g)].map(([name]) => name);
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
  [/^hosts ?$/, 'use', 'group', hosts],
  [/^hosts ?$/, 'use', 'host', hosts],
  [/(?:^| )delegate_to$/, 'use', 'host', value],
  [/(?:^| )notify ?$/, 'use', 'handler', value],
  [/(?:^| )handlers (?:.* )?(?:name|listen ?)$/, 'define', 'handler', (one) => (isTask(one) ? one.value : '')],
  [/(?:^| )(?:include|import)_role name$/, 'use', 'role', value],
  [/^(?:roles|dependencies) (?:role)?$/, 'use', 'role', value],
  [/^(?:roles|dependencies) name$/, 'use', 'role', (one) => (valueAt(one.siblings, 'role') ? '' : one.value)],
  [/^roles (?!role$)\S+$/, 'guess', 'ansible-variable', (one) => (valueAt(one.siblings, 'role') ? one.key : '')],
  [/(?:^| )add_host (?:name|hostname|host)$/, 'define', 'host', value],
  [/(?:^| )add_host (?:groups|group|groupname)$/, 'define', 'group', words],
  [/(?:^| )add_host (?!name|host|group)\S+$/, 'define', 'ansible-variable', key],
  [/(?:^| )group_by$/, 'define', 'group', () => ANY],
];
const isTask = ({ key, owner }: Entry) =>
  key === '' || /^(?:handlers|block|rescue|always)$/.test(owner?.key ?? 'handlers');

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
      if (above.at(-1) === 'children') found.use('group', child, above.at(-2));
  }
  const isRequirements = /(?:^|\/)requirements\.ya?ml$/.test(path);
  if (isRequirements) readRows(entries, IN_REQUIREMENTS, found);
  if (isRequirements || !isAnsible(path, entries)) return;
  readRows(entries, ROWS, found);
  if (/(?:^|\/)handlers\//.test(path)) readRows(entries, IN_HANDLERS, found);
  if (VARIABLE_FILE.test(path)) readRows(entries, IN_VARIABLES, found);
  for (const entry of entries) {
    found.line = entry.line;
    if (/^(?:when|until|(?:changed|failed)_when|that|var)$/.test(entry.key || (entry.owner?.key ?? '')))
      condition(entry.value, found);
  }
  jinja(text, found);
  const [, kind, name] = /(?:^|\/)(group|host)_vars\/([^/]+?)(?:\.ya?ml)?(?:\/|$)/.exec(path) ?? [];
  found.use(kind as 'group' | 'host', name);
}

/** `[group]`, `[group:children]`, `[group:vars]`, and hosts with their variables. */
export function inventoryIni(text: string, found: Found): void {
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
    } else if (kind === 'children') found.use('group', first, parent);
    else if (kind === 'vars') found.define('ansible-variable', /^\w+/.exec(first)?.[0]);
    else {
      found.define('host', ranged(first.replace(/:\d+$/, '')));
      for (const word of rest) found.define('ansible-variable', /^(\w+)=/.exec(word)?.[1]);
    }
  });
}
