// Where a model may be: on this machine or on its own network. A prompt holds the owner's files and logs.

/** `http://name:port[/path]`, or why not. Takes what OLLAMA_HOST takes: `host`, `host:port`, `:port`, a URL. */
export type Host = { readonly url: string; readonly name: string } | { readonly refused: string };

const DEFAULT_PORT = '11434';
const LAN_NAMES = ['.localhost', '.lan', '.local', '.home.arpa', '.internal'];

export function hostOf(written: string): Host {
  const text = written.trim();
  const explicit = text.includes('://');
  const url = parsed(explicit ? text : `http://${text.startsWith(':') ? `127.0.0.1${text}` : text}`);
  if (!url || !['http:', 'https:'].includes(url.protocol)) {
    return { refused: `${JSON.stringify(text)} is no address of a host; expected such as http://127.0.0.1:11434` };
  }
  if (url.username !== '' || url.password !== '') {
    return { refused: 'a host with a user name or password is not taken' };
  }
  // What a server listens on when it listens everywhere is no address to go to.
  const name = ['0.0.0.0', '[::]'].includes(url.hostname) ? '127.0.0.1' : url.hostname;
  const port = url.port !== '' ? url.port : explicit ? (url.protocol === 'https:' ? '443' : '80') : DEFAULT_PORT;
  if (!isLanName(name)) {
    return {
      refused: `${name} is neither this machine nor a host of its network (a private address, or a name in ${LAN_NAMES.slice(1).join(', ')}); prompts hold your files and logs and stay here`,
    };
  }
  return { url: `${url.protocol}//${name}:${port}${url.pathname.replace(/\/+$/, '')}`, name };
}

/** Whether a name or literal address can be local. What a name stands for is looked at again when it is used. */
function isLanName(name: string): boolean {
  const bare = name
    .toLowerCase()
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '');
  if (/^[\d.]+$/.test(bare) || bare.includes(':')) return isLanAddress(bare);
  return !bare.includes('.') || LAN_NAMES.some((end) => bare.endsWith(end));
}

/** Whether the address is of loopback (127/8, ::1), private (RFC 1918, fc00::/7) or link-local (169.254/16, fe80::/10). */
export function isLanAddress(address: string): boolean {
  const bare = address.toLowerCase().replace(/%.*$/, '');
  const mapped = /^::ffff:(?:(\d+\.\d+\.\d+\.\d+)|([\da-f]{1,4}):([\da-f]{1,4}))$/.exec(bare);
  if (mapped) return isLanAddress(mapped[1] ?? dotted(mapped[2] as string, mapped[3] as string));
  if (bare.includes(':')) return bare === '::1' || /^f[cd][\da-f]{2}:/.test(bare) || /^fe[89ab][\da-f]:/.test(bare);
  const parts = bare.split('.').map(Number);
  const [a = -1, b = -1] = parts;
  if (parts.length !== 4 || parts.some((part) => !Number.isInteger(part) || part < 0 || part > 255)) return false;
  return (
    a === 127 || a === 10 || (a === 172 && b >= 16 && b <= 31) || (a === 192 && b === 168) || (a === 169 && b === 254)
  );
}

/** Whether the host is this very machine. */
export const isLoopback = (name: string): boolean => /^(?:127\.|\[::1\]|localhost$)|\.localhost$/.test(name);

function dotted(high: string, low: string): string {
  const [h, l] = [Number.parseInt(high, 16), Number.parseInt(low, 16)];
  return [h >> 8, h & 255, l >> 8, l & 255].join('.');
}

function parsed(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}
