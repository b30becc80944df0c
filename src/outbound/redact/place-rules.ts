// Values that are secrets by where they stand: headers, addresses, options, command lines, sentences.
import { NO_VALUE, PASSWORD, type RedactRule } from './rule.ts';

export const PLACE_RULES: readonly RedactRule[] = [
  {
    name: 'authorization header',
    kind: 'auth',
    pattern:
      /authorization["']?[ \t]{0,4}[:=][ \t]{0,4}["']?(?:(?:bearer|basic|token|digest|negotiate|apikey|bot|aws4-hmac-sha256)[ \t]+)?(?<secret>[^\s"',;][^\r\n"']{5,})/dgi,
    unless: NO_VALUE,
  },
  {
    name: 'bearer token',
    kind: 'auth',
    pattern:
      /(?<![A-Za-z])(?:bearer|basic)[ \t]+(?<secret>(?=[^\s\d]{0,64}\d|[^\s=]{8,128}=)[A-Za-z0-9._~+/-]{12,}={0,2})/dgi,
  },
  {
    name: 'secret header',
    kind: 'auth',
    pattern:
      /(?:x-(?:[a-z]{1,16}-){0,2}(?:token|key|secret|auth)|private-token|job-token|csrfpreventiontoken|pveauthcookie)["']?[ \t]{0,4}[:=][ \t]{0,4}["']?(?<secret>[^\s"',;]{6,})/dgi,
    unless: NO_VALUE,
  },
  {
    name: 'cookie',
    kind: 'cookie',
    pattern: /(?<![\w-])(?:set-)?cookie["']?: {0,4}["']?(?<secret>[\w.-]{1,64}=[^\r\n"']{6,})/dgi,
  },
  {
    name: 'password in an address',
    kind: 'password',
    pattern: /:\/\/[^\s/:@"'<>]{0,128}:(?<secret>[^\s/"'<>]{1,512})@/dg,
    unless: NO_VALUE,
  },
  {
    name: 'token in an address',
    kind: 'token',
    pattern: /:\/\/(?<secret>(?=[^\s/:@"'<>\d]{0,64}\d)[^\s/:@"'<>.]{20,256})@/dg,
  },
  {
    name: 'secret in a query',
    kind: 'token',
    pattern:
      /[?&](?:[\w-]{0,32}(?:token|secret|password|passwd|api_?key|signature)|sig|key|auth|x-amz-credential|x-goog-credential)=(?<secret>[^&\s"'#<>]{6,})/dgi,
    unless: NO_VALUE,
  },
  {
    name: 'PEM inside of base64',
    kind: 'pem',
    pattern: /(?:LS0tLS1CRUdJT|0tLS0tQkVHSU|tLS0tLUJFR0lO)[A-Za-z0-9+/_-]{16,}={0,2}/dg,
  },
  {
    name: 'password of a netrc file',
    kind: 'password',
    pattern: /^[ \t]{0,40}password[ \t]+(?<secret>(?=[^\s\d]{0,64}\d)[^\s"']{6,})[ \t]*$/dgm,
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
  },
  {
    name: 'login on a command line',
    kind: 'password',
    pattern:
      /(?:sshpass[ \t]+-p[ \t]*["']?|(?:docker|podman|helm|oras|crane)[^\r\n|;]{0,60}[ \t]login[^\r\n|;]{0,100}[ \t]-p[ \t]+["']?|(?:mysql|mysqldump|mariadb|mysqladmin)[ \t][^\r\n|;]{0,100}[ \t]?-p(?=[^\s-])["']?|(?:curl|wget|http)[^\r\n|;]{0,200}[ \t](?:-u|--user)[ \t]*["']?[^\s:"']{1,64}:|machine[ \t]+\S{1,128}[ \t]+login[ \t]+\S{1,128}[ \t]+password[ \t]+)(?<secret>[^\s"']{3,})/dg,
    unless: NO_VALUE,
  },
  {
    name: 'secret told in words',
    kind: 'secret',
    pattern:
      /(?:token|secret|password|passphrase|api[ -]?key)[ \t]+(?:(?:is|was|set to|set)[ \t]*:?[ \t]+)?["'`]?(?<secret>(?=[A-Za-z+/=]{0,40}\d)[A-Za-z0-9+/=]{20,})/dgi,
  },
  {
    name: 'password told in words',
    kind: 'password',
    pattern:
      /(?:password|passphrase|passcode)[ \t]+(?:(?:is|was)(?:[ \t]+set[ \t]+to)?|set[ \t]+to)[ \t]*:?[ \t]+["'`]?(?<secret>(?=[^\s\d\\]{0,64}\d)[^\s"'`\\]{6,})/dgi,
  },
  {
    name: 'registry login',
    kind: 'auth',
    pattern: /"(?:auth|identitytoken|registrytoken)\\?"[ \t]{0,4}:[ \t]{0,4}\\?"(?<secret>[A-Za-z0-9+/=_.-]{8,})/dg,
  },
];
