// YAML indented with tabs: every way to read them as spaces. Pure.
import { indentStep } from './yaml-document.ts';

const TABBED = /^([ \t]*\t[ \t]*)(?=\S)/;
/** Below such a line a tab is text. */
const OPENS_TEXT = /(?:^|[\s:-])[|>][+-]?\d?[+-]?\s*(?:#.*)?$/;

const LEVELS = 10;

/** The text with all tabs of indentation as spaces: once for each width, the likeliest first. */
export function withoutTabs(text: string): string[] {
  const lines = text.split('\n');
  if (!lines.some((line) => TABBED.test(line)) || lines.some((line) => OPENS_TEXT.test(line))) return [];
  const step = indentStep(lines.filter((line) => !TABBED.test(line)));
  // Several tabs are as many levels, at least one each; a single one may stand for any number of them.
  const single = lines.every((line) => (TABBED.exec(line)?.[1]?.split('\t').length ?? 2) === 2);
  const many = single ? Array.from({ length: LEVELS }, (_, i) => step * (i + 1)) : [];
  const widths = [...new Set([step, 2, 4, 8, ...many])].filter((width) => width >= step);
  return widths.map((width) =>
    lines.map((line) => line.replace(TABBED, (tabs) => tabs.replaceAll('\t', ' '.repeat(width)))).join('\n'),
  );
}
