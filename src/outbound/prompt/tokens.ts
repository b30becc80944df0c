// How much room a text takes. An estimate: what a token is depends on the model.

const CHARS_PER_TOKEN = 4;

/** About as many tokens as `text` has. */
export const estimateTokens = (text: string): number => Math.ceil(text.length / CHARS_PER_TOKEN);

/** The longest beginning of `lines` that fits, with a line end each. */
export function linesWithin(lines: readonly string[], room: number): string[] {
  const kept: string[] = [];
  let chars = room * CHARS_PER_TOKEN;
  for (const line of lines) {
    chars -= line.length + 1;
    if (chars < 0) break;
    kept.push(line);
  }
  return kept;
}

const LONGEST_LINE = 400;

/** A line cut to what is worth reading, saying so. */
export function clipLine(line: string, most: number = LONGEST_LINE): string {
  return line.length <= most ? line : `${line.slice(0, most)} … (${line.length - most} characters more)`;
}
