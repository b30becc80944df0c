// The files that may be changed: few, the most suspicious last, right before the failure, and the rest by name.
import type { PartLines } from '../document.ts';
import { clipLine, estimateTokens, fenced, fenceTokens, linesWithin, plainLine, textLines } from '../text.ts';
import { excerpt } from './excerpt.ts';
import { type Suspect, suspicionOf } from './suspicion-of.ts';

/** At most, for the names of files that are not shown. */
const NAMES_ROOM = 300;
const NAMES_INTRO = 'Editable too, but not shown:';

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
    const least = (ranked[0]?.score ?? 0) * share;
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

/** The file as data, in at most `room` tokens; undefined when nothing of use fits. */
function fileBlock(file: Suspect, nonce: string, room: number): string[] | undefined {
  const count = textLines(file.text).length;
  const ends = file.text.includes('\r\n') ? ', line ends CRLF' : '';
  const title = `file ${file.path}, ${count === 1 ? '1 line' : `${count} lines`}${ends}`;
  const body = excerpt(file, room - fenceTokens(nonce, title));
  return body && fenced(nonce, title, body);
}
