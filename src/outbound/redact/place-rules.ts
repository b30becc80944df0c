// Values that are secrets by where they stand: headers, addresses, directives of configuration, sentences.

import { SECRET_KEY } from './key-words.ts';
import { BYTES, lookOf, MESSAGE, NO_VALUE } from './looks.ts';
import { CHOSEN, type RedactRule, rulesOf } from './rule.ts';

const QUOTED = '"(?<quoted>[^"\\r\\n]{3,256})"|\'(?<secret>[^\'\\r\\n]{3,256})\'';
const NO_WORD = new RegExp(`${NO_VALUE.source}|${MESSAGE.source}|^[=:~.]*/|^[=:({$]|^-`, 'i');

const KEBAB = /^[a-z]+(?:[-_][a-z]+)+$/;

export const PLACE_RULES: RedactRule[] = rulesOf({
  'auth: authorization header': [
    /authorization["']?[ \t]{0,4}[:=][ \t]{0,4}["'`]?(?:(?:bearer|basic|token|digest|negotiate|apikey|bot|aws4-hmac-sha256)[ \t]+)?(?<secret>[^\s"',;][^\r\n"']{5,})/dgi,
    new RegExp(`${NO_VALUE.source}|^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+(?![^\\s}\\]])|^(?:NONE|NULL|HIDDEN|MASKED|REDACTED)`),
  ],
  'auth: bearer token':
    /(?<![A-Za-z])(?:bearer|basic),?[ \t]+(?<secret>(?=[^\s\d]{0,64}\d|[^\s=]{8,128}=)[A-Za-z0-9._~+/-]{12,}={0,2})/dgi,
  'cookie: cookie': [
    /(?<![\w-])(?:set-)?cookie["']?: {0,4}["']?(?<secret>[\w.-]{1,64}=[^\r\n"']{6,})/dgi,
    (value) => !/=[^;]{12}/.test(value),
  ],
  'password: login in a protocol': [
    /^(?:[^\r\n]{0,20}?[ \t>])?[A-Za-z]{0,4}\d{1,4}[ \t]LOGIN[ \t]\S{1,128}[ \t](?<secret>\S{3,128})[ \t]*$|[ \t>]login[ \t]{1,4}[\w.@-]{1,64}[ \t]{1,4}(?:"(?<quoted>[^"\r\n]{4,128})"|'(?<bare>[^'\r\n]{4,128})')/dgm,
    NO_WORD,
  ],
  'password: answer to a question': [
    /^[^\r\n]{0,40}?(?:password|passphrase|passcode|pin)[ \t](?:again(?=:)|for|of|to)[ \t]?(?:'[^'\r\n]{1,80}'|[^\r\n:]{0,60}):[ \t]{1,4}(?<secret>[^\s:]{4,128})[ \t]*$/dgim,
    NO_WORD,
  ],
  'password: password in an address': [/:\/\/[^\s/:@"'<>]{0,128}:(?<secret>[^\s/"'<>]{1,512})@/dg, NO_VALUE],
  'token: token in an address': /:\/\/(?<secret>(?=[^\s/:@"'<>\d]{0,64}\d)[^\s/:@"'<>.]{20,256})@/dg,
  'token: secret in a query': [
    /[?&](?:[\w-]{0,32}signature|sig|key|auth|hash|code|ticket|session|sid|jwt|assertion|samlresponse|x-amz-credential|x-goog-credential)=(?<secret>[^&\s"'#<>]{6,})/dgi,
    NO_VALUE,
  ],
  'pem: PEM or key of SSH inside of base64':
    /(?:LS0tLS1CRUdJT|0tLS0tQkVHSU|tLS0tLUJFR0lO|b3BlbnNzaC1rZXktdjE)[A-Za-z0-9+/_-]{16,}={0,2}/dg,
  'password: directive with a password': [
    /(?:^|[{;"])[ \t]{0,40}(?:auth_type[ \t]PASS[ \t]|sentinel[ \t]|d-i[ \t])?(?!(?:proxy|fastcgi|uwsgi|scgi|grpc|memcached)_pass)(?:[\w/-]{0,40}(?:[_-](?:pass(?:word|wd|phrase)?|psk)|[a-z]pw|[a-z]Password|[_-]secret|authpass)\d?(?:-again)?|requirepass|masterauth|passwd)[ \t]+(?:-{2}\w+[ \t]+|password[ \t]+|mymaster[ \t]+)?(?:"(?<quoted>[^"\r\n]{3,256})"|(?<bare>[^\s"';{(-][^\s"';]{2,256}))[ \t]*(?:[;}]|$)/dgim,
    new RegExp(`${NO_VALUE.source}|^[=:]|^[~.]*/|^(?:is|was|not|for|required|changed|updated|successfully)$`, 'i'),
  ],
  'password: password of a netrc file': [
    /(?:login|account|user|username)[ \t]+(?!(?:or|and|&)[ \t])\S{1,128}(?:[ \t]{1,8}|[ \t]*\r?\n[ \t]{0,40})(?:[a-z]{1,16}-)?pass(?:word|wd)?[ \t]+["']?(?<secret>[^\s"']{3,256})|[ \t]password[ \t]+(?<bare>(?=[^\s\d]{0,64}\d)[^\s"'=:(]{6,256})[ \t]*$/dgim,
    NO_WORD,
  ],
  'password: password of an ACL':
    /(?:user|setuser)[ \t]+\S{1,64}[ \t](?:\S{1,64}[ \t]){0,6}?(?<=[ \t](?:on|off|reset|allkeys|~\S{1,64})[ \t])(?:\S{1,64}[ \t]){0,6}?>(?<secret>[^\s"']{3,256})/dgi,
  'password: login of a database driver':
    /@(?:(?:tcp|udp|unix)?\(|\/)(?<=[\w.-]:(?<secret>[^\s:@"'/]{3,128})@(?:\w{0,4}\(|\/))/dg,
  'password: password of a pgpass file':
    /:(?:\d{2,5}|\*):(?<=(?<![\w.*:-])(?:[\w.*-]{3,128}:(?:\d{2,5}|\*)|[\w*]{1,2}:(?:\d{3,5}|\*)):)[\w.*-]{1,64}:[\w.*-]{1,64}:(?<secret>(?![\d:]+$)[^\s"']{3,256})/dgm,
  'password: login of a mail server':
    /@(?!sha\d)[\w.-]{3,128}:(?<=(?:(?:\]|\]:\w{1,10}|:\d{2,5})[ \t]{1,8}|(?<![\w.*:/-])[\w.*-]{1,128}:)[^\s:@]{1,64}@[\w.-]{3,128}:)(?<secret>(?!\d{1,5}(?:[/:]|$))[^\s"']{3,256})/dg,
  'password: login of a line': [
    /(?<![\w.*-])(?:(?:rocommunity6?|rwcommunity6?|snmp(?:-server)?[ \t]+community|enable[ \t]+(?:secret|password)(?:[ \t]+\d)?|v3[ \t][^\r\n]{0,40}auth[ \t]+(?:md5|sha[\d-]{0,8})|priv[ \t]+(?:aes|3?des)(?:[ \t-]\d{2,3})?|com2sec[ \t]+\S{1,64}[ \t]+\S{1,64}|createUser[ \t]+\S{1,64}[ \t]+(?:MD5|SHA[\d-]{0,8})(?:[ \t]+\S{1,64}[ \t]+(?:AES|DES)[\d-]{0,4})?)[ \t]+["']?|MONITOR[ \t]+\S{1,128}[ \t]+\d+[ \t]+\S{1,64}[ \t]+|message-digest-key[ \t]+\d{1,3}[ \t]+md5[ \t]+|(?:password|secret|key)[ \t]+[0-9][ \t]+(?=\S{4}))(?<secret>[^\s"']{3,256})/dg,
    NO_VALUE,
  ],
  'password: password in a statement': [
    /(?:identified[ \t]+(?:with[ \t]+\w{1,40}[ \t]+)?by|(?:[: \t])(?:PSK|EAP|XAUTH|NTLM)|["'][ \t]+\*|asecurestring|securestring)[ \t]+(?:password[ \t]+)?["'](?<secret>[^"'\r\n]{3,256})["']|assword[^"\r\n]{0,40}"[^\r\n]{0,20}\r?\n[ \t]{0,20}send[ \t]+(?:--[ \t]+)?"(?<quoted>[^"\r\n]{2,128}?)(?:\\r|\r|\\n)?"|define\([ \t]{0,4}["'][\w-]{0,40}(?:PASSWORD|TOKEN|SECRET|KEY|SALT)["'],[ \t]{0,16}["'](?<bare>[^"'\r\n]{3,256})["']/dgi,
    NO_VALUE,
  ],
  'secret: variable that is set': [
    new RegExp(
      `(?:(?<![\\w-])(?:setenv|(?:fastcgi|uwsgi|scgi)_param|setx|-[gUx]+|option|config[ \\t]+set|set(?=[ \\t]+(?:\\$|[\\w.-]{0,64}[._-])))|^[ \\t]*(?:env|arg))[ \\t]{1,8}["'$]?[\\w.-]{0,64}?(?:${SECRET_KEY}|(?<=option[ \\t]{1,8})key|requirepass|masterauth)["']?[ \\t]{1,8}(?:${QUOTED}|(?<bare>[^\\s"'=:;][^\\s"';]{3,256}))`,
      'dgim',
    ),
    NO_WORD,
  ],
  'password: login behind a word': [
    /(?:credentials?|creds|userpass|basic[ -]auth)[ \t]{1,4}["']?[\w.-]{1,64}:(?<secret>[^\s:@/"']{4,128})|(?:credentials?|creds|login|zugang)[ \t]{0,2}:[ \t]{1,4}["'`]?[\w.@-]{2,64}["'`]?[ \t]?\/[ \t]?["'`]?(?<bare>(?=[^\s\d]{0,64}\d)[^\s:@/"'`]{6,128})|user(?:name)?=[\w.-]{1,64}%(?<quoted>[^\s"'()]{4,128})/dgi,
    NO_WORD,
  ],
  'password: password beside its name in columns': [
    /^[ \t]{0,40}[\w -]{0,24}?(?:password|passphrase|passwd|token|secret_key|api_key)(?:[ \t]{2,40}|\.{3,60})["']?(?<secret>[^\s"']{4,256})["']?[ \t]*$/dgim,
    NO_WORD,
  ],
  'password: key of a router':
    /(?:isakmp|tacacs-server|radius-server|tacacs|radius)[ \t](?:[^\r\n|;]{0,60}?[ \t])?key[ \t]+(?:\d[ \t]+)?(?<secret>[^\s"']{4,128})|wireless\.[\w.@[\]-]{1,64}\.key=["']?(?<bare>[^\s"']{4,128})|^[ \t]*key[ \t]+(?:hmac-[\w-]{1,12}:)?[\w.-]{1,64}[ \t]+(?<quoted>[A-Za-z0-9+/]{20,}={0,2})/dgm,
  'password: password told in words':
    /(?:password|passphrase|passcode|\bpwd?)[ \t]+(?:(?:(?:is|was)(?:[ \t]+(?:now|(?:set|changed|reset|updated)[ \t]+to))?|(?:set|changed|reset)[ \t]+to)[ \t]*:?[ \t]+["'`]?(?<secret>(?=[^\s\d\\]{0,64}\d)[^\s"'`\\]{6,})|(?:is[ \t]+|was[ \t]+)?["'`](?<quoted>[^\s"'`]{4,128})["'`])/dgi,
  'password: arguments of a login':
    /(?:login|auth|authenticate|basicauth|credentials?|sign_?in|begin|connect|mysqli|pdo->__construct|new pdo|sequelize|"args":[ \t]?|auth=)[([][ \t]{0,4}(?:["'][^"'\r\n]{1,128}["'],[ \t]{0,4}){1,2}["'](?<secret>[^"'\r\n]{3,256})["']/dgi,
  'password: word that a protocol logs in with':
    /(?:(?:[>-]{1,4}|C:)[ \t]{1,4}|\d{1,2}(?:[ \t][0-9a-f]{2,4}){0,16}[ \t]{1,4}|\d>[ \t]{1,4}|\$\d\r?\n|USER[ \t][^\r\n]{1,64}\r?\n[^\r\n]{0,40}?)(?:PASS|AUTH)(?:[ \t]{1,4}|\r?\n\$\d{1,4}\r?\n)(?!(?:PLAIN|LOGIN|CRAM)(?![\w-]))(?<secret>[^\s"']{3,128})|\bAUTH(?:ENTICATE)?[ \t](?:PLAIN|LOGIN|XOAUTH2)[ \t]{1,4}(?<bare>[A-Za-z0-9+/]{8,}={0,2})|^[^\r\n]{0,40}\b334[ \t]+UGFz\S{1,20}\r?\n[^\r\n]{0,40}?(?<quoted>[A-Za-z0-9+/]{8,}={0,2})[ \t]*\r?$/dgm,
  'secret: words of a recovery phrase':
    /(?:mnemonic|phrase|seed|words)["']?[^\r\n:=]{0,40}[:=][ \t]{0,4}["'[]{0,2}(?<secret>(?:[a-z]{3,8}[ ,"']{1,4}){11,23}[a-z]{3,8})(?![ ,"']{1,4}[a-z])/dgi,
  'secret: groups of a seed or a key':
    /(?:secret|key|seed|totp|2fa|setup|manual)[^\r\n:=]{0,40}[:=][ \t]{0,4}["']?(?<secret>(?=[A-Z2-7 ]{0,20}\d)[A-Z2-7]{4}(?:[ -][A-Z2-7]{4}){3,15})(?![\w-])|(?<![\w-])(?<bare>(?=[A-Za-z-]{0,24}\d)(?=[a-z\d-]{0,24}[A-Z])[A-Za-z0-9]{5}(?:-[A-Za-z0-9]{5}){4,5})(?![\w-])|[:=][ \t]{0,4}["']?(?<quoted>[a-z]{4}(?: [a-z]{4}){3})(?=["']?[ \t]*(?:\r?\n|$))/dg,
  'secret: codes to recover an account':
    /(?:recovery|backup|emergency|scratch|rescue)[ _-]?codes?[^\r\n]{0,40}\r?\n(?<secret>(?:[ \t]{0,40}(?:\d{1,2}[.)][ \t]|[-*][ \t])?["']?(?=[A-Za-z -]{0,24}\d)[A-Za-z0-9]{4,16}(?:[ -][A-Za-z0-9]{4,12}){0,3}["']?,?[ \t]*(?:\r?\n|$)){1,24})/dgi,
  'secret: word that a program makes or decodes': [
    /(?:openssl[ \t]+rand|pwgen|wg[ \t]+gen(?:key|psk)|base64 (?:-d|-D|--decode))[^\r\n]{0,60}\r?\n[ \t]{0,8}(?<secret>[^\s"'`<>]{6,512})[ \t]*\r?$/dgm,
    (value) => lookOf(value) < BYTES && !KEBAB.test(value),
  ],
  'password: value at the end of a sentence': [
    new RegExp(
      `(?:password|passphrase|passcode|secret(?:[ ]key)?|token|api[ -]key)(?![^\\r\\n:]{0,60}(?:user|login|account|name|host|server|from|file|path|error|fail|not|expire|version|invalid|hash))[ \\t][^\\r\\n:="'/]{1,60}:[ \\t]{1,4}(?:(?<secret>[0-9a-f]{16,128})|${CHOSEN})[ \\t]*\\.?$`,
      'dgim',
    ),
    NO_WORD,
  ],
});
