// What says that a value is a secret: the name of its key or variable, or a look that no person would write.

const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

/** Whoever names something so at the end means its value to be secret. */
const SECRET_WORDS = words(`
  password passwords passwd passphrase passwort kennwort pass pwd pw secret secrets token tokens apikey authkey accesskey
  secretkey privatekey credential credentials cred creds auth cookie jwt bearer webhook dsn psk salt seed mnemonic license key keys
  pat otp pin signature`);
/** May follow: the value is the same in another form, or the next one of several. */
const SUFFIXES = words('id value hash data base64 b64 hex plain raw old new url');
/** Names that end so tell where a secret is, or something about it. */
const HARMLESS_ENDS = words(`
  file files path dir folder name names ttl count length type sock socket expiry expires expiration enabled disabled
  algorithm usage usages ref required version policy`);
/** Of the shell and the desktop. */
const HARMLESS: ReadonlySet<string> = new Set(['PWD', 'OLDPWD', 'SSH_ASKPASS', 'GIT_ASKPASS', 'XAUTHORITY']);

/**
 * Whether the value under this name is a secret; `AWS_ACCESS_KEY_ID`, `adminPassword` and `tls.key` are, `TOKEN_FILE`
 * is not.
 */
export function isSecretName(name: string): boolean {
  if (isHarmlessName(name)) return false;
  const parts = wordsOf(name);
  while (parts.length > 1 && SUFFIXES.has(parts.at(-1) as string)) parts.pop();
  return SECRET_WORDS.has(parts.at(-1) ?? '') || parts.includes('secret') || SECRET_ENDS.test(parts.join(''));
}

/** Whether the name says that its value is no secret, wherever it stands. */
export const isHarmlessName = (name: string): boolean =>
  HARMLESS.has(name) || HARMLESS_ENDS.has(wordsOf(name).at(-1) ?? '') || /^public/i.test(name) || NO_KEY.test(name);

// Which of several, and where: names of keys that open nothing.
const NO_KEY = /(?:^|[_.-])(?:pub(?:lic)?|cache|host|primary|foreign|partition|sort|group|index|topology)[_.-]?keys?$/i;

const wordsOf = (name: string): string[] =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z]+/)
    .filter((word) => word !== '');

// Written as one word, as in PGPASSWORD and secretboxEncryptionSecret.
const SECRET_ENDS =
  /(?:password|passwd|passphrase|secret|token|apikey|authkey|accesskey|secretkey|privatekey|presharedkey|credentials?)$/;

/** The word for the placeholder. */
export function kindOfName(name: string): string {
  const plain = name.toLowerCase();
  if (/pass|pwd|pw$/.test(plain)) return 'password';
  if (/token|jwt|bearer|\bpat\b/.test(plain)) return 'token';
  return /key|cert|crt|-data$/.test(plain) ? 'key' : 'secret';
}

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

const ORDINARY =
  /^(?:sha\d{1,3}[:-]|SHA256:|[a-z]+:\/\/(?![^/]*:[^/]*@)|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$|\d{4}-\d\d-\d\d|v?\d+(?:\.\d+)+|age1|ssh-|arn:)|@sha256:|\.(?:com|org|net|lan|local|io|dev|internal|home)(?::\d+)?(?:\/|$)|^\/(?:[\w.@-]+\/)*[\w.@-]+$/i;

/** Long, and nobody typed it: no text that a person wrote holds it, or a part of it, by chance. */
export function isHighEntropy(value: string): boolean {
  if (value.length < 16 || ORDINARY.test(value)) return false;
  return turns(value.slice(0, 4096)) >= 0.25 && entropy(value.slice(0, 4096)) >= 3;
}

/** What nobody writes in a sentence: digits, signs, letters in turn. */
export const looksChosen = (value: string): boolean =>
  value.length >= 6 &&
  (/\d/.test(value) || /[!#%^*+?@$~]/.test(value) || /[a-z][A-Z]/.test(value)) &&
  /[a-z]/i.test(value);

function classOf(code: number): 0 | 1 | 2 | 3 {
  if (code >= 97 && code <= 122) return 1;
  if (code >= 65 && code <= 90) return 2;
  return code >= 48 && code <= 57 ? 3 : 0;
}
