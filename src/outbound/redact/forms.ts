// What is a secret by its own form, wherever it stands, or by the form of the place it stands in: tokens, hashes, headers,
// addresses, files of logins, statements. Values that belong to a name are in named-values.ts.
import { BYTES, CHOSEN, isNoSecret, lookOf, NO_VALUE, NO_WORD } from './looks.ts';
import { SECRET, strengthOf } from './names.ts';
import { type RedactRule, rulesOf } from './rule.ts';

const START = '(?<![A-Za-z0-9_-])';
const token = (body: string): RegExp => new RegExp(`${START}(?:${body})`, 'dg');
const KEBAB = /^[a-z]+(?:[-_][a-z]+)+$/;

/** Tokens that are known by themselves, so also over line ends. */
export const TOKEN_RULES: RedactRule[] = rulesOf({
  'aws: AWS access key':
    /(?<![A-Za-z0-9])(?:A3T[A-Z0-9]|AKIA|ASIA|ABIA|ACCA|AROA|AIDA)[A-Z2-7]{16}(?![A-Za-z0-9])(?:[ \t:,/|]{1,5}[A-Za-z0-9+/]{40}(?![A-Za-z0-9+/]))?/dg,
  'google: Google key or token': token('AIza[\\w-]{35}|ya29\\.[\\w.-]{20,}|GOCSPX-[\\w-]{20,}|1//0[\\w-]{40,}'),
  'azure: Azure client secret': /(?<![\w~.-])[\w~.]{3}\dQ~[\w~.-]{31,34}(?![\w~.-])/dg,
  'github: GitHub token': token('gh[pousr]_[A-Za-z0-9]{30,}|github_pat_\\w{22,}'),
  'gitlab: GitLab token': token('gl(?:pat|rt|dt|cbt|ptt|ft|agent|soat|oas|imt|ffct)-[\\w.-]{20,}|GR1348941[\\w-]{20,}'),
  'token: token with a prefix of its maker': token(
    `(?=[A-Za-z0-9]{1,14}[_.-]|[0-9a-f]{10}:0:|K00|gAAAAA|ATATT3|ATBB|dapi|SK[0-9a-f]|FlyV1)(?:${[
      'npm_[A-Za-z0-9]{36}|pypi-[\\w-]{50,}|dckr_(?:pat|oat)_[\\w-]{20,}|hf_[A-Za-z0-9]{30,}|hv[sbr]\\.[\\w-]{24,}',
      'sk-(?:ant|proj|svcacct|admin|or)-[\\w-]{20,}|sk-[A-Za-z0-9]{32,}|[rs]k_(?:live|test)_[A-Za-z0-9]{16,}',
      'do[opr]_v1_[a-f0-9]{64}|gl(?:sa|c)_[\\w=+/-]{32,}|lin_api_[A-Za-z0-9]{40}|ops_eyJ[\\w+/=-]{40,}',
      'SG\\.[\\w-]{16,}\\.[\\w-]{32,}|ATATT3[\\w=-]{60,}|ATBB[A-Za-z0-9]{28,}|pul-[a-f0-9]{40}|dp\\.(?:pt|st|ct)\\.[\\w.-]{32,}',
      'claim-[A-Za-z0-9_-]{20}(?![\\w-])|SWMTKN-1-[a-z0-9-]{40,}|K00\\d[A-Za-z0-9+/]{27}(?![\\w])|gAAAAA[\\w-]{60,}={0,2}|s\\.[A-Za-z0-9]{24}(?![\\w.])',
      'syt_[\\w-]{4,}_[A-Za-z]{16,}_\\w{6}|xkeysib-[a-f0-9]{64}-\\w{16}|key-[0-9a-f]{32}(?![\\w-])|[ps]k1_[0-9a-f]{64}|whsec_[\\w+/=]{24,}',
      'nvapi-[\\w-]{40,}|gsk_\\w{40,}|r8_\\w{30,}|xai-\\w{40,}|shp(?:at|ca|pa|ss)_[0-9a-f]{32}|dapi[0-9a-f]{32}|NRAK-[A-Z0-9]{27}|pscale_(?:tkn|pw)_[\\w.-]{32,}',
      'nsec1[a-z0-9]{50,}|[0-9a-f]{10}:0:[0-9a-f]{128}:[0-9a-f]{128}|0\\.[0-9a-f-]{36}\\.[A-Za-z0-9]{20,}:[A-Za-z0-9+/=]{20,}|FlyV1 [\\w,+/=-]{40,}',
      'SK[0-9a-f]{32}(?![\\w-])|st\\.[0-9a-f]{24}\\.[0-9a-f.]{32,}|figd_[\\w-]{20,}|pve[248][cbsp]-[0-9a-f]{10}(?![\\w-])|PMAK-[0-9a-f-]{50,}',
      '(?!sha\\d|md5|commit|digest)[a-z][a-z0-9]{1,9}_(?:[a-z0-9]{1,8}_)?[0-9a-f]{32,}(?![\\w-])|sntry[su]_[\\w=+/-]{40,}|tk_[a-z0-9]{29}|[A-Za-z0-9]{14}\\.atlasv1\\.[\\w=-]{50,}|A3-[A-Z0-9]{6}(?:-[A-Z0-9]{5,11}){4,5}',
    ].join('|')})`,
  ),
  // Configurations and tokens of joining, compressed: nobody can see what is in them.
  'packed: base64 of a gzip file': token('(?:H4sI|SDRzSU)[A-Za-z0-9+/]{40,}={0,2}'),
  'jwt: JSON web token': token(
    'eyJ[\\w-]{8,}={0,2}\\.[\\w-]{8,}={0,2}(?:\\.[\\w-]{4,}={0,2}){0,3}|eyJhIjoi[\\w+/=-]{40,}',
  ),
  'slack: Slack token': token('xox[abeoprs]-[A-Za-z0-9-]{10,}|xoxe\\.[\\w.-]{20,}|xapp-\\d-[A-Za-z0-9-]{20,}'),
  'webhook: webhook':
    /(?:hooks\.slack\.com\/(?:services|workflows|triggers)\/|discord(?:app)?\.com\/api\/(?:v\d+\/)?webhooks\/\d+\/|webhook\.office\.com\/|api\.telegram\.org\/bot|hc-ping\.com\/|\/ping\/|rtsps?:\/\/[\w.:-]{1,64}\/|maker\.ifttt\.com\/trigger\/[\w-]{1,64}\/(?:json\/)?with\/key\/|\/api\/webhook\/|\/hooks\/|chat\.googleapis\.com\/v1\/spaces\/)([\w@%:.~/-]{16,})|\/api\/push\/([A-Za-z0-9]{8,64})(?![\w-])|gotifys?:\/\/[^\s/]{1,128}\/([\w.-]{12,64})|\/(?:announce|basic\.ics)(?<=\/(?:private-)?([A-Za-z0-9]{16,64})\/(?:announce|basic\.ics))/dg,
  // These begin with nothing that is rare: they are found by a sign in the middle, the rest by looking back.
  'bot: bot token':
    /:AA[\w-]{33}(?<=(?<![\w-])(\d{8,10}:AA[\w-]{33}))|\.[\w-]{6}\.[\w-]{27,38}(?![\w-])(?<=(?<![\w-])([MNO][\w-]{23,27}\.[\w-]{6}\.[\w-]{27,38}))/dg,
  'password: code of a wireless network': /WIFI:[^\r\n]{0,100}?P:([^;\r\n]{3,64});/dg,
  'age: age secret key': /AGE-(?:SECRET-KEY|PLUGIN-[A-Z0-9]{1,40})-1[A-Z0-9]{20,}/dgi,
  'sops: sops value': /ENC\[AES256_GCM,(data:[A-Za-z0-9+/=]*,iv:[A-Za-z0-9+/=]*,tag:[A-Za-z0-9+/=]*)/dg,
  'sops: sops data key': /\benc["']?[ \t]{0,4}:[ \t]{0,4}["']?([A-Za-z0-9+/]{60,}={0,2})/dg,
  'proxmox: Proxmox API token':
    /@[\w.-]{1,32}![\w.-]{1,64}[=:]([0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})/dg,
  'proxmox: Proxmox API token in a table':
    /full-tokenid(?:[^\n]{0,200}\n){1,6}?[^\n]{0,8}\bvalue\b[^\n]{0,24}?([0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})/dg,
  'proxmox: Proxmox ticket':
    /(?<![A-Za-z])(?:PVE|PBS|PMG)[A-Z]{0,4}:([\w.-]{1,64}@[\w.-]{1,32}:[0-9A-F]{8}::[A-Za-z0-9+/=]{20,})/dg,
  'tailscale: Tailscale key': token('tskey-[a-z]{2,10}-[A-Za-z0-9]{8,}(?:-[A-Za-z0-9]{8,})?|privkey:[0-9a-f]{64}'),
  'cloudflare: Cloudflare key':
    /(?<![\w.-])v1\.0-[a-f0-9]{24}-[a-f0-9]{100,}|(?:cloudflare|\bcf)[\w .-]{0,24}["']?[ \t]{0,4}[:=][ \t]{0,4}["']?([A-Za-z0-9_-]{37,45})(?![\w-])|cloudflare[ \t]{1,4}((?=[A-Za-z_-]{0,39}\d)[A-Za-z0-9_-]{40})(?![\w-])/dgi,
  'kubernetes: k3s token': /(?<![A-Za-z0-9])K10[a-f0-9]{64}::(?:[\w.-]{1,32}:)?[A-Za-z0-9.]{8,}/dg,
  'kubernetes: bootstrap token':
    /\.(?=[a-z]{0,15}\d)[a-z0-9]{16}(?![\w./-])(?<=(?<![\w./-])([a-z0-9]{6}\.[a-z0-9]{16}))/dg,
  'vault: Ansible vault':
    /\$ANSIBLE_VAULT;[\w.;-]{1,80}[ \t]*\r?\n((?:[ \t]{0,40}[0-9a-f]{2,80}[ \t]*(?:\r?\n|$)){1,2000})/dg,
  'key: key behind the name of a cipher':
    /(?:aes|chacha20|serpent|twofish|blowfish)[\w()-]{0,32}[ \t]{1,4}([0-9a-f]{32,256})(?![\w-])/dgi,
  'key: secret part of a pair of keys':
    /Private-Lines:[ \t]*\d{1,3}\r?\n((?:[A-Za-z0-9+/=]{2,80}\r?\n){1,99})|Private-MAC:[ \t]*([0-9a-f]{32,128})|[\w-]:([A-Za-z0-9+/]{86}==)(?![\w=])|wg[ \t]+show[ \t]+[\w.-]{1,16}[ \t]+(?:dump|private-key)[ \t]*\r?\n(?:[\w.-]{1,16}\t)?([A-Za-z0-9+/]{43}=)|=\t[A-Za-z0-9+/]{43}=\t\d{1,5}\t(?<=(?<![A-Za-z0-9+/])([A-Za-z0-9+/]{43}=)\t[A-Za-z0-9+/]{43}=\t\d{1,5}\t)/dg,
  'hash: password hash':
    /\${1,2}2[abxy]?\${1,2}\d\d\${1,2}[./A-Za-z0-9]{50,}|grub\.pbkdf2\.sha512\.\d{1,9}\.[0-9A-Fa-f.]{64,}|\$argon2(?:id|i|d)\$[\w=,$+/.-]{20,}|\$(?:1|5|6|7|y|gy|apr1|sha1|scrypt|pbkdf2[\w-]{0,16})\$[\w=,./$+-]{16,}|\{S?SHA\d{0,3}\}[A-Za-z0-9+/=]{20,}|\$[a-z0-9-]{2,24}\$(?=[^\s$]{0,40}\d)[\w=,./+]{0,40}[$*][\w=,./$*+-]{20,}|(?:\$\d{3,8}[$:]|:\d{3,8}\$)([\w+/=.$:-]{20,})|:([0-9a-fA-F]{32}:[0-9a-fA-F]{32})(?=:)|:\{(?:PLAIN|CLEAR|CLEARTEXT|CRYPT)\}([^\s:"']{3,128})/dg,
});

export const PLACE_RULES: RedactRule[] = rulesOf({
  'auth: authorization header': [
    /authorization["']?[ \t]{0,4}[:=][ \t]{0,4}["'`]?(?:(?:bearer|basic|token|digest|negotiate|apikey|bot|aws4-hmac-sha256)[ \t]+)?([^\s"',;][^\r\n"']{5,})/dgi,
    new RegExp(
      `${NO_VALUE.source}|^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+(?![^\\s}\\]])|^(?:NONE|NULL|HIDDEN|MASKED|REDACTED)|^(?:[Bb]earer|[Bb]asic|[Tt]oken)(?![\\w ])`,
    ),
  ],
  'auth: bearer token':
    /(?<![A-Za-z])(?:bearer|basic),?[ \t]+((?=[^\s\d]{0,64}\d|[^\s=]{8,128}=)[A-Za-z0-9._~+/-]{12,}={0,2})/dgi,
  'password: login in a protocol': [
    /\d[ \t]LOGIN[ \t](?<=^(?:[^\r\n]{0,20}?[ \t>])?[A-Za-z]{0,4}\d{1,4}[ \t]LOGIN[ \t])\S{1,128}[ \t](\S{3,128})[ \t]*$|[ \t>]login[ \t]{1,4}[\w.@-]{1,64}[ \t]{1,4}(?:"([^"\r\n]{4,128})"|'([^'\r\n]{4,128})')/dgm,
    NO_WORD,
  ],
  'password: answer to a question': [
    /^[^\r\n]{0,40}?(?:password|passphrase|passcode|pin)[ \t](?:again(?=:)|for|of|to)[ \t]?(?:'[^'\r\n]{1,80}'|[^\r\n:]{0,60}):[ \t]{1,4}([^\s:]{4,128})[ \t]*$/dgim,
    NO_WORD,
  ],
  'password: password in an address': [/:\/\/[^\s/:@"'<>]{0,128}:([^\s/"'<>]{1,512})@/dg, NO_VALUE],
  'token: token in an address': /:\/\/((?=[^\s/:@"'<>\d]{0,64}\d)[^\s/:@"'<>.]{20,256})@/dg,
  'token: secret in a query': [
    /[?&](?:[\w-]{0,32}signature|sig|key|auth|hash|code|ticket|session|sid|jwt|assertion|samlresponse|x-amz-credential|x-goog-credential)=([^&\s"'#<>]{6,})/dgi,
    NO_VALUE,
  ],
  'pem: PEM or key of SSH inside of base64':
    /(?:LS0tLS1CRUdJT|0tLS0tQkVHSU|tLS0tLUJFR0lO|b3BlbnNzaC1rZXktdjE)[A-Za-z0-9+/_-]{16,}={0,2}/dg,
  'password: password of an ACL':
    /(?:user|setuser)[ \t]+\S{1,64}[ \t](?:\S{1,64}[ \t]){0,6}?(?<=[ \t](?:on|off|reset|allkeys|~\S{1,64})[ \t])(?:\S{1,64}[ \t]){0,6}?>([^\s"']{3,256})/dgi,
  'password: login of a database driver':
    /@(?:(?:tcp|udp|unix)?\(|\/)(?<=[\w.-]:([^\s:"'/]{3,128})@(?:\w{0,4}\(|\/))/dg,
  'password: password of a pgpass file':
    /:(?:\d{2,5}|\*):(?<=(?<![\w.*:-])(?:[\w.*-]{3,128}:(?:\d{2,5}|\*)|[\w*]{1,2}:(?:\d{3,5}|\*)):)(?!\d+:\d+:)[\w.*-]{1,64}:[\w.*-]{1,64}:((?![\da-f:/]+(?:[\s"')]|$))[^\s"']{3,256})/dgm,
  'password: login of a mail server':
    /@(?!sha\d)[\w.-]{3,128}:(?<=(?:(?:\]|\]:\w{1,10}|:\d{2,5})[ \t]{1,8}|(?<![\w.*:/-])[\w.*-]{1,128}:)[^\s:@]{1,64}@[\w.-]{3,128}:)((?!\d{1,5}(?:[/:]|$))[^\s"']{3,256})/dg,
  'password: login of a line': [
    /(?<![\w.*-])(?:(?:rocommunity6?|rwcommunity6?|snmp(?:-server)?[ \t]+community|enable[ \t]+(?:secret|password)(?:[ \t]+\d)?|v3[ \t][^\r\n]{0,40}auth[ \t]+(?:md5|sha[\d-]{0,8})|priv[ \t]+(?:aes|3?des)(?:[ \t-]\d{2,3})?|com2sec[ \t]+\S{1,64}[ \t]+\S{1,64}|createUser[ \t]+\S{1,64}[ \t]+(?:MD5|SHA[\d-]{0,8})(?:[ \t]+\S{1,64}[ \t]+(?:AES|DES)[\d-]{0,4})?)[ \t]+["']?|MONITOR[ \t]+\S{1,128}[ \t]+\d+[ \t]+\S{1,64}[ \t]+|message-digest-key[ \t]+\d{1,3}[ \t]+md5[ \t]+|(?:password|secret|key)[ \t]+[0-9][ \t]+(?=\S{4}))([^\s"']{3,256})/dg,
    NO_VALUE,
  ],
  'password: password in a statement': [
    /(?:identified[ \t]+(?:with[ \t]+\w{1,40}[ \t]+)?by|(?:[: \t])(?:PSK|EAP|XAUTH|NTLM)|["'][ \t]+\*|asecurestring|securestring)[ \t]+(?:password[ \t]+)?["']([^"'\r\n]{3,256})["']|assword[^"\r\n]{0,40}"[^\r\n;]{0,20}(?:\r?\n|;)[ \t]{0,20}send[ \t]+(?:--[ \t]+)?"([^"\r\n]{2,128}?)(?:\\r|\r|\\n)?"|define\([ \t]{0,4}["'][\w-]{0,40}(?:PASSWORD|TOKEN|SECRET|KEY|SALT)["'],[ \t]{0,16}["']([^"'\r\n]{3,256})["']/dgi,
    NO_VALUE,
  ],
  'password: login behind a word': [
    /(?:credentials?|creds|userpass|basic[ -]auth)[ \t]{1,4}["']?[\w.-]{1,64}:([^\s:@/"']{4,128})|(?:credentials?|creds|login|zugang)[ \t]{0,2}:[ \t]{1,4}["'`]?[\w.@-]{2,64}["'`]?[ \t]?\/[ \t]?["'`]?((?=[^\s\d]{0,64}\d)[^\s:/"'`]{6,128})|user(?:name)?=[\w.-]{1,64}%([^\s"'()]{4,128})/dgi,
    NO_WORD,
  ],
  'password: key of a router':
    /(?:isakmp|tacacs-server|radius-server|tacacs|radius)[ \t](?:[^\r\n|;]{0,60}?[ \t])?key[ \t]+(?:\d[ \t]+)?([^\s"']{4,128})|wireless\.[\w.@[\]-]{1,64}\.key=["']?([^\s"']{4,128})|^[ \t]*key[ \t]+(?:hmac-[\w-]{1,12}:)?[\w.-]{1,64}[ \t]+([A-Za-z0-9+/]{20,}={0,2})/dgm,
  'password: password told in words':
    /(?:password|passphrase|passcode|passwort|kennwort|\bpwd?)[ \t]+(?:(?:for|of|für|von)[ \t]+(?:user[ \t]+)?\S{1,64}[ \t]+)?(?:(?:(?:is|was|lautet)(?:[ \t]+(?:now|(?:set|changed|reset|updated)[ \t]+to))?|(?:set|changed|reset)[ \t]+to)[ \t]*:?[ \t]+["'`]?((?=[^\s\d\\]{0,64}\d)[^\s"'`\\]{6,})|(?:is[ \t]+|was[ \t]+)?["'`]([^\s"'`]{4,128})["'`])/dgi,
  'password: word that a protocol logs in with':
    /(?:PASS|AUTH)(?<=(?:(?:[>-]|C:|\d>)[ \t]{1,4}|\d(?:[ \t][0-9a-f]{2,4}){0,16}[ \t]{1,4}|\$\d\r?\n|USER[ \t][^\r\n]{1,64}\r?\n[^\r\n]{0,40}?)(?:PASS|AUTH))(?:[ \t]{1,4}|\r?\n\$\d{1,4}\r?\n)(?!(?:PLAIN|LOGIN|CRAM)(?![\w-]))([^\s"']{3,128})|\bAUTH(?:ENTICATE)?[ \t](?:PLAIN|LOGIN|XOAUTH2)[ \t]{1,4}([A-Za-z0-9+/]{8,}={0,2})|\b334[ \t]+UGFz\S{1,20}\r?\n[^\r\n]{0,40}?([A-Za-z0-9+/]{8,}={0,2})[ \t]*\r?$/dgm,
  'secret: words of a recovery phrase':
    /(?:mnemonic|phrase|seed|words)["']?[^\r\n:=]{0,40}[:=][ \t]{0,4}["'[]{0,2}((?:[a-z]{3,8}[ ,"']{1,4}){11,23}[a-z]{3,8})(?![ ,"']{1,4}[a-z])/dgi,
  'secret: groups of a seed or a key':
    /(?:secret|key|seed|totp|2fa|setup|manual)[^\r\n:=]{0,40}[:=][ \t]{0,4}["']?((?=[A-Z2-7 ]{0,20}\d)[A-Z2-7]{4}(?:[ -][A-Z2-7]{4}){3,15})(?![\w-])|-[A-Za-z0-9]{5}(?:-[A-Za-z0-9]{5}){3,4}(?![\w-])(?<=(?<![\w-])((?=[A-Za-z-]{0,24}\d)(?=[a-z\d-]{0,24}[A-Z])[A-Za-z0-9]{5}(?:-[A-Za-z0-9]{5}){4,5}))|[:=][ \t]{0,4}["']?([a-z]{4}(?: [a-z]{4}){3})(?=["']?[ \t]*(?:\r?\n|$))/dg,
  'secret: codes to recover an account':
    /(?:recovery|backup|emergency|scratch|rescue)[ _-]?codes?[^\r\n]{0,40}\r?\n((?:[ \t]{0,40}(?:\d{1,2}[.)][ \t]|[-*][ \t])?["']?(?=[A-Za-z -]{0,24}\d)[A-Za-z0-9]{4,16}(?:[ -][A-Za-z0-9]{4,12}){0,3}["']?,?[ \t]*(?:\r?\n|$)){1,24})/dgi,
  'secret: word that a program makes or decodes': [
    /(?:openssl[ \t]+rand|pwgen|wg[ \t]+gen(?:key|psk)|base64 (?:-d|-D|--decode))[^\r\n]{0,60}\r?\n[ \t]{0,8}([^\s"'`<>]{6,512})[ \t]*\r?$/dgm,
    (value) => lookOf(value) < BYTES && !KEBAB.test(value),
  ],
  'password: value at the end of a sentence': [
    /(?:password|passphrase|passcode|secret(?:[ ]key)?|token|api[ -]key)(?=[ \t][^\r\n:="'/]{1,60}:)(?![^\r\n:]{0,60}(?:user|login|account|name|host|server|from|file|path|error|fail|not|expire|version|invalid|hash))[ \t][^\r\n:="'/]{1,60}:[ \t]{1,4}([^\s"';{}()=:/,<>$|#-][^\s"';,<>|]{5,256}?)[ \t]*\.?$/dgim,
    (value) => NO_WORD.test(value) || (lookOf(value) < CHOSEN && !/^[0-9a-f]{16,}$/i.test(value)),
  ],
  'password: result in a state of Terraform': [
    /"result"[ \t]{0,4}:[ \t]{0,4}"([^"\r\n]{6,256})"/dg,
    (value, before) => NO_WORD.test(value) || !/random_password|bcrypt_hash|override_special|min_upper/.test(before),
  ],
  'literal: default of a secret variable': [
    /:?[-=](?<=\$\{\w{1,80}:?[-=])([^\s{}$"']{3,256})\}|\|[ \t]{0,4}default[ \t(]{1,4}["']([^"'\r\n]{3,128})["']/dg,
    (value, before) => {
      const name = /[\w.-]{1,80}(?=[ \t]{0,4}$)/.exec(before.slice(-84))?.[0] ?? '';
      return strengthOf(name) < SECRET || isNoSecret(value, name, '=');
    },
  ],
  'literal: literal that a template hashes': [
    /\|[ \t]{0,4}(?:ansible\.builtin\.)?(?:password_hash|bcrypt)(?![\w-])(?<=["']([^"'\r\n]{3,128})["'][ \t]{0,4}\|[ \t.\w]{6,40})|\{[ \t]{0,4}htpasswd[ \t]+["'][^"'\r\n]{1,64}["'][ \t]+["']([^"'\r\n]{3,128})["']/dg,
    NO_VALUE,
  ],
  'kubernetes: Talos cluster id': /^[ \t]{1,16}id: ([A-Za-z0-9+/_-]{43}=)[ \t]*$/dgm,
  'key: private part of a JSON web key': /"(?:d|k|p|q|dp|dq|qi|s)"[ \t]{0,4}:[ \t]{0,4}"([\w+/-]{40,}={0,2})"/dg,
  'key: bytes of a key':
    /key["']?[ \t]{0,4}[:=][ \t]{0,4}[[{"']([ \t]{0,4}(?:0x[0-9a-f]{1,2}|\d{1,3})(?:[ \t]{0,4},[ \t]{0,4}(?:0x[0-9a-f]{1,2}|\d{1,3})){15,63})[ \t]{0,4}[\]}"']|key["']?:[ \t]{0,4}\r?\n((?:[ \t]{0,40}-[ \t]{1,4}(?:0x[0-9a-f]{1,2}|\d{1,3})[ \t]{0,4}(?:\r?\n|$)){16,64})/dgi,
  'secret: variable in braces': [
    /\{[A-Z0-9_]{0,64}(?:PASSWORD|PASSWD|PASS|TOKEN|SECRET|PWD|_KEY)[ \t]([^\s{}]{3,512})[^{}\r\n]{0,80}\}/dg,
    NO_VALUE,
  ],
});
