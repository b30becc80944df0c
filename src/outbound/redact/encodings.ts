// The forms in which a secret turns up in logs and files. Covered: as it is; escaped for JSON once or twice, for a shell, YAML
// or XML; URL-encoded; base64 of both alphabets beginning at any byte; hexadecimal without gaps. Each of them also wrapped
// over indented lines and split by colours (see searchable-view.ts). Not covered: base64 of base64, other cases of its letters,
// compression, and pieces of a secret that is shorter than 24 characters or made of words.

export interface Form {
  text: string;
  /** Base64 of the secret inside of a longer text: the characters around it hold some of its bits, too. */
  base64?: true;
  /** Nothing that a person would write: any piece of it gives the secret away. */
  random?: true;
}

/** Longer values are not looked for in hexadecimal. */
const MAX_HEX = 512;

/** Every form of `value`, each once, the value itself first. */
export function formsOf(value: string): Form[] {
  const json = JSON.stringify(value).slice(1, -1);
  const plain = new Set([
    value,
    json,
    // What Go makes of it, what escapes everything but ASCII, and JSON inside of JSON.
    json.replace(/[<>&]/g, unicode),
    json.replace(/[^\0-\x7f]/g, unicode),
    JSON.stringify(json).slice(1, -1),
    json.replaceAll('/', '\\/'),
    ...urlForms(value),
    // Quoted for a shell, for YAML, for XML.
    value.replaceAll("'", "'\\''"),
    value.replaceAll("'", "''"),
    value.replace(/[^\w@%+=:,./\n-]/g, '\\$&'),
    value.replace(/[&<>"']/g, (c) => XML[c] as string),
  ]);
  return [...[...plain].map((text) => ({ text })), ...base64Forms(value), ...hexForms(value)];
}

const XML: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
const unicode = (c: string) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`;

function urlForms(value: string): string[] {
  // A lone half of a character has no URL form.
  if (/\p{Surrogate}/u.test(value)) return [];
  const plain = encodeURIComponent(value);
  const strict = plain.replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
  const lower = (text: string) => text.replace(/%[0-9A-F]{2}/g, (c) => c.toLowerCase());
  const forms = [plain, strict, strict.replaceAll('%20', '+'), encodeURI(value)];
  return [...forms, ...forms.map(lower)];
}

/** What base64 makes of the bytes at each of the three places they can begin at, only the characters that are theirs alone. */
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
