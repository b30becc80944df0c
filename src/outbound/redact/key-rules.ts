// Values that are secrets by the name of their key, where the two do not simply follow each other or the name alone says little:
// data of kubeconfig and Talos, variables of containers and of Terraform, XML. Plain pairs are in key-values.ts.
import { NO_VALUE } from './no-secret.ts';
import { rulesOf, SECRET_KEY } from './rule.ts';

// Names that say little by themselves: what stands there must look like a key, too.
const WEAK =
  '(?:(?<!(?:pub|public|cache|host|primary|foreign|partition|sort|group|index|PUB|PUBLIC|CACHE|HOST|PRIMARY|FOREIGN|PARTITION|SORT|GROUP|INDEX))[_-](?:key|auth|data|cert|crt|psk|pat|salt|seed|jwt|dsn|license|KEY|AUTH|DATA|CERT|CRT|PSK|PAT|SALT|SEED|JWT|DSN|LICENSE)|webhook|Webhook|WEBHOOK|(?<=[a-z])(?<!ublic|ache|[Hh]ost|rimary|oreign|artition|ology|[Ss]ort|roup|ndex)(?:Key|Salt|Seed|salt))';
const KEY_LIKE = '(?=[^\\sa-z]{0,80}[a-z])(?=[^\\sA-Z]{0,80}[A-Z])(?=[^\\s\\d]{0,80}\\d)[A-Za-z0-9+/=_-]{20,}';
const VALUE = '(?:"(?<quoted>[^"\\r\\n]{3,1024})"|\'(?<secret>[^\'\\r\\n]{3,1024})\'|(?<bare>[^\\s"\',}\\]]{3,1024}))';

export const KEY_RULES = rulesOf({
  'kubernetes: kubeconfig and talosconfig data':
    /(?:(?:client-key|client-certificate|certificate-authority|private-key|token)-data|\b(?:key|crt|cert|ca|tls\.key|tls\.crt|ca\.crt|ca\.key))["']?[ \t]{0,4}[:=][ \t]{0,4}["']?(?<secret>(?![0-9a-f]{40,128}(?![A-Za-z0-9+/=])|\/|age1)[A-Za-z0-9+/]{40,}={0,2})/dg,
  'kubernetes: Talos cluster id': /^[ \t]{1,16}id: (?<secret>[A-Za-z0-9+/_-]{43}=)[ \t]*$/dgm,
  'secret: key-like value of a key': new RegExp(
    `${WEAK}(?:[_-](?:data|hash|DATA|HASH))?["']?[ \\t]{0,4}(?:[:=]|=>|:=)[ \\t]{0,4}["']?(?<secret>${KEY_LIKE})`,
    'dg',
  ),
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
