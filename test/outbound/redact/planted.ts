// Seventy-two fake secrets of thirty-six kinds, and the forms and places they are planted in. Made when a test runs.
import { dice, fill, letters } from './fill.ts';

/** A value as it would be carried, and a line of a log in which it stands without being carried. */
export interface Planted {
  kind: string;
  value: string;
  line: string;
  /** What it would be called in a file of settings. */
  key: string;
}

/** By kind: the form of the value, a line that gives it away by form or place, and its key. */
const KINDS: Record<string, [form: string, line: string, key: string]> = {
  'AWS id': ['AKIA<b32:16>', 'using @', 'AWS_ACCESS_KEY_ID'],
  'AWS secret': ['<b64:40>', 'aws_secret_access_key = @', 'AWS_SECRET_ACCESS_KEY'],
  Google: ['AIza<35>', 'GET /v1?alt=json key @', 'GOOGLE_API_KEY'],
  Azure: ['<b64:86>==', 'AccountName=lab;AccountKey=@;x', 'AZURE_STORAGE_KEY'],
  GitHub: ['ghp_<36>', 'remote said @ is bad', 'GITHUB_TOKEN'],
  'GitHub fine': ['github_pat_<22>_<59>', 'with @', 'GH_TOKEN'],
  GitLab: ['glpat-<20>', 'glab auth @', 'GITLAB_TOKEN'],
  Gitea: ['<hex:40>', 'Authorization: token @', 'GITEA_TOKEN'],
  Docker: ['dckr_pat_<27>', 'docker login -u me -p @', 'DOCKER_TOKEN'],
  'Docker config': ['<b64:48>', '{"auths":{"ghcr.io":{"auth":"@"}}}', 'REGISTRY_AUTH'],
  Grafana: ['glsa_<32>_<hex:8>', 'grafana: @ was refused', 'GRAFANA_TOKEN'],
  Discord: ['<68>', 'POST https://discord.com/api/webhooks/123456789012345678/@', 'DISCORD_WEBHOOK'],
  'Slack webhook': ['<b32:9>/<b32:11>/<24>', 'https://hooks.slack.com/services/@', 'SLACK_WEBHOOK'],
  Slack: ['xoxb-<12>-<12>-<24>', 'posting as @', 'SLACK_TOKEN'],
  Telegram: ['8412097563:AA<33>', 'bot @ is not known', 'TELEGRAM_TOKEN'],
  bearer: ['<48>', '> Authorization: Bearer @', 'API_TOKEN'],
  password: ['pw-<12>!', 'password: @', 'DB_PASSWORD'],
  'address password': ['<20>', 'clone https://git:@@git.lab/infra.git', 'GIT_PASSWORD'],
  JWT: ['eyJ<20>.eyJ<60>.<43>', 'got @ from dex', 'ID_TOKEN'],
  age: ['AGE-SECRET-KEY-1<b32:58>', '# @', 'SOPS_AGE_KEY'],
  sops: ['data:<b64:24>,iv:<b64:43>=,tag:<b64:22>==', 'password: ENC[AES256_GCM,@,type:str]', 'ENCRYPTED_SECRET'],
  Proxmox: ['<uuid>', 'PVEAPIToken=root@pam!loop=@', 'PM_API_TOKEN_SECRET'],
  'Proxmox ticket': ['keeper@pve:71C3E5F9::<b64:86>==', 'Set-Cookie: PVEAuthCookie=PVE:@', 'PVE_TICKET_TOKEN'],
  Tailscale: ['tskey-auth-<17>-<32>', 'tailscale up --authkey=@', 'TS_AUTHKEY'],
  Cloudflare: ['<40>', 'CLOUDFLARE_API_TOKEN=@', 'CF_API_TOKEN'],
  'Cloudflare tunnel': ['eyJhIjoi<120>', 'cloudflared tunnel run --token @', 'TUNNEL_TOKEN'],
  WireGuard: ['<b64:43>=', 'PrivateKey = @', 'WG_PRIVATE_KEY'],
  k3s: ['K10<hex:64>::server:<hex:32>', 'K3S_TOKEN is @', 'K3S_TOKEN'],
  kubeadm: ['<low:6>.<low:16>', 'kubeadm join 10.0.0.10:6443 --token @', 'BOOTSTRAP_TOKEN'],
  kubeconfig: ['<b64:180>', '    client-key-data: @', 'CLIENT_KEY_DATA'],
  'Talos PKI': ['LS0tLS1CRUdJTiBF<b64:160>', '        key: @', 'TALOS_CA_KEY'],
  'Talos secret': ['<b64:43>=', '    secretboxEncryptionSecret: @', 'SECRETBOX_ENCRYPTION_SECRET'],
  htpasswd: ['$2y$10$<53>', 'admin:@', 'BASIC_AUTH_HASH_SECRET'],
  shadow: ['$6$<16>$<86>', 'root:@:19000:0:99999', 'ROOT_PASSWORD_HASH'],
  restic: ['<low:5>-<low:6>-<low:5>-<low:7>', 'RESTIC_PASSWORD=@', 'RESTIC_PASSWORD'],
  borg: ['Zebra <low:6> over 7 <low:5>!', 'BORG_PASSPHRASE="@"', 'BORG_PASSPHRASE'],
};

export function planted(): Planted[] {
  return Object.entries(KINDS).flatMap(([kind, [form, line, key]], i) =>
    [1, 2].map((seed) => {
      const value = fill(form, seed + i * 10).text;
      return {
        kind,
        value,
        key,
        line: line.replace('@@', () => `${value}@`).replace(/(?<![\w])@(?![\w.!])|@$/, () => value),
      };
    }),
  );
}

const wrap = (text: string, width: number, indent: string): string =>
  (text.match(new RegExp(`.{1,${width}}`, 'gs')) ?? []).join(`\n${indent}`);
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const urlSafe = (text: string): string => text.replaceAll('+', '-').replaceAll('/', '_');
const hex = (text: string): string => Buffer.from(text).toString('hex');
const half = (text: string): number => Math.ceil(text.length / 2);

/** The ways in which a known secret gets into a text: every encoding that is covered. */
export const FORMS: Record<string, (value: string) => string> = {
  literal: (v) => `value ${v} end`,
  quoted: (v) => `{"x": ${JSON.stringify(v)}}`,
  'JSON in JSON': (v) => JSON.stringify({ log: JSON.stringify({ x: v }) }),
  base64: (v) => `data: ${base64(v)}`,
  'base64 after 1 byte': (v) => base64(`a${v}`),
  'base64 after 2 bytes': (v) => base64(`ab${v}zz`),
  'base64 inside of a file': (v) => base64(`kind: Secret\ntoken: ${v}\nmore: lines of text\n`),
  'url-safe base64': (v) => urlSafe(base64(`user:${v}`)),
  'base64 without padding': (v) => base64(v).replace(/=+$/, ''),
  'URL-encoded': (v) => `GET /x?a=${encodeURIComponent(v)}`,
  'URL-encoded small': (v) => encodeURIComponent(v).replace(/%../g, (c) => c.toLowerCase()),
  hex: (v) => `xxd: ${hex(v)}`,
  'hex in capitals': (v) => hex(v).toUpperCase(),
  'wrapped base64': (v) => `data: |\n  ${wrap(base64(`${v}\n${v}`), 20, '  ')}`,
  'wrapped at 76': (v) => wrap(base64(`a longer text before it, of many words ${v} and after it`), 76, ''),
  'URL-encoded, over lines': (v) => wrap(encodeURIComponent(v), 7, '  '),
  'bytes in hex, over lines': (v) => wrap(hex(v).replace(/../g, '$& '), 12, '    '),
  'wrapped hex': (v) => wrap(hex(v), 32, '    '),
  'split over lines': (v) => `value:\n    ${wrap(v, half(v), '    ')}`,
  'split over lines with CRLF': (v) => `value:\r\n\t${wrap(v, half(v), '\t').replaceAll('\n', '\r\n')}`,
  'split at every fifth letter': (v) => wrap(v, 5, '      '),
  'escaped line breaks': (v) => wrap(v, half(v), '').replaceAll('\n', '\\n'),
  'split by colours': (v) => wrap(v, 6, '').replaceAll('\n', '\u001b[0m\u001b[1;31m'),
  'split by escaped colours': (v) => wrap(v, half(v), '').replaceAll('\n', '\\u001b[33m'),
  'split by colours and lines': (v) => wrap(v, half(v), '\u001b[2K  '),
  coloured: (v) => `\u001b[36m${v}\u001b[0m`,
  'shell quoted': (v) => `+ run ${v.replace(/[^\w@%+=:,./-]/g, '\\$&')}`,
};

/** Where such a form stands: logs, files, their names, and what git knows. */
export const PLACES: Record<string, (text: string) => string> = {
  log: (t) => `2026-11-16T05:12:44Z ERROR apply failed: ${t} (exit 1)`,
  'JSON log': (t) => `{"level":"error","ts":1763269964.1,"msg":"got ${t}","code":3}`,
  YAML: (t) => `spec:\n  setting: ${t}\n  replicas: 1`,
  settings: (t) => `SOME_NAME=${t}`,
  shell: (t) => `for i in 1 2; do curl -fsS "http://cache.lab/${t}" | tar x; done`,
  'name of a file': (t) => `cp: cannot stat 'config/apps/backup-${t}.yaml': No such file or directory`,
  'path in a diff': (t) => `--- a/config/${t}/values.yaml\n+++ b/config/${t}/values.yaml`,
  branch: (t) => `On branch fix/${t}\nYour branch is up to date with 'origin/fix/${t}'.`,
  'message of a commit': (t) => `commit 0a1b2c3d4e\n\n    Rotate ${t} everywhere\n`,
  'author of a commit': (t) => `Author: Ops <${t}@lab.example>`,
  plan: (t) => `      ~ user_data = "${t}" -> (known after apply)`,
};

/** Where a secret stands under its own key. */
export const SETTINGS: Record<string, (key: string, value: string) => string> = {
  settings: (key, value) => `${key}=${value}`,
  'quoted settings': (key, value) => `export ${key}='${value}'`,
  YAML: (key, value) => `auth:\n  ${key.toLowerCase()}: ${JSON.stringify(value)}`,
  JSON: (key, value) => JSON.stringify({ a: 1, [key]: value }, null, 2),
  variable: (key, value) => `env:\n  - name: ${key}\n    value: ${JSON.stringify(value)}`,
  trace: (key, value) => `+ ${key}=${value}`,
};

/** What a text says when it is joined together: without line breaks, indentation and colours. */
const flat = (text: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colours begin with one
  text.replace(/(?:\u001b|\\u001b)\[[0-9;]*[A-Za-z]/g, '').replace(/\\[nr]|\s+/g, '');

/** Every encoding of a secret, in full. Base64 at each of the three places where its bytes can begin, what is its alone. */
function encodings(value: string): string[] {
  const bytes = Buffer.from(value);
  const cores = [0, 1, 2].map((lead) =>
    Buffer.concat([Buffer.alloc(lead), bytes])
      .toString('base64')
      .slice([0, 2, 3][lead], Math.floor((8 * (lead + bytes.length)) / 6)),
  );
  const url = encodeURIComponent(value);
  const small = url.replace(/%../g, (c) => c.toLowerCase());
  const json = JSON.stringify(value).slice(1, -1);
  return [value, json, url, small, hex(value), hex(value).toUpperCase(), ...cores, ...cores.map(urlSafe)];
}

/** Every piece of 8 characters of a secret, or of an encoding of it, that is still in a text. */
export function leftovers(text: string, value: string, length = 8): string[] {
  const masked = text.replace(/SECRET_[a-z0-9]{8}_\d+_[a-z]+_END/g, '\u0000');
  const shown = `${masked}\n${flat(masked)}`;
  const pieces = encodings(value)
    .map((form) => flat(form))
    .flatMap((form) => Array.from({ length: form.length - length + 1 }, (_, i) => form.slice(i, i + length)));
  return [...new Set(pieces)].filter((piece) => shown.includes(piece));
}

export const password = (seed: number): string => letters('', 20, dice(seed));
