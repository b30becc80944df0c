// A path of the repository that is mistyped in a file of the stage.
import { posix } from 'node:path';
import { capturedBy, errorLines, fileNamed, lastComplaint } from './complaints.ts';
import { isSlip, slips } from './near.ts';
import { type Repair, type RepairFacts, rewritten } from './repair.ts';
import { lineAt, onlyPlace, splice, textsOf, withLine } from './source-text.ts';

/** An error of a shell, which names the line. */
const AT_LINE = /^(?:cd: |pushd: |source: |\.: )?([^\s:'"]+): No such file or directory$/;
/** Errors of programs, which know no line. */
const UNPLACED = [
  /^[\w.+-]+: (?:cannot (?:open|stat|access|read) |can't (?:read|open) |error: Could not open file )?['‘"]?([^\s:'‘’"]+)['’"]?(?: for reading)?: No such file or directory$/i,
  /\bNo such file or directory: '([^'\s]+)'$/,
  /\bENOENT: no such file or directory, \w+ '([^'\s]+)'$/,
  /^error: the path "([^"\s]+)" does not exist$/,
  /\bcan't open file '([^'\s]+)': \[Errno 2\]/,
  /\bopen ([^\s:'"]+): no such file or directory$/,
];

/** What a path is made of. */
const PART = /[\w./@%+-]/;

export const misspeltPath: Repair = {
  name: 'misspelt-path',
  async find(facts) {
    const missing = missingPath(facts);
    const path = missing && nearPath(missing.path, [...new Set([...facts.files, ...facts.tree])]);
    const texts = path === undefined ? undefined : await textsOf(facts, (file) => !/\.(?:md|rst|txt)$/.test(file));
    const place = missing && texts && placeOf(missing, texts, facts);
    if (path === undefined || !place) return undefined;
    const mended = place.path.endsWith('/') ? `${path}/` : path;
    const prefix = place.path.startsWith('./') ? './' : '';
    const line = splice(place.line, place.at, place.path.length, `${prefix}${mended}`);
    return rewritten(place.file, place.text, withLine(place.text, place.number, line), {
      fix: `Write ${mended} instead of ${place.path} in line ${place.number} of ${place.file}`,
      reason: `There is no ${place.path}, and ${mended} is the only path of the repository with nearly that name`,
    });
  },
};

interface Missing {
  path: string;
  at?: { file: string; line: number };
}

function missingPath(facts: RepairFacts): Missing | undefined {
  const placed = lastComplaint(facts, AT_LINE);
  if (placed) {
    const path = placed.match[1] as string;
    // The command of the stage itself is not a file to be mended.
    return isInside(path) ? { path, at: placed.complaint } : undefined;
  }
  const lines = errorLines(facts);
  const paths = lines.flatMap((line) => capturedBy(UNPLACED, line) ?? []);
  const [path] = paths;
  return path !== undefined && isInside(path) && new Set(paths).size === 1 && lines.length === paths.length
    ? { path }
    : undefined;
}

const isInside = (path: string): boolean => !/^[/~-]|\.\.|[$*?[\]{}]/.test(path) && /[/.]|^\w{4,}$/.test(path);

interface Place {
  file: string;
  text: string;
  number: number;
  line: string;
  at: number;
  path: string;
}

/** The line that the shell names, or the only one in all files where the path stands. */
function placeOf({ path, at }: Missing, texts: ReadonlyMap<string, string>, facts: RepairFacts): Place | undefined {
  if (at) {
    const file = fileNamed(at.file, facts);
    const text = file === undefined ? undefined : texts.get(file);
    const line = lineAt(text, at.line);
    // A path that comes again is meant: something makes it.
    if (file === undefined || text === undefined || line === undefined || text.split(path).length !== 2)
      return undefined;
    const column = onlyPlace(line, path, PART);
    if (column === undefined || isWritten(line, column)) return undefined;
    return { file, text, number: at.line, line, at: column, path };
  }
  const places = [...texts].flatMap(([file, text]) =>
    text.split('\n').flatMap((line, i): Place[] => {
      if (!line.includes(path)) return [];
      return [{ file, text, number: i + 1, line, at: onlyPlace(line, path, PART) ?? -1, path }];
    }),
  );
  const [only] = places;
  if (only === undefined || places.length !== 1 || only.at < 0) return undefined;
  return /^\s*#/.test(only.line) || isWritten(only.line, only.at) ? undefined : only;
}

/** A file that is about to be made needs no other name. */
const isWritten = (line: string, at: number): boolean => />\|?\s*["']?$/.test(line.slice(0, at));

/** The only path near `written` among `paths` and the folders above them; undefined when it is one of them. */
export function nearPath(written: string, paths: readonly string[]): string | undefined {
  const folders = paths.flatMap((path) =>
    path.split('/').flatMap((_, i, parts) => (i === 0 ? [] : [parts.slice(0, i).join('/')])),
  );
  const every = new Set(written.endsWith('/') ? folders : [...paths, ...folders]);
  const plain = posix.normalize(written).replace(/\/$/, '');
  if (every.has(plain)) return undefined;
  const near = [...every].filter((path) => slips(plain, path) <= 2 && oneSegment(plain, path, isNear));
  const [only] = near;
  return only !== undefined && near.length === 1 && oneSegment(plain, only, isMistyped) ? only : undefined;
}

/** Whether the paths are the same but for one part, and `holds` for that. */
function oneSegment(written: string, path: string, holds: (one: string, other: string) => boolean): boolean {
  const [parts, others] = [written.split('/'), path.split('/')];
  if (parts.length !== others.length) return false;
  const differing = parts.flatMap((part, i) => (part === others[i] ? [] : [[part, others[i] as string] as const]));
  const [first] = differing;
  return first !== undefined && differing.length === 1 && holds(...first);
}

const isNear = (one: string, other: string): boolean => slips(one, other) <= (stemOf(one).length >= 8 ? 2 : 1);

/** The stem alone decides; of endings only those of YAML are the same. */
function isMistyped(one: string, other: string): boolean {
  if (stemOf(one) === stemOf(other)) return [one, other].every((name) => /^\.ya?ml$/.test(posix.extname(name)));
  return posix.extname(one) === posix.extname(other) && isSlip(stemOf(one), stemOf(other));
}

const stemOf = (name: string): string => posix.basename(name, posix.extname(name));
