// The files that may be changed: few, the most suspicious last, right before the failure, and the rest by name. Line numbers are
// kept: all of a small one; of a long one the windows around what the failure names and around words it shares.
import type { PartLines } from '../document.ts';
import { numbered } from '../shown-files.ts';
import { clipLine, estimateTokens, fenced, fenceTokens, linesWithin, plainLine, textLines } from '../text.ts';
import type { Suspect } from './suspects.ts';
import { suspicionOf } from './suspicion-of.ts';

/** A file of fewer lines is shown whole, and may be asked for whole. */
export const SMALL_FILE_LINES = 150;

const AROUND_NAMED = 12;
const AROUND_WORD = 5;
const HEAD = 5;
const HEAD_WITHOUT_CLUE = 40;
/** Less room than this shows nothing of use. */
const MIN_ROOM = 60;
/** At most, for the names of files that are not shown. */
const NAMES_ROOM = 300;
const NAMES_INTRO = 'The stage has these files too; less points at them:';

/** So many files are all there is to look at: none of them is left out as unlikely. */
const FEW = 3;

/** At most so many are shown, and none with less than this part of what points at the most suspicious one. */
export interface FileLimits {
  readonly most: number;
  readonly share: number;
}

/** Begins with `intro` and the names of those that are not shown. */
export const fileLines =
  (intro: string, { most, share }: FileLimits): PartLines =>
  (context) => {
    const { nonce } = context;
    const { ranked } = suspicionOf(context);
    const least = ranked.length <= FEW ? 0 : (ranked[0]?.score ?? 0) * share;
    return (room) => {
      const forNames = Math.min(NAMES_ROOM, 40 + ranked.length * 15, room / 12);
      let left = room - estimateTokens(intro) - 1 - forNames;
      const blocks: string[] = [];
      const hidden: string[] = [];
      for (const file of ranked) {
        const isShown = blocks.length < most && (file.score >= least || file.isRun);
        // The first may have nearly all of the room; the others share what is left, so that each says something.
        const lines = isShown ? fileBlock(file, nonce, left * (blocks.length === 0 ? 0.8 : 0.5)) : undefined;
        if (lines === undefined) {
          hidden.push(`- ${clipLine(plainLine(file.path))}`);
          continue;
        }
        const block = lines.join('\n');
        left -= estimateTokens(block) + 1;
        blocks.unshift(`\n${block}`);
      }
      // A name is anybody's to choose, so it is data like the rest.
      const names = linesWithin(hidden, forNames - fenceTokens(nonce, 'names') - estimateTokens(NAMES_INTRO) - 5);
      const more = hidden.length - names.length;
      if (more > 0) names.push(`- and ${more} more`);
      const also = hidden.length === 0 ? [] : ['', NAMES_INTRO, ...fenced(nonce, 'names', names)];
      return blocks.length === 0 && also.length === 0 ? [] : [intro, ...also, ...blocks];
    };
  };

type OpenFile = Suspect & { readonly lines: readonly string[] };

/** The file as data, in at most `room` tokens; undefined when nothing of use fits. */
function fileBlock(suspect: Suspect, nonce: string, room: number): string[] | undefined {
  const file = { ...suspect, lines: textLines(suspect.text) };
  const all = file.lines.length;
  // A numbered line is a token at least.
  if (all < SMALL_FILE_LINES && all <= room) {
    const whole = numberedLines(file, nonce, new Set(file.lines.keys()));
    if (size(whole) <= room) return whole;
  }
  if (room < MIN_ROOM) return undefined;
  const chosen = new Set<number>();
  // Numbers, gaps and the fence take some of the room.
  let left = room - estimateTokens(`${file.path}${nonce}${nonce}`) - 30;
  for (const line of byWorth(file)) {
    if (chosen.has(line)) continue;
    left -=
      (Math.min(file.lines[line]?.length ?? 0, 440) + 12) / 4 + (chosen.has(line - 1) || chosen.has(line + 1) ? 0 : 8);
    if (left < 0) break;
    chosen.add(line);
  }
  if (chosen.size === 0) return undefined;
  const part = numberedLines(file, nonce, chosen);
  return size(part) <= room ? part : undefined;
}

const size = (lines: readonly string[]): number => estimateTokens(lines.join('\n'));

/** Indices of lines in the order in which they are worth showing. */
function* byWorth({ lines, named, matching }: OpenFile): Generator<number> {
  const within = (line: number): boolean => line >= 0 && line < lines.length;
  function* around(line: number, reach: number): Generator<number> {
    for (let away = 0; away <= reach; away++) {
      if (within(line - away)) yield line - away;
      if (within(line + away)) yield line + away;
    }
  }
  for (const line of named) yield* around(line - 1, AROUND_NAMED);
  for (const line of matching) yield* around(line - 1, AROUND_WORD);
  const head = named.length + matching.length > 0 ? HEAD : HEAD_WITHOUT_CLUE;
  for (let line = 0; line < Math.min(head, lines.length); line++) yield line;
}

function numberedLines({ path, lines, text }: OpenFile, nonce: string, chosen: ReadonlySet<number>): string[] {
  const width = String(lines.length).length;
  const body: string[] = [];
  let next = 0;
  for (const i of [...[...chosen].sort((a, b) => a - b), lines.length]) {
    const gap = i - next;
    if (gap > 0) body.push(`${' '.repeat(width)} (${gap} ${gap === 1 ? 'line' : 'lines'} not shown)`);
    if (i < lines.length) body.push(numbered(clipLine(lines[i] as string), i + 1, width));
    next = i + 1;
  }
  const ends = text.includes('\r\n') ? ', line ends CRLF' : '';
  const count = lines.length === 1 ? '1 line' : `${lines.length} lines`;
  return fenced(nonce, `file ${path}, ${count}${ends}`, body);
}
