// Lines of a text by their number, and one of them replaced. Pure.

/** The line with this number, from 1; undefined beyond the end. Without its line end. */
export const lineAt = (text: string, number: number): string | undefined => text.split('\n')[number - 1];

/** `text` with line `number` replaced; `null` takes the line out. */
export function withLine(text: string, number: number, line: string | null): string {
  const lines = text.split('\n');
  lines.splice(number - 1, 1, ...(line === null ? [] : [line]));
  return lines.join('\n');
}

/** The one place in `line` where `word` stands by itself; undefined when there is none, or several. */
export function onlyPlace(line: string, word: string, part: RegExp): number | undefined {
  const places: number[] = [];
  for (let at = line.indexOf(word); at !== -1; at = line.indexOf(word, at + 1)) {
    const [before, after] = [line[at - 1] ?? ' ', line[at + word.length] ?? ' '];
    if (!part.test(before) && !part.test(after)) places.push(at);
  }
  return places.length === 1 ? places[0] : undefined;
}

/** `line` with the `length` characters at `at` replaced. */
export const splice = (line: string, at: number, length: number, text: string): string =>
  line.slice(0, at) + text + line.slice(at + length);
