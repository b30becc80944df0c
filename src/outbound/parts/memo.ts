// The owner's own words: the sections of the memo that belong to a stage, and the instructions for executors.
import type { PartLines } from '../document.ts';
import { linesWithin } from '../text.ts';

interface Section {
  level: number;
  heading: string;
  lines: string[];
}

/** One level below the heading of the part. */
export const memoLines: PartLines = ({ memo = '', keywords = {}, stage }) => {
  const sections = memoSections(memo, stage.architecture_sections ?? [], keywords);
  const lines = sections.flatMap((one, i) => [...(i > 0 ? [''] : []), ...one.replace(/^#/gm, '##').split('\n')]);
  return (room) => linesWithin(lines, room);
};

/** Without their section on the form of the answer: the document says that itself, at its end. */
export const instructionLines = (instructions: string): PartLines => {
  const lines = withoutSection(instructions, 'The answer').split('\n');
  return () => (room) => linesWithin(lines, room);
};

/** Sections whose heading has a keyword of one of `keys` (or the key itself), with what is below them, in the memo's order. */
export function memoSections(
  memo: string,
  keys: readonly string[],
  keywords: Readonly<Record<string, readonly string[]>>,
): string[] {
  const words = keys.flatMap((key) => [key, ...(Object.hasOwn(keywords, key) ? (keywords[key] ?? []) : [])]);
  if (words.length === 0) return [];
  const chosen: string[][] = [];
  let inside = 0;
  for (const { level, heading, lines } of allSections(memo)) {
    if (inside > 0 && level <= inside) inside = 0;
    if (inside === 0 && !words.some((word) => hasWord(heading, word))) continue;
    if (inside === 0) {
      inside = level;
      chosen.push([]);
    }
    chosen.at(-1)?.push(...lines);
  }
  return chosen.map((lines) => lines.join('\n').trimEnd());
}

/** What stands below each heading; a # inside a code block is none. */
function allSections(memo: string): Section[] {
  const sections: Section[] = [];
  let fence = '';
  for (const line of memo.split(/\r?\n/)) {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1] ?? '';
    if (mark !== '' && (fence === '' || mark.startsWith(fence))) fence = fence === '' ? mark : '';
    const heading = fence === '' ? /^(#{1,6})\s+(.+?)\s*#*$/.exec(line) : null;
    if (heading) sections.push({ level: (heading[1] as string).length, heading: heading[2] as string, lines: [line] });
    else sections.at(-1)?.lines.push(line);
  }
  return sections;
}

function hasWord(heading: string, word: string): boolean {
  const [text, wanted] = [heading.toLowerCase(), word.toLowerCase()];
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + 1)) {
    const [before, after] = [text[at - 1] ?? ' ', text[at + wanted.length] ?? ' '];
    // The plural counts too: VM, VMs.
    if (
      !/[\p{L}\p{N}]/u.test(before) &&
      (!/[\p{L}\p{N}]/u.test(after) || /^s(?![\p{L}\p{N}])/u.test(text.slice(at + wanted.length)))
    ) {
      return true;
    }
  }
  return false;
}

/** `text` without the section of this heading. */
function withoutSection(text: string, heading: string): string {
  let inside = 0;
  const others = text.split('\n').filter((line) => {
    const [, marks, words] = /^(#{1,6})\s+(.+?)\s*#*$/.exec(line) ?? [];
    if (marks !== undefined) {
      if (inside > 0 && marks.length <= inside) inside = 0;
      if (inside === 0 && words?.toLowerCase() === heading.toLowerCase()) inside = marks.length;
    }
    return inside === 0;
  });
  return others.join('\n').trimEnd();
}
