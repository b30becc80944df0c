// How random a text looks: whether a person or a generator wrote it.

/** Bits per character, from how often each one occurs in it. */
export function entropy(text: string): number {
  const counts = new Map<string, number>();
  for (const char of text) counts.set(char, (counts.get(char) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length);
  return bits;
}

/** How often small letters, capitals and digits take turns, from 0 to 1. Words hardly do, keys do all the time. */
export function turns(text: string): number {
  let changes = 0;
  for (let i = 1; i < text.length; i++) {
    const [before, now] = [classOf(text.charCodeAt(i - 1)), classOf(text.charCodeAt(i))];
    if (before !== now && before !== 0 && now !== 0) changes++;
  }
  return text.length < 2 ? 0 : changes / (text.length - 1);
}

/** Whether a part of it would be known again: no text that a person wrote has such a part by chance. */
export function looksRandom(text: string): boolean {
  return !/\s/.test(text) && turns(text.slice(0, 4096)) >= 0.2 && entropy(text.slice(0, 4096)) >= 3;
}

function classOf(code: number): 0 | 1 | 2 | 3 {
  if (code >= 97 && code <= 122) return 1;
  if (code >= 65 && code <= 90) return 2;
  return code >= 48 && code <= 57 ? 3 : 0;
}
