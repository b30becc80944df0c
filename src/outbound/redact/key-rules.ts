// Values that are secrets by the name of their key, where the two do not simply follow each other or the name alone
// says little: data of kubeconfig and Talos, variables of containers and of Terraform, XML. Plain pairs are in
// key-values.ts.

import { SECRET_KEY } from './key-words.ts';
import { NO_VALUE } from './looks.ts';
import { rulesOf } from './rule.ts';

// Which of several, and where: names of keys that open nothing.
const NO_KEY =
  '(?:pub|public|cache|host|primary|foreign|partition|sort|group|index|source|object|topology|idempotency|lookup|composite|image|registry|translation|known)';
const VALUE =
  '(?:(?:Some|Ok|Just|String|Secret\\w{0,8})\\((?="))?(?:"(?<quoted>[^"\\r\\n]{3,1024})"|\'(?<secret>[^\'\\r\\n]{3,1024})\'|(?<bare>[^\\s"\',}\\](]{3,1024}(?![(\\w])))';

export const KEY_RULES = rulesOf({
  'kubernetes: kubeconfig and talosconfig data':
    /(?:(?:client-key|client-certificate|certificate-authority|private-key|token)-data|(?<!public[ _-])\b(?:key|crt|cert|ca|tls\.key|tls\.crt|ca\.crt|ca\.key))["']?[ \t]{0,4}[:=][ \t]{0,4}["']?(?<secret>(?![0-9a-f]{32,128}(?![A-Za-z0-9+/=])|\/[a-z]{2,16}\/|age1)[A-Za-z0-9+/]{36,}={0,2})/dg,
  'pin: number that opens something':
    /(?:(?:^|[^a-z])pin(?:[_-]?code)?|(?:sim|alarm|door|lock|unlock|access|pairing|security|verification|activation|disarm|garage|gate|master|user|guest|setup|homekit|matter|otp|2fa|mfa)[ _-]?(?:code|pin))["']?[ \t]{0,4}[:=][ \t]{0,4}["']?(?<secret>\d{4,12}|\d{3}-\d{2}-\d{3}|\d{4}-\d{3}-\d{4})(?![\w.-])/dgi,
  'kubernetes: Talos cluster id': /^[ \t]{1,16}id: (?<secret>[A-Za-z0-9+/_-]{43}=)[ \t]*$/dgm,
  'auth: login under a key': [
    /(?<![a-z])(?:(?:basic_?auth|http_?auth|user_?pass|userpwd|login|auth|credentials)["']?[ \t]{0,4}[:=]|user=)[ \t]{0,4}["']?[\w.@-]{1,64}:(?<secret>(?!\d{1,5}(?![\w!-/]))[^\s"',:/@$][^\s"',]{3,256})/dgi,
    NO_VALUE,
  ],
  'key: private part of a JSON web key':
    /"(?:d|k|p|q|dp|dq|qi|s)"[ \t]{0,4}:[ \t]{0,4}"(?<secret>[\w+/-]{40,}={0,2})"/dg,
  'secret: variable or output of Terraform': [
    new RegExp(
      `(?:variable|output)[ \\t]{1,4}"[\\w-]{0,64}?${SECRET_KEY}"[ \\t]{0,4}\\{[^{}]{0,400}?(?:default|value)[ \\t]{0,8}=[ \\t]{0,8}${VALUE}`,
      'dgi',
    ),
    new RegExp(`${NO_VALUE.source}|^[a-z_]+[.[]|^[a-z][\\w-]*(?:/[a-z][\\w-]*)+$`, 'i'),
  ],
  'key: bytes of a key':
    /key["']?[ \t]{0,4}[:=][ \t]{0,4}[[{"'](?<secret>[ \t]{0,4}(?:0x[0-9a-f]{1,2}|\d{1,3})(?:[ \t]{0,4},[ \t]{0,4}(?:0x[0-9a-f]{1,2}|\d{1,3})){15,63})[ \t]{0,4}[\]}"']/dgi,
  'secret: variable in braces': [
    /\{[A-Z0-9_]{0,64}(?:PASSWORD|PASSWD|PASS|TOKEN|SECRET|PWD|_KEY)[ \t](?<secret>[^\s{}]{3,512})[^{}\r\n]{0,80}\}/dg,
    NO_VALUE,
  ],
  'secret: element of XML': [
    new RegExp(
      `<(?:[\\w:.-]{0,32}?${SECRET_KEY}(?:[ \\t][^<>]{0,60})?|\\w{1,32}[ \\t](?:name|key|id)="[\\w:.-]{0,32}?${SECRET_KEY}"|key>[\\w:. -]{0,32}?${SECRET_KEY}</key)>(?:\\s{0,20}<(?:value|string)>)?(?![ \\t]{0,4}(?:\\{[{%]|\\$[{(\\w]))(?:<!\\[CDATA\\[)?(?<secret>[^<\\]]{3,1000})(?=(?:\\]\\]>)?</)`,
      'dgi',
    ),
    NO_VALUE,
  ],
});
