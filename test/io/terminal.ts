// A terminal without a screen: what is written to stdout, as a person would see it.

/** The lines that stand there after all that `work` writes to stdout. */
export function shownBy(work: () => void): string[] {
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
  return render(text);
}

/** Knows what log-update uses: cursor up, down and left, erasing a line, or its end. Throws for anything else. */
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
    else if (kind === 'B') row += Number(count || 1);
    else if (kind === 'G') column = Number(count || 1) - 1;
    else if (kind === 'K') lines[row] = count === '2' ? '' : line.slice(0, column);
    else if (!'mhl'.includes(kind)) throw new Error(`unknown sequence ${JSON.stringify(part)}`);
    while (lines.length <= row) lines.push('');
  }
  while (lines.at(-1) === '') lines.pop();
  return lines;
}
