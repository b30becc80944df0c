// How much a word looks like a secret, whatever stands beside it, and which values can be none at all: references,
// templates, names, paths, numbers, words of messages.
import { remembered } from './remembered.ts';

/**
 * NONE: a reference, a path, an address, a version, a name of several words. PLAIN: letters, as any word. BYTES: a number
 * in hexadecimal, or a UUID: it may be the name of anything. CHOSEN: as people choose a password. MIXED: as nobody would
 * call anything else. DRAWN: nobody typed it.
 */
export const [NONE, PLAIN, BYTES, CHOSEN, MIXED, DRAWN] = [0, 1, 2, 3, 4, 5];

const MIN_LENGTH = 6;
const MAX_LENGTH = 512;
const OTHER = new RegExp(
  [
    // Options, variables, paths, patterns, numbers with their units, versions, dates, addresses, names of files and hosts.
    '^[-$%@/~.*\\\\=:]|:\\/\\/|^sha\\d+[:/-]|^v?\\d+(?:\\.\\d+)+|^!?[a-z_]\\w*(?:\\.[a-z_]\\w*)+$|^v?[\\d.,:_+-]+[a-z]{0,3}$|^[\\w-]+(?:\\.[\\w-]+)*\\.[a-z]{2,12}:?\\d*$',
    // Names of ciphers, digests, encodings, machines, and of programs that keep passwords.
    '^(?:apache|mit|[al]?gpl|sha|md|base|aes|rsa|dsa|utf|iso|ipv|x|amd|arm|[rhep]s|ed|curve|tls|ssl|http|oauth|pkcs|rfc|cve|v|s|k|p|h)[-_v]?\\d{1,5}(?:[a-z]{1,5}\\d{0,2})?(?:[-_.][\\w.-]*)?$|^\\d(?:password|pass)$',
  ].join('|'),
  'i',
);
/** AAAA begins a key of SSH, age1 a recipient; hashes of Nix, and numbers that grow with the time. */
export const PUBLIC =
  /^(?:20)?AAAA|^age1|^bafy|^[0-9a-df-np-sv-z]{52}$|^[0-7][0-9A-HJKMNP-TV-Z]{25}$|(?:^|\/)sha\d{1,3}-/;
/** Somebody at a machine, by the letters that such names have. */
const AT = /^[a-z][a-z\d._-]+@[a-z][a-z\d.-]*(?:!|$)|^[\w.-]+@(?:[\w-]+\.)+[a-z]{2,}$/;
const SIGN = /[!#^?~&$%@*+]/;
const SEVERAL = /^[A-Za-z]*\d*(?:[._-][A-Za-z]*\d*)+$|^[a-z\d]+(?:[._-][a-z\d]+)+$/;
const CAMEL = /^(?:[A-Z]?[a-z]+|[A-Z]{2,4}(?=[A-Z][a-z]|\d|$))+\d{0,4}$/;
const BOTH_CASES = /[a-z].*[A-Z]|[A-Z].*[a-z]/;

/** Which of these a word is; quotes and stops around it are no part of it. */
export const lookOf = remembered((word) => {
  if (word.length < MIN_LENGTH || word.length > MAX_LENGTH) return NONE;
  // What has only letters, as most words, needs not be asked for a sign or a digit.
  const isLetters = /^[A-Za-z]+$/.test(word);
  if (!isLetters && (/\s/.test(word) || OTHER.test(word) || AT.test(word))) return NONE;
  if (PUBLIC.test(word) || NO_VALUE.test(word)) return NONE;
  if (isLetters) return isIrregular(word) ? CHOSEN : PLAIN;
  if (/^(?:0x)?[0-9a-f-]+$/i.test(word)) return /^(?=.*\d)[0-9a-f](?:-?[0-9a-f]){15,}$/i.test(word) ? BYTES : NONE;
  if (/^[a-z]\w{0,15}[_-](?=[a-f]*\d)[0-9a-f]{24,}$/i.test(word)) return BYTES;
  const hasDigit = /\d/.test(word);
  if (hasDigit && (isDrawn(strangeParts(word, 3)) || isDrawn(strangeParts(word, 12), 12))) return DRAWN;
  if (/[/\\=:(){}<>[\]|]/.test(word)) return NONE;
  if (SIGN.test(word)) return /[a-z]/i.test(word) && (hasDigit || BOTH_CASES.test(word)) ? MIXED : NONE;
  if (SEVERAL.test(word)) return !hasDigit ? NONE : BOTH_CASES.test(word) ? CHOSEN : PLAIN;
  return !hasDigit || CAMEL.test(word) || !BOTH_CASES.test(word) ? CHOSEN : MIXED;
});

/** Letters that do not follow each other, and capitals where no name has them. */
const isIrregular = (word: string): boolean =>
  word.length >= 8 && BOTH_CASES.test(word) && strangeness(word) >= (CAMEL.test(word) ? 0.7 : 0.5);

// Which letters follow which in words and names, a row for each first letter: about 85 of 100 pairs, of random ones 28.
const PAIRS =
  'abcdgilmnprstuy baeiloru caehklortu dabdeiors eabcdefglmnprstvwx faefio gaeior haeio iacdefglmnoprstv ke ladeilostuy maeiop nacdefginost obcdglmnoprstuvw paeiloprstu qu racdeilmorstuvy sacehikopstuy tacehilorstuy ubelmnprst vaei wae yp';
const USUAL = new Uint8Array(26 * 26);
for (const [first = '', ...rest] of PAIRS.split(' '))
  for (const next of rest) USUAL[(first.charCodeAt(0) - 97) * 26 + next.charCodeAt(0) - 97] = 1;

/** How many of its neighbours, from 0 to 1, no word would have: letters that do not follow each other, and digits. */
export function strangeness(word: string): number {
  let [strange, all] = [0, 0];
  let before = -2;
  for (let i = 0; i < word.length; i++) {
    const code = word.charCodeAt(i) | 32;
    const now = code >= 97 && code <= 122 ? code - 97 : -1;
    if (before !== -2 && (before !== -1 || now !== -1)) {
      all++;
      if (before === -1 || now === -1 || USUAL[before * 26 + now] === 0) strange++;
    }
    before = now;
  }
  return all === 0 ? 0 : strange / all;
}

const MIN_DRAWN = 20;
/** As much of a word as is looked at. */
const SAMPLE = 256;

/** What of a word joined by signs is no word itself and no number, when it is as long; hexadecimal may be a digest. */
export const strangeParts = (word: string, least: number): string =>
  word
    .slice(0, SAMPLE)
    .split(/[._/+=:-]/)
    .filter((part) => part.length >= least && /\d|[a-z][A-Z]/.test(part) && !/^(?=.*\d)[0-9a-f]{8,}$|^\d+$/i.test(part))
    .join('');

/** Letters and digits without an order. Hexadecimal may be the name of anything. */
export function isDrawn(whole: string, least = MIN_DRAWN): boolean {
  const word = whole.slice(0, SAMPLE);
  const isMixed = /[a-z]/.test(word) && /[A-Z]/.test(word);
  if (word.length < (isMixed ? least : least + 4) || /^[0-9a-fA-F]+$/.test(word)) return false;
  const digits = word.match(/\d/g)?.length ?? 0;
  return digits >= (isMixed ? 1 : 2) && digits < word.length * 0.6 && strangeness(word) >= 0.55;
}

const ORDINARY =
  /^(?:sha\d{1,3}[:-]|SHA256:|[a-z]+:\/\/(?![^/]*:[^/]*@)|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$|\d{4}-\d\d-\d\d|v?\d+(?:\.\d+)+|age1|ssh-|arn:)|@sha256:|\.(?:com|org|net|lan|local|io|dev|internal|home)(?::\d+)?(?:\/|$)|^\/(?:[\w.@-]+\/)*[\w.@-]+$/i;

/** Long, and nobody typed it: no text that a person wrote holds it, or a part of it, by chance. */
export const isHighEntropy = (value: string): boolean =>
  value.length >= 16 &&
  !ORDINARY.test(value) &&
  strangeness(value.slice(0, SAMPLE).replace(/[^A-Za-z0-9]+/g, '')) >= 0.5 &&
  new Set(value.slice(0, SAMPLE)).size >= 8;

/** Of a key's length in hexadecimal (40 is the length of a commit), in base32, or drawn by chance. */
export const isRandom = (value: string): boolean =>
  /^(?=[a-f]*\d)(?:[0-9a-f]{32,39}|[0-9a-f]{41,})$|^(?:(?=[A-Z]*\d)[A-Z2-7]{16,64}|[A-Z]{20})$/.test(value) ||
  /^(?=[A-F]*\d)(?:[0-9A-F]{32,39}|[0-9A-F]{41,})$/.test(value) ||
  (/^[\w+/=.-]{16,}$/.test(value) &&
    ((isHighEntropy(value) && BOTH_CASES.test(value) && /\d/.test(value)) ||
      isDrawn(value.replace(/[+/=._-]/g, ''), 14)));

/** What nobody writes in a sentence: digits, signs, letters in turn. */
export const looksChosen = (value: string): boolean =>
  value.length >= 6 && /\d|[!#%^*+?@$~]|[a-z][A-Z]/.test(value) && /[a-z]/i.test(value);

/** A value that only says where the real one comes from, or that there is none. */
export const NO_VALUE =
  /^(?:\$[A-Za-z_({]|%\w+%$|\{[{%]|\{[A-Za-z_]*\d{0,2}\}|<[^>]*>?$|\*+$|[*&][A-Za-z_-]+\d?$|[xX.•*_-]+$|(?:\w\.)?x{5,}|your[_-]|my[_-]?(?:secret|password|token)$|![A-Za-z_.]+(?:[ \t]|$)|change[_-]?me|(?:null|none|nil|true|false|yes|no|undefined|empty|unset|notset|always|never|auto|on_create|hidden|masked|redacted|omitted|replace[_-]?me|todo|generate|files|compat|required|optional|string|boolean|bool|number|object|unknown|sensitive|\(sensitive|\(known|known|lookup|secretKeyRef|valueFrom|\(hidden|n\/a|public|private)(?=[\s,;:()[\]}"'<|]|\.?$|\.\s)|vault:|op:\/\/|ref\+|arn:|akv:\/\/)/i;

const NUMBER = /^v?\d+(?:\.\d+)+$|^-?\d{1,6}(?:\.\d+)?(?:ms|[smhdw]|[kmg]i?b?|[ \t]+[a-z]+)?$/i;
// Of Terraform, Python, JavaScript, Jinja without braces; a call of anything.
const CODE =
  /^(?:&?(?:var|local|data|module|each|env|os|process|self|this|args|config|settings|request|hostvars|secrets?|tokens?|passwords?|user|value|key|random_\w+|[a-z][a-z\d]*_[a-z\d_]+)(?:\.[A-Za-z_][\w-]*(?:\[[^\]]{0,64}\])?)+|(?:local|var|data|module|secrets|hostvars|groups|os\.environ|process\.env)[.\w]*\[.{0,80}|[A-Za-z_][\w.]{0,60}\((?:[^)]{0,200}|.{0,200}\)(?:[.[\s].{0,80})?)|&?[a-z]\w*\.[A-Z]\w*\{.*|(?:map|range)[[ ].*|\/\S*[|()[\]\\?].*)[,;)]?$/;
/** `secrets.cluster.secret`: names of names, the last of them secret-like. */
const MEMBER = /^[A-Za-z_]+(?:\.[A-Za-z_]+){0,6}\.[A-Za-z_]*(?:token|password|passwd|pass|secret|key)[,;)]?$/i;
const PATH = /^(?:~|\.{1,2})?\/[\w.@${}-]+(?:\/[\w.@${}*-]*)*[:,]?$/;
/** `secret/s3`, `apps/grafana/admin`: where something is. */
const PLACE = /^[a-z][a-z\d_.-]{1,40}(?:\/[a-z\d_.-]{1,40}){1,5}$|^[\w.-]+:\/[\w./-]+$/;
const URL = /^[a-z][\w+.-]{1,20}:\/\/(?![^\s/]*:[^\s/]*@)/i;
/** Of a machine or a person, also with the name of a token of Proxmox. */
const ADDRESS = /^(?:\d{1,3}\.){3}\d{1,3}(?::\d+)?$|^[\w.-]+@(?:[\w-]+\.)+[a-z]{2,}$|^[\w.-]+@[\w.-]+![\w.-]+$/;
const VARIABLE = /^[A-Z][A-Z0-9]*(?:_+[A-Z0-9]+)+$/;
const OWN_NAME = /^(?:[a-z]+[_-]){0,6}(?:token|password|passwd|pass|pwd|username|[a-z]+[_-]key)$/i;
/** `secretKey: github_app_id` of an ExternalSecret. */
const KEY_OF_SECRET = /^(?:&\w+[ \t]+)?[a-z][a-z\d]*(?:[._-][a-z\d]+)+$/i;
/** `githubConfigSecret: runner-secret`: a resource by its name; under `caSecret` any name of one. */
const NAMES_SECRET = /^(?!client|app|shared|webhook|cookie|session|jwt)[a-z]+(?:[A-Z][a-z]+)*Secret$/;
const SECRET_NAME = /^[a-z]+(?:-[a-z]+)*-(?:secrets?|credentials?|creds|tls|token)$/;
const KEBAB = /^[a-z]+(?:-[a-z]+\d?)+$/;

/** Whatever its key is: a reference, a number, code, a path, an address, the name of a variable. */
const isNoValue = remembered(
  (plain) =>
    plain.length < 3 ||
    !/[A-Za-z0-9]/.test(plain) ||
    [NO_VALUE, NUMBER, CODE, MEMBER, ADDRESS, URL].some((form) => form.test(plain)) ||
    (PATH.test(plain) && !/=$/.test(plain) && !isHighEntropy(plain.replace(/^[~.]*\//, ''))) ||
    (PLACE.test(plain) && !isHighEntropy(plain)) ||
    (VARIABLE.test(plain) && strangeness(plain) < 0.6),
);

/** `value` of `key`: not the secret itself. */
export function isNoSecret(value: string, key: string, separator: string): boolean {
  const plain = value.trim();
  if (isNoValue(plain) || (/^\d+$/.test(plain) && /s$/.test(key))) return true;
  if (plain.toLowerCase() === key.toLowerCase() || /^(?:token|password|passwd|secret)$/i.test(plain)) return true;
  // `password=db_password` in a program, `secretKey: api-token` of a Secret.
  if (OWN_NAME.test(plain) && (separator === ':' ? /[a-z]Key$/.test(key) : plain.includes('_'))) return true;
  if (key === 'secretKey' && separator === ':' && KEY_OF_SECRET.test(plain)) return true;
  if (key === 'secret' && SECRET_NAME.test(plain)) return true;
  return NAMES_SECRET.test(key) && KEBAB.test(plain);
}

/** A value that begins so is part of a message. */
export const MESSAGE =
  /^(?:is|was|has|must|may|can|cannot|could|should|does|did|will|not|no|the|this|that|your|you|all|a|an|for|from|of|to|and|or|with|without|in|on|by|as|at|if|wrong|incorrect|invalid|expired|missing|failed|unset|ok|okay|success|denied|unknown|unrecognized|unauthorized|forbidden|found|set|reset|created|configured|unchanged|updated|deleted|rotated|renewed|generated|obtained|received|rejected|accepted|verified|entry|expiry|too|only|use|using|see|please|enter|type|permission|authentication|unbound|parameter|field|variable|passwords?|tokens?|secrets?|error|user|disabled|enabled|default|blank|ignored|skipped|unexpected|expected|unable|requires?|required|provided|given|end|already|expires?|mapping|value|key|string|got|want|have|lifetime|rotation|changed|does|doesn't|isn't|can't|get|run|same|whatever|leave|mismatch|empty|incorrectly|successful|successfully|defined|undefined|protected|encrypted|hashed|hidden|optional|passed)(?=[.,;:!)]{0,3}(?:\s|$))/i;

/** A path, a file, a number. */
export const FILE = /^[~.]*\/|^[\w./-]+\.(?:ya?ml|json|ini|txt|pem|key|crt|env|conf|toml|p12|jks|sh)$|^[\d.:-]+$/;
/** Also another option, a word of a message: what stands where a password might, and is none. */
export const NO_WORD = new RegExp(
  `${NO_VALUE.source}|${MESSAGE.source}|${FILE.source}|^[=:~.]*/|^[-:})\\]]|^(?:file|stdin|create|list|option|flag|needs?|instead|generic|tls|successful|successfully|status)[:,.]?$`,
  'i',
);

/** Four words and more without a digit or a sign: a reason, where the key is not that of a passphrase. */
const SENTENCE = /^[a-z]+(?: [a-z,]+){3,}/i;

const isOfMessage = remembered((value) => MESSAGE.test(value));

/** A word or a sentence of a message, and no value. */
export const isProse = (value: string, key = ''): boolean =>
  isOfMessage(value) || (/^(?:pass|token|secret)$/i.test(key) && SENTENCE.test(value));
