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

/** A line cut to what is worth reading, saying so: its head, and its tail, where many tools name the cause. */
export function clipLine(line: string, most: number = LONGEST_LINE): string {
  if (line.length <= most) return line;
  const head = Math.ceil(most * 0.6);
  return `${line.slice(0, head)} … (${line.length - most} characters left out) … ${line.slice(head - most)}`;
}
