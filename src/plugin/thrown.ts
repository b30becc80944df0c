// What was thrown, as one line for a person: plugins may throw anything, and nothing of it may break the report.

const MAX_LENGTH = 300;

/** Never throws, whatever `error` is. */
export function thrownLine(error: unknown): string {
  try {
    const text = error instanceof Error ? String(error.message).trim() || String(error.name) : String(error);
    const line = text.replace(/[\s\p{Cc}]+/gu, ' ').trim();
    if (line === '') return 'nothing that could be shown';
    return line.length > MAX_LENGTH ? `${line.slice(0, MAX_LENGTH - 3)}...` : line;
  } catch {
    return 'something that cannot be shown';
  }
}
