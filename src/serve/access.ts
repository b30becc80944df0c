// Who may ask for a page, from the headers of a request alone. Names are checked so that no other site can reach it through a name
// of its own (DNS rebinding), and where others could reach it, nobody is answered without the token. Pure.
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

export interface Access {
  /** It listens on loopback alone. */
  readonly isLocal: boolean;
  /** What else this machine is called; addresses need no name. */
  readonly names: readonly string[];
  readonly token?: string | undefined;
  /** It has hands: a form may be posted, from its own pages alone. */
  readonly acts?: boolean;
  /** The name of the cookie: pages on other ports of this machine have cookies of their own. */
  readonly cookie: string;
}

export interface Refusal {
  readonly status: 401 | 403 | 405;
  readonly what: string;
  readonly next: string;
}

type Headers = Pick<globalThis.Headers, 'get'>;

/** Why a request is refused; undefined when it may be answered. `isLogin`: it brings its token by itself. */
export function refusalOf(method: string, headers: Headers, access: Access, isLogin: boolean): Refusal | undefined {
  const host = headers.get('host') ?? '';
  const isPost = method === 'POST' && access.acts === true;
  if (method !== 'GET' && method !== 'HEAD' && !isPost) {
    const what = `${method} is refused: this page only shows`;
    return { status: 405, what, next: access.acts ? 'use GET' : 'use GET; with hands it is: mendloop serve --act' };
  }
  if (!isOwnName(nameIn(host), access))
    return {
      status: 403,
      what: `this page is not for the name ${JSON.stringify(host)}`,
      next: access.isLocal
        ? 'open it as http://localhost, with its port'
        : 'open it by its address, or serve it with --host and that name',
    };
  if (!isOwnOrigin(headers, host) || (isPost && !isOwnForm(headers, host)))
    return { status: 403, what: 'another site asked for it', next: 'open it in a window of its own' };
  if (access.token !== undefined && !isLogin && !hasToken(headers, access, access.token))
    return {
      status: 401,
      what: 'this page needs the token that mendloop serve printed',
      next: 'open the link that it printed, with ?token=',
    };
  return undefined;
}

/** The name in a Host header, without its port. */
const nameIn = (host: string): string =>
  (/^(\[[\da-f:.]+\]|[^:[\]]+)(?::\d{1,5})?$/i.exec(host)?.[1] ?? '').toLowerCase();

const ADDRESS = /^(?:\d{1,3}(?:\.\d{1,3}){3}|\[[\da-f:.]+\])$/;
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/** Whether a name means this machine and nothing else. */
export const isLoopback = (name: string): boolean => LOOPBACK.test(name.includes(':') ? `[${name}]` : name);

function isOwnName(name: string, { isLocal, names }: Access): boolean {
  if (LOOPBACK.test(name)) return true;
  // An IP address cannot be rebound to another host.
  return !isLocal && (ADDRESS.test(name) || names.some((own) => own.toLowerCase() === name));
}

/** By the headers of browsers: another site may link here, but not fetch, embed or subscribe. */
function isOwnOrigin(headers: Headers, host: string): boolean {
  const origin = originHost(headers);
  if (origin !== undefined && origin !== host.toLowerCase()) return false;
  const site = headers.get('sec-fetch-site') ?? 'none';
  return site === 'same-origin' || site === 'none' || headers.get('sec-fetch-mode') === 'navigate';
}

/** Browsers say where a form was: it must be known to be ours. */
const isOwnForm = (headers: Headers, host: string): boolean =>
  headers.get('sec-fetch-site') === 'same-origin' ||
  (headers.get('sec-fetch-site') === null && originHost(headers) === host.toLowerCase());

const originHost = (headers: Headers): string | undefined =>
  headers
    .get('origin')
    ?.replace(/^https?:\/\//, '')
    .toLowerCase();

/** In the cookie that the login link sets, or as `Authorization: Bearer`, for programs. */
function hasToken(headers: Headers, { cookie }: Access, token: string): boolean {
  const bearer = /^Bearer (.+)$/.exec(headers.get('authorization') ?? '')?.[1];
  if (bearer !== undefined) return isSame(bearer, token);
  const pairs = (headers.get('cookie') ?? '').split(/;\s*/).map((pair) => pair.split('='));
  return pairs.some(([name, value = '']) => name === cookie && isSame(value, cookieValue(token)));
}

/** The cookie's value, from which the token cannot be derived. */
export const cookieValue = (token: string): string => createHmac('sha256', token).update('cookie').digest('base64url');

/** Compares in constant time. */
export function isSame(a: string, b: string): boolean {
  const hash = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(hash(a), hash(b));
}
