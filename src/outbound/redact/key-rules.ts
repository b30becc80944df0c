// Values that are secrets by the name of their key: settings, YAML, JSON, XML, variables of containers.
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

export const KEY_RULES: readonly RedactRule[] = [
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
