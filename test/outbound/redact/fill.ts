// Fake secrets, made when a test runs: `<36>` in an example becomes so many letters and digits, the same ones each
// time.
const SETS: Record<string, string> = {
  '': 'aB3dE5fG7hJ9kL2mN4pQ6rS8tU1vW0xY',
  hex: '0123456789abcdef',
  b64: 'Ab3/Cd5+Ef7Gh9Ij2Kl4Mn6Op8Qr0St1',
  b32: 'QW2ER3TY4UP5AS6DF7GHJKLZXCVBNM',
  low: 'q8w3e5r7t2y4u6i9o1p0asdfghjk',
};

/** Numbers that look random and are the same for the same seed. */
export function dice(seed: number): () => number {
  let state = seed >>> 0 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 0x100000000;
  };
}

export function letters(set: string, length: number, roll: () => number): string {
  const from = SETS[set] as string;
  return Array.from({ length }, () => from[Math.floor(roll() * from.length)]).join('');
}

export function uuid(roll: () => number): string {
  return [8, 4, 4, 4, 12].map((n) => letters('hex', n, roll)).join('-');
}

const FILLED = /<(keep:|also:)?(?:=([^<>]+)|(uuid)|(?:(hex|b64|b32|low):)?(\d+))>/g;

/**
 * The example with everything filled in, and what was filled in, `<keep:…>` not counted; `<=word>` is the word itself. What
 * another rule masks, `<also:…>`, is in `masked` only.
 */
export function fill(example: string, seed = 7): { text: string; secrets: string[]; masked: string[] } {
  const roll = dice(seed * 7919 + example.length);
  const [secrets, masked]: [string[], string[]] = [[], []];
  const text = example.replace(FILLED, (_, how, word, isUuid, set, length) => {
    const made = word ?? (isUuid ? uuid(roll) : letters(set ?? '', Number(length), roll));
    if (how !== 'keep:') masked.push(made);
    if (!how) secrets.push(made);
    return made;
  });
  return { text, secrets, masked };
}
