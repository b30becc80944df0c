// A path of the repository that is mistyped in a file of the stage.
import { posix } from 'node:path';
import { capturedBy, errorLines, fileNamed, lastComplaint } from './complaints.ts';
import { isSlip, oneDifference, slips } from './near.ts';
import { onlyOne, onlyPlace, type Repair, type RepairFacts, rewritten, splice, textsOf, withLine } from './repair.ts';

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

export const misspeltPath: Repair = async (facts) => {
  const missing = missingPath(facts);
  const near = missing && nearPath(missing.path, [...facts.files, ...facts.tree]);
  if (!missing || near === undefined) return undefined;
  const texts = await textsOf(facts, (file) => !/\.(?:md|rst|txt)$/.test(file));
  const place = placeOf(missing, texts, facts);
  if (!place) return undefined;
  const { file, text, number } = place;
  const { path } = missing;
  const mended = path.endsWith('/') ? `${near}/` : near;
  const line = splice(place.line, place.at, path.length, path.startsWith('./') ? `./${mended}` : mended);
  return rewritten({ path: file, text }, withLine(text, number, line), {
    fix: `Write ${mended} instead of ${path} in line ${number} of ${file}`,
    reason: `There is no ${path}, and ${mended} is the only path of the repository with nearly that name`,
  });
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
    return isInside(path) ? { path, at: placed } : undefined;
  }
  const lines = errorLines(facts);
  const paths = lines.flatMap((line) => capturedBy(UNPLACED, line) ?? []);
  const [path] = paths;
  return path !== undefined && isInside(path) && new Set(paths).size === 1 && lines.length === paths.length
    ? { path }
    : undefined;
}

const isInside = (path: string): boolean => !/^[/~-]|\.\.|[$*?[\]{}]/.test(path) && /[/.]|^\w{4,}$/.test(path);

/** The line that the shell names, or the only one in all files where the path stands. */
function placeOf({ path, at }: Missing, texts: ReadonlyMap<string, string>, facts: RepairFacts) {
  const named = at && fileNamed(at.file, facts);
  const files = [...texts].filter(([file]) => !at || file === named);
  const lines = files.flatMap(([file, text]) =>
    text.split('\n').map((line, i) => ({ file, text, line, number: i + 1 })),
  );
  const place = onlyOne(lines.filter(({ line }) => line.includes(path)));
  const column = place && onlyPlace(place.line, path, PART);
  // A file that is about to be made needs no other name.
  if (!place || column === undefined || />\|?\s*["']?$/.test(place.line.slice(0, column))) return undefined;
  // A path that comes again is meant: something makes it.
  const isCertain = at ? place.number === at.line && place.text.split(path).length === 2 : !/^\s*#/.test(place.line);
  return isCertain ? { ...place, at: column } : undefined;
}

/** The only path near `written` among `paths` and the folders above them; undefined when it is one of them. */
export function nearPath(written: string, paths: readonly string[]): string | undefined {
  const folders = paths.flatMap((path) =>
    path.split('/').flatMap((_, i, parts) => (i === 0 ? [] : [parts.slice(0, i).join('/')])),
  );
  const every = new Set(written.endsWith('/') ? folders : [...paths, ...folders]);
  const plain = posix.normalize(written).replace(/\/$/, '');
  if (every.has(plain)) return undefined;
  const near = [...every].filter((path) => slips(plain, path) <= 2 && oneSegment(plain, path, isNear));
  const only = onlyOne(near);
  return only !== undefined && oneSegment(plain, only, isMistyped) ? only : undefined;
}

/** Whether the paths are the same but for one part, and `holds` for that. */
function oneSegment(written: string, path: string, holds: (one: string, other: string) => boolean): boolean {
  const parts = oneDifference(written.split('/'), path.split('/'));
  return parts !== undefined && holds(...parts);
}

const isNear = (one: string, other: string): boolean => slips(one, other) <= (stemOf(one).length >= 8 ? 2 : 1);

/** The stem alone decides; of endings only those of YAML are the same. */
function isMistyped(one: string, other: string): boolean {
  if (stemOf(one) === stemOf(other)) return [one, other].every((name) => /^\.ya?ml$/.test(posix.extname(name)));
  return posix.extname(one) === posix.extname(other) && isSlip(stemOf(one), stemOf(other));
}

const stemOf = (name: string): string => posix.basename(name, posix.extname(name));
