// The sections of the memo that belong to a stage, found by the words of their headings.

interface Section {
  level: number;
  heading: string;
  lines: string[];
}

/** Sections whose heading has a keyword of one of `keys` (or the key itself), with what is below them, in the memo's order. */
export function memoSections(
  memo: string,
  keys: readonly string[],
  keywords: Readonly<Record<string, readonly string[]>>,
): string[] {
  const words = keys.flatMap((key) => [key, ...(Object.hasOwn(keywords, key) ? (keywords[key] ?? []) : [])]);
  if (words.length === 0) return [];
  const found: string[][] = [];
  let inside = 0;
  for (const { level, heading, lines } of sections(memo)) {
    if (inside > 0 && level <= inside) inside = 0;
    if (inside === 0 && !words.some((word) => hasWord(heading, word))) continue;
    if (inside === 0) {
      inside = level;
      found.push([]);
    }
    found.at(-1)?.push(...lines);
  }
  return found.map((lines) => lines.join('\n').trimEnd());
}

/** What stands below each heading; a # inside a code block is none. */
function sections(memo: string): Section[] {
  const found: Section[] = [];
  let fence = '';
  for (const line of memo.split(/\r?\n/)) {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1] ?? '';
    if (mark !== '' && (fence === '' || mark.startsWith(fence))) fence = fence === '' ? mark : '';
    const heading = fence === '' ? /^(#{1,6})\s+(.+?)\s*#*$/.exec(line) : null;
    if (heading) found.push({ level: (heading[1] as string).length, heading: heading[2] as string, lines: [line] });
    else found.at(-1)?.lines.push(line);
  }
  return found;
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
export function withoutSection(text: string, heading: string): string {
  let inside = 0;
  const kept = text.split('\n').filter((line) => {
    const found = /^(#{1,6})\s+(.+?)\s*#*$/.exec(line);
    if (found) {
      const level = (found[1] as string).length;
      if (inside > 0 && level <= inside) inside = 0;
      if (inside === 0 && found[2]?.toLowerCase() === heading.toLowerCase()) inside = level;
    }
    return inside === 0;
  });
  return kept.join('\n').trimEnd();
}
