// One file → the names that it defines and uses, by the family of files that its path belongs to.
import { ANSIBLE, inventoryIni } from './ansible.ts';
import { type FileNames, KINDS, type Kind, UNREAD } from './definition.ts';
import { collect, type Found } from './found.ts';
import { jinja } from './jinja.ts';
import { KUBERNETES } from './kubernetes.ts';
import { python } from './python.ts';
import { define, type Form, lines, readEntries } from './rows.ts';
import { COMPOSE, envFile, justfile, makefile, TASKFILE } from './runners.ts';
import { shell } from './shell.ts';
import { terraform } from './terraform.ts';
import { type Entry, outline } from './yaml-outline.ts';

const TEMPLATE = /\.(?:j2|jinja2?|tmpl|tpl|gotmpl)$/;
const JINJA = /\.(?:j2|jinja2?|tmpl)$/;
const ENV = /(?:^|\/)(?:[^/]*\.env|\.env[^/]*)$/;
export const isEnvFile = (path: string): boolean => ENV.test(path.replace(TEMPLATE, ''));

const HELM_VALUES = /(?:^|\/)values(?:[^/]*|\/[^/]+)\.ya?ml$/;
const CHART_TEMPLATE = /(?:^|\/)templates\/.*\.ya?ml$/;
const FORMS: readonly Form[] = [
  KUBERNETES,
  COMPOSE,
  TASKFILE,
  ...ANSIBLE,
  { is: () => true, rows: [[/./, entry]] },
  { is: (path) => HELM_VALUES.test(path), rows: [[/./, define('helm-value', ({ key, owner }) => (owner ? '' : key))]] },
  { is: (path) => CHART_TEMPLATE.test(path), lines: lines([[/\.Values\.(\w+)/g, 'use', 'helm-value']]) },
];

const SHELL: readonly Kind[] = ['shell-variable', 'shell-function', 'env-variable'];
const INVENTORY: readonly Kind[] = ['group', 'host', 'ansible-variable'];
const IN_YAML = (Object.keys(KINDS) as Kind[]).filter((kind) => !/^(?:shell|make|just|python|terraform)/.test(kind));

/** Returns false where it could not read the text. */
type Reader = (text: string, found: Found, path: string) => unknown;

/** The first row whose pattern a path has reads it, and finds names of these kinds. */
const READERS: readonly (readonly [RegExp, Reader, readonly Kind[]])[] = [
  [ENV, envFile, ['env-variable', 'shell-variable', 'make-variable']],
  [/(?:^|\/)(?:[^/]*\.mk|(?:GNU)?[Mm]akefile(?:\.[^/]+)?)$/, makefile, ['make-variable', 'target', 'env-variable']],
  [/(?:^|\/)\.?justfile$|\.just$/i, justfile, ['just-variable', 'target', 'env-variable']],
  [/\.(?:tf|tofu)$/, terraform, ['terraform']],
  [/\.(?:tf|tofu)\.json$/, () => false, ['terraform']],
  [/\.py$/, python, ['python-name']],
  [/\.(?:sh|bash|bats)$|(?:^|\/)\.envrc$/, shell, SHELL],
  [/\.ya?ml$/, readYaml, IN_YAML],
  [/\.(?:ini|cfg)$/, inventoryIni, INVENTORY],
  [/\.(?:conf|vars|rc)$/, sourced, SHELL],
  // Without an ending, the first line or the place tells.
  [/(?:^|\/)[^/.]+$/, readBare, [...SHELL, ...INVENTORY, 'python-name', 'target', 'make-variable', 'just-variable']],
];

const MAX_CHARACTERS = 256 * 1024;
const MAX_LINES = 12_000;
const rowOf = (path: string) => READERS.find(([pattern]) => pattern.test(path.replace(TEMPLATE, '')));

/** Whether the text of a file at `path` is of interest here. */
export const isRead = (path: string): boolean => rowOf(path) !== undefined || TEMPLATE.test(path);

/** The kinds of names that a file at `path` may define or use. */
export const kindsIn = (path: string): readonly Kind[] => [
  ...(rowOf(path)?.[2] ?? []),
  ...(TEMPLATE.test(path) ? (['ansible-variable', 'group'] as const) : []),
];

/** The names of a file. Never throws; what exceeds a bound or does not parse is marked as unread. */
export function namesIn(path: string, text: string): FileNames {
  if (text.length > MAX_CHARACTERS || text.split('\n', MAX_LINES + 1).length > MAX_LINES) return UNREAD;
  const found = collect();
  const plain = text.replace(/^\uFEFF/, '');
  if (rowOf(path)?.[1](plain, found, path.replace(TEMPLATE, '')) === false) return UNREAD;
  if (JINJA.test(path)) jinja(plain, found);
  return found.names();
}

function readYaml(text: string, found: Found, path: string): boolean {
  const entries = outline(text);
  const forms = FORMS.filter(({ is }) => entries && is(path, entries));
  readEntries(
    entries ?? [],
    forms.flatMap(({ rows = [] }) => rows),
    found,
  );
  for (const { lines } of forms) lines?.(text, found);
  return entries !== undefined;
}

/** What is at the top of any data, or right below it. */
function entry({ key, owner }: Entry, found: Found): void {
  if (!owner?.owner) found.define('entry', key, owner?.key);
}

/** Settings that a script may read into itself. */
function sourced(text: string, found: Found): void {
  if (/^(?:\s*(?:#.*)?\n)*\s*(?:export\s+)?[A-Za-z_]\w*=/.test(text)) shell(text, found);
}

function readBare(text: string, found: Found, path: string): void {
  const [, program = ''] = /^#!.*\b(\w*sh|python|make|just)\b/.exec(text) ?? [];
  const readers: Readonly<Record<string, typeof shell>> = { python, make: makefile, just: justfile };
  if (program.endsWith('sh')) shell(text, found);
  else if (readers[program]) readers[program](text, found);
  else inventoryIni(text, found, path);
}
