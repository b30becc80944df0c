// Which names of keys and variables say that their value is a secret.

const SECRET_WORDS: ReadonlySet<string> = new Set([
  ...[
    'password',
    'passwords',
    'passwd',
    'passphrase',
    'pass',
    'pwd',
    'pw',
    'secret',
    'secrets',
    'token',
    'tokens',
    'apikey',
  ],
  ...[
    'authkey',
    'accesskey',
    'secretkey',
    'privatekey',
    'credential',
    'credentials',
    'cred',
    'creds',
    'auth',
    'cookie',
    'jwt',
  ],
  ...[
    'bearer',
    'webhook',
    'dsn',
    'psk',
    'salt',
    'seed',
    'mnemonic',
    'license',
    'key',
    'keys',
    'pat',
    'otp',
    'pin',
    'signature',
  ],
]);
/** Names that end so tell where a secret is, or something about it. */
const HARMLESS_ENDS: ReadonlySet<string> = new Set([
  ...[
    'file',
    'files',
    'path',
    'dir',
    'folder',
    'name',
    'names',
    'ttl',
    'count',
    'length',
    'type',
    'sock',
    'socket',
    'expiry',
  ],
  ...[
    'expires',
    'expiration',
    'enabled',
    'disabled',
    'algorithm',
    'usage',
    'usages',
    'ref',
    'required',
    'version',
    'policy',
  ],
]);
/** Of the shell and the desktop. */
const HARMLESS: ReadonlySet<string> = new Set(['PWD', 'OLDPWD', 'SSH_ASKPASS', 'GIT_ASKPASS', 'XAUTHORITY']);

/** Whether the value under this name is a secret; `AWS_ACCESS_KEY_ID`, `adminPassword` and `tls.key` are, `TOKEN_FILE` is not. */
export function isSecretName(name: string): boolean {
  const words = wordsOf(name);
  if (isHarmlessName(name)) return false;
  return words.some((word) => SECRET_WORDS.has(word)) || SECRET_ENDS.test(words.join(''));
}

/** Whether the name says that its value is no secret, wherever it stands. */
export const isHarmlessName = (name: string): boolean =>
  HARMLESS.has(name) || HARMLESS_ENDS.has(wordsOf(name).at(-1) ?? '');

const wordsOf = (name: string): string[] =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z]+/)
    .filter((word) => word !== '');

// Written as one word, as in PGPASSWORD and secretboxEncryptionSecret.
const SECRET_ENDS =
  /(?:password|passwd|passphrase|secret|token|apikey|authkey|accesskey|secretkey|privatekey|presharedkey|credentials?)(?:id|value|hash|data)?$/;

/** The word for the placeholder. */
export function kindOfName(name: string): string {
  const plain = name.toLowerCase();
  if (/pass|pwd/.test(plain)) return 'password';
  if (/token|jwt|bearer|\bpat\b/.test(plain)) return 'token';
  return /key|cert|crt|-data$/.test(plain) ? 'key' : 'secret';
}
