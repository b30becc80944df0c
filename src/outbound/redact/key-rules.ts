// Values that are secrets by the name of their key: settings, YAML, JSON, XML, variables of containers.
import { NO_VALUE, PASSWORD, rulesOf } from './rule.ts';

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

export const KEY_RULES = rulesOf({
  'kubernetes: kubeconfig and talosconfig data':
    /(?:(?:client-key|client-certificate|certificate-authority|private-key|token)-data|\b(?:key|crt|cert|ca|tls\.key|tls\.crt|ca\.crt|ca\.key))["']?[ \t]{0,4}[:=][ \t]{0,4}["']?(?<secret>(?![0-9a-f]{40,128}(?![A-Za-z0-9+/=])|\/|age1)[A-Za-z0-9+/]{40,}={0,2})/dg,
  'kubernetes: Talos cluster id': /^[ \t]{1,16}id: (?<secret>[A-Za-z0-9+/_-]{43}=)[ \t]*$/dgm,
  'password: password of a line of its own': [
    new RegExp(
      `^[ \\t]{0,200}(?:\\d{1,6}[ \\t]{0,4}[|:][ \\t]{0,200})?(?:[-+]{1,2}[ \\t]{0,200})?(?:export |set )?["']?[\\w.-]{0,64}?${PASSWORD}${SUFFIX}["']?[ \\t]{0,8}(?::[ \\t]+|[ \\t]?=[ \\t]?)(?<secret>[^\\s].*)$`,
      'dgim',
    ),
    new RegExp(
      `${NO_VALUE.source}|^["']?["']?,?$|^["'](?:\\$|\\{\\{)|^[|>][+-]?\\d?$|^[~./]*/|^(?:password|authentication|permission|user|you|all|no|the|is|not|must|may|entry|expiry|cannot|invalid|unrecognized|unknown|too|wrong|incorrect|failed|expired|does|should|requires?) |^==|^["']?=`,
      'i',
    ),
  ],
  'password: password inside of a line': [
    new RegExp(
      `${INLINE_PASSWORD}${SUFFIX}\\\\?["']?[ \\t]{0,4}(?:[:=]|=>|:=)[ \\t]{0,4}(?:\\\\?["'](?<secret>[^"'\\r\\n\\\\]{3,512})|(?<bare>(?=[^\\s\\d]{0,64}[\\d!#%^*+?])${WORD}{4,}|(?<==)${WORD}{3,}))`,
      'dgi',
    ),
    new RegExp(`${NO_VALUE.source}|^[~./]*/`, 'i'),
  ],
  'secret: value of a secret-like key': [
    new RegExp(
      `(?:${NAMED}|(?<=client|app|shared|webhook|cluster|bootstrap|join|session|refresh|access|id|bot)[_-]?(?:secret|token))${SUFFIX}\\\\?["']?[ \\t]{0,4}(?:[:=]|=>|:=)[ \\t]{0,4}(?:\\\\?["'](?<secret>(?=[^\\s"']{0,64}\\d|[a-z]{3})[^\\s"'\\\\]{8,1024})|(?<bare>(?=[^\\s"']{0,64}\\d|[a-z]{3})(?:(?!\\\\)${WORD}){8,}))`,
      'dgi',
    ),
    NO_SECRET,
  ],
  'secret: secret of a line of its own': [
    new RegExp(
      `^[ \\t]{0,200}(?:[-+]{1,2}[ \\t]{0,200})?(?:export |set )?[\\w.-]{0,64}?${NAMED}${SUFFIX}=(?<secret>(?=\\S{0,64}\\d)[^\\s"'$\`]\\S{7,})[ \\t]*$`,
      'dgim',
    ),
    NO_SECRET,
  ],
  'secret: key-like value of a key': new RegExp(
    `${WEAK}(?:[_-](?:data|hash|DATA|HASH))?\\\\?["']?[ \\t]{0,4}(?:[:=]|=>|:=)[ \\t]{0,4}\\\\?["']?(?<secret>${KEY_LIKE})`,
    'dg',
  ),
  'secret: variable of a container': [
    new RegExp(
      `name["']?:[ \\t]{0,4}["']?[\\w.-]{0,64}?(?:${NAMED}|${INLINE_PASSWORD})${SUFFIX}["']?,?[ \\t]{0,8}\\r?\\n[ \\t]{0,200}["']?value["']?:[ \\t]{0,4}(?<secret>[^\\s].*)`,
      'dgi',
    ),
    new RegExp(`${NO_VALUE.source}|^["'](?:\\$|\\{\\{|["'])`, 'i'),
  ],
  'secret: key-like variable of a container': new RegExp(
    `name["']?:[ \\t]{0,4}["']?[\\w.-]{0,64}?${WEAK}(?:[_-](?:data|hash|DATA|HASH))?["']?,?[ \\t]{0,8}\\r?\\n[ \\t]{0,200}["']?value["']?:[ \\t]{0,4}["']?(?<secret>${KEY_LIKE})`,
    'dg',
  ),
  'secret: element of XML': [
    new RegExp(`<[\\w:.-]{0,32}?(?:${NAMED}|${INLINE_PASSWORD})>(?<secret>[^<\\r\\n]{3,})`, 'dgi'),
    NO_VALUE,
  ],
  'secret: block of a secret-like key': new RegExp(
    `^([ \\t]{0,200})(?:- )?[\\w.-]{0,64}?(?:${NAMED}|${PASSWORD}|\\bkey)["']?:[ \\t]{0,4}[|>][+-]?\\d?[ \\t]{0,4}\\r?\\n(?<secret>(?:\\1[ \\t]+\\S.*(?:\\r?\\n|$)){1,60})`,
    'dgim',
  ),
});
