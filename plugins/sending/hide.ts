// What a host says may repeat what it was sent, a key in parts included: those words are left out before anyone reads them.

const PART = 6;
const HIDDEN = '(hidden)';
const LONGEST = 200;

/** `text` as one bounded line, without any word that shares six characters in a row with one of `secrets`. */
export function sayable(text: string, secrets: readonly string[]): string {
  const parts = new Set(secrets.flatMap(partsOf));
  const words = text
    .slice(0, 20 * LONGEST)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: what a terminal would act on
    .split(/[\s\x00-\x1f\x7f-\x9f]+/)
    .filter((word) => word !== '')
    .map((word) => (has(word, parts) ? HIDDEN : word));
  const line = words.join(' ');
  return line.length > LONGEST ? `${line.slice(0, LONGEST - 3)}...` : line;
}

function partsOf(secret: string): string[] {
  if (secret.length <= PART) return secret === '' ? [] : [secret];
  return Array.from({ length: secret.length - PART + 1 }, (_, i) => secret.slice(i, i + PART));
}

function has(word: string, parts: ReadonlySet<string>): boolean {
  for (const part of parts) if (word.includes(part)) return true;
  return false;
}
