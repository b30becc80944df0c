// The owner's own words: the sections of the memo that belong to a stage, and the instructions for executors.
import type { PartLines } from '../document.ts';
import { linesWithin } from '../text.ts';

/** One level below the heading of the part. */
export const memoLines: PartLines = ({ memo = '', keywords = {}, stage }) => {
  const sections = memoSections(memo, stage.architecture_sections ?? [], keywords);
  const lines = sections.flatMap((one, i) => [...(i > 0 ? [''] : []), ...one.replace(/^#/gm, '##').split('\n')]);
  return (room) => linesWithin(lines, room);
};

/** Without their section on the form of the answer: the document says that itself, at its end. */
export const withoutAnswerRule = (instructions: string): string[] =>
  sectionsOf(instructions, (heading) => heading.toLowerCase() === 'the answer').flatMap((section) =>
    section.chosen ? [] : section.lines,
  );

/** Sections whose heading has a keyword of one of `keys` (or the key itself), with what is below them, in the memo's order. */
export function memoSections(
  memo: string,
  keys: readonly string[],
  keywords: Readonly<Record<string, readonly string[]>>,
): string[] {
  const words = keys.flatMap((key) => [key, ...(Object.hasOwn(keywords, key) ? (keywords[key] ?? []) : [])]);
  // Whole words; the plural counts too: VM, VMs.
  const any = words.map((word) => word.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&')).join('|');
  const pattern = new RegExp(`(?<![\\p{L}\\p{N}])(?:${any})s?(?![\\p{L}\\p{N}])`, 'iu');
  const sections = sectionsOf(memo, (heading) => words.length > 0 && pattern.test(heading));
  return sections.flatMap(({ chosen, lines }) => (chosen ? [lines.join('\n').trimEnd()] : []));
}

/** The text cut at each heading outside of a chosen section, and at the end of these; a # inside a code block is no heading. */
function sectionsOf(text: string, choose: (heading: string) => boolean) {
  const sections: { readonly lines: string[]; readonly chosen: boolean }[] = [{ lines: [], chosen: false }];
  let fence = '';
  let inside = 0;
  for (const line of text.split(/\r?\n/)) {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1] ?? '';
    if (mark !== '' && (fence === '' || mark.startsWith(fence))) fence = fence === '' ? mark : '';
    const [, marks = '', heading = ''] = (fence === '' && /^(#{1,6})\s+(.+?)\s*#*$/.exec(line)) || [];
    if (marks !== '' && (inside === 0 || marks.length <= inside)) {
      const chosen = choose(heading);
      inside = chosen ? marks.length : 0;
      sections.push({ lines: [], chosen });
    }
    sections.at(-1)?.lines.push(line);
  }
  return sections;
}
