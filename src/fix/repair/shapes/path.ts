// A path that leads to nothing becomes the one near path that is there.
import { basename, dirname, join, normalize } from 'node:path/posix';
import type { Tree } from '../../../repository/tree.ts';
import { isNearest } from '../near.ts';
import type { WordPlace } from '../place.ts';
import { isNever } from '../prove.ts';
import type { Grounds, Shape } from '../shape.ts';

const HAS_ENDING = /\.[A-Za-z][\w]{0,9}$/;
const PLAIN = /^(?:\.{1,2}\/)*\.?[\w@+-][\w.@+-]*(?:\/[\w.@+-]+)*\/?$|^(?:\.\.\/?)+$/;

export const path: Shape = (place, grounds) => {
  if (place.what !== 'word' || place.role === 'option' || place.role === 'key' || place.role === 'definition')
    return undefined;
  const reader = readerOf(place);
  const looksLikePath = /\//.test(place.old + place.new) || HAS_ENDING.test(place.old);
  if (!reader && !looksLikePath) return undefined;
  const written = writtenPaths(place, grounds);
  if (!written || isNever(place)) return undefined;
  const { old, new: now } = written;
  if (!PLAIN.test(old) || !PLAIN.test(now)) return undefined;
  const { repository, evidence } = grounds;
  const { tree } = repository;
  const bases = reader?.bases ?? [...new Set([dirname(place.path), '.', ...written.bases])];
  const at = (base: string, word: string) => normalize(join(base, word)).replace(/\/$/, '').replace(/^\.$/, '');
  const leadsNowhere = bases.every((base) => !tree.exists(at(base, old)) && !repository.mayAppear(at(base, old)));
  // Of a command it is known only by the log whether the path is read.
  const isBroken = leadsNowhere && (reader !== undefined || evidence.rejects(place.old) || evidence.rejects(old));
  const found = bases.filter((base) => isThere(tree, at(base, now)) && isOnlyNear(tree, at(base, ''), old, now));
  return isBroken && found.length > 0 ? `there is no ${old}, and ${now} is there` : undefined;
};

const isThere = (tree: Tree, path: string): boolean => !path.startsWith('..') && path !== '' && tree.exists(path);

interface Reader {
  /** The folders from which the tool reads such a path. */
  readonly bases: readonly string[];
}

/** Where it is certain that a path is read, and from where. */
function readerOf({ path: file, keys, document, left, role }: WordPlace): Reader | undefined {
  const own = dirname(file);
  const steps = keys.filter((key) => key !== '-');
  const key = steps.at(-1) ?? '';
  const name = basename(file);
  if (/^kustomization\.ya?ml$/i.test(name))
    return /^(?:resources|components|bases|crds|files|envs|path|patchesStrategicMerge|configurations|transformers|generators|valuesFile)$/.test(
      key,
    )
      ? { bases: [own] }
      : undefined;
  if (document?.kind === 'Kustomization' && steps.join('.') === 'spec.path') return { bases: ['.'] };
  if (/^(?:docker-)?compose[^/]*\.ya?ml$/i.test(name))
    return /^(?:env_file|include|file|path|context|dockerfile)$/.test(key) ? { bases: [own] } : undefined;
  if (/^helmfile[^/]*$/i.test(name))
    return /^(?:values|secrets|helmfiles|bases)$/.test(key) ? { bases: [own] } : undefined;
  if (/^taskfile[^/]*\.ya?ml$/i.test(name)) return steps[0] === 'includes' ? { bases: [own] } : undefined;
  if (/\.(?:tf|tofu)$/.test(file))
    return /source\s*=\s*"$|(?:file|templatefile)\("\$\{path\.module\}\/?$/.test(left) ? { bases: [own] } : undefined;
  if (/makefile|\.mk$/i.test(name)) return /^-?include\s|^[^\t#=][^=]*:(?!=)/.test(left) ? { bases: [own] } : undefined;
  const module = steps.find((each) =>
    /(?:^|\.)(?:(?:import|include)_(?:tasks|playbook|vars|role)|template|copy|script|vars_files)$/.test(each),
  );
  const isSource = /^(?:src|file|vars_files|(?:ansible\.builtin\.)?(?:import|include)_(?:tasks|playbook|vars))$/.test(
    key,
  );
  if (module === undefined || !isSource || role !== 'value') return undefined;
  const role_ = /^(.*roles\/[^/]+)\//.exec(file)?.[1];
  const below =
    role_ === undefined
      ? []
      : ['files', 'templates', 'tasks', 'vars', 'handlers', '.'].map((folder) => join(role_, folder));
  return { bases: [...new Set([own, ...below, join(own, 'files'), join(own, 'templates')])] };
}

/** The path that the word is a part of, as far as it stands there, with what its variables hold at its beginning. */
function writtenPaths({ left, right, old, new: now, path: file }: WordPlace, { text }: Grounds) {
  const before = /[\w.@+/${}-]*$/.exec(left)?.[0] ?? '';
  const after = /^[\w.@+/-]*/.exec(right)?.[0] ?? '';
  const variable = /^\$\{?(\w+)\}?\//.exec(before);
  if (!variable)
    return /\$/.test(before) || before.startsWith('/')
      ? undefined
      : { old: before + old + after, new: before + now + after, bases: [] };
  const rest = before.slice(variable[0].length);
  const base = folderIn(variable[1] as string, text, file);
  return base === undefined ? undefined : { old: rest + old + after, new: rest + now + after, bases: [base] };
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
  return isNearest(a[at] as string, b[at] as string, entries);
}
