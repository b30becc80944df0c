// Values that are secrets by where they stand: headers, addresses, options, command lines, sentences.
import { NO_VALUE, PASSWORD, rulesOf } from './rule.ts';

export const PLACE_RULES = rulesOf({
  'auth: authorization header': [
    /authorization["']?[ \t]{0,4}[:=][ \t]{0,4}["']?(?:(?:bearer|basic|token|digest|negotiate|apikey|bot|aws4-hmac-sha256)[ \t]+)?(?<secret>[^\s"',;][^\r\n"']{5,})/dgi,
    NO_VALUE,
  ],
  'auth: bearer token':
    /(?<![A-Za-z])(?:bearer|basic)[ \t]+(?<secret>(?=[^\s\d]{0,64}\d|[^\s=]{8,128}=)[A-Za-z0-9._~+/-]{12,}={0,2})/dgi,
  'auth: secret header': [
    /(?:x-(?:[a-z]{1,16}-){0,2}(?:token|key|secret|auth)|private-token|job-token|csrfpreventiontoken|pveauthcookie)["']?[ \t]{0,4}[:=][ \t]{0,4}["']?(?<secret>[^\s"',;]{6,})/dgi,
    NO_VALUE,
  ],
  'cookie: cookie': /(?<![\w-])(?:set-)?cookie["']?: {0,4}["']?(?<secret>[\w.-]{1,64}=[^\r\n"']{6,})/dgi,
  'password: password in an address': [/:\/\/[^\s/:@"'<>]{0,128}:(?<secret>[^\s/"'<>]{1,512})@/dg, NO_VALUE],
  'token: token in an address': /:\/\/(?<secret>(?=[^\s/:@"'<>\d]{0,64}\d)[^\s/:@"'<>.]{20,256})@/dg,
  'token: secret in a query': [
    /[?&](?:[\w-]{0,32}(?:token|secret|password|passwd|api_?key|signature)|sig|key|auth|x-amz-credential|x-goog-credential)=(?<secret>[^&\s"'#<>]{6,})/dgi,
    NO_VALUE,
  ],
  'pem: PEM inside of base64': /(?:LS0tLS1CRUdJT|0tLS0tQkVHSU|tLS0tLUJFR0lO)[A-Za-z0-9+/_-]{16,}={0,2}/dg,
  'password: password of a netrc file': /^[ \t]{0,40}password[ \t]+(?<secret>(?=[^\s\d]{0,64}\d)[^\s"']{6,})[ \t]*$/dgm,
  'secret: option with a secret': [
    new RegExp(
      `--[a-z-]{0,32}?(?:${PASSWORD}|token|secret|api-?key|auth-?key|certificate-key|encryption-key|passphrase|psk)[ \\t]+["']?(?<secret>(?!-)[^\\s"']{4,})`,
      'dgi',
    ),
    new RegExp(
      `${NO_VALUE.source}|^[~.]*/|^(?:is|was|for|and|or|to|file|from|stdin|create|list|not|with|must|option|flag|value|needs?|requires?|required|given|missing|instead)$`,
      'i',
    ),
  ],
  'password: login on a command line': [
    /(?:sshpass[ \t]+-p[ \t]*["']?|(?:docker|podman|helm|oras|crane)[^\r\n|;]{0,60}[ \t]login[^\r\n|;]{0,100}[ \t]-p[ \t]+["']?|(?:mysql|mysqldump|mariadb|mysqladmin)[ \t][^\r\n|;]{0,100}[ \t]?-p(?=[^\s-])["']?|(?:curl|wget|http)[^\r\n|;]{0,200}[ \t](?:-u|--user)[ \t]*["']?[^\s:"']{1,64}:|machine[ \t]+\S{1,128}[ \t]+login[ \t]+\S{1,128}[ \t]+password[ \t]+)(?<secret>[^\s"']{3,})/dg,
    NO_VALUE,
  ],
  'secret: secret told in words':
    /(?:token|secret|password|passphrase|api[ -]?key)[ \t]+(?:(?:is|was|set to|set)[ \t]*:?[ \t]+)?["'`]?(?<secret>(?=[A-Za-z+/=]{0,40}\d)[A-Za-z0-9+/=]{20,})/dgi,
  'password: password told in words':
    /(?:password|passphrase|passcode)[ \t]+(?:(?:is|was)(?:[ \t]+set[ \t]+to)?|set[ \t]+to)[ \t]*:?[ \t]+["'`]?(?<secret>(?=[^\s\d\\]{0,64}\d)[^\s"'`\\]{6,})/dgi,
  'auth: registry login':
    /"(?:auth|identitytoken|registrytoken)\\?"[ \t]{0,4}:[ \t]{0,4}\\?"(?<secret>[A-Za-z0-9+/=_.-]{8,})/dg,
});
