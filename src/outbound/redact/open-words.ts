// Words that stay readable whatever else they are: those of tracked files' paths, and values that the owner said are no
// secret.

const BETWEEN = /[/._-]+/;
const isBetween = (char: string): boolean => char === '' || char === '\n' || BETWEEN.test(char);

/** Whether a text is one of `values`, or a part of one of `paths` that begins and ends where a word does. */
export function openWords(paths: Iterable<string>, values: readonly string[]): (text: string) => boolean {
  const open = new Set(values);
  const all = [...paths].join('\n');
  const words = new Set(all.split(/[/._\n-]+/));

  function isInPath(text: string): boolean {
    // Most texts end here: looking through all paths takes its time.
    if (all === '' || !text.split(BETWEEN).every((word) => words.has(word))) return false;
    for (let at = all.indexOf(text); at !== -1; at = all.indexOf(text, at + 1)) {
      if (isBetween(all.charAt(at - 1)) && isBetween(all.charAt(at + text.length))) return true;
    }
    return false;
  }
  return (text) => open.has(text) || isInPath(text);
}
