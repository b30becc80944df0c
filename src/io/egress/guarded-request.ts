// The only function that opens an HTTP connection: to allowed addresses, within a time limit, without following redirects.
import { lookup as lookupName } from 'node:dns';
import { type ClientRequest, type IncomingMessage, request as requestPlain } from 'node:http';
import { request as requestTls } from 'node:https';
import { isIP, type LookupFunction, type Socket } from 'node:net';
import { ModelFault } from './model-fault.ts';

export interface GuardedRequest {
  readonly method?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: string | undefined;
  /** Ends the request and its answer, whenever it is given. */
  readonly signal: AbortSignal;
  /** Whether an address that the host's name stands for may be talked to. */
  readonly mayReach: (address: string) => boolean;
  /** How long the name's look-up and the connection may take together. */
  readonly connectMs?: number | undefined;
}

/** For a host that is off; an answer may take longer. */
const CONNECT_MS = 3000;

/**
 * The head of the answer, whatever its status; its body is read by whoever asked. Throws ModelFault for an address that
 * may not be reached, a connection that does not come about in time, and an answer that points elsewhere; else Node's error.
 */
export async function guardedRequest(url: URL, request: GuardedRequest): Promise<IncomingMessage> {
  const { mayReach } = request;
  // An IP address needs no look-up: check it here.
  const name = url.hostname.replace(/^\[|\]$/g, '');
  if (isIP(name) !== 0 && !mayReach(name)) throw foreign(url.origin, name);
  const answer = await sent(url, request);
  const status = answer.statusCode ?? 0;
  if (status < 300 || status > 399) return answer;
  answer.destroy();
  throw new ModelFault(`${url.origin} answered ${status} and points to ${target(answer, url)}`, status);
}

/** Not Node's fetch: it loses the signal of a request when its objects are garbage-collected, and then hangs. */
function sent(url: URL, request: GuardedRequest): Promise<IncomingMessage> {
  const { method = 'GET', headers, body, signal, mayReach, connectMs = CONNECT_MS } = request;
  const open = url.protocol === 'https:' ? requestTls : requestPlain;
  return new Promise((resolve, reject) => {
    // An agent of its own keeps no connection. The length goes ahead, as Node's fetch would send it.
    const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
    const options = { method, headers: { ...headers, ...length }, agent: false as const, signal };
    const call = open(url, { ...options, lookup: checkedLookup(url.origin, mayReach) });
    const connected = endUnlessConnected(call, url, connectMs);
    call.once('error', (error) => {
      connected();
      reject(error);
    });
    call.once('response', (answer) => resolve(answer.on('error', () => {})));
    call.end(body);
  });
}

/** Ends the call when its connection does not stand after `connectMs`. Returns what stops the waiting. */
function endUnlessConnected(call: ClientRequest, url: URL, connectMs: number): () => void {
  let stands = false;
  const late = () => {
    // After a long computation the timer fires before the event of a connection that was made meanwhile.
    setImmediate(() => {
      const fault = `${url.origin} cannot be reached: no connection within ${connectMs / 1000} s`;
      if (!stands) call.destroy(new ModelFault(fault));
    });
  };
  const timer = setTimeout(late, connectMs);
  const done = () => {
    stands = true;
    clearTimeout(timer);
  };
  call.once('socket', (socket: Socket) => socket.once(url.protocol === 'https:' ? 'secureConnect' : 'connect', done));
  return done;
}

/** A look-up that fails when one of the addresses is not allowed. The connection uses these very addresses. */
function checkedLookup(host: string, mayReach: (address: string) => boolean): LookupFunction {
  return (name, options, done) =>
    lookupName(name, { ...options, all: true }, (error, addresses) => {
      if (error) return done(error, '', 0);
      const refused = addresses.find(({ address }) => !mayReach(address));
      if (refused) return done(foreign(host, refused.address), '', 0);
      if (options.all) return done(null, addresses);
      const [first] = addresses;
      done(null, first?.address ?? '', first?.family);
    });
}

const foreign = (host: string, address: string): ModelFault =>
  new ModelFault(`${host} is at ${address}, which is outside of this machine and its network`);

/** Where an answer points: only the host, because a path may hold a token. */
function target(answer: IncomingMessage, url: URL): string {
  const { location = '' } = answer.headers;
  const to = URL.canParse(location, url.href) ? new URL(location, url) : undefined;
  if (location === '' || to === undefined) return 'nowhere';
  const where = to.origin === url.origin ? 'another path of its own' : to.origin;
  return `${where}, which is not followed`;
}

/** The body piece by piece. Throws ModelFault when there is more than `maxBytes` of it. */
export async function* bounded(answer: AsyncIterable<Uint8Array>, maxBytes: number): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const part of answer) {
    bytes += part.byteLength;
    if (bytes > maxBytes) throw new ModelFault('the host sent more than anyone would read');
    yield part;
  }
}
