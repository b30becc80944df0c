// A file as placement sees it: its lines with their own ends, and where each text stands.

export interface Source {
  lines: string[];
  /** The line ends, each as it is; '' only for a last line without one. */
  ends: string[];
  trimmed: string[];
  /** Trimmed text → the lines that have it, ascending. Blank lines are not in it. */
  at: Map<string, number[]>;
}

/** Splits a text into a `Source`; joining lines and ends gives the text again. */
export function sourceOf(text: string): Source {
  const lines = text.split('\n');
  const ends = new Array<string>(lines.length).fill('\n');
  if (lines.at(-1) === '') {
    lines.pop();
    ends.pop();
  } else ends[ends.length - 1] = '';
  const trimmed = new Array<string>(lines.length);
  const at = new Map<string, number[]>();
  for (let i = 0; i < lines.length; i++) {
    let line = lines[i] as string;
    if (line.endsWith('\r') && ends[i] !== '') {
      line = line.slice(0, -1);
      lines[i] = line;
      ends[i] = '\r\n';
    }
    const key = line.trim();
    trimmed[i] = key;
    if (key === '') continue;
    const known = at.get(key);
    if (known) known.push(i);
    else at.set(key, [i]);
  }
  return { lines, ends, trimmed, at };
}

/** The line end that new lines get: the one most of the file has. */
export function lineEnd({ ends }: Source): string {
  let crlf = 0;
  for (const end of ends) if (end === '\r\n') crlf++;
  return crlf * 2 > ends.length ? '\r\n' : '\n';
}

/** The white space a line begins with. */
export const indentOf = (line: string): string => line.slice(0, line.length - line.trimStart().length);
