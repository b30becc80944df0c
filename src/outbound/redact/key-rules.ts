// Values that are secrets by the name of their key, where the two do not simply follow each other or the name alone
// says little: data of kubeconfig and Talos, variables of containers and of Terraform, XML. Plain pairs are in
// key-values.ts.
import { NO_VALUE } from './no-secret.ts';
import { rulesOf, SECRET_KEY } from './rule.ts';

// Names that say little by themselves: what stands there must look like a key, too.
const WEAK =
  '(?:(?<!(?:pub|public|cache|host|primary|foreign|partition|sort|group|index|PUB|PUBLIC|CACHE|HOST|PRIMARY|FOREIGN|PARTITION|SORT|GROUP|INDEX))[_-](?:key|auth|data|cert|crt|psk|pat|salt|seed|jwt|dsn|license|session|sid|sas|KEY|AUTH|DATA|CERT|CRT|PSK|PAT|SALT|SEED|JWT|DSN|LICENSE|SESSION|SID|SAS)|webhook|Webhook|WEBHOOK|(?<=[a-z])(?<!ublic|ache|[Hh]ost|rimary|oreign|artition|ology|[Ss]ort|roup|ndex)(?:Key|Salt|Seed|salt))';
const KEY_LIKE = '(?=[^\\sa-z]{0,80}[a-z])(?=[^\\sA-Z]{0,80}[A-Z])(?=[^\\s\\d]{0,80}\\d)[A-Za-z0-9+/=_-]{20,}';
// Which of several, and where: names of keys that open nothing.
const NO_KEY =
  '(?:pub|public|cache|host|primary|foreign|partition|sort|group|index|source|object|topology|idempotency|lookup|composite|image|registry|translation|known)';
const VALUE = '(?:"(?<quoted>[^"\\r\\n]{3,1024})"|\'(?<secret>[^\'\\r\\n]{3,1024})\'|(?<bare>[^\\s"\',}\\]]{3,1024}))';

export const KEY_RULES = rulesOf({
  'kubernetes: kubeconfig and talosconfig data':
    /(?:(?:client-key|client-certificate|certificate-authority|private-key|token)-data|\b(?:key|crt|cert|ca|tls\.key|tls\.crt|ca\.crt|ca\.key))["']?[ \t]{0,4}[:=][ \t]{0,4}["']?(?<secret>(?![0-9a-f]{40,128}(?![A-Za-z0-9+/=])|\/[a-z]{2,16}\/|age1)[A-Za-z0-9+/]{40,}={0,2})/dg,
  'kubernetes: Talos cluster id': /^[ \t]{1,16}id: (?<secret>[A-Za-z0-9+/_-]{43}=)[ \t]*$/dgm,
  'secret: key-like value of a key': new RegExp(
    `${WEAK}(?:[_-](?:data|hash|DATA|HASH))?["']?[ \\t]{0,4}(?:[:=]|=>|:=)[ \\t]{0,4}["']?(?<secret>${KEY_LIKE})`,
    'dg',
  ),
  // Names of keys that are also given to other things: only what was drawn by chance is secret there.
  'secret: random value of a key': new RegExp(
    `(?<!${NO_KEY})(?:[_.-]key|(?<=setup|install)[ -]key)["']?[ \\t]{0,4}(?:[:= \\t]|=>|:=)[ \\t]{0,4}["']?(?<secret>(?=[a-z/+=_-]{0,40}\\d)(?=[\\d/+=_-]{0,40}[a-z])[a-z0-9+/=_-]{20,})(?![\\w.:/-])`,
    'dgi',
  ),
  'auth: login under a key': [
    /(?<![a-z])(?:basic_?auth|http_?auth|user_?pass|userpwd|login|auth|credentials)["']?[ \t]{0,4}[:=][ \t]{0,4}["']?[\w.@-]{1,64}:(?<secret>(?!\d{1,5}(?![\w!-/]))[^\s"',:/@$][^\s"',]{3,256})/dgi,
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
      `name["']?:[ \\t]{0,4}["']?[\\w.-]{0,64}?${SECRET_KEY}["']?,?[ \\t]{0,8}(?:\\r?\\n[ \\t]{0,200})?["']?value["']?:[ \\t]{0,4}${VALUE}`,
      'dgi',
    ),
    NO_VALUE,
  ],
  'secret: key-like variable of a container': new RegExp(
    `name["']?:[ \\t]{0,4}["']?[\\w.-]{0,64}?${WEAK}(?:[_-](?:data|hash|DATA|HASH))?["']?,?[ \\t]{0,8}\\r?\\n[ \\t]{0,200}["']?value["']?:[ \\t]{0,4}["']?(?<secret>${KEY_LIKE})`,
    'dg',
  ),
  'secret: variable or output of Terraform': [
    new RegExp(
      `(?:variable|output)[ \\t]{1,4}"[\\w-]{0,64}?${SECRET_KEY}"[ \\t]{0,4}\\{[^{}]{0,400}?(?:default|value)[ \\t]{0,8}=[ \\t]{0,8}${VALUE}`,
      'dgi',
    ),
    new RegExp(`${NO_VALUE.source}|^[a-z_]+[.[]`, 'i'),
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
    /key["']?[ \t]{0,4}[:=][ \t]{0,4}\[(?<secret>[ \t]{0,4}(?:0x[0-9a-f]{1,2}|\d{1,3})(?:[ \t]{0,4},[ \t]{0,4}(?:0x[0-9a-f]{1,2}|\d{1,3})){15,63})[ \t]{0,4}\]/dgi,
  'secret: element of XML': [new RegExp(`<[\\w:.-]{0,32}?${SECRET_KEY}>(?<secret>[^<\\r\\n]{3,})`, 'dgi'), NO_VALUE],
});
