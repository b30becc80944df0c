// The words by which a key says that its value is secret: in several languages, short forms, with what may stand before
// and behind them. One list, for every rule that looks at names.

/** Words for a password, as a key ends in them. */
export const PASSWORD_WORD = [
  'password|passwd|passphrase|passcode|passkey|passwort|passw|pass|p[a4@]?s{1,2}w[o0]?r?s?d|psw|pword|pwrd|pwd|pw|phrase(?<=pass[_-]phrase)',
  'kennwort|wachtwoord|contrase(?:ñ|n)a|mot[ _-]?de[ _-]?passe|mdp|senha|parola(?:[_-]?chiave)?|has[łl]o|heslo|l(?:ö|o)senord',
  'passord|adgangskode|salasana|jelsz(?:ó|o)|(?:ş|s)ifre|пароль|密码|密碼|パスワード|비밀번호|(?<![a-z])(?:clave|mima)',
].join('|');

// Keys of many things are no secret, so what they open stands before them. A blank, a sign or nothing is between.
const BEFORE_KEY = [
  'api|private|access|secret|encryption|decryption|encrypt|crypto?|signing|auth|master|account|licen[sc]e|shared|preshared|application|app',
  'admin|unseal|recovery|storage|certificate|session|cookie|jwt|hmac|hash|cipher|aes|fernet|symmetric|webhook|network|wifi|wlan|wpa|wep',
  'product|activation|registration|enrol{1,2}ment|join|setup|install|tunnel|bot|root|deploy|service|security|subscription|routing',
  'integration|write|read|ingest|stream|transfer|tsig|rndc|luks|vault|backup|restic|borg|meili|search|minio|nkey|link|node|cluster|erlang',
].join('|');

const SECRET_WORD = [
  'token|secret|secret[oa]s?|geheim(?:nis)?|segreto|segredo|sekret|credentials?|creds?|zugangsdaten|schl(?:ü|ue)ssel|mnemonic|seed[ _-]?(?:phrase|words)',
  '(?<![a-z])psk|jwt|authtok|pepper|(?<=[a-z][_.-]?)salt|(?<=(?:session|csrf|cookie|auth)[_-]?)cookie|magic[_-]?cookie|(?:snmp|r[ow])[\\w-]{0,8}[_.-]?community|community[_-]?string',
].join('|');

// The same secret in another form, the next one of several, or whose it is.
const BEHIND = [
  'value|data|text|string|current|base|base64|b64|hex|hash|plain|plaintext|clear|cleartext|raw|old|new|pbkdf2|bcrypt|sha\\d{1,3}|encrypted',
  'default|root|admin|db|database|mysql|mariadb|postgres|redis|mongo|mqtt|smtp|mail|ldap|wifi|prod|production|dev|test|staging|main|primary',
  'secondary|backup|readonly|rw|ro|github|gitlab|gitea|slack|discord|telegram|ntfy|gotify|replica|repl|guest|pve|nas|\\d{1,3}',
].join('|');

/** The end of a key whose value is secret, as part of a pattern. */
export const SECRET_KEY = `(?:${SECRET_WORD}|${PASSWORD_WORD}|(?:${BEFORE_KEY})[ _.-]?key)(?:[_-]?(?:${BEHIND})|(?<=key|secret)[ _-]?id)?`;

const NAMES_SECRET = new RegExp(`${SECRET_WORD}|${PASSWORD_WORD}|key|auth`, 'i');
let last = { text: '', answer: false };

/**
 * Whether a word stands in `text` that a name of a secret could end in. Patterns with all these names in them are not even
 * compiled for a text without any: that takes longer than all the rest of a start.
 */
export function namesSecret(text: string): boolean {
  // Every rule asks about the same text in turn.
  if (last.text !== text) last = { text, answer: NAMES_SECRET.test(text) };
  return last.answer;
}
