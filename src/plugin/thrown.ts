// What was thrown, as one line for a person: plugins may throw anything, and nothing of it may break the report.

const LONGEST = 300;

/** Never throws, whatever `error` is. */
export function thrown(error: unknown): string {
  try {
    const text = error instanceof Error ? messageOf(error) : String(error);
    const line = oneLine(text);
    return line === '' ? 'nothing that could be shown' : line;
  } catch {
    return 'something that cannot be shown';
  }
}

function messageOf(error: Error): string {
  const message = String(error.message);
  return message.trim() === '' ? String(error.name) : message;
}

function oneLine(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: what a terminal would act on
  const line = text.replace(/[\s\x00-\x1f\x7f-\x9f]+/g, ' ').trim();
  return line.length > LONGEST ? `${line.slice(0, LONGEST - 3)}...` : line;
}
