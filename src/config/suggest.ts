// "Did you mean": the nearest known word, only when it is near enough to be a slip of the fingers, or the only one that begins so.
import { distance } from 'fastest-levenshtein';

const MAX_NAMED = 20;
const MIN_BEGINNING = 3;

/** The known word nearest to `word`, or undefined when none is near. */
export function nearest(word: string, words: readonly string[]): string | undefined {
  const scored = words.map((name) => ({ name, steps: slipsBetween(word.toLowerCase(), name.toLowerCase()) }));
  const best = scored.sort((a, b) => a.steps - b.steps)[0];
  if (best === undefined) return undefined;
  const slips = Math.min(3, Math.max(1, Math.floor(Math.max(word.length, best.name.length) / 3)));
  if (best.steps <= slips) return best.name;
  const [begun, another] = word.length < MIN_BEGINNING ? [] : words.filter((name) => name.startsWith(word));
  return another === undefined ? begun : undefined;
}

/** Edit distance, but two neighbours that changed places are one slip, the most common of all. */
function slipsBetween(word: string, name: string): number {
  const at = [...word].findIndex((letter, i) => letter !== name[i]);
  const swapped = word.slice(0, at) + (word[at + 1] ?? '') + word[at] + word.slice(at + 2);
  return at >= 0 && swapped === name ? 1 : distance(word, name);
}

/** The end of a message about an unknown word: a suggestion, if there is one. */
export function suggestion(word: string, words: readonly string[]): string {
  const name = nearest(word, words);
  return name === undefined ? '' : `; did you mean ${JSON.stringify(name)}?`;
}

/** The same; else what there is to choose from. */
export function didYouMean(word: string, words: readonly string[], label: string): string {
  const suggested = suggestion(word, words);
  if (suggested !== '' || words.length === 0) return suggested;
  return `; ${label}: ${words.slice(0, MAX_NAMED).join(', ')}${words.length > MAX_NAMED ? ', ...' : ''}`;
}
