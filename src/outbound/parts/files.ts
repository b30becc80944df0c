// The files that may be changed: few, the most suspicious last, right before the failure, and the rest by name.
import type { PartLines } from '../document.ts';
import { estimateTokens, fenced, fenceTokens, textLines } from '../text.ts';
import { excerpt } from './excerpt.ts';
import { type FileLimits, type Suspect, suspicionOf, wantedFiles } from './suspicion-of.ts';

/** The likeliest last. */
export const fileLines =
  (limits: FileLimits): PartLines =>
  (context) => {
    const { nonce } = context;
    const wanted = wantedFiles(suspicionOf(context).ranked, limits);
    return (room) => {
      let left = room;
      const blocks: string[] = [];
      for (const file of wanted) {
        // The first may have nearly all of the room; the others share what is left, so that each says something.
        const lines = fileBlock(file, nonce, left * (blocks.length === 0 ? 0.8 : 0.5));
        if (lines === undefined) continue;
        const block = lines.join('\n');
        left -= estimateTokens(block) + 1;
        blocks.unshift(`\n${block}`);
      }
      return blocks.join('\n').trim().split('\n');
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
