// What is a secret by its own form, wherever it stands, or by the form of the place it stands in: tokens, hashes, headers,
// addresses, files of logins, statements. Values that belong to a name are in named-values.ts.
import { BYTES, isDrawn, isRandom, lookOf, MESSAGE, NO_VALUE, PUBLIC, strangeParts } from './looks.ts';
import { type RedactRule, rulesOf } from './rule.ts';
import type { Span } from './spans.ts';
import { charSet, eachRun } from './text-index.ts';

const START = '(?<![A-Za-z0-9_-])';
const token = (body: string): RegExp => new RegExp(`${START}(?:${body})`, 'g');
const NO_WORD = new RegExp(`${NO_VALUE.source}|${MESSAGE.source}|^[=:~.]*/|^[=:({$]|^-`, 'i');
const KEBAB = /^[a-z]+(?:[-_][a-z]+)+$/;

/** Tokens that are known by themselves, so also over line ends. */
export const TOKEN_RULES: RedactRule[] = rulesOf({
  'aws: AWS access key':
    /(?<![A-Za-z0-9])(?:A3T[A-Z0-9]|AKIA|ASIA|ABIA|ACCA|AROA|AIDA)[A-Z2-7]{16}(?![A-Za-z0-9])(?:[ \t:,/|]{1,5}[A-Za-z0-9+/]{40}(?![A-Za-z0-9+/]))?/g,
  'google: Google key or token': token('AIza[\\w-]{35}|ya29\\.[\\w.-]{20,}|GOCSPX-[\\w-]{20,}|1//0[\\w-]{40,}'),
  'azure: Azure client secret': /(?<![\w~.-])[\w~.]{3}\dQ~[\w~.-]{31,34}(?![\w~.-])/g,
  'github: GitHub token': token('gh[pousr]_(?!x{8})[A-Za-z0-9]{30,}|github_pat_(?!x{8})\\w{22,}'),
  'gitlab: GitLab token': token('gl(?:pat|rt|dt|cbt|ptt|ft|agent|soat|oas|imt|ffct)-[\\w.-]{20,}|GR1348941[\\w-]{20,}'),
  // The usual ones, and those that are short, hexadecimal or hold signs; what else was drawn by chance is a random word.
  'token: token with a prefix of its maker': token(
    [
      '(?:npm|hf|gsk|r8|tk|figd|lin_api|dckr_[op]at|pscale_(?:tkn|pw))_(?=[\\w-]{0,12}[A-Z\\d])[\\w-]{27,}|(?:sk|xai|nvapi|pypi|NRAK)-(?=[\\w-]{0,12}[A-Z\\d])[\\w-]{27,}|(?:hv[sbr]|dp\\.[psc]t|SG)\\.[\\w.-]{24,}|(?:ATBB|ATATT3|[A-Za-z0-9]{14}\\.atlasv1\\.)[\\w=-]{28,}',
      '(?!sha\\d|md5|commit|digest)[a-z][a-z0-9]{1,9}_(?:[a-z0-9]{1,8}_)?[0-9a-f]{32,}(?![\\w-])|(?:pul|key|PMAK|xkeysib)-[0-9a-f-]{32,}(?:-\\w{16})?',
      '(?:dapi|SK)[0-9a-f]{32}(?![\\w-])|st\\.[0-9a-f]{24}\\.[0-9a-f.]{32,}|[0-9a-f]{10}:0:[0-9a-f]{128}:[0-9a-f]{128}|[rs]k_(?:live|test)_[A-Za-z0-9]{16,}',
      'claim-[A-Za-z0-9_-]{20}(?![\\w-])|s\\.[A-Za-z0-9]{24}(?![\\w.])|pve[248][cbsp]-[0-9a-f]{10}(?![\\w-])|K00\\d[A-Za-z0-9+/]{27}(?![\\w])|gl(?:sa|c)_[\\w=+/-]{32,}',
      'syt_[\\w-]{4,}_[A-Za-z]{16,}_\\w{6}|whsec_[\\w+/=]{24,}|sntry[su]_[\\w=+/-]{40,}|A3-[A-Z0-9]{6}(?:-[A-Z0-9]{5,11}){4,5}|0\\.[0-9a-f-]{36}\\.[A-Za-z0-9]{20,}:[A-Za-z0-9+/=]{20,}',
    ].join('|'),
  ),
  'jwt: JSON web token': token(
    'eyJ[\\w-]{8,}={0,2}\\.[\\w-]{8,}={0,2}(?:\\.[\\w-]{4,}={0,2}){0,3}|eyJhIjoi[\\w+/=-]{40,}',
  ),
  'slack: Slack token': token('xox[abeoprs]-[A-Za-z0-9-]{10,}|xoxe\\.[\\w.-]{20,}|xapp-\\d-[A-Za-z0-9-]{20,}'),
  'webhook: webhook':
    /(?:hooks\.slack\.com\/(?:services|workflows|triggers)\/|discord(?:app)?\.com\/api\/(?:v\d+\/)?webhooks\/\d+\/|webhook\.office\.com\/|api\.telegram\.org\/bot|hc-ping\.com\/|\/ping\/|rtsps?:\/\/[\w.:-]{1,64}\/|maker\.ifttt\.com\/trigger\/[\w-]{1,64}\/(?:json\/)?with\/key\/|\/api\/webhook\/|\/hooks\/|chat\.googleapis\.com\/v1\/spaces\/)(?<secret>[\w@%:.~/-]{16,})|\/api\/push\/(?<bare>[A-Za-z0-9]{8,64})(?![\w-])/g,
  // These begin with nothing that is rare: they are found by a sign in the middle, the rest by looking back.
  'bot: bot token':
    /:AA[\w-]{33}(?<=(?<![\w-])(?<secret>\d{8,10}:AA[\w-]{33}))|\.[\w-]{6}\.[\w-]{27,38}(?![\w-])(?<=(?<![\w-])(?<bare>[MNO][\w-]{23,27}\.[\w-]{6}\.[\w-]{27,38}))/g,
  'password: code of a wireless network': /WIFI:[^\r\n]{0,100}?P:(?<secret>[^;\r\n]{3,64});/g,
  'age: age secret key': /AGE-(?:SECRET-KEY|PLUGIN-[A-Z0-9]{1,40})-1[A-Z0-9]{20,}/gi,
  'sops: sops value': /ENC\[AES256_GCM,(?<secret>data:[A-Za-z0-9+/=]*,iv:[A-Za-z0-9+/=]*,tag:[A-Za-z0-9+/=]*)/g,
  'proxmox: Proxmox API token':
    /@[\w.-]{1,32}![\w.-]{1,64}[=:](?<secret>[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})/g,
  'proxmox: Proxmox API token in a table':
    /full-tokenid(?:[^\n]{0,200}\n){1,6}?[^\n]{0,8}\bvalue\b[^\n]{0,24}?(?<secret>[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})/g,
  'proxmox: Proxmox ticket':
    /(?<![A-Za-z])(?:PVE|PBS|PMG)[A-Z]{0,4}:(?<secret>[\w.-]{1,64}@[\w.-]{1,32}:[0-9A-F]{8}::[A-Za-z0-9+/=]{20,})/g,
  'tailscale: Tailscale key': token('tskey-[a-z]{2,10}-[A-Za-z0-9]{8,}(?:-[A-Za-z0-9]{8,})?|privkey:[0-9a-f]{64}'),
  'cloudflare: Cloudflare key':
    /(?<![\w.-])v1\.0-[a-f0-9]{24}-[a-f0-9]{100,}|(?:cloudflare|\bcf)[\w .-]{0,24}["']?[ \t]{0,4}[:=][ \t]{0,4}["']?(?<secret>[A-Za-z0-9_-]{37,45})(?![\w-])|cloudflare[ \t]{1,4}(?<bare>(?=[A-Za-z_-]{0,39}\d)[A-Za-z0-9_-]{40})(?![\w-])/gi,
  'kubernetes: k3s token': /(?<![A-Za-z0-9])K10[a-f0-9]{64}::(?:[\w.-]{1,32}:)?[A-Za-z0-9.]{8,}/g,
  'kubernetes: bootstrap token':
    /\.(?=[a-z]{0,15}\d)[a-z0-9]{16}(?![\w./-])(?<=(?<![\w./-])(?<secret>[a-z0-9]{6}\.[a-z0-9]{16}))/g,
  'vault: Ansible vault':
    /\$ANSIBLE_VAULT;[\w.;-]{1,80}[ \t]*\r?\n(?<secret>(?:[ \t]{0,40}[0-9a-f]{2,80}[ \t]*(?:\r?\n|$)){1,2000})/g,
  'key: key behind the name of a cipher':
    /(?:aes|chacha20|serpent|twofish|blowfish)[\w()-]{0,32}[ \t]{1,4}(?<secret>[0-9a-f]{32,256})(?![\w-])/gi,
  'key: secret part of a pair of keys':
    /Private-Lines:[ \t]*\d{1,3}\r?\n(?<secret>(?:[A-Za-z0-9+/=]{2,80}\r?\n){1,99})|Private-MAC:[ \t]*(?<bare>[0-9a-f]{32,128})|[\w-]:(?<quoted>[A-Za-z0-9+/]{86}==)(?![\w=])/g,
  'hash: password hash':
    /\${1,2}2[abxy]?\${1,2}\d\d\${1,2}[./A-Za-z0-9]{50,}|(?<=')\*[0-9A-Fa-f]{40}(?=')|grub\.pbkdf2\.sha512\.\d{1,9}\.[0-9A-Fa-f.]{64,}|\$argon2(?:id|i|d)\$[\w=,$+/.-]{20,}|\$(?:1|5|6|7|y|gy|apr1|sha1|scrypt|pbkdf2[\w-]{0,16})\$[\w=,./$+-]{16,}|\{S?SHA\d{0,3}\}[A-Za-z0-9+/=]{20,}|\$[a-z0-9-]{2,24}\$(?=[^\s$]{0,40}\d)[\w=,./+]{0,40}[$*][\w=,./$*+-]{20,}|(?:\$\d{3,8}[$:]|:\d{3,8}\$)(?<bare>[\w+/=.$:-]{20,})|:(?<quoted>[0-9a-fA-F]{32}:[0-9a-fA-F]{32})(?=:)|:\{(?:PLAIN|CLEAR|CLEARTEXT|CRYPT)\}(?<secret>[^\s:"']{3,128})/g,
});

export const PLACE_RULES: RedactRule[] = rulesOf({
  'auth: authorization header': [
    /authorization["']?[ \t]{0,4}[:=][ \t]{0,4}["'`]?(?:(?:bearer|basic|token|digest|negotiate|apikey|bot|aws4-hmac-sha256|[\w-]{1,20}(?=[ \t]+[$<{]))[ \t]+)?(?<secret>[^\s"',;][^\r\n"']{5,})/gi,
    new RegExp(
      `${NO_VALUE.source}|^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+(?![^\\s}\\]])|^(?:NONE|NULL|HIDDEN|MASKED|REDACTED)|^(?:[Bb]earer|[Bb]asic|[Tt]oken)(?![\\w ])`,
    ),
  ],
  'auth: bearer token':
    /(?<![A-Za-z])(?:bearer|basic),?[ \t]+(?<secret>(?=[^\s\d]{0,64}\d|[^\s=]{8,128}=)[A-Za-z0-9._~+/-]{12,}={0,2})/gi,
  'password: login in a protocol': [
    /^(?:[^\r\n]{0,20}?[ \t>])?[A-Za-z]{0,4}\d{1,4}[ \t]LOGIN[ \t]\S{1,128}[ \t](?<secret>\S{3,128})[ \t]*$|[ \t>]login[ \t]{1,4}[\w.@-]{1,64}[ \t]{1,4}(?:"(?<quoted>[^"\r\n]{4,128})"|'(?<bare>[^'\r\n]{4,128})')/gm,
    NO_WORD,
  ],
  'password: password in an address': [
    /:\/\/[^\s/:@"'<>]{0,128}:(?!\d{1,5}\/)(?<secret>(?:[^\s/"'<>]|\/(?!\/)){1,512})@/g,
    (value) => NO_VALUE.test(value) || (value.includes('/') && !isRandom(value.replaceAll('/', ''))),
  ],
  'token: token in an address': /:\/\/(?<secret>(?=[^\s/:@"'<>\d]{0,64}\d)[^\s/:@"'<>.]{20,256})@/g,
  'token: secret in a query': [
    /[?&](?:[\w-]{0,32}signature|sig|key|auth|hash|code|ticket|session|sid|jwt|assertion|samlresponse|x-amz-credential|x-goog-credential)=(?<secret>[^&\s"'#<>]{6,})/gi,
    NO_VALUE,
  ],
  'pem: PEM or key of SSH inside of base64':
    /(?:LS0tLS1CRUdJT|0tLS0tQkVHSU|tLS0tLUJFR0lO|b3BlbnNzaC1rZXktdjE)[A-Za-z0-9+/_-]{16,}={0,2}/g,
  'password: password of an ACL':
    /(?:user|setuser)[ \t]+\S{1,64}[ \t](?:\S{1,64}[ \t]){0,6}?(?<=[ \t](?:on|off|reset|allkeys|~\S{1,64})[ \t])(?:\S{1,64}[ \t]){0,6}?>(?<secret>[^\s"']{3,256})/gi,
  'password: login of a database driver':
    /@(?:(?:tcp|udp|unix)?\(|\/)(?<=[\w.-]:(?<secret>[^\s:"'/]{3,128})@(?:\w{0,4}\(|\/))/g,
  'password: password of a pgpass file':
    /:(?:\d{2,5}|\*):(?<=(?<![\w.*:-])(?:[\w.*-]{3,128}:(?:\d{2,5}|\*)|[\w*]{1,2}:(?:\d{3,5}|\*)):)[\w.*-]{1,64}:[\w.*-]{1,64}:(?<secret>(?![\da-f:/]+(?:[\s"')]|$))[^\s"']{3,256})/gm,
  'password: login of a mail server':
    /@(?!sha\d)[\w.-]{3,128}:(?<=(?:(?:\]|\]:\w{1,10}|:\d{2,5})[ \t]{1,8}|(?<![\w.*:/-])[\w.*-]{1,128}:)[^\s:@]{1,64}@[\w.-]{3,128}:)(?<secret>(?!\d{1,5}(?:[/:]|$))[^\s"']{3,256})/g,
  'password: login of a line': [
    /(?<![\w.*-])(?:(?:rocommunity6?|rwcommunity6?|snmp(?:-server)?[ \t]+community|enable[ \t]+(?:secret|password)(?:[ \t]+\d)?|v3[ \t][^\r\n]{0,40}auth[ \t]+(?:md5|sha[\d-]{0,8})|priv[ \t]+(?:aes|3?des)(?:[ \t-]\d{2,3})?|com2sec[ \t]+\S{1,64}[ \t]+\S{1,64}|createUser[ \t]+\S{1,64}[ \t]+(?:MD5|SHA[\d-]{0,8})(?:[ \t]+\S{1,64}[ \t]+(?:AES|DES)[\d-]{0,4})?)[ \t]+["']?|MONITOR[ \t]+\S{1,128}[ \t]+\d+[ \t]+\S{1,64}[ \t]+|message-digest-key[ \t]+\d{1,3}[ \t]+md5[ \t]+|(?:password|secret|key)[ \t]+[0-9][ \t]+(?=\S{4}))(?<secret>[^\s"']{3,256})/g,
    NO_VALUE,
  ],
  'password: password in a statement': [
    /(?:identified[ \t]+(?:with[ \t]+\w{1,40}[ \t]+)?by|(?:[: \t])(?:PSK|EAP|XAUTH|NTLM)|["'][ \t]+\*|asecurestring|securestring)[ \t]+(?:password[ \t]+)?["'](?<secret>[^"'\r\n]{3,256})["']|assword[^"\r\n]{0,40}"[^\r\n]{0,20}\r?\n[ \t]{0,20}send[ \t]+(?:--[ \t]+)?"(?<quoted>[^"\r\n]{2,128}?)(?:\\r|\r|\\n)?"|define\([ \t]{0,4}["'][\w-]{0,40}(?:PASSWORD|TOKEN|SECRET|KEY|SALT)["'],[ \t]{0,16}["'](?<bare>[^"'\r\n]{3,256})["']/gi,
    NO_VALUE,
  ],
  'password: login behind a word': [
    /(?:credentials?|creds|userpass|basic[ -]auth)[ \t]{1,4}["']?[\w.-]{1,64}:(?<secret>[^\s:@/"']{4,128})|(?:credentials?|creds|login|zugang)[ \t]{0,2}:[ \t]{1,4}["'`]?[\w.@-]{2,64}["'`]?[ \t]?\/[ \t]?["'`]?(?<bare>(?=[^\s\d]{0,64}\d)[^\s:/"'`]{6,128})|(?:user(?:name)?=[\w.-]{1,64}%|(?:connect\w{0,6}|log\w{0,4}[ \t]in|authenticat\w{1,5})[ \t](?:[^\s]{1,64}[ \t]){0,4}as[ \t]+["']?[\w.-]{1,64}[:/])(?<quoted>[^\s"'()]{4,128})/gi,
    NO_WORD,
  ],
  'password: key of a router':
    /(?:isakmp|tacacs-server|radius-server|tacacs|radius)[ \t](?:[^\r\n|;]{0,60}?[ \t])?key[ \t]+(?:\d[ \t]+)?(?<secret>[^\s"']{4,128})|wireless\.[\w.@[\]-]{1,64}\.key=["']?(?<bare>[^\s"']{4,128})|^[ \t]*key[ \t]+(?:hmac-[\w-]{1,12}:)?[\w.-]{1,64}[ \t]+(?<quoted>[A-Za-z0-9+/]{20,}={0,2})/gm,
  'password: word that a protocol logs in with':
    /(?:(?:[>-]{1,4}|C:)[ \t]{1,4}|\d{1,2}(?:[ \t][0-9a-f]{2,4}){0,16}[ \t]{1,4}|\d>[ \t]{1,4}|\$\d\r?\n|USER[ \t][^\r\n]{1,64}\r?\n[^\r\n]{0,40}?)(?:PASS|AUTH)(?:[ \t]{1,4}|\r?\n\$\d{1,4}\r?\n)(?!(?:PLAIN|LOGIN|CRAM)(?![\w-]))(?<secret>[^\s"']{3,128})|\bAUTH(?:ENTICATE)?[ \t](?:PLAIN|LOGIN|XOAUTH2)[ \t]{1,4}(?<bare>[A-Za-z0-9+/]{8,}={0,2})|^[^\r\n]{0,40}\b334[ \t]+UGFz\S{1,20}\r?\n[^\r\n]{0,40}?(?<quoted>[A-Za-z0-9+/]{8,}={0,2})[ \t]*\r?$/gm,
  'secret: words of a recovery phrase':
    /(?:mnemonic|phrase|seed|words)["']?[^\r\n:=]{0,40}[:=][ \t]{0,4}["'[]{0,2}(?<secret>(?:[a-z]{3,8}[ ,"']{1,4}){11,23}[a-z]{3,8})(?![ ,"']{1,4}[a-z])/gi,
  'secret: groups of a seed or a key':
    /(?:secret|key|seed|totp|2fa|setup|manual)[^\r\n:=]{0,40}[:=][ \t]{0,4}["']?(?<secret>(?=[A-Z2-7 ]{0,20}\d)[A-Z2-7]{4}(?:[ -][A-Z2-7]{4}){3,15})(?![\w-])|(?:-[A-Za-z0-9]{5}){4,5}(?![\w-])(?<=(?<![\w-])(?<bare>(?=[A-Za-z-]{0,24}\d)(?=[a-z\d-]{0,24}[A-Z])[A-Za-z0-9]{5}(?:-[A-Za-z0-9]{5}){4,5}))|[:=][ \t]{0,4}["']?(?<quoted>[a-z]{4}(?: [a-z]{4}){3})(?=["']?[ \t]*(?:\r?\n|$))/g,
  'secret: codes to recover an account':
    /(?:recovery|backup|emergency|scratch|rescue)[ _-]?codes?[^\r\n]{0,40}\r?\n(?<secret>(?:[ \t]{0,40}(?:\d{1,2}[.)][ \t]|[-*][ \t])?["']?(?=[A-Za-z -]{0,24}\d)[A-Za-z0-9]{4,16}(?:[ -][A-Za-z0-9]{4,12}){0,3}["']?,?[ \t]*(?:\r?\n|$)){1,24})/gi,
  'secret: word that a program makes or decodes': [
    /(?:openssl[ \t]+rand|pwgen|wg[ \t]+gen(?:key|psk)|base64 (?:-d|-D|--decode))[^\r\n]{0,60}\r?\n[ \t]{0,8}(?<secret>[^\s"'`<>]{6,512})[ \t]*\r?$/gm,
    (value) => lookOf(value) < BYTES && !KEBAB.test(value),
  ],
  'kubernetes: Talos cluster id': /^[ \t]{1,16}id: (?<secret>[A-Za-z0-9+/_-]{43}=)[ \t]*$/gm,
  'key: bytes of a key':
    /key["']?[ \t]{0,4}[:=][ \t]{0,4}[[{"'](?<secret>[ \t]{0,4}(?:0x[0-9a-f]{1,2}|\d{1,3})(?:[ \t]{0,4},[ \t]{0,4}(?:0x[0-9a-f]{1,2}|\d{1,3})){15,63})[ \t]{0,4}[\]}"']/gi,
  'secret: variable in braces': [
    /\{[A-Z0-9_]{0,64}(?:PASSWORD|PASSWD|PASS|TOKEN|SECRET|PWD|_KEY)[ \t](?<secret>[^\s{}]{3,512})(?=[^{}\r\n]{0,80}\})/g,
    NO_VALUE,
  ],
});

const RUN = charSet(/[A-Za-z0-9+/_-]/);
const MIN_MIXED = 20;
/** As long, base64 is no digest and no public key: it holds something. */
const MIN_PACKED = 60;
/** Letters and digits of a word whose parts are short: names have fewer that are strange. */
const MIN_PARTED = 22;
/** As much of a word as is looked at. */
const SAMPLE = 256;
const PUBLIC_BEFORE =
  /(?:(?:affiliate|identity)[ \t]{1,8}|(?:sha\d{1,3}|md5|h1|zh|fingerprint)["']?[:-] ?|nix\/store\/|(?:vaults|items)\/|public[ _-]?key["']?[ \t]?[:=]? ?["']?|(?:digest|checksum|uid|kid|[a-z]_id|"[nxy])["']?[:=] ?["']?|TXT (?:record )?"|DNSKEY (?:\d{1,3} ){3}|[ ;]p=|base64,)$/i;

/**
 * Words that nobody typed, whatever stands beside them: the token of a maker that no list names yet, with the word that it is
 * part of. Digests, public keys and names of things are told apart by their letters and by what stands before them.
 */
export function findRandomWords(text: string): Span[] {
  const spans: Span[] = [];
  eachRun(text, RUN, (start, end) => {
    if (end - start < MIN_MIXED) return;
    const run = text.slice(start, end);
    if (PUBLIC.test(run) || PUBLIC_BEFORE.test(text.slice(Math.max(0, start - 16), start))) return;
    // Shorter base64 with padding or a plus sign is as often a digest or a public key.
    if (run.includes('+') || text.charAt(end) === '=') {
      if (run.length >= MIN_PACKED && isDrawn(run.slice(0, SAMPLE).replace(/[^A-Za-z0-9]/g, '')))
        spans.push({ start, end: paddedEnd(text, end), kind: 'packed' });
      return;
    }
    for (const { 0: word, index } of run.matchAll(/[^/]{20,}/g)) {
      const before = text.slice(Math.max(0, start + index - 16), start + index);
      if (!PUBLIC_BEFORE.test(before) && (isDrawn(strangeParts(word, 12)) || isDrawnInParts(word)))
        spans.push({ start: start + index, end: start + index + word.length, kind: 'token' });
    }
  });
  return spans;
}

/** Serial numbers have only capitals. */
function isDrawnInParts(word: string): boolean {
  const parts = strangeParts(word, 3);
  return /[a-z]/.test(parts) && isDrawn(parts, MIN_PARTED);
}

const paddedEnd = (text: string, end: number): number =>
  end + (/^={0,2}/.exec(text.slice(end, end + 2))?.[0].length ?? 0);
