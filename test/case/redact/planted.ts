// Sixty fake secrets of twenty kinds, and the forms they are planted in. Made when a test runs.
import { dice, fill, letters } from './fill.ts';

/** A value as it would be carried, and a line of a log in which it stands without being carried. */
export interface Planted {
  kind: string;
  value: string;
  line: string;
}

const KINDS: Record<string, [string, string]> = {
  'AWS id': ['AKIA<b32:16>', 'using @'],
  'AWS secret': ['<b64:40>', 'aws_secret_access_key = @'],
  Google: ['AIza<35>', 'GET /v1?alt=json key @'],
  Azure: ['<b64:86>==', 'AccountName=lab;AccountKey=@;x'],
  GitHub: ['ghp_<36>', 'remote said @ is bad'],
  'GitHub fine': ['github_pat_<22>_<59>', 'with @'],
  GitLab: ['glpat-<20>', 'glab auth @'],
  Gitea: ['<hex:40>', 'Authorization: token @'],
  bearer: ['<48>', '> Authorization: Bearer @'],
  password: ['pw-<12>!', 'password: @'],
  JWT: ['eyJ<20>.eyJ<60>.<43>', 'got @ from dex'],
  Slack: ['xoxb-<12>-<12>-<24>', 'posting as @'],
  age: ['AGE-SECRET-KEY-1<b32:58>', '# @'],
  Proxmox: ['<uuid>', 'PVEAPIToken=root@pam!loop=@'],
  Tailscale: ['tskey-auth-<17>-<32>', 'tailscale up --authkey=@'],
  Cloudflare: ['<40>', 'CLOUDFLARE_API_TOKEN=@'],
  WireGuard: ['<b64:43>=', 'PrivateKey = @'],
  k3s: ['K10<hex:64>::server:<hex:32>', 'K3S_TOKEN is @'],
  hash: ['$6$<16>$<86>', 'root:@:19000:0:99999'],
  'talos data': ['<b64:180>', '    client-key-data: @'],
};

export function planted(): Planted[] {
  return Object.entries(KINDS).flatMap(([kind, [form, line]]) =>
    [1, 2, 3].map((seed) => {
      const value = fill(form, seed + kind.length * 10).text;
      return { kind, value, line: line.replace('@', () => value) };
    }),
  );
}

const wrap = (text: string, width: number, indent: string): string =>
  (text.match(new RegExp(`.{1,${width}}`, 'gs')) ?? []).join(`\n${indent}`);
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const urlSafe = (text: string): string => text.replaceAll('+', '-').replaceAll('/', '_');

/** The ways in which a known secret gets into a text. */
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
  'wrapped base64': (v) => `data: |\n  ${wrap(base64(`${v}\n${v}`), 20, '  ')}`,
  'wrapped at 76': (v) => wrap(base64(`a longer text before it, of many words ${v} and after it`), 76, ''),
  'split over lines': (v) => `value:\n    ${wrap(v, Math.ceil(v.length / 2), '    ')}`,
  'escaped line breaks': (v) => wrap(v, Math.ceil(v.length / 2), '').replaceAll('\n', '\\n'),
  'shell quoted': (v) => `+ run ${v.replace(/[^\w@%+=:,./-]/g, '\\$&')}`,
};

/** Pieces of `length` characters of a secret, or of its base64, that are still in a text. */
export function leftovers(text: string, value: string, length = 8): string[] {
  const plain = text.replace(/SECRET_[a-z0-9]{8}_\d+_[a-z]+_END/g, '\u0000').replace(/\\n|\s+/g, '');
  const hidden = [value, encodeURIComponent(value)];
  return hidden.flatMap((form) => {
    const pieces = Array.from({ length: form.length - length + 1 }, (_, i) => form.slice(i, i + length));
    // What every secret of its kind begins with gives nothing away.
    return pieces.filter(
      (piece) =>
        plain.includes(piece) &&
        !/^(?:AGE-SECR|GE-SECRE|E-SECRET|-SECRET-|SECRET-K|ECRET-KE|CRET-KEY|RET-KEY-|ET-KEY-1|github_p|ithub_pa|thub_pat|hub_pat_)/.test(
          piece,
        ),
    );
  });
}

export const password = (seed: number): string => letters('', 20, dice(seed));
