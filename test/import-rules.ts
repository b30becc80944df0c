// What source files import, read from their text (types and lazy imports, too), and what of it a table of rules refuses.
import { dirname, join } from 'node:path/posix';

/** Which rows of the table a folder may import from: those named (folders or single files), or all above it but some. */
export type Doors = { readonly only: readonly string[] } | { readonly allBut: readonly string[] };

export interface ImportRules {
  /** Folder or file → its doors, in the order in which data flows: nothing imports from a row below its own. */
  readonly folders: Readonly<Record<string, Doors>>;
  /** Rows that every other may import. */
  readonly shared: readonly string[];
  /** File → the one place besides that it may import, also below its own row. */
  readonly besides: Readonly<Record<string, string>>;
  /** Modules that only compute, for every file. */
  readonly plain: readonly string[];
  /** Folder or file → other modules it may import; `*` for all. */
  readonly outside: Readonly<Record<string, readonly string[]>>;
  /** Folders whose results depend on their arguments alone. */
  readonly pure: readonly string[];
}

export interface Import {
  /** A file of the tree, or the name of a module. */
  readonly to: string;
  readonly inTree: boolean;
  /** `static`: loaded with the file. */
  readonly kind: 'static' | 'lazy' | 'type';
}

const COMMENT_LINES = /^[ \t]*(?:\/\*[\s\S]*?\*\/|\/\/.*$)/gm;
const FROM = /^(?:import|export)\b([^'"`;]*?)\bfrom\s*['"]([^'"]+)['"]|^import\s*['"]([^'"]+)['"]/gm;
const CALL = /\bimport\(\s*(?:['"]([^'"]+)['"]\s*\)|([^)\s]*))/g;
/** A file that is loaded by its address: a worker, a hook. */
const ADDRESS = /\bnew URL\(\s*['"](\.[^'"]+\.[cm]?[jt]s)['"]\s*,\s*import\.meta\.url\b/g;
const LOADERS = /\b(?:require\(|createRequire\b|getBuiltinModule\b)/;
const IMPURE =
  /\bprocess\.|\bglobalThis\b|\bDate\.now\b|\bnew Date\(\)|\bMath\.random\b|\bperformance\.|\bfetch\(|\bset(?:Timeout|Interval)\(/;

/** Every import of `text`, the file `path`. One whose target is computed has the name `computed`. */
export function importsOf(path: string, text: string): Import[] {
  const code = text.replace(COMMENT_LINES, '');
  const target = (name: string) => (name.startsWith('.') ? join(dirname(path), name) : name);
  const made = (name: string, kind: Import['kind']): Import => ({
    to: target(name),
    inTree: name.startsWith('.'),
    kind,
  });
  return [
    ...[...code.matchAll(FROM)].map(([, words = '', from, alone]) =>
      made(from ?? (alone as string), /^\s+type\b/.test(words) ? 'type' : 'static'),
    ),
    ...[...code.matchAll(CALL)].map(([, name]) => made(name ?? 'computed', 'lazy')),
    ...[...code.matchAll(ADDRESS)].map(([, name]) => made(name as string, 'lazy')),
    ...(LOADERS.test(code) ? [made('computed', 'static')] : []),
  ];
}

/** Whether `path` is `place` or below it. */
export const isIn = (path: string, place: string): boolean => path === place || path.startsWith(`${place}/`);

/** Everything in `tree` (path → text) that the rules refuse, one line each, cycles included. */
export function violations(tree: ReadonlyMap<string, string>, rules: ImportRules): string[] {
  const imports = new Map([...tree].map(([path, text]) => [path, importsOf(path, text)]));
  const rows = Object.keys(rules.folders);
  const rowOf = (path: string) =>
    rows.filter((row) => isIn(path, row)).reduce((best, row) => (row.length > best.length ? row : best), '');
  const faults = [...imports].flatMap(([path, found]) => {
    const row = rowOf(path);
    const doors = rules.folders[row];
    if (doors === undefined) return [`${path}: no row of the table`];
    const above = rows.slice(0, rows.indexOf(row));
    const allowed = 'only' in doors ? doors.only : above.filter((name) => !doors.allBut.includes(name));
    const places = [row, ...rules.shared, ...allowed, ...(rules.besides[path] ? [rules.besides[path]] : [])];
    const modules = [
      ...rules.plain,
      ...Object.entries(rules.outside).flatMap(([place, names]) => (isIn(path, place) ? names : [])),
    ];
    const ok = ({ to, inTree }: Import) =>
      inTree ? places.some((place) => isIn(to, place)) : modules.includes('*') || modules.includes(to);
    const impure =
      rules.pure.some((place) => isIn(path, place)) && IMPURE.exec((tree.get(path) ?? '').replace(COMMENT_LINES, ''));
    return [
      ...found.filter((one) => !ok(one)).map(({ to }) => `${path}: may not import ${to}`),
      ...(impure ? [`${path}: pure, but uses ${impure[0]}`] : []),
    ];
  });
  return [...faults, ...cycles(tree)];
}

/** What is wrong with the table itself: doors to rows that do not exist or stand below their own. */
export function tableFaults({ folders, shared }: ImportRules): string[] {
  const rows = Object.keys(folders);
  return rows.flatMap((row, index) => {
    const doors = folders[row] as Doors;
    const named = 'only' in doors ? doors.only : doors.allBut;
    const known = [...rows.slice(0, index), ...shared];
    return named
      .filter((name) => !known.some((above) => isIn(name, above)))
      .map((name) => `${row}: ${name} is not above it`);
  });
}

/** Every module that comes with `path` when it is loaded. */
export function loadedWith(path: string, tree: ReadonlyMap<string, string>): Set<string> {
  const loaded = new Set([path]);
  for (const file of loaded) {
    for (const { to, kind } of importsOf(file, tree.get(file) ?? '')) if (kind === 'static') loaded.add(to);
  }
  return loaded;
}

/** Every circle of files that import each other, types and lazy imports included, one line each. */
export function cycles(tree: ReadonlyMap<string, string>): string[] {
  const done = new Set<string>();
  const way: string[] = [];
  const found: string[] = [];
  const visit = (path: string): void => {
    if (way.includes(path)) return void found.push(`cycle: ${[...way.slice(way.indexOf(path)), path].join(' → ')}`);
    if (done.has(path)) return;
    way.push(path);
    for (const { to } of importsOf(path, tree.get(path) ?? '')) if (tree.has(to)) visit(to);
    way.pop();
    done.add(path);
  };
  for (const path of tree.keys()) visit(path);
  return found;
}
