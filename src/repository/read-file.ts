// One file → the names that it defines and uses, by the families of files that its path and text belong to.
import { ansible, inventoryIni, isInventory } from './ansible.ts';
import { compose } from './compose.ts';
import type { FileNames } from './definition.ts';
import { jinja } from './jinja.ts';
import { justfile } from './just.ts';
import { kubernetes } from './kubernetes.ts';
import { makefile } from './make.ts';
import { collect, type Found } from './names.ts';
import { python } from './python.ts';
import { envFile, shell } from './shell.ts';
import { taskfile } from './taskfile.ts';
import { terraform } from './terraform.ts';
import { outline } from './yaml-outline.ts';

const TEMPLATE = /\.(?:j2|jinja2?|tmpl|tpl|gotmpl)$/;
const ENV = /(?:^|\/)(?:[^/]*\.env|\.env[^/]*)$/;
export const isEnvFile = (path: string): boolean => ENV.test(path.replace(TEMPLATE, ''));

type Reader = (text: string, found: Found, path: string) => boolean | undefined | void;

/** The first row whose pattern a path has reads it. */
const READERS: readonly (readonly [RegExp, Reader])[] = [
  [ENV, envFile],
  [/(?:^|\/)(?:[^/]*\.mk|(?:GNU)?[Mm]akefile(?:\.[^/]+)?)$/, makefile],
  [/(?:^|\/)\.?justfile$|\.just$/i, justfile],
  [/\.(?:tf|tofu)$/, terraform],
  [/\.py$/, python],
  [/\.(?:sh|bash|bats)$|(?:^|\/)\.envrc$/, shell],
  [/\.ya?ml$/, readYaml],
  [/\.ini$|\.cfg$/, (text, found, path) => void (isInventory(path) && inventoryIni(text, found))],
  // Without an ending, the first line or the first section tells.
  [/(?:^|\/)[^/.]+$/, readBare],
];

const MAX_BYTES = 256 * 1024;
const MAX_LINES = 12_000;
/** The names of a file that nobody could read. */
export const UNREAD: FileNames = { defines: [], uses: [], includes: [], unread: true };
/** HCL written as JSON. */
const NEVER_READ = /\.(?:tf|tofu)\.json$/;

const readerOf = (path: string) => READERS.find(([pattern]) => pattern.test(path.replace(TEMPLATE, '')))?.[1];

/** Whether the text of a file at `path` is of interest here. */
export const isRead = (path: string): boolean => readerOf(path) !== undefined || TEMPLATE.test(path) || NEVER_READ.test(path);

/** The names of a file. Never throws; what exceeds a bound is marked as unread. */
export function namesIn(path: string, text: string): FileNames {
  if (NEVER_READ.test(path) || text.length > MAX_BYTES || lineCount(text) > MAX_LINES) return UNREAD;
  const found = collect();
  const plain = text.replace(/^\uFEFF/, '');
  if (readerOf(path)?.(plain, found, path.replace(TEMPLATE, '')) === false) return UNREAD;
  if (TEMPLATE.test(path) && !/\.(?:gotmpl|tpl)$/.test(path)) jinja(plain, found);
  return found.names();
}

function readYaml(text: string, found: Found, path: string): boolean {
  const entries = outline(text);
  if (!entries) return false;
  kubernetes(path, entries, found);
  compose(path, text, entries, found);
  taskfile(path, text, entries, found);
  ansible(path, text, entries, found);
  return true;
}

function readBare(text: string, found: Found, path: string): void {
  if (/^#!.*\b(?:ba|da|k|z)?sh\b/.test(text)) shell(text, found);
  else if (/^#!.*\bpython/.test(text)) python(text, found);
  else if (/^#!.*\bmake\b/.test(text)) makefile(text, found);
  else if (/^#!.*\bjust\b/.test(text)) justfile(text, found);
  else if (isInventory(path)) inventoryIni(text, found);
}

function lineCount(text: string): number {
  let count = 1;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count++;
  return count;
}
