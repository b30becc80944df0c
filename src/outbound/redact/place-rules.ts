// Values that are secrets by where they stand: headers, addresses, directives of configuration, sentences.
import { NO_VALUE } from './no-secret.ts';
import { type RedactRule, rulesOf } from './rule.ts';
import { isHighEntropy } from './secret-signs.ts';
import type { Span } from './spans.ts';

export const PLACE_RULES: RedactRule[] = rulesOf({
  'auth: authorization header': [
    /authorization["']?[ \t]{0,4}[:=][ \t]{0,4}["'`]?(?:(?:bearer|basic|token|digest|negotiate|apikey|bot|aws4-hmac-sha256)[ \t]+)?(?<secret>[^\s"',;][^\r\n"']{5,})/dgi,
    new RegExp(`${NO_VALUE.source}|^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+(?!\\S)|^(?:NONE|NULL|HIDDEN|MASKED|REDACTED)`),
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
    /[?&](?:[\w-]{0,32}signature|sig|key|auth|hash|x-amz-credential|x-goog-credential)=(?<secret>[^&\s"'#<>]{6,})/dgi,
    NO_VALUE,
  ],
  'pem: PEM or key of SSH inside of base64':
    /(?:LS0tLS1CRUdJT|0tLS0tQkVHSU|tLS0tLUJFR0lO|b3BlbnNzaC1rZXktdjE)[A-Za-z0-9+/_-]{16,}={0,2}/dg,
  'password: directive with a password': [
    /^[ \t]{0,40}(?!(?:proxy|fastcgi|uwsgi|scgi|grpc|memcached)_pass)(?:[\w/-]{0,40}(?:[_-]pass(?:word|wd|phrase)?|[a-z]pw|[_-]secret|authpass)|requirepass|masterauth|passwd)[ \t]+(?:-{1,2}\w+[ \t]+)?(?:"(?<quoted>[^"\r\n]{3,256})"|(?<bare>[^\s"';{(-][^\s"';]{2,256}))[ \t]*;?[ \t]*$/dgim,
    new RegExp(`${NO_VALUE.source}|^[=:]|^[~.]*/|^(?:is|was|not|for|required|changed|updated|successfully)$`, 'i'),
  ],
  'password: password of a netrc file':
    /(?:^|[ \t])password[ \t]+(?<secret>(?=[^\s\d]{0,64}\d)[^\s"'=:(]{6,256})[ \t]*$/dgm,
  'secret: quoted secret of a directive':
    /(?:^|[{;])[ \t]{0,40}(?:secret|password|passphrase|community)[ \t]+"(?<secret>[^"\r\n]{4,256})"[ \t]*[;}]?[ \t]*$/dgim,
  'password: login of a line': [
    /(?<![\w.*-])(?:(?:rocommunity6?|rwcommunity6?|snmp-server[ \t]+community|com2sec[ \t]+\S{1,64}[ \t]+\S{1,64})[ \t]+|MONITOR[ \t]+\S{1,128}[ \t]+\d+[ \t]+\S{1,64}[ \t]+|message-digest-key[ \t]+\d{1,3}[ \t]+md5[ \t]+|(?:password|secret|key)[ \t]+[0-9][ \t]+(?=\S{4})|(?:\[[\w.-]{1,128}\](?::\w{1,10})?|[\w.-]{1,128}:\d{2,5})[ \t]+[^\s:@]{1,64}@[\w.-]{1,64}:|(?!(?:[0-9A-Fa-f]{2}:){3})[\w.*-]{1,128}:(?:\d{2,5}|\*):[\w.*-]{1,64}:[\w.*-]{1,64}:)(?<secret>[^\s"']{3,256})/dg,
    NO_VALUE,
  ],
  'secret: secret of a directive':
    /^[ \t]{0,40}(?:token|secret|passphrase|psk|api[_-]?key|auth[_-]?key)[ \t]+(?<secret>(?=[^\s\d]{0,64}\d)(?=[^\sa-z]{0,64}[a-z])[^\s"'=:(/]{8,512})[ \t]*;?[ \t]*$/dgim,
  'password: password in a statement': [
    /(?:identified[ \t]+(?:with[ \t]+\w{1,40}[ \t]+)?by|\bPSK|asecurestring|securestring)[ \t]+(?:password[ \t]+)?["'](?<secret>[^"'\r\n]{3,256})["']|assword[^"\r\n]{0,40}"[^\r\n]{0,20}\r?\n[ \t]{0,20}send[ \t]+(?:--[ \t]+)?"(?<quoted>[^"\r\n]{2,128}?)(?:\\r|\r|\\n)?"|define\([ \t]{0,4}["'][\w-]{0,40}(?:PASSWORD|TOKEN|SECRET|KEY|SALT)["'],[ \t]{0,4}["'](?<bare>[^"'\r\n]{3,256})["']/dgi,
    NO_VALUE,
  ],
  'secret: secret told in words':
    /(?:token|secret|password|passphrase|api[ -]?key)[ \t]+(?:(?:is|was|set to|set)[ \t]*:?[ \t]+)?["'`]?(?<secret>(?=[A-Za-z+/=]{0,40}\d)[A-Za-z0-9+/=]{20,})/dgi,
  'password: password told in words':
    /(?:password|passphrase|passcode)[ \t]+(?:(?:(?:is|was)(?:[ \t]+(?:now|set[ \t]+to))?|set[ \t]+to)[ \t]*:?[ \t]+["'`]?(?<secret>(?=[^\s\d\\]{0,64}\d)[^\s"'`\\]{6,})|(?:is[ \t]+|was[ \t]+)?["'`](?<quoted>[^\s"'`]{4,128})["'`])/dgi,
  'token: variable told in words':
    /(?:token|password|passwd|secret|_key)\\?["'`]?[ \t]+(?:variable[ \t]+)?(?:is|was)[ \t]+set[ \t]+to[ \t]+\\?["'`](?<secret>[^"'`\r\n\\]{4,256})/dgi,
  'password: arguments of a login':
    /(?:login|authenticate|sign_?in)\([ \t]{0,4}["'][^"'\r\n]{1,128}["'],[ \t]{0,4}["'](?<secret>[^"'\r\n]{3,256})["']/dgi,
  'token: token behind an address':
    /(?:login|auth|connect)[ \t]+https?:\/\/[^\s@]{1,200}[ \t]+(?<secret>(?=[^\s\d]{0,64}\d)[\w.~+/=-]{20,512})/dgi,
  'auth: registry login':
    /"(?:auth|identitytoken|registrytoken)"[ \t]{0,4}:[ \t]{0,4}"(?<secret>[A-Za-z0-9+/=_.-]{8,})/dg,
}).concat({ name: 'secret on a line below', find: findBelow });

// What programs print that make or show a secret: a line that says so, and the secret alone on the next one.
const BELOW =
  /(?:password|passphrase|token|secret|[a-z]keys?|genkey|genpsk|openssl[ \t]+rand)[^\r\n]{0,100}\r?\n[ \t]{0,8}(?<secret>[\w+/=.-]{16,256})(?=[ \t]{0,8}(?:\r?\n|$))/gi;

function findBelow(text: string): Span[] {
  return [...text.matchAll(BELOW)].flatMap(({ 0: all, index, groups = {} }) => {
    const { secret = '' } = groups;
    const start = index + all.lastIndexOf(secret);
    const isPublic = /public|fingerprint|identifier|digest|checksum|sha\d|hash|path|file/i.test(
      all.slice(0, -secret.length),
    );
    return isPublic || !isHighEntropy(secret) ? [] : [{ start, end: start + secret.length, kind: 'secret' }];
  });
}
