// Ansible: plays, tasks, handlers, variables, roles, inventories, and Jinja in any file.
import { ANY } from './definition.ts';
import { eachLine, type Form, type Found, key, unquoted, value } from './rows.ts';
import { type Entry, entryAt, valueAt } from './yaml-outline.ts';

const FOLDERS =
  /(?:^|\/)(?:tasks|handlers|defaults|vars|meta|roles|playbooks|(?:group|host)_vars|inventor(?:y|ies)|ansible)\//;
const INVENTORY = /(?:^|\/)(?:inventor(?:y|ies)(?:\/|[^/]*$)|hosts(?:[-_.][^/]*)?$)/;
const REQUIREMENTS = /(?:^|\/)requirements\.ya?ml$/;
const VARIABLES = /(?:^|\/)(?:(?:group|host)_vars\/|(?:vars|defaults)\/(?:[^/]+\/)?[^/]+$|vars?\.ya?ml$)/;
const isInventory = (path: string): boolean => INVENTORY.test(path) && !/_vars\//.test(path);

/** Of those whose path is like this. */
function isAnsibleIn(place: RegExp): Form['is'] {
  return (path, entries) => {
    const hasTop = (names: RegExp) => entries.some(({ owner, way }) => !owner && names.test(way));
    const isLike = FOLDERS.test(path) ? !hasTop(/^apiVersion$/) : hasTop(/^(?:hosts|import_playbook)$/);
    return place.test(path) && isLike && !REQUIREMENTS.test(path);
  };
}

const HANDLER = /^(?:(?:block|rescue|always) )*(?:name|listen ?)$/;
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
      [/^plugin$/, 'define', 'group', () => ANY],
      [/^plugin$/, 'define', 'host', () => ANY],
      [/^\S+$|(?:^| )children \S+$/, 'define', 'group', key],
      [/(?:^| )children \S+$/, 'guess', 'group', key, ({ owner }) => owner?.owner?.key],
      [/(?:^| )hosts \S+$/, 'define', 'host', ({ key }) => ranged(key)],
      [/(?:^| )(?:vars|hosts \S+) \S+$/, 'define', 'ansible-variable', key],
    ],
  },
  // Roles of a requirements file are brought from elsewhere.
  { is: (path) => REQUIREMENTS.test(path), rows: [[/^roles (?:name|src)$/, 'guess', 'role', value]] },
  { is: isAnsibleIn(/(?:^|\/)handlers\//), rows: [[HANDLER, 'define', 'handler', value]] },
  { is: isAnsibleIn(VARIABLES), rows: [[/^\S+$/, 'define', 'ansible-variable', key]] },
  {
    is: isAnsibleIn(/./),
    lines: jinja,
    rows: [
      [/(?:^| )(?:vars|set_fact) \S+$/, 'define', 'ansible-variable', key],
      [/(?:^| )set_fact$/, 'define', 'ansible-variable', ({ value }) => value.match(/(?<!\S)\w+(?==)/g) ?? []],
      [/(?:^| )(?:register|loop_control (?:loop|index)_var|vars_prompt name)$/, 'define', 'ansible-variable', value],
      [/(?:^| )include_vars$/, 'define', 'ansible-variable', (one) => (fileOf(one) ? '' : ANY)],
      [/(?:^| )(?:include|import)_(?:vars|tasks|playbook)$/, 'use', 'file', fileOf],
      [/(?:^| )vars_files $/, 'use', 'file', value],
      [/(?:^| )handlers (?:.* )?(?:name|listen ?)$/, 'define', 'handler', (one) => (isTask(one) ? one.value : '')],
      [/^roles (?!role$)\S+$/, 'guess', 'ansible-variable', (one) => (entryAt(one.siblings, 'role') ? one.key : '')],
      [/(?:^| )add_host (?:name|hostname|host)$/, 'define', 'host', value],
      [/(?:^| )add_host (?:groups|group|groupname)$/, 'define', 'group', ({ value }) => value.split(/[,\s]+/)],
      [/(?:^| )add_host (?!name|host|group)\S+$/, 'define', 'ansible-variable', key],
      [/(?:^| )group_by$/, 'define', 'group', () => ANY],
      [CONDITION, 'use', 'ansible-variable', ({ value }) => variablesIn(value)],
      [/^hosts$/, 'use', 'group', (one) => hostsOf(one), (one) => rolesOf(one)],
    ],
  },
];

/** Each name of a pattern, also where `!` or `&` stands before it. */
const hostsOf = ({ value, children }: Entry): string[] =>
  [value, ...children.map(({ value }) => value)].flatMap((one) => one.split(/[:,&!\s]+/));

const isRole = ({ way }: Entry) => /^roles (?:role|name)?$|(?:include|import)_role name$/.test(way);
/** The roles that a play has, besides '' for itself. */
const rolesOf = ({ siblings }: Entry): string[] => ['', ...inside(siblings).filter(isRole).map(value)];

/** `[group]`, `[group:children]`, `[group:vars]`, and hosts with their variables. */
export function inventoryIni(text: string, found: Found, path: string): void {
  if (!isInventory(path)) return;
  let [section, of] = ['', ''];
  eachLine(text, found, (raw) => {
    const header = /^\s*\[([^\]:]+)(?::(\w+))?\]/.exec(raw);
    const [first = '', ...rest] = (raw.replace(/(?:^|\s)[#;].*/, '').match(/\S+/g) ?? []) as string[];
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

const INSERTED = /\{\{([^{}]*(?:\{[^{}]*\}[^{}]*)*)\}\}|\{%-?\s*([^{}]*(?:\{[^{}]*\}[^{}]*)*)%\}/g;
const SET = /^(?:(?:set|for)\s+([\w\s,]+?)(?:\s*=|\s+in\b|\s*-?$)|macro\s+\w+\s*\((.*)\))/;
/** No attribute, no filter, no test, no function, no argument's name. */
const VARIABLE = unquoted(/(?<![\w.])(?<!\|\s*)(?<!\bis (?:not )?)[A-Za-z_]\w*(?!\w)(?!\s*\(|\s*=(?!=))/);
const WORDS = new Set(
  `and or not in is if elif else for set endset block endblock macro endmacro raw endraw call endcall filter endfilter with endwith
  endfor endif include import from do recursive ignore missing true True false False none None`.split(/\s+/),
);
const BLOCK = /^(end)?(?:for|macro|block|call|filter)\b/;

/** What `{{ }}` and `{% %}` of a text use, and `set`, `for` and `macro` define. */
export function jinja(text: string, found: Found): void {
  let blocks = 0;
  eachLine(text, found, (line) => {
    for (const [, expression, statement = ''] of line.includes('{') ? line.matchAll(INSERTED) : []) {
      for (const name of variablesIn(expression ?? statement)) found.use('ansible-variable', name);
      const [block, end] = BLOCK.exec(statement) ?? [];
      if (block) blocks += end ? -1 : 1;
      const [, names, parameters] = SET.exec(statement) ?? [];
      // What a block sets is gone behind it.
      const verb = blocks > 0 ? 'guess' : 'define';
      for (const name of (names ?? parameters)?.match(/(?<=^|,)\s*\w+/g) ?? [])
        found[verb]('ansible-variable', name.trim());
    }
  });
}

/** The variables of an expression without brackets around it. */
export const variablesIn = (expression: string): string[] =>
  Array.from(expression.matchAll(VARIABLE), ([, name = '']) => name).filter((name) => !WORDS.has(name));
