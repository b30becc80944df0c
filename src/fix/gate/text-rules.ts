// Added lines that no eye sees as they are, or that nobody reads to their end.
import type { Change } from './facts.ts';
import { type Finding, refuses } from './finding.ts';

const MAX_LINE_CHARS = 4_000;
const NOT_SEEN = /(?!\t)\p{Cc}|[\p{Cs}\u200b\u2060\u2028-\u202e\u2066-\u2069\ufeff\ufff9-\ufffb\ue000-\ue102]/u;

export const textFindings = ({ path, lines }: Pick<Change, 'path' | 'lines'>): Finding[] =>
  lines.added.flatMap(({ text, number }) => {
    const shown = number === 1 ? text.replace(/^\ufeff/, '') : text;
    if (NOT_SEEN.test(shown))
      return [refuses('unsafe_text', path, number, 'has characters that are not seen', shown.trim())];
    if (shown.length <= MAX_LINE_CHARS) return [];
    return [refuses('too_large', path, number, `a line of more than ${MAX_LINE_CHARS} characters`, shown.trim())];
  });
