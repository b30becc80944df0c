// The forms in which a known secret is looked for in each view of a text: as it is, with the quotes that shells and
// YAML double, base64 of both alphabets beginning at any byte, and hexadecimal. What is escaped (URLs, JSON, shells,
// XML), wrapped, coloured or parted by signs is found in another view (searchable-view.ts), base64 inside of base64 by
// decoding it (decoded.ts). Not covered: compression, encryption, base64 of letters in another case, and parts of less
// than 12 characters.

export interface Form {
  text: string;
  /** Base64 of the secret inside of a longer text: the characters around it hold some of its bits, too. */
  base64?: true;
  /** Nothing that a person would write: any part of it gives the secret away. */
  random?: true;
}

/** Longer values are not looked for in hexadecimal. */
const MAX_HEX = 512;

/** Every form of `value`, each once, the value itself first. */
export function formsOf(value: string): Form[] {
  const plain = new Set([
    value,
    value.replaceAll("'", "'\\''"),
    value.replaceAll("'", "''"),
    value.replaceAll(' ', '+'),
    // As a shell, a here-document or a format string would have it.
    value.replaceAll('$', '$$$$'),
    value.replaceAll('%', '%%'),
  ]);
  return [...[...plain].map((text) => ({ text })), ...base64Forms(value), ...hexForms(value)];
}

/**
 * What base64 makes of the bytes at each of the three places they can begin at, only the characters that are theirs
 * alone.
 */
function base64Forms(value: string): Form[] {
  const bytes = Buffer.from(value, 'utf8');
  const cores = [0, 1, 2].map((lead) => {
    const text = Buffer.concat([Buffer.alloc(lead), bytes]).toString('base64');
    return text.slice([0, 2, 3][lead], Math.floor((8 * (lead + bytes.length)) / 6));
  });
  const urlSafe = cores.map((core) => core.replaceAll('+', '-').replaceAll('/', '_'));
  return [...new Set([...cores, ...urlSafe])].map((text) => ({ text, base64: true, random: true }));
}

/** As xxd and od -t x1 write it, small and in capitals. */
function hexForms(value: string): Form[] {
  if (value.length > MAX_HEX) return [];
  const small = Buffer.from(value, 'utf8').toString('hex');
  return [...new Set([small, small.toUpperCase()])].map((text) => ({ text, random: true }));
}
