// A terminal without a screen: what is written to stdout, as a person would see it.

/** The lines that stand there after all that `work` writes to stdout. */
export const shownBy = (work: () => void): string[] => render(writtenBy(work));

/** All that `work` writes to stdout. */
export function writtenBy(work: () => void): string {
  const { write } = process.stdout;
  let text = '';
  process.stdout.write = (chunk: string | Uint8Array) => {
    text += chunk;
    return true;
  };
  try {
    work();
  } finally {
    process.stdout.write = write;
  }
  return text;
}

/** Knows what a screen uses: cursor up, erasing the end of a line or all below. Throws for anything else. */
export function render(text: string): string[] {
  const lines = [''];
  let [row, column] = [0, 0];
  // biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences begin with one
  for (const [part, count, kind] of text.matchAll(/\u001b\[([?\d;]*)([A-Za-z])|[^\u001b]/g)) {
    const line = lines[row] ?? '';
    if (kind === undefined) {
      if (part === '\n') [row, column] = [row + 1, 0];
      else if (part === '\r') column = 0;
      else lines[row] = line.slice(0, column).padEnd(column) + part + line.slice(++column);
    } else if (kind === 'A') row = Math.max(0, row - Number(count || 1));
    else if (kind === 'K') lines[row] = line.slice(0, column);
    else if (kind === 'J') lines.splice(row, lines.length, line.slice(0, column));
    else if (!'mhl'.includes(kind)) throw new Error(`unknown sequence ${JSON.stringify(part)}`);
    while (lines.length <= row) lines.push('');
  }
  while (lines.at(-1) === '') lines.pop();
  return lines;
}
