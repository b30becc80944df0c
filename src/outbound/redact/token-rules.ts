// Tokens that are known by their own form, wherever they stand.
import { rulesOf } from './rule.ts';

const START = '(?<![A-Za-z0-9_-])';
const token = (body: string): RegExp => new RegExp(`${START}(?:${body})`, 'dg');

export const TOKEN_RULES = rulesOf({
  'aws: AWS access key':
    /(?<![A-Za-z0-9])(?:A3T[A-Z0-9]|AKIA|ASIA|ABIA|ACCA|AROA|AIDA)[A-Z2-7]{16}(?![A-Za-z0-9])(?:[ \t:,/|]{1,5}[A-Za-z0-9+/]{40}(?![A-Za-z0-9+/]))?/dg,
  'google: Google key or token': token('AIza[\\w-]{35}|ya29\\.[\\w.-]{20,}|GOCSPX-[\\w-]{20,}|1//0[\\w-]{40,}'),
  'azure: Azure client secret': /(?<![\w~.-])[\w~.]{3}\dQ~[\w~.-]{31,34}(?![\w~.-])/dg,
  'github: GitHub token': token('gh[pousr]_[A-Za-z0-9]{30,}|github_pat_\\w{22,}'),
  'gitlab: GitLab token': token('gl(?:pat|rt|dt|cbt|ptt|ft|agent|soat|oas|imt|ffct)-[\\w.-]{20,}|GR1348941[\\w-]{20,}'),
  'token: token with a prefix of its maker': token(
    [
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
    ].join('|'),
  ),
  // Configurations and tokens of joining, compressed: nobody can see what is in them.
  'packed: base64 of a gzip file': token('(?:H4sI|SDRzSU)[A-Za-z0-9+/]{40,}={0,2}'),
  'jwt: JSON web token': token(
    'eyJ[\\w-]{8,}={0,2}\\.[\\w-]{8,}={0,2}(?:\\.[\\w-]{4,}={0,2}){0,3}|eyJhIjoi[\\w+/=-]{40,}',
  ),
  'slack: Slack token': token('xox[abeoprs]-[A-Za-z0-9-]{10,}|xoxe\\.[\\w.-]{20,}|xapp-\\d-[A-Za-z0-9-]{20,}'),
  'webhook: webhook':
    /(?:hooks\.slack\.com\/(?:services|workflows|triggers)\/|discord(?:app)?\.com\/api\/(?:v\d+\/)?webhooks\/\d+\/|webhook\.office\.com\/|api\.telegram\.org\/bot|hc-ping\.com\/|\/ping\/|rtsps?:\/\/[\w.:-]{1,64}\/|maker\.ifttt\.com\/trigger\/[\w-]{1,64}\/(?:json\/)?with\/key\/|\/api\/webhook\/|\/hooks\/|chat\.googleapis\.com\/v1\/spaces\/)(?<secret>[\w@%:.~/-]{16,})|\/api\/push\/(?<bare>[A-Za-z0-9]{8,64})(?![\w-])/dg,
  // These begin with nothing that is rare: they are found by a sign in the middle, the rest by looking back.
  'bot: bot token':
    /:AA[\w-]{33}(?<=(?<![\w-])(?<secret>\d{8,10}:AA[\w-]{33}))|\.[\w-]{6}\.[\w-]{27,38}(?![\w-])(?<=(?<![\w-])(?<bare>[MNO][\w-]{23,27}\.[\w-]{6}\.[\w-]{27,38}))/dg,
  'password: code of a wireless network': /WIFI:[^\r\n]{0,100}?P:(?<secret>[^;\r\n]{3,64});/dg,
  'age: age secret key': /AGE-(?:SECRET-KEY|PLUGIN-[A-Z0-9]{1,40})-1[A-Z0-9]{20,}/dgi,
  'sops: sops value': /ENC\[AES256_GCM,(?<secret>data:[A-Za-z0-9+/=]*,iv:[A-Za-z0-9+/=]*,tag:[A-Za-z0-9+/=]*)/dg,
  'sops: sops data key': /\benc["']?[ \t]{0,4}:[ \t]{0,4}["']?(?<secret>[A-Za-z0-9+/]{60,}={0,2})/dg,
  'proxmox: Proxmox API token':
    /@[\w.-]{1,32}![\w.-]{1,64}[=:](?<secret>[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})/dg,
  'proxmox: Proxmox API token in a table':
    /full-tokenid(?:[^\n]{0,200}\n){1,6}?[^\n]{0,8}\bvalue\b[^\n]{0,24}?(?<secret>[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})/dg,
  'proxmox: Proxmox ticket':
    /(?<![A-Za-z])(?:PVE|PBS|PMG)[A-Z]{0,4}:(?<secret>[\w.-]{1,64}@[\w.-]{1,32}:[0-9A-F]{8}::[A-Za-z0-9+/=]{20,})/dg,
  'tailscale: Tailscale key': token(
    'tskey-[a-z]{2,10}-[A-Za-z0-9]{8,}(?:-[A-Za-z0-9]{8,})?|privkey:[0-9a-f]{64}',
  ),
  'cloudflare: Cloudflare key':
    /(?<![\w.-])v1\.0-[a-f0-9]{24}-[a-f0-9]{100,}|(?:cloudflare|\bcf)[\w .-]{0,24}["']?[ \t]{0,4}[:=][ \t]{0,4}["']?(?<secret>[A-Za-z0-9_-]{37,45})(?![\w-])|cloudflare[ \t]{1,4}(?<bare>(?=[A-Za-z_-]{0,39}\d)[A-Za-z0-9_-]{40})(?![\w-])/dgi,
  'kubernetes: k3s token': /(?<![A-Za-z0-9])K10[a-f0-9]{64}::(?:[\w.-]{1,32}:)?[A-Za-z0-9.]{8,}/dg,
  'kubernetes: bootstrap token':
    /\.(?=[a-z]{0,15}\d)[a-z0-9]{16}(?![\w./-])(?<=(?<![\w./-])(?<secret>[a-z0-9]{6}\.[a-z0-9]{16}))/dg,
  'vault: Ansible vault':
    /\$ANSIBLE_VAULT;[\w.;-]{1,80}[ \t]*\r?\n(?<secret>(?:[ \t]{0,40}[0-9a-f]{2,80}[ \t]*(?:\r?\n|$)){1,2000})/dg,
  'key: key behind the name of a cipher':
    /(?:aes|chacha20|serpent|twofish|blowfish)[\w()-]{0,32}[ \t]{1,4}(?<secret>[0-9a-f]{32,256})(?![\w-])/dgi,
  'key: secret part of a pair of keys':
    /Private-Lines:[ \t]*\d{1,3}\r?\n(?<secret>(?:[A-Za-z0-9+/=]{2,80}\r?\n){1,99})|Private-MAC:[ \t]*(?<bare>[0-9a-f]{32,128})|[\w-]:(?<quoted>[A-Za-z0-9+/]{86}==)(?![\w=])/dg,
  'hash: password hash':
    /\${1,2}2[abxy]?\${1,2}\d\d\${1,2}[./A-Za-z0-9]{50,}|grub\.pbkdf2\.sha512\.\d{1,9}\.[0-9A-Fa-f.]{64,}|\$argon2(?:id|i|d)\$[\w=,$+/.-]{20,}|\$(?:1|5|6|7|y|gy|apr1|sha1|scrypt|pbkdf2[\w-]{0,16})\$[\w=,./$+-]{16,}|\{S?SHA\d{0,3}\}[A-Za-z0-9+/=]{20,}|\$[a-z0-9-]{2,24}\$(?=[^\s$]{0,40}\d)[\w=,./+]{0,40}[$*][\w=,./$*+-]{20,}|(?:\$\d{3,8}[$:]|:\d{3,8}\$)(?<bare>[\w+/=.$:-]{20,})|:(?<quoted>[0-9a-fA-F]{32}:[0-9a-fA-F]{32})(?=:)|:\{(?:PLAIN|CLEAR|CLEARTEXT|CRYPT)\}(?<secret>[^\s:"']{3,128})/dg,
});
