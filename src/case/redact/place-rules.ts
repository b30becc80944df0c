// Values that are secrets by where they stand: headers, addresses, keys and options with secret-like names.
import { NO_VALUE, type RedactRule } from './rule.ts';

const PASSWORD = '(?:password|passwd|passphrase|passwort|kennwort|pwd|pass)';
// In the middle of a line `pass` alone is a word of many meanings.
const INLINE_PASSWORD = '(?:password|passwd|passphrase|passwort|kennwort|pwd|(?<=[_-])pass)';
const NAMED =
  '(?:password|passwd|passphrase|secret|token|credentials?|api[_-]?key|access[_-]?key|secret[_-]?key|private[_-]?key|encryption[_-]?key|signing[_-]?key|master[_-]?key|shared[_-]?key|preshared[_-]?key|auth[_-]?key|webhook[_-]?url|connection[_-]?string|encryptionsecret|(?<![a-z])psk)';
const SUFFIX = '(?:[_-]?(?:value|base|base64|b64|hex|hash|plain|raw|\\d{1,3}))?';
const WORD = '[^\\s"\'`,;&<>(){}\\[\\]|]';
// Names that say little by themselves: what stands there must look like a key, too.
const WEAK =
  '(?:(?<!(?:pub|public|cache|host|primary|foreign|partition|sort|group|index|PUB|PUBLIC|CACHE|HOST|PRIMARY|FOREIGN|PARTITION|SORT|GROUP|INDEX))[_-](?:key|auth|data|cert|crt|psk|pat|salt|seed|jwt|dsn|license|KEY|AUTH|DATA|CERT|CRT|PSK|PAT|SALT|SEED|JWT|DSN|LICENSE)|webhook|Webhook|WEBHOOK)';
const KEY_LIKE = '(?=[^\\sa-z]{0,80}[a-z])(?=[^\\sA-Z]{0,80}[A-Z])(?=[^\\s\\d]{0,80}\\d)[A-Za-z0-9+/=_-]{20,}';
const NO_SECRET = new RegExp(
  `${NO_VALUE.source}|^[~.]*/|^https?://|^(?:\\d{1,3}\\.){3}\\d|^\\d{1,9}[a-z]{0,2}$|^[a-z]{2,24}(?:[-./][a-z]{2,24}|[-./]?v?\\d{1,3}|[-./][a-z]{1,3}\\d{1,3})*[.:]?$`,
  'i',
);

export const PLACE_RULES: readonly RedactRule[] = [
  {
    name: 'authorization header',
    kind: 'auth',
    pattern:
      /authorization["']?[ \t]{0,4}[:=][ \t]{0,4}["']?(?:(?:bearer|basic|token|digest|negotiate|apikey|bot|aws4-hmac-sha256)[ \t]+)?(?<secret>[^\s"',;][^\r\n"']{5,})/dgi,
    unless: NO_VALUE,
    matches: [
      '> Authorization: Bearer <40>',
      'authorization: Basic <b64:24>==',
      '-H "Authorization: token <hex:40>"',
      'Authorization: PVEAPIToken=<20>',
    ],
    misses: [
      'authorization: RBAC',
      'Authorization: $TOKEN',
      'Authorization failed for user',
      `Authorization: Bearer \${TOKEN}`,
    ],
  },
  {
    name: 'bearer token',
    kind: 'auth',
    pattern:
      /(?<![A-Za-z])(?:bearer|basic)[ \t]+(?<secret>(?=[^\s\d]{0,64}\d|[^\s=]{8,128}=)[A-Za-z0-9._~+/-]{12,}={0,2})/dgi,
    matches: ['sent Bearer <24>', 'bearer <hex:32>', 'Basic <b64:22>=='],
    misses: ['bearer authentication required', 'Basic realm="Registry"', 'basic constraints'],
  },
  {
    name: 'secret header',
    kind: 'auth',
    pattern:
      /(?:x-(?:[a-z]{1,16}-){0,2}(?:token|key|secret|auth)|private-token|job-token|csrfpreventiontoken|pveauthcookie)["']?[ \t]{0,4}[:=][ \t]{0,4}["']?(?<secret>[^\s"',;]{6,})/dgi,
    unless: NO_VALUE,
    matches: ['X-Vault-Token: <26>', 'PRIVATE-TOKEN: <20>', 'X-Api-Key: <32>', 'CSRFPreventionToken: <hex:8>:<b64:27>'],
    misses: ['X-Api-Key: $KEY', 'x-token is missing'],
  },
  {
    name: 'cookie',
    kind: 'cookie',
    pattern: /(?<![\w-])(?:set-)?cookie["']?: {0,4}["']?(?<secret>[\w.-]{1,64}=[^\r\n"']{6,})/dgi,
    matches: ['Set-Cookie: session=<32>; Path=/', 'cookie: a=<20>'],
    misses: ['cookie: none', 'cookies are off'],
  },
  {
    name: 'password in an address',
    kind: 'password',
    pattern: /:\/\/[^\s/:@"'<>]{0,128}:(?<secret>[^\s/"'<>]{1,512})@/dg,
    unless: NO_VALUE,
    matches: ['clone https://git:<24>@git.lab/x.git', 'postgres://app:<12>@db:5432/app', 'redis://:<16>@cache'],
    misses: [
      'https://git.lab:3000/x',
      'ssh://git@git.lab:22/x',
      'https://git:$TOKEN@git.lab',
      'see http://a:80 or me@lab',
    ],
  },
  {
    name: 'token in an address',
    kind: 'token',
    pattern: /:\/\/(?<secret>(?=[^\s/:@"'<>\d]{0,64}\d)[^\s/:@"'<>.]{20,256})@/dg,
    matches: ['https://<40>@github.com/a/b'],
    misses: ['https://renovate-bot@git.lab/a/b', 'ssh://git@host/a'],
  },
  {
    name: 'secret in a query',
    kind: 'token',
    pattern:
      /[?&](?:[\w-]{0,32}(?:token|secret|password|passwd|api_?key|signature)|sig|key|auth|x-amz-credential|x-goog-credential)=(?<secret>[^&\s"'#<>]{6,})/dgi,
    unless: NO_VALUE,
    matches: ['GET /x?access_token=<20>&a=b', '&sig=<b64:43>%3D', '?X-Amz-Signature=<hex:64>', '?key=<12>'],
    misses: ['?key=$KEY', '?page=2&sort=name', '?token='],
  },
  {
    name: 'kubeconfig and talosconfig data',
    kind: 'kubernetes',
    pattern:
      /(?:(?:client-key|client-certificate|certificate-authority|private-key|token)-data|\b(?:key|crt|cert|ca|tls\.key|tls\.crt|ca\.crt|ca\.key))["']?[ \t]{0,4}[:=][ \t]{0,4}["']?(?<secret>(?![0-9a-f]{40,128}(?![A-Za-z0-9+/=])|\/|age1)[A-Za-z0-9+/]{40,}={0,2})/dg,
    matches: [
      '    client-key-data: <b64:200>',
      'client-certificate-data: <b64:120>=',
      '        key: <b64:100>',
      'crt: "<b64:64>"',
      'tls.key: <b64:80>==',
    ],
    misses: [
      'key: node-role.kubernetes.io/control-plane',
      'key: <keep:hex:64>',
      '# public key: age1<keep:low:58>',
      'ca: /etc/kubernetes/pki/ca.crt',
      'key: foo',
    ],
  },
  {
    name: 'Talos cluster id',
    kind: 'kubernetes',
    pattern: /^[ \t]{1,16}id: (?<secret>[A-Za-z0-9+/_-]{43}=)[ \t]*$/dgm,
    matches: ['cluster:\n    id: <b64:43>=\n'],
    misses: ['  id: pve1/qemu/100', 'id: <keep:hex:40>'],
  },
  {
    name: 'PEM inside of base64',
    kind: 'pem',
    pattern: /(?:LS0tLS1CRUdJT|0tLS0tQkVHSU|tLS0tLUJFR0lO)[A-Za-z0-9+/_-]{16,}={0,2}/dg,
    matches: ['data LS0tLS1CRUdJTiBSU0Eg<b64:200>==', 'x0tLS0tQkVHSU4g<b64:80>'],
    misses: ['LS0tLS1CRUdJT', 'LS0t is a rule in markdown'],
  },
  {
    name: 'password of a line of its own',
    kind: 'password',
    pattern: new RegExp(
      `^[ \\t]{0,200}(?:\\d{1,6}[ \\t]{0,4}[|:][ \\t]{0,200})?(?:[-+]{1,2}[ \\t]{0,200})?(?:export |set )?["']?[\\w.-]{0,64}?${PASSWORD}${SUFFIX}["']?[ \\t]{0,8}(?::[ \\t]+|[ \\t]?=[ \\t]?)(?<secret>[^\\s].*)$`,
      'dgim',
    ),
    unless: new RegExp(
      `${NO_VALUE.source}|^["']?["']?,?$|^["'](?:\\$|\\{\\{)|^[|>][+-]?\\d?$|^[~./]*/|^(?:password|authentication|permission|user|you|all|no|the|is|not|must|may|entry|expiry|cannot|invalid|unrecognized|unknown|too|wrong|incorrect|failed|expired|does|should|requires?) |^==|^["']?=`,
      'i',
    ),
    matches: [
      '  password: <8>',
      '-    password: <8>',
      '+- pass: <8>',
      ' 12 |   password: <8>',
      'DB_PASSWORD=<10>',
      'export PGPASSWORD="<9> <9>"',
      '"adminPassword": "<12>",',
      'pass = <6>',
    ],
    misses: [
      `password: \${DB_PASSWORD}`,
      'PWD=/srv/lab',
      'password: ""',
      'Password: ',
      'passes: 12 tests',
      'passwd: password updated successfully',
      'password: null',
      'password: {{ vault_pw }}',
    ],
  },
  {
    name: 'password of a netrc file',
    kind: 'password',
    pattern: /^[ \t]{0,40}password[ \t]+(?<secret>(?=[^\s\d]{0,64}\d)[^\s"']{6,})[ \t]*$/dgm,
    matches: ['machine git.lab\n  login me\n  password <12>\n'],
    misses: ['password required', 'password updated successfully 2', 'password file2.txt was read'],
  },
  {
    name: 'password inside of a line',
    kind: 'password',
    pattern: new RegExp(
      `${INLINE_PASSWORD}${SUFFIX}\\\\?["']?[ \\t]{0,4}(?:[:=]|=>|:=)[ \\t]{0,4}(?:\\\\?["'](?<secret>[^"'\\r\\n\\\\]{3,512})|(?<bare>(?=[^\\s\\d]{0,64}[\\d!#%^*+?])${WORD}{4,}|(?<==)${WORD}{3,}))`,
      'dgi',
    ),
    unless: new RegExp(`${NO_VALUE.source}|^[~./]*/`, 'i'),
    matches: [
      'error: login with password=<8> failed',
      '{"user":"x","password":"<8>"}',
      "passwd: '<10>'",
      'msg=\\"password\\":\\"<9>\\"',
    ],
    misses: [
      'error: password: not accepted',
      'pwd=/srv/lab x',
      'the password is wrong',
      'bypass: yes',
      'password=$PW x',
    ],
  },
  {
    name: 'value of a secret-like key',
    kind: 'secret',
    pattern: new RegExp(
      `(?:${NAMED}|(?<=client|app|shared|webhook|cluster|bootstrap|join|session|refresh|access|id|bot)[_-]?(?:secret|token))${SUFFIX}\\\\?["']?[ \\t]{0,4}(?:[:=]|=>|:=)[ \\t]{0,4}(?:\\\\?["'](?<secret>(?=[^\\s"']{0,64}\\d|[a-z]{3})[^\\s"'\\\\]{8,1024})|(?<bare>(?=[^\\s"']{0,64}\\d|[a-z]{3})(?:(?!\\\\)${WORD}){8,}))`,
      'dgi',
    ),
    unless: NO_SECRET,
    matches: [
      'AWS_SECRET_ACCESS_KEY=<b64:40>',
      'token: <hex:40>',
      'gitea token = <hex:40>',
      'secretboxEncryptionSecret: <b64:43>=',
      '"client_secret":"<20>"',
      'TF_VAR_token_secret=<uuid>',
      'api-key: <16>',
    ],
    misses: [
      'secret: not found',
      'unexpected token: ;',
      'secretName: web-tls-2',
      'max_tokens: 4096',
      'token: $TOKEN_1234567',
      'secret: flux-system/sops-age',
      'token=/var/run/secrets/kubernetes.io/serviceaccount/token1',
      'private_key: /etc/lab/id_ed25519',
      'secret "app-1234567" not found',
      'token_ttl: 3600000000s',
    ],
  },
  {
    name: 'secret of a line of its own',
    kind: 'secret',
    pattern: new RegExp(
      `^[ \\t]{0,200}(?:[-+]{1,2}[ \\t]{0,200})?(?:export |set )?[\\w.-]{0,64}?${NAMED}${SUFFIX}=(?<secret>(?=\\S{0,64}\\d)[^\\s"'$\`]\\S{7,})[ \\t]*$`,
      'dgim',
    ),
    unless: NO_SECRET,
    matches: ['API_SECRET=<9>,<9>', '+ export JOIN_TOKEN=<8>;<8>'],
    misses: ['TOKEN_FILE=/run/secrets/token-1', 'API_SECRET=$OTHER,1', 'TOKEN=disabled'],
  },
  {
    name: 'key-like value of a key',
    kind: 'secret',
    pattern: new RegExp(
      `${WEAK}(?:[_-](?:data|hash|DATA|HASH))?\\\\?["']?[ \\t]{0,4}(?:[:=]|=>|:=)[ \\t]{0,4}\\\\?["']?(?<secret>${KEY_LIKE})`,
      'dg',
    ),
    matches: [
      'AZURE_STORAGE_KEY=<b64:86>==',
      "registry_auth: '<b64:48>'",
      '"SLACK_WEBHOOK": "<b32:9>/<b32:11>/<24>"',
      'client_key_data = <b64:180>',
    ],
    misses: [
      'public_key: <keep:b64:43>=',
      'cache-key: Linux-node-<keep:hex:40>',
      'object_key: backups/2026-11-16/etcd.db',
      'source_key = <keep:hex:64>',
      'webhook: validation.gatekeeper.sh',
    ],
  },
  {
    name: 'option with a secret',
    kind: 'secret',
    pattern: new RegExp(
      `--[a-z-]{0,32}?(?:${PASSWORD}|token|secret|api-?key|auth-?key|certificate-key|encryption-key|passphrase|psk)[ \\t]+["']?(?<secret>(?!-)[^\\s"']{4,})`,
      'dgi',
    ),
    unless: new RegExp(
      `${NO_VALUE.source}|^[~.]*/|^(?:is|was|for|and|or|to|file|from|stdin|create|list|not|with|must|option|flag|value|needs?|requires?|required|given|missing|instead)$`,
      'i',
    ),
    matches: [
      '+ k3s agent --token <20>',
      'tailscale up --authkey <24>',
      '--db-password <8>',
      '--certificate-key <hex:64>',
    ],
    misses: ['--password-stdin <x', '--token $TOKEN', 'use --token or --user', '--token /run/token'],
  },
  {
    name: 'login on a command line',
    kind: 'password',
    pattern:
      /(?:sshpass[ \t]+-p[ \t]*["']?|(?:docker|podman|helm|oras|crane)[^\r\n|;]{0,60}[ \t]login[^\r\n|;]{0,100}[ \t]-p[ \t]+["']?|(?:mysql|mysqldump|mariadb|mysqladmin)[ \t][^\r\n|;]{0,100}[ \t]?-p(?=[^\s-])["']?|(?:curl|wget|http)[^\r\n|;]{0,200}[ \t](?:-u|--user)[ \t]*["']?[^\s:"']{1,64}:|machine[ \t]+\S{1,128}[ \t]+login[ \t]+\S{1,128}[ \t]+password[ \t]+)(?<secret>[^\s"']{3,})/dg,
    unless: NO_VALUE,
    matches: [
      'docker login -u me -p <20> ghcr.io',
      'mysql -u root -p<10> -h db',
      'sshpass -p <8> ssh root@pve',
      'curl -sS -u admin:<10> https://x',
      'machine git.lab login me password <12>',
    ],
    misses: ['curl -u $USER https://x', 'sshpass -p "$PW" ssh x', 'docker run -u 1000:1000 x'],
  },
  {
    name: 'secret told in words',
    kind: 'secret',
    pattern:
      /(?:token|secret|password|passphrase|api[ -]?key)[ \t]+(?:(?:is|was|set to|set)[ \t]*:?[ \t]+)?["'`]?(?<secret>(?=[A-Za-z+/=]{0,40}\d)[A-Za-z0-9+/=]{20,})/dgi,
    matches: ['k3s: server token <hex:32>', 'with secret <32> and', 'the API key is `<24>`'],
    misses: ['secret default/homelab-config-20260101 not found', 'token 12 of 4096', 'password authentication2 failed'],
  },
  {
    name: 'password told in words',
    kind: 'password',
    pattern:
      /(?:password|passphrase|passcode)[ \t]+(?:(?:is|was)(?:[ \t]+set[ \t]+to)?|set[ \t]+to)[ \t]*:?[ \t]+["'`]?(?<secret>(?=[^\s\d\\]{0,64}\d)[^\s"'`\\]{6,})/dgi,
    matches: ['Your password is: <9>1', 'password was set to <12>'],
    misses: ['password is required', 'the password is too short'],
  },
  {
    name: 'variable of a container',
    kind: 'secret',
    pattern: new RegExp(
      `name["']?:[ \\t]{0,4}["']?[\\w.-]{0,64}?(?:${NAMED}|${INLINE_PASSWORD})${SUFFIX}["']?,?[ \\t]{0,8}\\r?\\n[ \\t]{0,200}["']?value["']?:[ \\t]{0,4}(?<secret>[^\\s].*)`,
      'dgi',
    ),
    unless: new RegExp(`${NO_VALUE.source}|^["'](?:\\$|\\{\\{|["'])`, 'i'),
    matches: ['- name: API_TOKEN\n  value: <30>', '- name: DB_PASSWORD\n  value: "<8>"\n'],
    misses: [
      '- name: API_URL\n  value: https://x',
      '- name: DB_PASSWORD\n  valueFrom:\n    secretKeyRef:',
      '- name: TOKEN\n  value: $(TOKEN)',
    ],
  },
  {
    name: 'key-like variable of a container',
    kind: 'secret',
    pattern: new RegExp(
      `name["']?:[ \\t]{0,4}["']?[\\w.-]{0,64}?${WEAK}(?:[_-](?:data|hash|DATA|HASH))?["']?,?[ \\t]{0,8}\\r?\\n[ \\t]{0,200}["']?value["']?:[ \\t]{0,4}["']?(?<secret>${KEY_LIKE})`,
      'dg',
    ),
    matches: ['- name: STORAGE_KEY\n  value: <40>', '- name: CHAT_WEBHOOK\n  value: "<b64:40>"\n'],
    misses: ['- name: PUBLIC_KEY\n  value: <keep:40>', '- name: API_KEY\n  value: node-role.kubernetes.io/master'],
  },
  {
    name: 'element of XML',
    kind: 'secret',
    pattern: new RegExp(`<[\\w:.-]{0,32}?(?:${NAMED}|${INLINE_PASSWORD})>(?<secret>[^<\\r\\n]{3,})`, 'dgi'),
    unless: NO_VALUE,
    matches: ['<password><12></password>', '<db:apiKey><20></db:apiKey>'],
    misses: ['<password></password>', `<token>\${T}</token>`, 'usage: login <password> [<host>]'],
  },
  {
    name: 'registry login',
    kind: 'auth',
    pattern: /"(?:auth|identitytoken|registrytoken)\\?"[ \t]{0,4}:[ \t]{0,4}\\?"(?<secret>[A-Za-z0-9+/=_.-]{8,})/dg,
    matches: ['{"auths":{"ghcr.io":{"auth":"<b64:40>"}}}'],
    misses: ['"auth": "none"', '"auth": {"a": 1}'],
  },
  {
    name: 'block of a secret-like key',
    kind: 'secret',
    pattern: new RegExp(
      `^([ \\t]{0,200})(?:- )?[\\w.-]{0,64}?(?:${NAMED}|${PASSWORD}|\\bkey)["']?:[ \\t]{0,4}[|>][+-]?\\d?[ \\t]{0,4}\\r?\\n(?<secret>(?:\\1[ \\t]+\\S.*(?:\\r?\\n|$)){1,60})`,
      'dgim',
    ),
    matches: ['password: |\n  <20>\n', '  token: >-\n    <40>\n'],
    misses: ['description: |\n  some words\n', 'run: |\n  make token\n'],
  },
];
