// Where a plugin may send to. A model of one's own: on this machine or its network, for a prompt holds the owner's files and
// logs. A service: an https address anywhere, or plain http on this network.
import { checkedText } from '../config/schema-parts.ts';

/** `http://name:port[/path]`, or why not. */
type LanHost = { readonly url: string; readonly name: string } | { readonly refused: string };

const DEFAULT_PORT = '11434';
const LAN_NAMES = ['.localhost', '.lan', '.local', '.home.arpa', '.internal'];

function httpUrl(text: string): URL | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url && ['http:', 'https:'].includes(url.protocol) ? url : undefined;
}

/** A host of this network, written as OLLAMA_HOST may be: `host`, `host:port`, `:port`, a URL. */
export function lanHost(written: string): LanHost {
  const text = written.trim();
  const explicit = text.includes('://');
  const full = explicit ? text : `http://${text.startsWith(':') ? `127.0.0.1${text}` : text}`;
  const url = httpUrl(full);
  if (!url) {
    return { refused: `${JSON.stringify(text)} is no address of a host; expected such as http://127.0.0.1:11434` };
  }
  if (url.username + url.password !== '') return { refused: 'a host with a user name or password is not taken' };
  // 0.0.0.0 is an address to listen at, not to connect to.
  const name = ['0.0.0.0', '[::]'].includes(url.hostname) ? '127.0.0.1' : url.hostname;
  const port = url.port !== '' ? url.port : explicit ? (url.protocol === 'https:' ? '443' : '80') : DEFAULT_PORT;
  if (!isLanName(name)) {
    const local = `(a private address, or a name in ${LAN_NAMES.slice(1).join(', ')})`;
    const why = 'prompts hold your files and logs and stay here';
    return { refused: `${name} is neither this machine nor a host of its network ${local}; ${why}` };
  }
  return { url: `${url.protocol}//${name}:${port}${url.pathname.replace(/\/+$/, '')}`, name };
}

/** Whether a name or literal address can be local. The addresses of a name are checked again when it is used. */
function isLanName(name: string): boolean {
  const bare = name.toLowerCase().replace(/^\[|\]?\.?$/g, '');
  if (/^[\d.]+$/.test(bare) || bare.includes(':')) return isLanAddress(bare);
  return !bare.includes('.') || LAN_NAMES.some((end) => bare.endsWith(end));
}

/** Whether the address is of loopback (127/8, ::1), private (RFC 1918, fc00::/7) or link-local (169.254/16, fe80::/10). */
export function isLanAddress(address: string): boolean {
  const bare = address.toLowerCase().replace(/%.*$/, '');
  const mapped = /^::ffff:(?:(\d+\.\d+\.\d+\.\d+)|([\da-f]{1,4}):([\da-f]{1,4}))$/.exec(bare);
  if (mapped) {
    const parts = mapped.slice(2).map((part) => Number.parseInt(part, 16));
    return isLanAddress(mapped[1] ?? parts.flatMap((part) => [part >> 8, part & 255]).join('.'));
  }
  if (bare.includes(':')) return bare === '::1' || /^f[cd][\da-f]{2}:/.test(bare) || /^fe[89ab][\da-f]:/.test(bare);
  const parts = bare.split('.').map(Number);
  const [a = -1, b = -1] = parts;
  if (parts.length !== 4 || parts.some((part) => !Number.isInteger(part) || part < 0 || part > 255)) return false;
  if (a === 172) return b >= 16 && b <= 31;
  return a === 127 || a === 10 || (a === 192 && b === 168) || (a === 169 && b === 254);
}

/** Whether the host is this machine. */
export const isLoopback = (name: string): boolean => /^(?:127\.|\[::1\]|localhost$)|\.localhost$/.test(name);

/** What is wrong with `text` as an address to send to; undefined: nothing. Does not repeat the address: it may be a secret. */
export function addressFault(text: string): string | undefined {
  const url = httpUrl(text);
  if (!url) return 'expected an address such as https://example.com/path';
  if (url.username + url.password !== '') return 'an address with a user name or password is not taken';
  if (url.hash !== '') return 'an address with a # is not taken';
  const isOpen = url.protocol === 'http:' && 'refused' in lanHost(url.origin);
  return isOpen ? 'expected https: plain http is only for this machine and its network' : undefined;
}

/** A setting: a host of this network, as `lanHost` takes it. */
export const lanHostSetting = checkedText(undefined, (text) => {
  const host = lanHost(text);
  return 'refused' in host ? host.refused : undefined;
});

/** A setting: an address to send to. */
export const addressSetting = checkedText(undefined, addressFault);

/** A setting: an address without a query, to which a path is appended. */
export const baseAddressSetting = checkedText(
  undefined,
  (text) => addressFault(text) ?? (text.includes('?') ? 'an address with a ? is not taken' : undefined),
);

/** Which addresses the name of `url` may stand for: what is sent in the clear stays on this network. */
export const mayReach = (url: string): ((address: string) => boolean) =>
  url.startsWith('https:') ? () => true : isLanAddress;
