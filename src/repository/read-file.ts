// One file → the names that it defines and uses, by the families of files that its path and text belong to.
import { ansible, inventoryIni } from './ansible.ts';
import { compose } from './compose.ts';
import { type FileNames, KINDS, type Kind } from './definition.ts';
import { jinja } from './jinja.ts';
import { justfile } from './just.ts';
import { kubernetes } from './kubernetes.ts';
import { makefile } from './make.ts';
import { collect, eachLine, type Found, UNREAD } from './names.ts';
import { python } from './python.ts';
import { envFile, shell } from './shell.ts';
import { taskfile } from './taskfile.ts';
import { terraform } from './terraform.ts';
import { type Entry, outline } from './yaml-outline.ts';

const TEMPLATE = /\.(?:j2|jinja2?|tmpl|tpl|gotmpl)$/;
const JINJA = /\.(?:j2|jinja2?|tmpl)$/;
const HELM_VALUES = /(?:^|\/)values(?:[^/]*|\/[^/]+)\.ya?ml$/;
const CHART_TEMPLATE = /(?:^|\/)templates\/.*\.ya?ml$/;
const YAML = /\.ya?ml$/;
const ENV = /(?:^|\/)(?:[^/]*\.env|\.env[^/]*)$/;
export const isEnvFile = (path: string): boolean => ENV.test(path.replace(TEMPLATE, ''));

type Reader = (text: string, found: Found, path: string, entries: readonly Entry[]) => void;

const SHELL: readonly Kind[] = ['shell-variable', 'shell-function', 'env-variable'];
const INVENTORY: readonly Kind[] = ['group', 'host', 'ansible-variable'];
const IN_YAML = (Object.keys(KINDS) as Kind[]).filter((kind) => !/^(?:shell|make|just|python|terraform)/.test(kind));

/** The first row whose pattern a path has reads it, and finds names of these kinds. */
const READERS: readonly (readonly [RegExp, Reader, readonly Kind[]])[] = [
  [ENV, envFile, ['env-variable', 'shell-variable', 'make-variable']],
  [/(?:^|\/)(?:[^/]*\.mk|(?:GNU)?[Mm]akefile(?:\.[^/]+)?)$/, makefile, ['make-variable', 'target', 'env-variable']],
  [/(?:^|\/)\.?justfile$|\.just$/i, justfile, ['just-variable', 'target', 'env-variable']],
  [/\.(?:tf|tofu)(?:\.json)?$/, terraform, ['terraform']],
  [/\.py$/, python, ['python-name']],
  [/\.(?:sh|bash|bats)$|(?:^|\/)\.envrc$/, shell, SHELL],
  [YAML, readYaml, IN_YAML],
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

/** The names of a file. Never throws; what exceeds a bound is marked as unread. */
export function namesIn(path: string, text: string): FileNames {
  const isBig = text.length > MAX_CHARACTERS || text.split('\n', MAX_LINES + 1).length > MAX_LINES;
  if (path.endsWith('.json') || isBig) return UNREAD;
  const found = collect();
  const plain = text.replace(/^\uFEFF/, '');
  const entries = YAML.test(path.replace(TEMPLATE, '')) ? outline(plain) : [];
  if (!entries) return UNREAD;
  rowOf(path)?.[1](plain, found, path.replace(TEMPLATE, ''), entries);
  if (JINJA.test(path)) jinja(plain, found);
  return found.names();
}

function readYaml(text: string, found: Found, path: string, entries: readonly Entry[]): void {
  kubernetes(entries, found);
  compose(path, text, entries, found);
  for (const { key, line, path: above } of entries) {
    found.line = line;
    if (above.length < 2) found.define('entry', key, above[0]);
    if (above.length === 0 && HELM_VALUES.test(path)) found.define('helm-value', key);
  }
  if (CHART_TEMPLATE.test(path))
    eachLine(text, found, (line) => {
      for (const [, name] of line.matchAll(/\.Values\.(\w+)/g)) found.use('helm-value', name);
    });
  taskfile(path, text, entries, found);
  ansible(path, text, entries, found);
}

/** Settings that a script may read into itself. */
function sourced(text: string, found: Found): void {
  const [first = ''] = text.split('\n').filter((line) => !/^\s*(?:#|$)/.test(line));
  if (/^\s*(?:export\s+)?[A-Za-z_]\w*=/.test(first)) shell(text, found);
}

function readBare(text: string, found: Found, path: string): void {
  const [, program = ''] = /^#!.*\b(\w*sh|python|make|just)\b/.exec(text) ?? [];
  if (program.endsWith('sh')) shell(text, found);
  else if (program === 'python') python(text, found);
  else if (program === 'make') makefile(text, found);
  else if (program === 'just') justfile(text, found);
  else inventoryIni(text, found, path);
}
