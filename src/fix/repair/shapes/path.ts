// A path that leads to nothing becomes the one near path that is there.
import { basename, dirname, join, normalize } from 'node:path/posix';
import type { Tree } from '../../../repository/tree.ts';
import { isNearest } from '../near.ts';
import { ownersKind } from '../never.ts';
import type { WordPlace } from '../place.ts';
import type { Grounds, Shape } from '../shape.ts';

const HAS_ENDING = /\.[A-Za-z][\w]{0,9}$/;
const PLAIN = /^(?:\.{1,2}\/)*\.?[\w@+-][\w.@+-]*(?:\/[\w.@+-]+)*\/?$|^(?:\.\.\/?)+$/;

export const path: Shape = (place, grounds) => {
  if (place.what !== 'word' || place.role === 'option' || place.role === 'key' || place.role === 'definition')
    return undefined;
  const reader = readerOf(place);
  if (!reader && ownersKind(place)) return undefined;
  const looksLikePath = /\//.test(place.old + place.new) || HAS_ENDING.test(place.old);
  if (!reader && !looksLikePath) return undefined;
  const written = writtenPaths(place, grounds);
  if (!written) return undefined;
  const { old, new: now } = written;
  if (!PLAIN.test(old) || !PLAIN.test(now)) return undefined;
  const { repository, evidence } = grounds;
  const { tree } = repository;
  const isScript = place.role === 'operand';
  const own = written.isFrom ? written.bases : [dirname(place.path), '.', ...written.bases];
  const bases = reader && !isScript ? reader.bases : [...new Set(own)];
  const at = (base: string, word: string) => normalize(join(base, word)).replace(/\/$/, '').replace(/^\.$/, '');
  const leadsNowhere = bases.every((base) => !tree.exists(at(base, old)) && !repository.mayAppear(at(base, old)));
  // Of a command it is known only by the log whether the path is read.
  const isBroken = leadsNowhere && (reader !== undefined || evidence.rejects(place.old) || evidence.rejects(old));
  // A script is started at the root, unless it says where it goes.
  const starts = isScript && !written.isFrom && written.bases.length === 0 ? ['.'] : bases;
  const found = starts.filter((base) => isThere(tree, at(base, now)) && isOnlyNear(tree, at(base, ''), old, now));
  return isBroken && found.length > 0 ? `there is no ${old}, and ${now} is there` : undefined;
};

const isThere = (tree: Tree, path: string): boolean => !path.startsWith('..') && path !== '' && tree.exists(path);

interface Reader {
  /** The folders from which the tool reads such a path. */
  readonly bases: readonly string[];
}

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

/** Where it is certain that a path is read, and from where. */
function readerOf(place: WordPlace): Reader | undefined {
  const { path: file, keys, document, role } = place;
  const own = dirname(file);
  const steps = keys.filter((key) => key !== '-');
  const key = steps.at(-1) ?? '';
  if (role === 'operand') return /^(?:source|\.)$/.test(keys[0] ?? '') ? { bases: [] } : undefined;
  const [, reads, orRoot] = READERS.find(([name]) => name.test(basename(file))) ?? [];
  if (reads) return reads(place, key) ? { bases: orRoot ? [own, '.'] : [own] } : undefined;
  if (document?.kind === 'Kustomization' && steps.join('.') === 'spec.path') return { bases: ['.'] };
  if (role !== 'value' || !SOURCE.test(key) || !steps.some((each) => MODULE.test(each))) return undefined;
  const ofRole = /^(.*roles\/[^/]+)\//.exec(file)?.[1];
  const folders = ofRole === undefined ? [] : OF_ROLE.map((folder) => join(ofRole, folder));
  return { bases: [...new Set([own, ...folders, join(own, 'files'), join(own, 'templates')])] };
}

/** The path that the word is a part of, as far as it stands there, with what its variables hold at its beginning. */
function writtenPaths(place: WordPlace, { text }: Grounds) {
  const { left, right, old, new: now, path: file } = place;
  const before = /[\w.@+/${}-]*$/.exec(left)?.[0] ?? '';
  const after = /^[\w.@+/-]*/.exec(right)?.[0] ?? '';
  const at = /^@/.test(before + old) ? 1 : 0;
  if (at === 1)
    return { old: (before + old + after).slice(1), new: (before + now + after).slice(1), bases: [], isFrom: false };
  const variable = /^\$\{?(\w+)\}?\//.exec(before);
  const start = place.role === 'operand' ? startOf(text, file) : [];
  if (!variable && !start) return undefined;
  if (!variable)
    return /\$/.test(before) || before.startsWith('/')
      ? undefined
      : { old: before + old + after, new: before + now + after, bases: start ?? [], isFrom: false };
  const rest = before.slice(variable[0].length);
  const base = folderIn(variable[1] as string, text, file);
  return base === undefined
    ? undefined
    : { old: rest + old + after, new: rest + now + after, bases: [base], isFrom: true };
}

/** Where a script reads from besides its own folder and the root: undefined when it goes where nobody knows. */
function startOf(text: string, file: string): string[] | undefined {
  const goes = [...text.matchAll(/^\s*(?:cd|pushd)\s+(.*)$/gm)].map(([, value]) => ownFolder(value as string, file));
  return goes.every((folder) => folder !== undefined) ? (goes as string[]) : undefined;
}

/** The folder that a script's variable holds: its own, the root, or a plain path that is written once. */
function folderIn(name: string, text: string, file: string): string | undefined {
  if (/^(?:MENDLOOP_ROOT|PWD)$/.test(name)) return '.';
  const values = [...text.matchAll(new RegExp(`^\\s*(?:export |readonly |local )?${name}=(.*)$`, 'gm'))].map(
    ([, value]) => value as string,
  );
  const [value = ''] = values;
  if (values.length !== 1) return undefined;
  if (/rev-parse --show-toplevel/.test(value)) return '.';
  return ownFolder(value, file);
}

/** The script's own folder, or one above it. */
function ownFolder(value: string, file: string): string | undefined {
  if (!/dirname|%\/\*/.test(value) || !/\$0|BASH_SOURCE/.test(value)) return undefined;
  const up = /\/((?:\.\.\/?)+)/.exec(value)?.[1] ?? '.';
  return normalize(join(dirname(file), up)).replace(/\/$/, '');
}

/** The same path but for one part that is near what lies there, and only that; or with another number of `../` before it. */
function isOnlyNear(tree: Tree, base: string, old: string, now: string): boolean {
  const parts = (word: string) =>
    word
      .replace(/\/$/, '')
      .split('/')
      .filter((part) => part !== '.');
  const [a, b] = [parts(old), parts(now)];
  const tail = (words: string[]) => words.filter((part) => part !== '..').join('/');
  if (a.length !== b.length) return tail(a) === tail(b) && tail(a) !== '' && a.some((part) => part === '..');
  const other = a.flatMap((part, i) => (part === b[i] ? [] : [i]));
  const [at] = other;
  if (at === undefined || other.length !== 1) return false;
  const folder = normalize(join(base, ...b.slice(0, at))).replace(/^\.$|\/$/, '');
  const rest = b.slice(at + 1).join('/');
  const entries = tree.entries(folder).filter((entry) => rest === '' || tree.exists(join(folder, entry, rest)));
  return isNearest(a[at] as string, b[at] as string, entries, true);
}
