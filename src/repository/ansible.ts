// Ansible: plays, tasks, handlers, variables, roles and inventories.
import { ANY } from './definition.ts';
import { condition, jinja } from './jinja.ts';
import type { Found } from './names.ts';
import { type Entry, entryAt, valueAt } from './yaml-outline.ts';

const FOLDERS =
  /(?:^|\/)(?:tasks|handlers|defaults|vars|meta|roles|playbooks|group_vars|host_vars|inventor(?:y|ies)|ansible)\//;
const VARIABLE_FILE = /(?:^|\/)(?:(?:group|host)_vars\/|(?:vars|defaults)\/(?:[^/]+\/)?[^/]+$|vars?\.ya?ml$)/;
const INVENTORY = /(?:^|\/)(?:inventor(?:y|ies)(?:\/|[^/]*$)|hosts(?:[-_.][^/]*)?$)/;
export const isInventory = (path: string): boolean => INVENTORY.test(path) && !/_vars\//.test(path);

const CONDITIONS = new Set(['when', 'until', 'changed_when', 'failed_when', 'that', 'var']);
const TASKS = new Set(['tasks', 'pre_tasks', 'post_tasks', 'handlers', 'block', 'rescue', 'always']);
const short = (key: string): string => key.replace(/^ansible\.(?:builtin|legacy)\./, '');

function isAnsible(path: string, entries: readonly Entry[]): boolean {
  if (FOLDERS.test(path)) return !entries.some(({ key, path }) => key === 'apiVersion' && path.length === 0);
  return entries.some(({ key, path }) => path.length === 0 && (key === 'hosts' || short(key) === 'import_playbook'));
}

export function ansible(path: string, text: string, entries: readonly Entry[], found: Found): void {
  if (isInventory(path)) inventoryYaml(entries, found);
  if (!isAnsible(path, entries)) return;
  jinja(text, found);
  groupOfVariables(path, found);
  const isHandlers = /(?:^|\/)handlers\//.test(path);
  for (const entry of entries) {
    const { key, value, line, path: above } = entry;
    if (above.length === 0 && VARIABLE_FILE.test(path)) found.define('ansible-variable', key, line);
    if (above.length === 0 && key === 'hosts') hostPattern(value, line, found);
    if (above.at(-1) === 'hosts' && key === '' && above.length === 1) hostPattern(value, line, found);
    variables(entry, found);
    const isHandler = above.includes('handlers') || isHandlers;
    const isOfTask = above.length === 0 || TASKS.has(above.at(-1) as string);
    if (isHandler && ((isOfTask && (key === 'name' || key === 'listen')) || above.at(-1) === 'listen'))
      found.define('handler', value, line);
    if (key === 'notify' || above.at(-1) === 'notify') found.use('handler', value, line);
    role(path, entry, found);
    if (CONDITIONS.has(key) || CONDITIONS.has(above.at(-1) as string)) condition(value, line, found);
    if (key === 'delegate_to') found.use('host', value, line);
    if (short(above.at(-1) ?? '') === 'add_host' && key !== '') added(entry, found);
    if (short(key) === 'group_by') found.define('group', ANY, line);
  }
}

function variables({ key, value, line, path, children, siblings }: Entry, found: Found): void {
  const define = (name: string) => found.define('ansible-variable', name, line);
  const above = short(path.at(-1) ?? '');
  if (above === 'vars' || above === 'set_fact') define(key === '<<' ? ANY : key);
  if (key === 'register' || ((key === 'loop_var' || key === 'index_var') && above === 'loop_control')) define(value);
  if (above === 'vars_prompt' && key === 'name') define(value);
  if (above === 'vars_files' && key === '') found.include(value);
  if (/^(?:import_tasks|include_tasks|include|import_playbook)$/.test(short(key)))
    found.include(value || valueAt(children, 'file'));
  if (short(key) === 'include_vars') {
    const file = value || valueAt(children, 'file');
    if (file) found.include(file);
    else define(ANY);
  }
  // `set_fact: a=b`, and what stands beside a role's name.
  if (short(key) === 'set_fact') for (const [, name] of value.matchAll(/(?:^|\s)(\w+)=/g)) define(name as string);
  if (above === 'roles' && key !== '' && key !== 'role' && entryAt(siblings, 'role'))
    found.guess('ansible-variable', key, line);
}

function role(path: string, { key, value, line, path: above, siblings }: Entry, found: Found): void {
  const parent = short(above.at(-1) ?? '');
  const isInList = parent === 'roles' || (parent === 'dependencies' && /(?:^|\/)meta\//.test(path));
  // Roles of a requirements file are brought from elsewhere.
  if (/(?:^|\/)requirements\.ya?ml$/.test(path)) {
    if (parent === 'roles' && (key === 'name' || (key === 'src' && !entryAt(siblings, 'name'))))
      found.guess('role', value, line);
  } else if (isInList && (key === '' || key === 'role' || (key === 'name' && !entryAt(siblings, 'role'))))
    found.use('role', value, line);
  if ((parent === 'include_role' || parent === 'import_role') && key === 'name') found.use('role', value, line);
}

function added({ key, value, line }: Entry, found: Found): void {
  const isName = key === 'name' || key === 'hostname' || key === 'host';
  if (isName) found.define('host', value, line);
  if (key === 'groups' || key === 'group' || key === 'groupname')
    for (const name of value.split(/[,\s]+/)) found.define('group', name, line);
  if (!isName && !key.startsWith('group')) found.define('ansible-variable', key, line);
}

/** Patterns of hosts are parted by colon or comma; `!` and `&` stand before a name. */
function hostPattern(value: string, line: number, found: Found): void {
  if (value.includes('{{')) return;
  for (const part of value.split(/[:,]/)) {
    const name = part.trim().replace(/^[!&]/, '').replace(/\[.*/, '');
    for (const kind of ['group', 'host'] as const) if (/^[\w.-]+$/.test(name)) found.use(kind, name, line);
  }
}

function groupOfVariables(path: string, found: Found): void {
  const [, kind, name] = /(?:^|\/)(group|host)_vars\/([^/]+)/.exec(path) ?? [];
  if (name) found.use(kind as 'group' | 'host', name.replace(/\.(?:ya?ml|json)$/, ''), 1);
}

function inventoryYaml(entries: readonly Entry[], found: Found): void {
  for (const { key, line, path } of entries) {
    const above = path.at(-1);
    if (path.length === 0 && key === 'plugin')
      for (const kind of ['group', 'host'] as const) found.define(kind, ANY, line);
    if (above === 'vars') found.define('ansible-variable', key, line);
    if ((path.length === 0 || above === 'children') && key !== '') found.define('group', key, line);
    if (above === 'children' && key !== '') found.use('group', key, line, path.at(-2));
    if (above === 'hosts' && key !== '') found.define('host', ranged(key), line);
    if (path.at(-2) === 'hosts') found.define('ansible-variable', key, line);
  }
}

/** `node[1:9]` is many hosts. */
const ranged = (name: string): string => (name.includes('[') ? ANY : name);

/** `[group]`, `[group:children]`, `[group:vars]`, and hosts with their variables. */
export function inventoryIni(text: string, found: Found): void {
  let kind = '';
  let parent = '';
  text.split(/\r?\n/).forEach((raw, i) => {
    const [, group, of] = /^\s*\[([^\]:]+)(?::(\w+))?\]/.exec(raw) ?? [];
    if (group !== undefined) {
      kind = of ?? 'hosts';
      parent = group;
      found.define('group', group, i + 1);
      return;
    }
    const [first = '', ...rest] = raw
      .replace(/(?:^|\s)[#;].*/, '')
      .trim()
      .split(/\s+/);
    if (first === '') return;
    if (kind === 'children') found.use('group', first, i + 1, parent);
    else if (kind === 'vars') found.define('ansible-variable', /^[\w]+/.exec(first)?.[0] ?? '', i + 1);
    else found.define('host', ranged(first.replace(/:\d+$/, '')), i + 1);
    for (const word of kind === 'vars' || kind === 'children' ? [] : rest)
      found.define('ansible-variable', /^(\w+)=/.exec(word)?.[1] ?? '', i + 1);
  });
}
