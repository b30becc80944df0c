// Which files of the repository a word of a command means: as a path, behind cd, with the values of variables, as a pattern.
import { join, normalize } from 'node:path/posix';
import { pathMatcher } from '../../config/paths.ts';
import type { Reading } from '../shell/read-commands.ts';

/** The files of a commit (or of the index), with their modes. */
export type Listing = ReadonlyMap<string, { readonly mode: string }>;

export const SCRIPT = /\.(?:sh|bash|zsh|bats|py|rb|pl|js|mjs|cjs|ts|mts)$/;

/** What is only known at run time: variables, substitutions, templates, what find and xargs fill in. */
const UNKNOWN = /\$\{\w+\}|\$\w+|\$\(…\)|\$[@*#?!$-]|\{\}|\ue000+/g;
const LEADING = new RegExp(`^(?:${UNKNOWN.source})+(?:/+|$)`);
const ROOT = /^\$(?:MENDLOOP_ROOT|PWD)(?:\/+|$)/;
const MAX_SPELLINGS = 64;
const MAX_FOLDERS = 40;
/** Each is compared with every file. */
const MAX_PATTERNS = 300;

export type Finder = ReturnType<typeof finderOf>;

/** Looks around a script in `dir`, in the folders that its text changes to, with what its variables may hold. */
export function finderOf(
  { listing, dir }: { readonly listing: Listing; readonly dir: string },
  { commands, values }: Pick<Reading, 'commands' | 'values'> = { commands: [], values: new Map() },
) {
  let left = MAX_PATTERNS;
  const moves = commands.filter(({ program }) => /^(?:cd|pushd)$/.test(program)).flatMap(({ args }) => args);
  const onPath = (values.get('PATH') ?? []).flatMap((value) => value.split(':')).filter((one) => !one.startsWith('$'));
  const goesTo = moves.map(({ text }) => text).filter((text) => !text.startsWith('-'));
  const entered = [...goesTo, ...onPath].flatMap(spellings);
  const folders = new Set(['', dir]);
  for (const word of entered) {
    const plain = word.replace(LEADING, '');
    if (plain.startsWith('/') || isUnknown(plain)) continue;
    for (const folder of [...folders].slice(0, MAX_FOLDERS)) folders.add(inside(folder, plain));
  }
  // After a `cd` that only the run knows a word may lie anywhere.
  const isAnywhere = entered.some(isUnknown);

  /** With every value of its variables, from the root. */
  function spellings(word: string): string[] {
    const all = new Set([word]);
    for (const spelling of all) {
      const [variable = ''] = /\$(?:\{\w+\}|\w+)/.exec(spelling) ?? [];
      for (const value of values.get(variable.replace(/\W/g, '')) ?? [])
        if (all.size < MAX_SPELLINGS && !value.includes(variable)) all.add(spelling.replaceAll(variable, value));
    }
    return [...all].map((one) => one.replace(ROOT, ''));
  }

  const matching = (pattern: string) => (left-- > 0 ? [...listing.keys()].filter(pathMatcher([pattern])) : []);
  const filesAt = (path: string) => (/[*?[{]/.test(path) ? matching(path) : listing.has(path) ? [path] : []);

  function findSpelling(word: string): string[] {
    const rest = word.replace(LEADING, '');
    if (rest === '' || /^[/~]/.test(rest)) return [];
    const pattern = rest.replace(UNKNOWN, '*');
    if (pattern !== rest && !hasName(pattern)) return [];
    const tail = pattern.replace(/^(?:\.\.?\/)+/, '');
    const found = [...folders].flatMap((folder) => filesAt(inside(folder, pattern)));
    const isFree = (rest !== word || isAnywhere) && /[./]/.test(tail) && hasName(tail);
    return found.length > 0 || !isFree ? found : matching(`**/${tail}`);
  }

  const find = (word: string): string[] => [...new Set(spellings(word).flatMap(findSpelling))];
  return {
    find,
    /** The same; where there is none, the path that a plain word means. */
    findOrName(word: string): string[] {
      const found = find(word);
      const path = inside('', word.replace(ROOT, ''));
      const isPlain = isPath(path) && !/[*?[\]{}\s$…\ue000]|^[/~]|^\.\.\//.test(path);
      return found.length > 0 || !isPlain ? found : [path];
    },
    /** The files below the folders that a word means, the root apart. */
    findBelow(word: string): string[] {
      const names = spellings(word).flatMap((one) => [...folders].map((folder) => `${inside(folder, one)}/`));
      return [...listing.keys()].filter((path) => names.some((name) => path.startsWith(name)));
    },
    /** There were more patterns than anybody writes; the last ones found nothing. */
    isSpent: () => left < 0,
  };
}

/** Whether a word names a file by its looks. */
export const isPath = (word: string): boolean => word.includes('/') || SCRIPT.test(word);
const isUnknown = (word: string): boolean => word.search(UNKNOWN) !== -1;
const inside = (folder: string, word: string): string => normalize(join(folder, word)).replace(/^\.$|\/$/, '');

/** Whether a pattern names something: `*.sh` could be any script. */
const hasName = (pattern: string): boolean =>
  /\w/.test((pattern.split('/').at(-1) ?? '').replace(/\.\w+$|\[[^\]]*\]/g, ''));
