// Tokens that are known by their own form, wherever they stand.
import type { RedactRule } from './rule.ts';

const START = '(?<![A-Za-z0-9_-])';
const token = (body: string): RegExp => new RegExp(`${START}(?:${body})`, 'dg');

export const TOKEN_RULES: readonly RedactRule[] = [
  {
    name: 'AWS access key',
    kind: 'aws',
    pattern: /(?<![A-Za-z0-9])(?:A3T[A-Z0-9]|AKIA|ASIA|ABIA|ACCA|AROA|AIDA)[A-Z2-7]{16}(?![A-Za-z0-9])/dg,
  },
  {
    name: 'Google key or token',
    kind: 'google',
    pattern: token('AIza[\\w-]{35}|ya29\\.[\\w.-]{20,}|GOCSPX-[\\w-]{20,}|1//0[\\w-]{40,}'),
  },
  {
    name: 'Azure storage or bus key',
    kind: 'azure',
    pattern:
      /(?:AccountKey|SharedAccessKey|SharedSecretValue|SharedAccessSignature)=(?<secret>[A-Za-z0-9+/=%&_.-]{20,})/dg,
  },
  { name: 'Azure client secret', kind: 'azure', pattern: /(?<![\w~.-])[\w~.]{3}\dQ~[\w~.-]{31,34}(?![\w~.-])/dg },
  { name: 'GitHub token', kind: 'github', pattern: token('gh[pousr]_[A-Za-z0-9]{30,}|github_pat_\\w{22,}') },
  {
    name: 'GitLab token',
    kind: 'gitlab',
    pattern: token('gl(?:pat|rt|dt|cbt|ptt|ft|agent|soat|oas|imt|ffct)-[\\w.-]{20,}|GR1348941[\\w-]{20,}'),
  },
  {
    name: 'token with a prefix of its maker',
    kind: 'token',
    pattern: token(
      [
        'npm_[A-Za-z0-9]{36}|pypi-[\\w-]{50,}|dckr_(?:pat|oat)_[\\w-]{20,}|hf_[A-Za-z]{30,}|hv[sbr]\\.[\\w-]{24,}',
        'sk-(?:ant|proj|svcacct|admin|or)-[\\w-]{20,}|sk-[A-Za-z0-9]{32,}|[rs]k_(?:live|test)_[A-Za-z0-9]{16,}',
        'do[opr]_v1_[a-f0-9]{64}|gl(?:sa|c)_[\\w=+/-]{32,}|lin_api_[A-Za-z0-9]{40}|ops_eyJ[\\w+/=-]{40,}',
        'SG\\.[\\w-]{16,}\\.[\\w-]{32,}|ATATT3[\\w=-]{60,}|ATBB[A-Za-z0-9]{28,}|pul-[a-f0-9]{40}|dp\\.(?:pt|st|ct)\\.[\\w.-]{32,}',
        'sntry[su]_[\\w=+/-]{40,}|tk_[a-z0-9]{29}|[A-Za-z0-9]{14}\\.atlasv1\\.[\\w=-]{50,}|A3-[A-Z0-9]{6}(?:-[A-Z0-9]{5,11}){4,5}',
      ].join('|'),
    ),
  },
  {
    name: 'JSON web token',
    kind: 'jwt',
    pattern: token('eyJ[\\w-]{8,}={0,2}\\.[\\w-]{8,}={0,2}(?:\\.[\\w-]{4,}={0,2}){0,3}|eyJhIjoi[\\w+/=-]{40,}'),
  },
  {
    name: 'registry logins in base64',
    kind: 'auth',
    // What {"auths": begins with, written on one line or indented.
    pattern: token(
      '(?:eyJhdXRocyI6|eyAiYXV0aHMi|ewogICJhdXRocyI6|ewoJImF1dGhzIjo|ewogICAgImF1dGhzIjo)[\\w+/-]{16,}={0,2}',
    ),
  },
  {
    name: 'Slack token',
    kind: 'slack',
    pattern: token('xox[abeoprs]-[A-Za-z0-9-]{10,}|xoxe\\.[\\w.-]{20,}|xapp-\\d-[A-Za-z0-9-]{20,}'),
  },
  {
    name: 'webhook',
    kind: 'webhook',
    pattern:
      /(?:hooks\.slack\.com\/(?:services|workflows|triggers)\/|discord(?:app)?\.com\/api\/(?:v\d+\/)?webhooks\/\d+\/|webhook\.office\.com\/|api\.telegram\.org\/bot|hc-ping\.com\/)(?<secret>[\w@%:.~/-]{16,})/dg,
  },
  {
    name: 'bot token',
    kind: 'bot',
    pattern: token('\\d{8,10}:AA[\\w-]{33}|[MNO][\\w-]{23,27}\\.[\\w-]{6}\\.[\\w-]{27,38}(?![\\w-])'),
  },
  { name: 'age secret key', kind: 'age', pattern: /AGE-(?:SECRET-KEY|PLUGIN-[A-Z0-9]{1,40})-1[A-Z0-9]{20,}/dgi },
  {
    name: 'sops value',
    kind: 'sops',
    pattern: /ENC\[AES256_GCM,(?<secret>data:[A-Za-z0-9+/=]*,iv:[A-Za-z0-9+/=]*,tag:[A-Za-z0-9+/=]*)/dg,
  },
  {
    name: 'sops data key',
    kind: 'sops',
    pattern: /\benc["']?[ \t]{0,4}:[ \t]{0,4}["']?(?<secret>[A-Za-z0-9+/]{60,}={0,2})/dg,
  },
  {
    name: 'Proxmox API token',
    kind: 'proxmox',
    pattern: /@[\w.-]{1,32}![\w.-]{1,64}[=:](?<secret>[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})/dg,
  },
  {
    name: 'Proxmox ticket',
    kind: 'proxmox',
    pattern:
      /(?<![A-Za-z])(?:PVE|PBS|PMG)[A-Z]{0,4}:(?<secret>[\w.-]{1,64}@[\w.-]{1,32}:[0-9A-F]{8}::[A-Za-z0-9+/=]{20,})/dg,
  },
  {
    name: 'Tailscale key',
    kind: 'tailscale',
    pattern: token('tskey-[a-z]{2,10}-[A-Za-z0-9]{8,}(?:-[A-Za-z0-9]{8,})?|(?:nodekey|privkey):[0-9a-f]{64}'),
  },
  {
    name: 'Cloudflare key',
    kind: 'cloudflare',
    pattern:
      /(?<![\w.-])v1\.0-[a-f0-9]{24}-[a-f0-9]{100,}|(?:cloudflare|\bcf)[\w .-]{0,24}["']?[ \t]{0,4}[:=][ \t]{0,4}["']?(?<secret>[A-Za-z0-9_-]{37,45})(?![\w-])/dgi,
  },
  {
    name: 'WireGuard key',
    kind: 'wireguard',
    pattern: /(?:private|pre-?shared)[ _-]?key["']?[ \t]{0,4}[:=][ \t]{0,4}["']?(?<secret>[A-Za-z0-9+/]{43}=)/dgi,
  },
  {
    name: 'k3s token',
    kind: 'kubernetes',
    pattern: /(?<![A-Za-z0-9])K10[a-f0-9]{64}::(?:[\w.-]{1,32}:)?[A-Za-z0-9.]{8,}/dg,
  },
  {
    name: 'bootstrap token',
    kind: 'kubernetes',
    pattern: /(?<![\w./-])(?=[a-z0-9]{6}\.[a-z]{0,15}\d)[a-z0-9]{6}\.[a-z0-9]{16}(?![\w./-])/dg,
  },
  {
    name: 'Ansible vault',
    kind: 'vault',
    pattern:
      /\$ANSIBLE_VAULT;[\w.;-]{1,80}[ \t]*\r?\n(?<secret>(?:[ \t]{0,40}[0-9a-f]{2,80}[ \t]*(?:\r?\n|$)){1,2000})/dg,
  },
  {
    name: 'unseal key',
    kind: 'vault',
    pattern:
      /(?:unseal|recovery)[ _-]?key(?:[ _-]?\d{1,2})?["']?[ \t]{0,4}[:=][ \t]{0,4}["']?(?<secret>[A-Za-z0-9+/]{32,}={0,2})/dgi,
  },
  {
    name: 'password hash',
    kind: 'hash',
    pattern:
      /\$2[abxy]?\$\d\d\$[./A-Za-z0-9]{50,}|\$argon2(?:id|i|d)\$[\w=,$+/.-]{20,}|\$(?:1|5|6|7|y|gy|apr1|sha1|scrypt|pbkdf2[\w-]{0,16})\$[\w=,./$+-]{16,}|\{S?SHA\d{0,3}\}[A-Za-z0-9+/=]{20,}/dg,
  },
];
