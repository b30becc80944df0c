// Values that are secrets by where they stand: headers, addresses, options, command lines, sentences.
import { NO_VALUE, type RedactRule } from './rule.ts';

const PASSWORD = '(?:password|passwd|passphrase|passwort|kennwort|pwd|pass)';

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
    name: 'PEM inside of base64',
    kind: 'pem',
    pattern: /(?:LS0tLS1CRUdJT|0tLS0tQkVHSU|tLS0tLUJFR0lO)[A-Za-z0-9+/_-]{16,}={0,2}/dg,
    matches: ['data LS0tLS1CRUdJTiBSU0Eg<b64:200>==', 'x0tLS0tQkVHSU4g<b64:80>'],
    misses: ['LS0tLS1CRUdJT', 'LS0t is a rule in markdown'],
  },
  {
    name: 'password of a netrc file',
    kind: 'password',
    pattern: /^[ \t]{0,40}password[ \t]+(?<secret>(?=[^\s\d]{0,64}\d)[^\s"']{6,})[ \t]*$/dgm,
    matches: ['machine git.lab\n  login me\n  password <12>\n'],
    misses: ['password required', 'password updated successfully 2', 'password file2.txt was read'],
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
    name: 'registry login',
    kind: 'auth',
    pattern: /"(?:auth|identitytoken|registrytoken)\\?"[ \t]{0,4}:[ \t]{0,4}\\?"(?<secret>[A-Za-z0-9+/=_.-]{8,})/dg,
    matches: ['{"auths":{"ghcr.io":{"auth":"<b64:40>"}}}'],
    misses: ['"auth": "none"', '"auth": {"a": 1}'],
  },
];
