// Ansible: plays, tasks, handlers, variables, roles and inventories.
import { ANY } from './definition.ts';
import type { Found } from './found.ts';
import { jinja, variablesIn } from './jinja.ts';
import { define, eachLine, type Form, guess, key, use, value } from './rows.ts';
import { type Entry, entryAt, valueAt } from './yaml-outline.ts';

const FOLDERS =
  /(?:^|\/)(?:tasks|handlers|defaults|vars|meta|roles|playbooks|(?:group|host)_vars|inventor(?:y|ies)|ansible)\//;
const INVENTORY = /(?:^|\/)(?:inventor(?:y|ies)(?:\/|[^/]*$)|hosts(?:[-_.][^/]*)?$)/;
const REQUIREMENTS = /(?:^|\/)requirements\.ya?ml$/;
const VARIABLES = /(?:^|\/)(?:(?:group|host)_vars\/|(?:vars|defaults)\/(?:[^/]+\/)?[^/]+$|vars?\.ya?ml$)/;
const isInventory = (path: string): boolean => INVENTORY.test(path) && !/_vars\//.test(path);

function isAnsible(path: string, entries: readonly Entry[]): boolean {
  const hasTop = (names: RegExp) => entries.some(({ owner, way }) => !owner && names.test(way));
  const isLike = FOLDERS.test(path) ? !hasTop(/^apiVersion$/) : hasTop(/^(?:hosts|import_playbook)$/);
  return isLike && !REQUIREMENTS.test(path);
}

const CONDITION = /(?:^| )(?:when|until|(?:changed|failed)_when|that|var) ?$/;
const fileOf = ({ value, children }: Entry) => value || valueAt(children, 'file');
/** `node[1:9]` is many hosts. */
const ranged = (name: string): string => (name.includes('[') ? ANY : name);
const inside = (entries: readonly Entry[]): readonly Entry[] =>
  entries.flatMap((one) => [one, ...inside(one.children)]);
const isTask = ({ key, owner }: Entry) =>
  key === '' || /^(?:handlers|block|rescue|always)$/.test(owner?.key ?? 'handlers');

export const ANSIBLE: readonly Form[] = [
  {
    is: isInventory,
    rows: [
      [/^plugin$/, define('group', () => ANY)],
      [/^plugin$/, define('host', () => ANY)],
      [/^\S+$|(?:^| )children \S+$/, define('group', key)],
      [/(?:^| )children \S+$/, guess('group', key, ({ owner }) => owner?.owner?.key)],
      [/(?:^| )hosts \S+$/, define('host', ({ key }) => ranged(key))],
      [/(?:^| )(?:vars|hosts \S+) \S+$/, define('ansible-variable', key)],
    ],
  },
  // Roles of a requirements file are brought from elsewhere.
  { is: (path) => REQUIREMENTS.test(path), rows: [[/^roles (?:name|src)$/, guess('role', value)]] },
  {
    is: (path, entries) => /(?:^|\/)handlers\//.test(path) && isAnsible(path, entries),
    rows: [[/^(?:(?:block|rescue|always) )*(?:name|listen ?)$/, define('handler', value)]],
  },
  {
    is: (path, entries) => VARIABLES.test(path) && isAnsible(path, entries),
    rows: [[/^\S+$/, define('ansible-variable', key)]],
  },
  {
    is: isAnsible,
    lines: jinja,
    rows: [
      [/(?:^| )(?:vars|set_fact) \S+$/, define('ansible-variable', key)],
      [/(?:^| )set_fact$/, define('ansible-variable', ({ value }) => value.match(/(?<!\S)\w+(?==)/g) ?? [])],
      [/(?:^| )(?:register|loop_control (?:loop|index)_var|vars_prompt name)$/, define('ansible-variable', value)],
      [/(?:^| )include_vars$/, define('ansible-variable', (one) => (fileOf(one) ? '' : ANY))],
      [/(?:^| )(?:include|import)_(?:vars|tasks|playbook)$/, use('file', fileOf)],
      [/(?:^| )vars_files $/, use('file', value)],
      [/(?:^| )handlers (?:.* )?(?:name|listen ?)$/, define('handler', (one) => (isTask(one) ? one.value : ''))],
      [/^roles (?!role$)\S+$/, guess('ansible-variable', (one) => (entryAt(one.siblings, 'role') ? one.key : ''))],
      [/(?:^| )add_host (?:name|hostname|host)$/, define('host', value)],
      [/(?:^| )add_host (?:groups|group|groupname)$/, define('group', ({ value }) => value.split(/[,\s]+/))],
      [/(?:^| )add_host (?!name|host|group)\S+$/, define('ansible-variable', key)],
      [/(?:^| )group_by$/, define('group', () => ANY)],
      [CONDITION, use('ansible-variable', ({ value }) => variablesIn(value))],
      [/^hosts$/, play],
    ],
  },
];

function play({ value, children, siblings }: Entry, found: Found): void {
  const roles = inside(siblings).filter(({ way }) => /^roles (?:role|name)?$|(?:include|import)_role name$/.test(way));
  // Each name of a pattern, also where `!` or `&` stands before it.
  const hosts = [value, ...children.map(({ value }) => value)].flatMap((one) => one.split(/[:,&!\s]+/));
  found.plays.push({ hosts: hosts.filter((one) => one !== ''), roles: roles.map(({ value }) => value) });
}

/** `[group]`, `[group:children]`, `[group:vars]`, and hosts with their variables. */
export function inventoryIni(text: string, found: Found, path: string): void {
  if (!isInventory(path)) return;
  let [section, of] = ['', ''];
  eachLine(text, found, (raw) => {
    const header = /^\s*\[([^\]:]+)(?::(\w+))?\]/.exec(raw);
    const line = raw.replace(/(?:^|\s)[#;].*/, '').trim();
    const [first = '', ...rest] = line.split(/\s+/);
    if (header) {
      [, section = '', of = ''] = header;
      found.define('group', section);
    } else if (of === 'children') found.guess('group', first, section);
    else if (of === 'vars') found.define('ansible-variable', /^\w+/.exec(first)?.[0]);
    else {
      found.define('host', ranged(first.replace(/:\d+$/, '')));
      for (const word of rest) found.define('ansible-variable', /^(\w+)=/.exec(word)?.[1]);
    }
  });
}
