// The edges of a secret inside of base64.

/** The span with the characters beside it that hold some bits of the secret, and with the padding. */
export function aroundBase64(text: string, start: number, end: number): { start: number; end: number } {
  const from = isBase64(text, start - 1) ? start - 1 : start;
  let to = isBase64(text, end) ? end + 1 : end;
  for (let i = 0; i < 2 && text.charAt(to) === '='; i++) to++;
  return { start: from, end: to };
}

const isBase64 = (text: string, at: number): boolean => at >= 0 && /[A-Za-z0-9+/_-]/.test(text.charAt(at));
