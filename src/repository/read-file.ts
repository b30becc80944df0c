// One file → the names that it defines and uses, by the family of files that its path belongs to.
import { inventoryIni, jinja } from './ansible.ts';
import { ANY, type FileNames, KINDS, type Kind } from './definition.ts';
import { FORMS } from './forms.ts';
import { collect, type Found, readEntries } from './rows.ts';
import { envFile, justfile, makefile, terraform } from './runners.ts';
import { python, shell } from './scripts.ts';
import { outline } from './yaml-outline.ts';

const TEMPLATE = /\.(?:j2|jinja2?|tmpl|tpl|gotmpl)$/;
const JINJA = /\.(?:j2|jinja2?|tmpl)$/;
const ENV = /(?:^|\/)(?:[^/]*\.env|\.env[^/]*)$/;
export const isEnvFile = (path: string): boolean => ENV.test(path.replace(TEMPLATE, ''));

const SHELL: readonly Kind[] = ['shell-variable', 'shell-function', 'env-variable'];
const INVENTORY: readonly Kind[] = ['group', 'host', 'ansible-variable'];
const IN_YAML = (Object.keys(KINDS) as Kind[]).filter((kind) => !/^(?:shell|make|just|python|terraform)/.test(kind));

type Reader = (text: string, found: Found, path: string) => unknown;
/** The first row whose pattern a path has reads it, and finds names of these kinds; false where it cannot. */
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

/** Of a file whose text is not known: anything. */
export function unknownNames(path: string): FileNames {
  const any = kindsIn(path).map((kind) => ({ kind, name: ANY, line: 1 }));
  return { defines: any, uses: any };
}

/** The names of a file. Never throws; those of one that exceeds a bound or does not parse are not known. */
export function namesIn(path: string, text: string): FileNames {
  if (text.length > MAX_CHARACTERS || text.split('\n', MAX_LINES + 1).length > MAX_LINES) return unknownNames(path);
  const found = collect();
  const plain = text.replace(/^\uFEFF/, '');
  if (rowOf(path)?.[1](plain, found, path.replace(TEMPLATE, '')) === false) return unknownNames(path);
  if (JINJA.test(path)) jinja(plain, found);
  return found.names();
}

function readYaml(text: string, found: Found, path: string): boolean {
  const entries = outline(text);
  if (!entries) return false;
  const forms = FORMS.filter(({ is }) => is(path, entries));
  const rows = forms.flatMap(({ rows = [] }) => rows);
  readEntries(entries, rows, found);
  for (const { lines } of forms) lines?.(text, found);
  return true;
}

/** Settings that a script may read into itself. */
function sourced(text: string, found: Found): void {
  if (/^\s*(?:export\s+)?[A-Za-z_]\w*=/.test(text.replace(/^[^\S\n]*#.*/gm, ''))) shell(text, found);
}

function readBare(text: string, found: Found, path: string): void {
  const [, program = ''] = /^#!.*\b(\w*sh|python|make|just)\b/.exec(text) ?? [];
  const readers: Readonly<Record<string, Reader>> = { '': inventoryIni, python, make: makefile, just: justfile };
  (readers[program] ?? shell)(text, found, path);
}
