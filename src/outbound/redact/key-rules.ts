// Values that are secrets by the name of their key, where the two do not simply follow each other or the name alone
// says little: data of kubeconfig and Talos, variables of containers and of Terraform, XML. Plain pairs are in
// key-values.ts.

import { SECRET_KEY } from './key-words.ts';
import { NO_VALUE } from './no-secret.ts';
import { rulesOf } from './rule.ts';

// Names that say little by themselves: what stands there must look like a key, too.
const WEAK =
  '(?:[_-](?:key|auth|data|cert|crt|psk|pat|salt|seed|jwt|dsn|license|session|sid|sas|KEY|AUTH|DATA|CERT|CRT|PSK|PAT|SALT|SEED|JWT|DSN|LICENSE|SESSION|SID|SAS)(?<!(?:pub|public|cache|host|primary|foreign|partition|sort|group|index|PUB|PUBLIC|CACHE|HOST|PRIMARY|FOREIGN|PARTITION|SORT|GROUP|INDEX)[_-][A-Za-z]{3,7})|webhook|Webhook|WEBHOOK|(?:Key|Salt|Seed|salt)(?<=[a-z][A-Za-z]{3,4})(?<!(?:ublic|ache|[Hh]ost|rimary|oreign|artition|ology|[Ss]ort|roup|ndex)[A-Za-z]{3,4}))';
const KEY_LIKE = '(?=[^\\sa-z]{0,80}[a-z])(?=[^\\sA-Z]{0,80}[A-Z])(?=[^\\s\\d]{0,80}\\d)[A-Za-z0-9+/=_-]{16,}';
// Which of several, and where: names of keys that open nothing.
const NO_KEY =
  '(?:pub|public|cache|host|primary|foreign|partition|sort|group|index|source|object|topology|idempotency|lookup|composite|image|registry|translation|known)';
const VALUE =
  '(?:(?:Some|Ok|Just|String|Secret\\w{0,8})\\((?="))?(?:"(?<quoted>[^"\\r\\n]{3,1024})"|\'(?<secret>[^\'\\r\\n]{3,1024})\'|(?<bare>[^\\s"\',}\\](]{3,1024}(?![(\\w])))';

// `name: X`, `"key": "X"`, `name="X"`, and what may stand between that and its value: a line end, one more setting.
const NAMED = `(?:name|key|id)["']?[ \\t]{0,4}[:=][ \\t]{0,4}["']?[\\w.-]{0,64}?`;
const AND = '(?:[ \\t]{0,8}|\\r?\\n[ \\t]{0,200}(?:[\\w"\'][^\\r\\n]{0,80}\\r?\\n[ \\t]{0,200})?)';

export const KEY_RULES = rulesOf({
  'kubernetes: kubeconfig and talosconfig data':
    /(?:(?:client-key|client-certificate|certificate-authority|private-key|token)-data|\b(?:key|crt|cert|ca|tls\.key|tls\.crt|ca\.crt|ca\.key))["']?[ \t]{0,4}[:=][ \t]{0,4}["']?(?<secret>(?![0-9a-f]{32,128}(?![A-Za-z0-9+/=])|\/[a-z]{2,16}\/|age1)[A-Za-z0-9+/]{36,}={0,2})/dg,
  'pin: number that opens something':
    /(?:(?:^|[^a-z])pin(?:[_-]?code)?|(?:sim|alarm|door|lock|unlock|access|pairing|security|verification|activation|disarm|garage|gate|master|user|guest|setup|homekit|matter|otp|2fa|mfa)[ _-]?(?:code|pin))["']?[ \t]{0,4}[:=][ \t]{0,4}["']?(?<secret>\d{4,12}|\d{3}-\d{2}-\d{3}|\d{4}-\d{3}-\d{4})(?![\w.-])/dgi,
  'kubernetes: Talos cluster id': /^[ \t]{1,16}id: (?<secret>[A-Za-z0-9+/_-]{43}=)[ \t]*$/dgm,
  // Names of keys that are also given to other things: only what was drawn by chance is secret there.
  'secret: random value of a key': new RegExp(
    `(?:[_.-](?:key|login)|[ -]key(?<=(?:setup|install)[ -]key))(?<!${NO_KEY}[ _.-][a-z]{3,5})["']?[ \\t]{0,4}(?:[:= \\t]|=>|:=)[ \\t]{0,4}["']?(?<secret>(?=[a-z/+=_-]{0,40}\\d)(?=[\\d/+=_-]{0,40}[a-z])[a-z0-9+/=_-]{20,})(?![\\w.:/-])`,
    'dgi',
  ),
  'auth: login under a key': [
    /(?<![a-z])(?:(?:basic_?auth|http_?auth|user_?pass|userpwd|login|auth|credentials)["']?[ \t]{0,4}[:=]|user=)[ \t]{0,4}["']?[\w.@-]{1,64}:(?<secret>(?!\d{1,5}(?![\w!-/]))[^\s"',:/@$][^\s"',]{3,256})/dgi,
    NO_VALUE,
  ],
  'password: community of SNMP': [
    /(?:snmp[\w-]{0,12}[ _.-]?|r[ow][_-]?)community["']?[ \t]{0,4}[:=][ \t]{0,4}["']?(?<secret>[^\s"',]{4,64})|snmp[^\r\n]{0,40}:[ \t]*\r?\n(?:[^\r\n]{0,80}\r?\n){0,4}?[ \t-]{1,40}community:[ \t]{0,4}["']?(?<bare>[^\s"',]{4,64})/dgi,
    new RegExp(`${NO_VALUE.source}|^(?:public|private)$`, 'i'),
  ],
  'key: private part of a JSON web key':
    /"(?:d|k|p|q|dp|dq|qi|s)"[ \t]{0,4}:[ \t]{0,4}"(?<secret>[\w+/-]{40,}={0,2})"/dg,
  'secret: variable of a container': [
    new RegExp(
      `${NAMED}${SECRET_KEY}["']?[ \\t]{0,8},?${AND}["']?(?:value|default)["']?[ \\t]{0,4}[:=][ \\t]{0,4}${VALUE}`,
      'dgi',
    ),
    NO_VALUE,
  ],
  'secret: variable with its value first': [
    new RegExp(
      `(?<![\\w-])["']?value["']?[ \\t]{0,4}[:=][ \\t]{0,4}${VALUE}[ \\t]{0,8},?(?:[ \\t]{0,8}|\\r?\\n[ \\t+-]{0,200}(?<!-[ \\t]{1,4}))["']?${NAMED}${SECRET_KEY}["']?[ \\t]{0,8}(?=[,}\\r\\n]|$)`,
      'dgi',
    ),
    NO_VALUE,
  ],
  'secret: key-like variable of a container': new RegExp(
    `${NAMED}${WEAK}(?:[_-](?:data|hash|DATA|HASH))?["']?[ \\t]{0,8},?${AND}["']?value["']?[ \\t]{0,4}[:=][ \\t]{0,4}["']?(?<secret>${KEY_LIKE})`,
    'dg',
  ),
  'secret: variable or output of Terraform': [
    new RegExp(
      `(?:variable|output)[ \\t]{1,4}"[\\w-]{0,64}?${SECRET_KEY}"[ \\t]{0,4}\\{[^{}]{0,400}?(?:default|value)[ \\t]{0,8}=[ \\t]{0,8}${VALUE}`,
      'dgi',
    ),
    new RegExp(`${NO_VALUE.source}|^[a-z_]+[.[]|^[a-z][\\w-]*(?:/[a-z][\\w-]*)+$`, 'i'),
  ],
  'password: random password of Terraform':
    /"random_(?:password|string|bytes|id)"[^{}]{0,80}\{[^{}]{0,600}?\b(?:result|hex|base64|b64_std)[ \t]{0,12}=[ \t]{0,4}"(?<secret>[^"\r\n]{4,512})"/dg,
  'secret: value below a secret-like key': [
    new RegExp(
      `"[\\w-]{0,64}?${SECRET_KEY}"[ \\t]{0,4}:[ \\t]{0,4}\\{[^{}]{0,200}?"value"[ \\t]{0,4}:[ \\t]{0,4}${VALUE}`,
      'dgi',
    ),
    NO_VALUE,
  ],
  'key: bytes of a key':
    /key["']?[ \t]{0,4}[:=][ \t]{0,4}[[{"'](?<secret>[ \t]{0,4}(?:0x[0-9a-f]{1,2}|\d{1,3})(?:[ \t]{0,4},[ \t]{0,4}(?:0x[0-9a-f]{1,2}|\d{1,3})){15,63})[ \t]{0,4}[\]}"']/dgi,
  'secret: list of secrets': [
    new RegExp(
      `(?:${SECRET_KEY})s?["']?[ \\t]{0,4}[:=][ \\t]{0,4}[[(][ \\t]{0,4}(?:(?:"(?<quoted>[^"\\s]{4,256})"|'(?<secret>[^'\\s]{4,256})')(?=[^\\r\\n]{0,400}[\\])]))`,
      'dgi',
    ),
    NO_VALUE,
  ],
  'secret: variable in braces': [
    /\{[A-Z0-9_]{0,64}(?:PASSWORD|PASSWD|PASS|TOKEN|SECRET|PWD|_KEY)[ \t](?<secret>[^\s{}]{3,512})[^{}\r\n]{0,80}\}/dg,
    NO_VALUE,
  ],
  'secret: element of XML': [
    new RegExp(
      `<(?:[\\w:.-]{0,32}?${SECRET_KEY}(?:[ \\t][^<>]{0,60})?|\\w{1,32}[ \\t](?:name|key|id)="[\\w:.-]{0,32}?${SECRET_KEY}"|key>[\\w:. -]{0,32}?${SECRET_KEY}</key)>(?:\\s{0,20}<(?:value|string)>)?(?<secret>[^<]{3,1000})(?=</)`,
      'dgi',
    ),
    NO_VALUE,
  ],
});
