// YAML indented with tabs: every way to read them as spaces. Pure.
import { indentStep } from './yaml-document.ts';

const TABBED = /^([ \t]*\t[ \t]*)(?=\S)/;
/** Below such a line a tab is text. */
const OPENS_TEXT = /(?:^|[\s:-])[|>][+-]?\d?[+-]?\s*(?:#.*)?$/;

/** The text with all tabs of indentation as spaces: once for each width, the likeliest first. */
export function withoutTabs(text: string): string[] {
  const lines = text.split('\n');
  if (!lines.some((line) => TABBED.test(line)) || lines.some((line) => OPENS_TEXT.test(line))) return [];
  const widths = [...new Set([indentStep(lines.filter((line) => !TABBED.test(line))), 2, 4, 8])];
  return widths.map((width) =>
    lines.map((line) => line.replace(TABBED, (tabs) => tabs.replaceAll('\t', ' '.repeat(width)))).join('\n'),
  );
}
