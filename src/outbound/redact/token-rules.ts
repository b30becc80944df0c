// Tokens that are known by their own form, wherever they stand.
import type { RedactRule } from './rule.ts';

const START = '(?<![A-Za-z0-9_-])';
const token = (body: string): RegExp => new RegExp(`${START}(?:${body})`, 'dg');

export const TOKEN_RULES: readonly RedactRule[] = [
  {
    name: 'AWS access key',
    kind: 'aws',
    pattern: /(?<![A-Za-z0-9])(?:A3T[A-Z0-9]|AKIA|ASIA|ABIA|ACCA|AROA|AIDA)[A-Z2-7]{16}(?![A-Za-z0-9])/dg,
    matches: ['key AKIA<b32:16> is not active', 'id=ASIA<b32:16>'],
    misses: ['AKIA is a prefix', 'region ASIA-PACIFIC', 'EURASIAABCDEFGHIJKLMNOPQ'],
  },
  {
    name: 'Google key or token',
    kind: 'google',
    pattern: token('AIza[\\w-]{35}|ya29\\.[\\w.-]{20,}|GOCSPX-[\\w-]{20,}|1//0[\\w-]{40,}'),
    matches: ['?key=AIza<35>', 'got ya29.<60>', 'GOCSPX-<28>'],
    misses: ['AIzawa', 'ya29 is short', 'https://host/1//0'],
  },
  {
    name: 'Azure storage or bus key',
    kind: 'azure',
    pattern:
      /(?:AccountKey|SharedAccessKey|SharedSecretValue|SharedAccessSignature)=(?<secret>[A-Za-z0-9+/=%&_.-]{20,})/dg,
    matches: ['AccountName=lab;AccountKey=<b64:86>==;EndpointSuffix=core', 'SharedAccessKey=<b64:43>='],
    misses: ['AccountKey=none', 'SharedAccessKeyName=RootManage'],
  },
  {
    name: 'Azure client secret',
    kind: 'azure',
    pattern: /(?<![\w~.-])[\w~.]{3}\dQ~[\w~.-]{31,34}(?![\w~.-])/dg,
    matches: ['secret abc8Q~<34>'],
    misses: ['8Q~ alone', 'abc8Q~short'],
  },
  {
    name: 'GitHub token',
    kind: 'github',
    pattern: token('gh[pousr]_[A-Za-z0-9]{30,}|github_pat_\\w{22,}'),
    matches: ['remote: ghp_<36>', 'gho_<36>', 'ghs_<36>', 'token github_pat_<22>_<59>'],
    misses: ['ghp_short', 'github_pattern_of_things_that_are_long', 'my_ghp_file'],
  },
  {
    name: 'GitLab token',
    kind: 'gitlab',
    pattern: token('gl(?:pat|rt|dt|cbt|ptt|ft|agent|soat|oas|imt|ffct)-[\\w.-]{20,}|GR1348941[\\w-]{20,}'),
    matches: ['fatal: glpat-<20>', 'glrt-<22>'],
    misses: ['glpat-', 'gluft-aaaaaaaaaaaaaaaaaaaaaaaa'],
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
    matches: [
      'npm_<36>',
      'dckr_pat_<27>',
      'hvs.<90>',
      'sk-ant-api03-<93>AA',
      'dop_v1_<hex:64>',
      'SG.<22>.<43>',
      'tk_<low:29>',
    ],
    misses: ['npm_config_registry', 'sk-learn', 'hvs.md', 'task-runner-of-something-quite-long-here-it-is'],
  },
  {
    name: 'JSON web token',
    kind: 'jwt',
    pattern: token('eyJ[\\w-]{8,}={0,2}\\.[\\w-]{8,}={0,2}(?:\\.[\\w-]{4,}={0,2}){0,3}|eyJhIjoi[\\w+/=-]{40,}'),
    matches: ['eyJ<20>.eyJ<40>.<43>', 'cloudflared --token-is eyJhIjoi<120>'],
    misses: ['eyJ', 'eyJhbGciOi without parts', 'eyJab.c'],
  },
  {
    name: 'registry logins in base64',
    kind: 'auth',
    // What {"auths": begins with, written on one line or indented.
    pattern: token(
      '(?:eyJhdXRocyI6|eyAiYXV0aHMi|ewogICJhdXRocyI6|ewoJImF1dGhzIjo|ewogICAgImF1dGhzIjo)[\\w+/-]{16,}={0,2}',
    ),
    matches: ['.dockerconfigjson: eyJhdXRocyI6<b64:80>==', 'ewoJImF1dGhzIjo<b64:60>'],
    misses: ['eyJhdXRocyI6', 'auths: {}'],
  },
  {
    name: 'Slack token',
    kind: 'slack',
    pattern: token('xox[abeoprs]-[A-Za-z0-9-]{10,}|xoxe\\.[\\w.-]{20,}|xapp-\\d-[A-Za-z0-9-]{20,}'),
    matches: ['xoxb-<12>-<12>-<24>', 'xapp-1-<11>-<13>-<hex:64>'],
    misses: ['xoxo-', 'xox-hugs-and-kisses'],
  },
  {
    name: 'webhook',
    kind: 'webhook',
    pattern:
      /(?:hooks\.slack\.com\/(?:services|workflows|triggers)\/|discord(?:app)?\.com\/api\/(?:v\d+\/)?webhooks\/\d+\/|webhook\.office\.com\/|api\.telegram\.org\/bot|hc-ping\.com\/)(?<secret>[\w@%:.~/-]{16,})/dg,
    matches: [
      'POST https://hooks.slack.com/services/<9>/<11>/<24>',
      'https://discord.com/api/webhooks/123456789012345678/<68>',
      'https://api.telegram.org/bot<35>/sendMessage',
    ],
    misses: ['see https://discord.com/developers/docs', 'https://hooks.slack.com/services/'],
  },
  {
    name: 'bot token',
    kind: 'bot',
    pattern: token('\\d{8,10}:AA[\\w-]{33}|[MNO][\\w-]{23,27}\\.[\\w-]{6}\\.[\\w-]{27,38}(?![\\w-])'),
    matches: ['bot 1234567890:AA<33>', 'M<23>.<6>.<27>'],
    misses: ['12345678:AAB', 'Makefile.target.rules'],
  },
  {
    name: 'age secret key',
    kind: 'age',
    pattern: /AGE-(?:SECRET-KEY|PLUGIN-[A-Z0-9]{1,40})-1[A-Z0-9]{20,}/dgi,
    matches: ['AGE-SECRET-KEY-1<b32:58>', 'age-secret-key-1<low:58>'],
    misses: ['age1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqq', 'no AGE-SECRET-KEY- found'],
  },
  {
    name: 'sops value',
    kind: 'sops',
    pattern: /ENC\[AES256_GCM,(?<secret>data:[A-Za-z0-9+/=]*,iv:[A-Za-z0-9+/=]*,tag:[A-Za-z0-9+/=]*)/dg,
    matches: ['password: ENC[AES256_GCM,data:<b64:24>,iv:<b64:44>,tag:<b64:24>,type:str]'],
    misses: ['ENC[AES256_GCM] is the cipher', 'sops metadata not found'],
  },
  {
    name: 'sops data key',
    kind: 'sops',
    pattern: /\benc["']?[ \t]{0,4}:[ \t]{0,4}["']?(?<secret>[A-Za-z0-9+/]{60,}={0,2})/dg,
    matches: ['    enc: <b64:120>', '"enc": "<b64:88>=="'],
    misses: ['enc: |', 'enc: aes-256-gcm'],
  },
  {
    name: 'Proxmox API token',
    kind: 'proxmox',
    pattern: /@[\w.-]{1,32}![\w.-]{1,64}[=:](?<secret>[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})/dg,
    matches: ['PVEAPIToken=root@pam!loop=<uuid>', 'terraform@pve!provider=<uuid>'],
    misses: ['root@pam logged in', 'user root@pam!loop has no permission', 'vm <uuid>'],
  },
  {
    name: 'Proxmox ticket',
    kind: 'proxmox',
    pattern:
      /(?<![A-Za-z])(?:PVE|PBS|PMG)[A-Z]{0,4}:(?<secret>[\w.-]{1,64}@[\w.-]{1,32}:[0-9A-F]{8}::[A-Za-z0-9+/=]{20,})/dg,
    matches: ['PVEAuthCookie is PVE:root@pam:6600A1B2::<b64:340>=='],
    misses: ['UPID:pve1:000A1B2C:0123ABCD:6600A1B2:qmstart:100:root@pam:', 'PVE: root@pam'],
  },
  {
    name: 'Tailscale key',
    kind: 'tailscale',
    pattern: token('tskey-[a-z]{2,10}-[A-Za-z0-9]{8,}(?:-[A-Za-z0-9]{8,})?|(?:nodekey|privkey):[0-9a-f]{64}'),
    matches: ['tskey-auth-<17>-<32>', 'tskey-api-<12>-<32>', 'privkey:<hex:64>'],
    misses: ['tskey-auth', 'set a tskey-auth-… first'],
  },
  {
    name: 'Cloudflare key',
    kind: 'cloudflare',
    pattern:
      /(?<![\w.-])v1\.0-[a-f0-9]{24}-[a-f0-9]{100,}|(?:cloudflare|\bcf)[\w .-]{0,24}["']?[ \t]{0,4}[:=][ \t]{0,4}["']?(?<secret>[A-Za-z0-9_-]{37,45})(?![\w-])/dgi,
    matches: ['v1.0-<hex:24>-<hex:146>', 'CLOUDFLARE_DNS: <40>', 'cf_api=<40>'],
    misses: ['cloudflare: 1.1.1.1', 'v1.0-beta', 'cloudflare tunnel <uuid> is up'],
  },
  {
    name: 'WireGuard key',
    kind: 'wireguard',
    pattern: /(?:private|pre-?shared)[ _-]?key["']?[ \t]{0,4}[:=][ \t]{0,4}["']?(?<secret>[A-Za-z0-9+/]{43}=)/dgi,
    matches: ['PrivateKey = <b64:43>=', 'PresharedKey=<b64:43>=', '  private key: <b64:43>='],
    misses: ['PublicKey = AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=', 'private key: (hidden)'],
  },
  {
    name: 'k3s token',
    kind: 'kubernetes',
    pattern: /(?<![A-Za-z0-9])K10[a-f0-9]{64}::(?:[\w.-]{1,32}:)?[A-Za-z0-9.]{8,}/dg,
    matches: ['K3S token K10<hex:64>::server:<hex:32>', 'K10<hex:64>::<low:6>.<low:16>'],
    misses: ['K10 is a number', 'k3s token rotate'],
  },
  {
    name: 'bootstrap token',
    kind: 'kubernetes',
    pattern: /(?<![\w./-])(?=[a-z0-9]{6}\.[a-z]{0,15}\d)[a-z0-9]{6}\.[a-z0-9]{16}(?![\w./-])/dg,
    matches: ['kubeadm join --with <low:6>.<low:16>', 'x <low:6>.<low:16>'],
    misses: ['server.kubernetesisgood', 'abcdef.0123', 'pods/worker.abcdefgh12345678x'],
  },
  {
    name: 'Ansible vault',
    kind: 'vault',
    pattern:
      /\$ANSIBLE_VAULT;[\w.;-]{1,80}[ \t]*\r?\n(?<secret>(?:[ \t]{0,40}[0-9a-f]{2,80}[ \t]*(?:\r?\n|$)){1,2000})/dg,
    matches: [
      '$ANSIBLE_VAULT;1.1;AES256\n<hex:80>\n<hex:80>\n<hex:34>\n',
      '  x: !vault |\n    $ANSIBLE_VAULT;1.2;AES256;lab\n    <hex:80>\n    <hex:12>',
    ],
    misses: ['$ANSIBLE_VAULT;1.1;AES256 is its header', 'ANSIBLE_VAULT_PASSWORD_FILE=/etc/lab/vault'],
  },
  {
    name: 'unseal key',
    kind: 'vault',
    pattern:
      /(?:unseal|recovery)[ _-]?key(?:[ _-]?\d{1,2})?["']?[ \t]{0,4}[:=][ \t]{0,4}["']?(?<secret>[A-Za-z0-9+/]{32,}={0,2})/dgi,
    matches: ['Unseal Key 1: <b64:44>', 'Recovery Key 3: <b64:43>=', 'unseal_key=<hex:64>'],
    misses: ['Unseal Key (will be hidden):', 'unseal keys: 5, threshold: 3'],
  },
  {
    name: 'password hash',
    kind: 'hash',
    pattern:
      /\$2[abxy]?\$\d\d\$[./A-Za-z0-9]{50,}|\$argon2(?:id|i|d)\$[\w=,$+/.-]{20,}|\$(?:1|5|6|7|y|gy|apr1|sha1|scrypt|pbkdf2[\w-]{0,16})\$[\w=,./$+-]{16,}|\{S?SHA\d{0,3}\}[A-Za-z0-9+/=]{20,}/dg,
    matches: [
      'admin:$2y$10$<53>',
      '$argon2id$v=19$m=65536,t=3,p=4$<22>$<43>',
      'root:$6$<16>$<86>:19000:0',
      '{SSHA}<b64:32>',
    ],
    misses: ['cost $2 a month', 'echo $6 $1', '$1$2', 'awk "{print $1}"'],
  },
];
