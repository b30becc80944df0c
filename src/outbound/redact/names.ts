// What the name of something says about its value. One list of words and one way to take a name apart: `dbRootPassword`,
// `DB_ROOT_PASSWORD`, `db-root.password` and `db root password` are the same three words.
import { remembered } from './remembered.ts';

/**
 * USER: a word behind it is secret when nobody would call anything else so (`su root Xy…`). VAGUE and HINT: the value is secret when it was drawn by chance (a session, a code; a key, a seed). TOUCH: when it looks
 * chosen (`TOKEN_FOR_CI`). SECRET and PASSWORD: whatever it looks like; only a password may be any word.
 */
export const [NO_NAME, USER, VAGUE, HINT, TOUCH, SECRET, PASSWORD] = [0, 1, 2, 3, 4, 5, 6];

const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

const PASSWORDS = words(`
  password passwords passwd passphrase passphrases passcode passkey passwort passw pass passes pwd pwds pw psw pword pwrd pswd passwrd kennwort
  wachtwoord contraseña contrasena passe mdp senha parola clave hasło haslo heslo lösenord losenord passord adgangskode salasana
  jelszó jelszo şifre sifre пароль 密码 密碼 パスワード 비밀번호 mima psk storepass keypass authpass requirepass masterauth`);
const SECRETS = words(`
  token tokens secret secrets secreto secreta geheim geheimnis segreto segredo sekret credential credentials cred creds
  zugangsdaten schlüssel schluessel mnemonic jwt authtok authtoken pepper apikey authkey bearer wep`);
const HINTS = words(`
  key keys auth authorization salt seed cookie cookies webhook dsn license licence otp totp pat pin signature nonce`);
const VAGUES = words('sas sid session unseal encrypt encryption cipher community cert crt data login code 2fa');
const USERS = words('login user username account admin root');
/** What a key opens stands before it; keys of many other things are no secret. */
const OPENS = words(`
  api private priv access secret encryption decryption encrypt crypt crypto signing auth master account license licence shared
  preshared application app admin unseal recovery storage certificate session cookie jwt hmac hash cipher aes fernet symmetric webhook
  network wifi wlan wpa wep product activation registration enrollment enrolment join setup install tunnel bot root deploy service
  security subscription routing integration write read ingest stream transfer tsig rndc luks vault backup restic borg meili search
  minio nkey link node cluster erlang pre`);
/** May follow: the same value in another form, the next one of several, or whose it is. */
const BEHIND = words(`
  value data text string current base b hex hash plain plaintext clear cleartext raw old new pbkdf bcrypt sha encrypted
  default root admin db database mysql mariadb postgres redis mongo mqtt smtp mail ldap wifi prod production dev test staging main
  primary secondary backup readonly rw ro github gitlab gitea slack discord telegram ntfy gotify replica repl guest pve nas again chiave`);
/** What is told about a secret, where it is, and keys that open nothing. */
const HARMLESS = words(`
  file files path paths dir folder name names ttl count length type types kind sock socket expiry expires expiration enabled disabled
  algorithm alg usage usages ref refs required version policy uri endpoint host port user username email store backend method mode limit
  min max days hours minutes seconds timeout interval age lifetime duration rotation format prefix suffix regex pattern header
  field manager provider class hint prompt label title description image tag template namespace annotation issuer audience scope
  address digest checksum revision fingerprint`);
const NO_KEY = words(`
  pub public cache host primary foreign partition sort group index source object topology idempotency lookup composite registry
  translation known image annotation label authorized ssh tmp map`);
/** Of the shell and the desktop, references of Kubernetes, and other words that end alike. */
const NO_SECRET_NAME =
  /^(?:[Xx]authority|XAUTHORITY)$|(?:by|com|tres|over|under|sur|encom|multi|ask)pass$|existing[_-]?secrets?$|(?:pull|issuer)[_-]?secrets?$|passes$/i;
const SHELL = words('PWD OLDPWD');
/** Written as one word with what stands before. */
const GLUED =
  /^(?<password>.+(?:password|passwd|passphrase|passwort|kennwort|passcode|pwd|pass|pw))$|^(?<secret>.*(?:secret|token|(?:api|auth|access|secret|priv|private|preshared|shared|master|encryption|signing)keys?|credentials?))$|^(?<hint>.+(?:auth|salt|seed|sess(?:ion)?id))$|^(?<touch>(?:token|secret|apikey)id)$|^p[a4@]?[s5$]{1,2}w[o0]?r?s?d$/;

/** Of one name, which of these it is. */
export const strengthOf = remembered((name) =>
  isOpenName(name) ? NO_NAME : USERS.has(name.toLowerCase()) ? USER : ofWords(wordsOf(name)),
);

const isOpenName = (name: string): boolean => SHELL.has(name) || NO_SECRET_NAME.test(name) || isPublic(wordsOf(name));

/** Said of all of it, or of a key; who publishes something has a password. */
const isPublic = (all: readonly string[]): boolean =>
  all[0] === 'public' ||
  (all.some((word) => /^pub(?:lic)?$/.test(word)) && all.some((word) => /^(?:keys?|cert|crt)$/.test(word)));

export const wordsOf = (name: string): string[] =>
  name
    .replace(/([a-z\d])([A-Z])|([A-Z])(?=[A-Z][a-z])/g, '$1$3 $2')
    .toLowerCase()
    .split(/[\s_.\-/:]+/)
    .map((word) => (word === '2fa' ? word : word.replace(/\d+$/, '')))
    .filter((word) => word !== '');

function ofWords(all: readonly string[]): number {
  if (HARMLESS.has(all.at(-1) ?? '')) return NO_NAME;
  const strengths = all.map((word, i) => ofWord(word, all[i - 1] ?? ''));
  let at = all.length - 1;
  while (at > 0 && (strengths[at] as number) < SECRET && (BEHIND.has(all[at] as string) || isWhich(all[at] as string)))
    at--;
  const last = strengths[at] ?? NO_NAME;
  const isSame = at === all.length - 1 || !isWhich(all.at(-1) as string) || /^(?:key|secret)$/.test(all[at] as string);
  if (last >= SECRET) return isSame ? last : TOUCH;
  return Math.max(...strengths, NO_NAME) >= SECRET ? TOUCH : last;
}

const isWhich = (word: string): boolean => word === 'id' || word === 'url';

function ofWord(word: string, before: string): number {
  if (PASSWORDS.has(word) && (word !== 'passe' || before === 'de')) return PASSWORD;
  if (SECRETS.has(word)) return SECRET;
  if (word === 'phrase' || word === 'words') return /^(?:pass|seed|recovery)$/.test(before) ? PASSWORD : NO_NAME;
  if (/^keys?$/.test(word)) return OPENS.has(before) ? SECRET : NO_KEY.has(before) ? NO_NAME : HINT;
  if (word === 'string' && before === 'secure') return PASSWORD;
  if (word === 'salt' && before !== '') return SECRET;
  if (HINTS.has(word)) return HINT;
  if (VAGUES.has(word)) return VAGUE;
  const glued = GLUED.exec(word)?.groups;
  return glued === undefined ? NO_NAME : glued.secret ? SECRET : glued.hint ? HINT : glued.touch ? TOUCH : PASSWORD;
}

/** Whether the value under this name is a secret in a file or an environment that is all about settings. */
export const isSecretName = (name: string): boolean => strengthOf(name) >= HINT;

/** Whether the name says that its value is no secret, wherever it stands. */
export const isHarmlessName = (name: string): boolean =>
  isOpenName(name) || HARMLESS.has(wordsOf(name).at(-1) ?? '') || isOpenKey(wordsOf(name));

const isOpenKey = (parts: readonly string[]): boolean =>
  /^keys?$/.test(parts.at(-1) ?? '') && NO_KEY.has(parts.at(-2) ?? '');

/** The word for the placeholder. */
export function kindOfName(name: string): string {
  if (/pass|pwd|pw$|kennwort/i.test(name)) return 'password';
  if (/token|jwt|bearer|\bpat\b/i.test(name)) return 'token';
  return /key|cert|crt|-data$/i.test(name) ? 'key' : 'secret';
}

/** The beginnings or ends of all these words, by their first letter: a text without any of them names no secret. */
export const STEM =
  /p(?:ass|[a4@]?[s5]{1,2}w|w|sk|in|arola|epper|hrase)|s(?:ec(?:ret|ure)|e(?:nha|nord|gre|kret|ed|ssion)|a(?:lasana|lt|s)|chl[uü]|ignature|id)|c(?:ontrase|lave|r(?:ed|ypt|t)|o(?:okie|mmunity|de)|ipher|ert)|k(?:ennw|ey)|m(?:dp|ima|nemonic)|w(?:achtw|e(?:p|bhook)|ords)|h(?:as[łl]o|eslo)|a(?:dgangs|uth)|j(?:elsz|wt)|ifre|парол|密|パスワ|비밀|token|geheim|zugang|bearer|d(?:sn|ata)|l(?:icen[sc]e|ogin)|otp|(?<![a-z])pat|nonce|unseal|2fa|(?<![\w.-])(?:user(?:name)?|account|admin|root)(?![\w.-])/gi;
