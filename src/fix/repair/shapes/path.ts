// A path that leads to nothing becomes the one near path that is there.
import { basename, dirname, join, normalize } from 'node:path/posix';
import type { Tree } from '../../../repository/tree.ts';
import { differingPart } from '../meaning.ts';
import { isNearest } from '../near.ts';
import { ownersKind } from '../never.ts';
import type { WordPlace } from '../place.ts';
import type { Shape } from '../shape.ts';

const HAS_ENDING = /\.[A-Za-z][\w]{0,9}$/;
const PLAIN = /^(?:\.{1,2}\/)*\.?[\w@+-][\w.@+-]*(?:\/[\w.@+-]+)*\/?$|^(?:\.\.\/?)+$/;

export const path: Shape = (place, { repository, evidence, text }) => {
  if (place.what !== 'word' || /^(?:option|key|definition)$/.test(place.role)) return undefined;
  const reads = foldersOfReader(place);
  const looksLikePath = /\//.test(place.old + place.new) || HAS_ENDING.test(place.old);
  if (!reads && (!looksLikePath || ownersKind(place))) return undefined;
  const written = writtenPaths(place, text);
  if (!written || !PLAIN.test(written.old) || !PLAIN.test(written.new)) return undefined;
  const { old, new: now, folders, isFrom } = written;
  const { tree } = repository;
  const isScript = place.role === 'operand';
  const beside = isFrom ? folders : [...new Set([dirname(place.path), '.', ...folders])];
  const bases = isScript ? beside : (reads ?? beside);
  const at = (base: string, word: string) => normalize(join(base, word)).replace(/\/$/, '').replace(/^\.$/, '');
  const leadsNowhere = bases.every((base) => !tree.exists(at(base, old)) && !repository.mayAppear(at(base, old)));
  // Of a command it is known only by the log whether the path is read.
  const isRead = reads !== undefined || evidence.rejects(place.old) || evidence.rejects(old);
  // A script is started at the root, unless it says where it goes.
  const starts = isScript && !isFrom && folders.length === 0 ? ['.'] : bases;
  const isThere = (base: string) => isFile(tree, at(base, now)) && isOnlyNear(tree, at(base, ''), old, now);
  return leadsNowhere && isRead && starts.some(isThere) ? `there is no ${old}, and ${now} is there` : undefined;
};

const isFile = (tree: Tree, path: string): boolean => !path.startsWith('..') && path !== '' && tree.exists(path);

type Reads = (place: WordPlace, key: string) => boolean;
const below =
  (...keys: readonly string[]): Reads =>
  (_, key) =>
    keys.includes(key);

const KUSTOMIZE =
  'resources components bases crds files envs path patchesStrategicMerge configurations transformers generators';
/** By a file's name: where in it a path is read, from the file's own folder (with true, or from the root). */
const READERS: readonly (readonly [name: RegExp, reads: Reads, orRoot?: true])[] = [
  [/^kustomization\.ya?ml$/i, below(...KUSTOMIZE.split(' '))],
  [/^(?:docker-)?compose[^/]*\.ya?ml$/i, below('env_file', 'include', 'file', 'path', 'context', 'dockerfile')],
  [/^helmfile/i, below('values', 'secrets', 'helmfiles', 'bases')],
  [/^talconfig\.ya?ml$/i, ({ left, old }) => /^@/.test(left + old)],
  [/^(?:Docker|Container)file/i, ({ left }) => /^(?:COPY|ADD)\s/.test(left), true],
  [/^taskfile[^/]*\.ya?ml$/i, ({ keys }) => keys[0] === 'includes'],
  [/\.(?:tf|tofu)$/, ({ left }) => /source\s*=\s*"$|(?:file|templatefile)\("\$\{path\.module\}\/?$/.test(left)],
  [/makefile|\.mk$/i, ({ left }) => /^-?include\s|^[^\t#=][^=]*:(?!=)/.test(left)],
];
const OF_ROLE = ['files', 'templates', 'tasks', 'vars', 'handlers', '.'];
const MODULE = /(?:^|\.)(?:(?:import|include)_(?:tasks|playbook|vars|role)|template|copy|script|vars_files)$/;
const SOURCE = /^(?:src|file|vars_files|(?:ansible\.builtin\.)?(?:import|include)_(?:tasks|playbook|vars))$/;

/** The folders from which a tool reads the path, where it is certain that one does. */
function foldersOfReader(place: WordPlace): readonly string[] | undefined {
  const { path: file, keys, document, role } = place;
  const folder = dirname(file);
  const steps = keys.filter((key) => key !== '-');
  const key = steps.at(-1) ?? '';
  if (role === 'operand') return /^(?:source|\.)$/.test(keys[0] ?? '') ? [] : undefined;
  const [, reads, orRoot] = READERS.find(([name]) => name.test(basename(file))) ?? [];
  if (reads) return reads(place, key) ? [folder, ...(orRoot ? ['.'] : [])] : undefined;
  if (document?.kind === 'Kustomization' && steps.join('.') === 'spec.path') return ['.'];
  if (role !== 'value' || !SOURCE.test(key) || !steps.some((each) => MODULE.test(each))) return undefined;
  const ofRole = /^(.*roles\/[^/]+)\//.exec(file)?.[1];
  const folders = ofRole === undefined ? [] : OF_ROLE.map((part) => join(ofRole, part));
  return [folder, ...folders, join(folder, 'files'), join(folder, 'templates')];
}

/** The path that the word is a part of, as far as it stands there, and the folders that it or its script begins at. */
function writtenPaths({ left, right, old, new: now, path: file, role }: WordPlace, text: string) {
  const before = /[\w.@+/${}-]*$/.exec(left)?.[0] ?? '';
  const after = /^[\w.@+/-]*/.exec(right)?.[0] ?? '';
  const [begin = '', variable] = /^@/.exec(before + old) ?? /^\$\{?(\w+)\}?\//.exec(before) ?? [];
  const whole = (word: string) => (before + word + after).slice(begin.length);
  const written = { old: whole(old), new: whole(now), folders: [] as readonly string[], isFrom: false };
  if (begin === '@') return written;
  if (variable !== undefined) {
    const folder = folderIn(variable, text, file);
    return folder === undefined ? undefined : { ...written, folders: [folder], isFrom: true };
  }
  const folders = role === 'operand' ? startOf(text, file) : [];
  return folders && !/^\/|\$/.test(before) ? { ...written, folders } : undefined;
}

/** Where a script reads from besides its own folder and the root: undefined when it goes where nobody knows. */
function startOf(text: string, file: string): string[] | undefined {
  const goes = [...text.matchAll(/^\s*(?:cd|pushd)\s+(.*)$/gm)].map(([, value]) => ownFolder(value as string, file));
  return goes.every((folder) => folder !== undefined) ? (goes as string[]) : undefined;
}

/** The folder that a script's variable holds: its own, the root, or a plain path that is written once. */
function folderIn(name: string, text: string, file: string): string | undefined {
  if (/^(?:MENDLOOP_ROOT|PWD)$/.test(name)) return '.';
  const set = new RegExp(`^\\s*(?:export |readonly |local )?${name}=(.*)$`, 'gm');
  const [value = '', ...more] = Array.from(text.matchAll(set), ([, one]) => one as string);
  if (more.length > 0) return undefined;
  return /rev-parse --show-toplevel/.test(value) ? '.' : ownFolder(value, file);
}

/** The script's own folder, or one above it. */
function ownFolder(value: string, file: string): string | undefined {
  if (!/dirname|%\/\*/.test(value) || !/\$0|BASH_SOURCE/.test(value)) return undefined;
  const up = /\/((?:\.\.\/?)+)/.exec(value)?.[1] ?? '.';
  return normalize(join(dirname(file), up)).replace(/\/$/, '');
}

/** The same path but for one part that is near what lies there, and only that; or with another number of `../` before it. */
function isOnlyNear(tree: Tree, base: string, old: string, now: string): boolean {
  const plain = (word: string) => word.replace(/\/$/, '').replace(/(?<![^/])\.\//g, '');
  const [a, b] = [plain(old), plain(now)];
  const tail = (word: string) => word.replace(/(?<![^/])\.\.(?:\/|$)/g, '');
  if (a.split('/').length !== b.split('/').length) return tail(a) === tail(b) && tail(a) !== '' && tail(a) !== a;
  const other = differingPart(a, b, '/');
  if (!other) return false;
  const folder = normalize(join(base, ...b.split('/').slice(0, -1 - other.rest.length))).replace(/^\.$|\/$/, '');
  const isWhole = (entry: string) => tree.exists(join(folder, entry, ...other.rest));
  return isNearest(other.old, other.new, tree.entries(folder).filter(isWhole), true);
}
