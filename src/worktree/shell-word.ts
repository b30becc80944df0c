// Names as one word of a shell command, for the commands that errors tell people to type.

/** `text` quoted where a POSIX shell would read it as more than itself; newlines and other control characters escaped. */
export function shellWord(text: string): string {
  if (/^[\w@%+=:,./-]+$/.test(text) && !text.startsWith('-')) return text;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not reach a terminal as they are
  if (/[\u0000-\u001f\u007f]/.test(text)) {
    const escaped = JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'");
    return `$'${escaped}'`;
  }
  return `'${text.replaceAll("'", "'\\''")}'`;
}
