// A path of the repository that is mistyped in a file of the stage: a letter, a separator, an ending, one `../`, or the
// folders before a tail that is there once.
import { posix } from 'node:path';
import { fileNamed, lastComplaint } from './complaints.ts';
import { errorText, MISSING_FILE } from './messages.ts';
import { isPlural, isSlip, oneDifference, slips } from './near.ts';
import {
  lineOf,
  onlyOne,
  type Repair,
  type Repaired,
  type RepairFacts,
  rewritten,
  splice,
  textsOf,
  type Unsure,
} from './repair.ts';

/** An error of a shell, which names the line. */
const AT_LINE = /^(?:cd: |pushd: |source: |\.: )?([^\s:'"]+): No such file or directory$/;
export const misspeltPath: Repair = async (facts) => {
  const missing = missingPaths(facts);
  if (missing.length === 0) return undefined;
  const [texts, { repository }] = [
    await textsOf(facts, (file) => !/\.(?:md|rst|txt)$/.test(file)),
    await facts.definitions(),
  ];
  const outcomes = missing.map((one) => (repository.mayAppear(one.path) ? undefined : mendPath(one, texts, facts)));
  const repaired = outcomes.filter((one) => one !== undefined && 'files' in one);
  const same = new Set(repaired.map((one) => JSON.stringify(one.files)));
  if (same.size > 1) return { unsure: `several paths are wrong: ${missing.map(({ path }) => path).join(', ')}` };
  return repaired[0] ?? outcomes.find((one) => one !== undefined);
};

function mendPath(
  missing: Missing,
  texts: ReadonlyMap<string, string>,
  facts: RepairFacts,
): Repaired | Unsure | undefined {
  const written = mentions(missing, texts, facts);
  const place = onlyOne(written);
  if (!place)
    return written.length === 0 ? undefined : { unsure: `${missing.path} stands in ${written.length} places` };
  const choices = [...new Set(waysRight(place, missing, facts, isNamed(texts)))].filter(
    (way) => !mentioned(place.text, way),
  );
  const [right, ...more] = choices;
  if (right === undefined) return undefined;
  if (more.length > 0)
    return { unsure: `${choices.length} paths are equally near to ${place.token}: ${choices.join(', ')}` };
  const line = lineOf(place.text, place.at);
  return rewritten({ path: place.file, text: place.text }, splice(place.text, place.at, place.token.length, right), {
    fix: `Write ${right} instead of ${place.token} in line ${line} of ${place.file}`,
    reason: `There is no ${place.token}, and ${right} is the only path of the repository with nearly that name`,
  });
}

interface Missing {
  path: string;
  at?: { file: string; line: number };
}

/** Where a shell names the line, that alone; else every word of the errors that is like a path. */
function missingPaths(facts: RepairFacts): Missing[] {
  const placed = lastComplaint(facts, AT_LINE);
  if (placed) return [{ path: placed.match[1] as string, at: placed }];
  const lines = errorText(facts)
    .split('\n')
    .filter((line) => MISSING_FILE.test(line));
  const paths = lines.flatMap((line) => line.match(/[\w./@+-]*[/.][\w./@+-]*\w\/?|(?<=access ')[\w-]+/g) ?? []);
  return [...new Set(paths)].map((path) => ({ path: path.replace(/^@/, '') }));
}

interface Mention {
  file: string;
  text: string;
  /** The path as it is written, without a variable or a substitution before it. */
  token: string;
  at: number;
  /** Whether a variable or substitution stands before it. */
  isBehindVariable: boolean;
}

/** What a path is made of. */
const PART = /[\w./@%+-]/;

/** Places where the missing path, or its end, is written. */
function mentions({ path, at }: Missing, texts: ReadonlyMap<string, string>, facts: RepairFacts): Mention[] {
  const named = at && fileNamed(at.file, facts);
  const name = posix.basename(path);
  return [...texts].flatMap(([file, text]) => {
    if (at && file !== named) return [];
    const inFile: Mention[] = [];
    for (let i = text.indexOf(name); i !== -1; i = text.indexOf(name, i + 1)) {
      const end = i + name.length + (text[i + name.length] === '/' ? 1 : 0);
      let from = i;
      while (from > 0 && PART.test(text[from - 1] as string)) from--;
      if (text[from] === '@') from++;
      const isBehindVariable = text[from] === '/' && /[})"]/.test(text[from - 1] ?? '');
      const token = text.slice(isBehindVariable ? ++from : from, end);
      const line = text.slice(text.lastIndexOf('\n', from - 1) + 1, from);
      // In YAML a bare word counts as a path only when it is the whole value.
      if (/\.ya?ml$/.test(file) && !token.includes('/') && /[\w.]\s+$/.test(line)) continue;
      // Not in comments, and not where a redirection creates the file.
      if (PART.test(text[end] ?? '') || !agree(token, path, file) || /^\s*#|>\|?\s*["']?$/.test(line)) continue;
      inFile.push({ file, text, token, at: from, isBehindVariable });
    }
    const isOther = ({ at: from }: Mention) => at && lineOf(text, from) !== at.line;
    return inFile.length === 1 && inFile.some(isOther) ? [] : inFile;
  });
}

/** Whether the written path and the missing one are the same from their ends on, as far as both are known. */
function agree(token: string, missing: string, file: string): boolean {
  const [one, other] = [steps(token), steps(missing)];
  const count = Math.min(one.length, other.length);
  if (/^[/~-]/.test(token) || one.slice(-count).join('/') !== other.slice(-count).join('/')) return false;
  if (one.length > other.length) return missing.startsWith('.');
  // A bare word without an extension may be anything: then its folder must agree, too.
  return one.length > 1 || other.length === 1 || token.includes('.') || isTail(at(posix.dirname(file), token), missing);
}

const isTail = (tail: string, path: string): boolean => `/${path}`.endsWith(`/${tail}`);

const steps = (path: string): string[] => path.split('/').filter((part) => part !== '' && !/^\.\.?$/.test(part));

/** Every way to write the token so that it is a path of the repository. */
function waysRight(place: Mention, missing: Missing, facts: RepairFacts, isUsed: (path: string) => boolean): string[] {
  const { token, file } = place;
  const paths = [...new Set([...facts.files, ...facts.tree])];
  const every = new Set([...paths, ...foldersOf(paths)]);
  const bases = basesOf(place, missing, every);
  // An existing path is not at fault.
  if (bases.some((base) => every.has(at(base, token)))) return [];
  const folder = posix.dirname(file);
  return bases.flatMap((base) => {
    const wanted = at(base, token) + (token.endsWith('/') ? '/' : '');
    // A file beside it that nothing names is likely meant.
    const near = nearPath(wanted, paths) ?? unusedNear(wanted, paths, isUsed, KUSTOMIZATION.test(file));
    const above = at(base, `../${token}`);
    const below = token.startsWith('../') ? at(base, token.slice(3)) : '';
    const [first = '', ...rest] = steps(token);
    const tail = `/${[first, ...rest].join('/')}`;
    const isClear = rest.length > 0 && !COMMON.test(first) && (bases.length === 1 || base === folder);
    const tails = isClear ? [...every].filter((path) => `/${path}`.endsWith(tail)) : [];
    const right = [near, above, below, onlyOne(tails)].filter(
      (path) => path !== undefined && every.has(path),
    ) as string[];
    // A template that names another one means the rendered file.
    const isRendered = (path: string) => TEMPLATE.test(file) && TEMPLATE.test(path);
    return right.flatMap((path) => (isRendered(path) ? [] : (written(place, base, path) ?? [])));
  });
}

/** Whether a path is named by a file beside it, or from elsewhere with its folder. */
const isNamed =
  (texts: ReadonlyMap<string, string>) =>
  (path: string): boolean => {
    const [folder, name] = [posix.dirname(path), posix.basename(path)];
    const tail = `${posix.basename(folder)}/${name}`;
    return [...texts].some(
      ([file, text]) => text.includes(tail) || (posix.dirname(file) === folder && mentioned(text, name)),
    );
  };

/** The only file beside the missing one with nearly its name, when nothing else names it. */
function unusedNear(
  wanted: string,
  paths: readonly string[],
  isUsed: (path: string) => boolean,
  mayBePlural: boolean,
): string | undefined {
  const [folder, name] = [posix.dirname(wanted), posix.basename(wanted)];
  const beside = paths.filter((path) => posix.dirname(path) === folder && slips(name, posix.basename(path)) <= 1);
  const only = onlyOne(beside);
  // Only one word of the name may differ, and not a short one: host-a and host-b are two names.
  const [one = '', other = ''] = only ? (oneDifference(...stems(name, posix.basename(only))) ?? []) : [];
  const isOther = only === undefined || isUsed(only) || one.length < 4 || (isPlural(one, other) && !mayBePlural);
  return isOther || /\d/.test(name + posix.basename(only)) || posix.extname(only) !== posix.extname(name)
    ? undefined
    : only;
}

/** `path` as the token would be written from `base`; undefined when what is known at run time would have to change. */
function written({ token, isBehindVariable }: Mention, base: string, path: string): string | undefined {
  const relative = posix.relative(base, path);
  if (isBehindVariable && relative.startsWith('..') && !token.startsWith('..')) return undefined;
  const end = token.endsWith('/') ? `${relative}/` : relative;
  return token.startsWith('./') && !relative.startsWith('..') ? `./${end}` : end;
}

const at = (base: string, token: string): string => posix.normalize(posix.join(base, token)).replace(/\/$/, '');

/** The folders that the token may be meant from: the one that the error shows, else those where tools look. */
function basesOf({ token, file }: Mention, { path }: Missing, every: ReadonlySet<string>): string[] {
  const folder = posix.dirname(file);
  const above = folder.split('/').map((_, i, parts) => parts.slice(0, i + 1).join('/'));
  const role = /^(.*roles\/[^/]+)\/[^/]+$/.exec(folder)?.[1];
  const looked = role === undefined ? [] : ['tasks', 'templates', 'files', 'vars'].map((name) => `${role}/${name}`);
  const all = [...new Set(['.', ...above.reverse(), ...looked])];
  const isShown = (base: string) => path.length > token.length && isTail(at(base, token), path);
  const shown = all.filter((base) => base !== '.' && isShown(base)).sort((a, b) => b.length - a.length);
  // Paths in a kustomization are relative to its folder.
  if (KUSTOMIZATION.test(file)) return [folder];
  // In a role the error shows the playbook's folder, not the role's.
  if (shown[0] !== undefined && role === undefined) return [shown[0]];
  return all.filter((base) => base === '.' || every.has(base));
}

const TEMPLATE = /\.(?:j2|jinja2?|tmpl|tpl|gotmpl)$/;
export const KUSTOMIZATION = /(?:^|\/)kustomization\.ya?ml$/;
/** Names that many folders have. */
const COMMON =
  /^(?:app|base|charts|config|defaults|files|handlers|manifests|meta|overlays|resources|tasks|templates|values|vars)$/;

const mentioned = (text: string, path: string): boolean =>
  text.split(path).some((_, i, parts) => {
    const [left, right] = [parts[i]?.at(-1) ?? ' ', parts[i + 1]?.[0] ?? ' '];
    return i < parts.length - 1 && !PART.test(left) && !PART.test(right);
  });

const foldersOf = (paths: readonly string[]): string[] =>
  paths.flatMap((path) => path.split('/').flatMap((_, i, parts) => (i === 0 ? [] : [parts.slice(0, i).join('/')])));

/** The only path near `written` among `paths` and the folders above them; undefined when it is one of them. */
export function nearPath(written: string, paths: readonly string[]): string | undefined {
  const folders = foldersOf(paths);
  const every = new Set(written.endsWith('/') ? folders : [...paths, ...folders]);
  const plain = posix.normalize(written).replace(/\/$/, '');
  if (every.has(plain)) return undefined;
  const only = onlyOne([...every].filter((path) => oneSegment(plain, path, isNear)));
  if (only === undefined) return undefined;
  return oneSegment(plain, only, isMistyped) ? only : undefined;
}

/** Whether the paths are the same but for one part, and `holds` for that. */
function oneSegment(written: string, path: string, holds: (one: string, other: string) => boolean): boolean {
  const parts = oneDifference(written.split('/'), path.split('/'));
  return parts !== undefined && holds(...parts);
}

const isNear = (one: string, other: string): boolean =>
  isAlike(one, other) || slips(one, other) <= (stemOf(one).length >= 8 ? 2 : 1);

/** The stem alone decides; of endings only those of YAML are the same, and those of templates may be left out. */
function isMistyped(one: string, other: string): boolean {
  if (isAlike(one, other)) return true;
  return posix.extname(one) === posix.extname(other) && isSlip(stemOf(one), stemOf(other));
}

/** The same but for capitals, separators, `.yml` for `.yaml`, and the ending of a template. */
function isAlike(one: string, other: string): boolean {
  const plain = (name: string) =>
    name
      .toLowerCase()
      .replace(/[-_]/g, '')
      .replace(TEMPLATE, '')
      .replace(/\.yml$/, '.yaml');
  return plain(one) === plain(other);
}

const stems = (...names: [string, string]): [string[], string[]] =>
  names.map((name) => stemOf(name).split(/[-_.]/)) as [string[], string[]];

const stemOf = (name: string): string => posix.basename(name, posix.extname(name));
