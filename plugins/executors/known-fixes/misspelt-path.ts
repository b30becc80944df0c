// A path of the repository that is mistyped in a file of the stage.
import { fileNamed, lastComplaint, linesOf } from './complaints.ts';
import { lineAt, onlyPlace, splice, withLine } from './lines.ts';
import { nearPath } from './near-path.ts';
import { type Repair, type RepairFacts, rewritten } from './repair.ts';
import { textsOf } from './source-text.ts';

/** Said by a shell of a path at a line. */
const AT_LINE = /^(?:cd: |pushd: |source: |\.: )?([^\s:'"]+): No such file or directory$/;
/** Said by programs, which know no line. */
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

/** The repair of a mistyped path. */
export const misspeltPath: Repair = {
  name: 'misspelt-path',
  about: 'a path with a mistyped name',
  async find(facts) {
    const said = saidPath(facts);
    const path = said && nearPath(said.path, [...new Set([...facts.files, ...(facts.tree ?? [])])]);
    const texts = path === undefined ? undefined : await textsOf(facts, (file) => !/\.(?:md|rst|txt)$/.test(file));
    const place = said && texts && placeOf(said, texts, facts);
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

interface Said {
  path: string;
  at?: { file: string; line: number };
}

function saidPath(facts: RepairFacts): Said | undefined {
  const placed = lastComplaint(facts, AT_LINE);
  if (placed) {
    const said = { path: placed.match[1] as string };
    const { file, line } = placed.complaint;
    // The command of the stage itself is not a file to be mended.
    return isInside(said.path) ? { ...said, at: { file, line } } : undefined;
  }
  const lines = linesOf(facts);
  const paths = lines.flatMap((line) => UNPLACED.map((pattern) => pattern.exec(line)?.[1]).find((path) => path) ?? []);
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
function placeOf({ path, at }: Said, texts: ReadonlyMap<string, string>, facts: RepairFacts): Place | undefined {
  if (at) {
    const file = fileNamed(at.file, facts);
    const text = file === undefined ? undefined : texts.get(file);
    const line = text === undefined ? undefined : lineAt(text, at.line);
    const found = line === undefined ? undefined : onlyPlace(line, path, PART);
    // A path that comes again is meant: something makes it.
    if (text === undefined || text.split(path).length !== 2) return undefined;
    if (file === undefined || line === undefined || found === undefined) return undefined;
    return isWritten(line, found) ? undefined : { file, text, number: at.line, line, at: found, path };
  }
  const places = [...texts].flatMap(([file, text]) =>
    text.split('\n').flatMap((line, i): Place[] => {
      if (!line.includes(path)) return [];
      const found = onlyPlace(line, path, PART);
      return [{ file, text, number: i + 1, line, at: found ?? -1, path }];
    }),
  );
  const [only] = places;
  if (only === undefined || places.length !== 1 || only.at < 0) return undefined;
  return /^\s*#/.test(only.line) || isWritten(only.line, only.at) ? undefined : only;
}

/** A file that is about to be made needs no other name. */
const isWritten = (line: string, at: number): boolean => />\|?\s*["']?$/.test(line.slice(0, at));
