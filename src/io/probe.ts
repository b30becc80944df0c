// Whether something answers: a TCP port, a URL. Used by the built-in checks of `verify`.
import { connect } from 'node:net';

/** Undefined when `host:port` accepts a connection, else why not. */
export function probeTcp(target: string, signal: AbortSignal): Promise<string | undefined> {
  const at = target.lastIndexOf(':');
  const host = target.slice(0, at).replace(/^\[|\]$/g, '');
  return new Promise((resolve) => {
    const socket = connect({ host, port: Number(target.slice(at + 1)), signal });
    const done = (why?: string) => {
      socket.destroy();
      resolve(why);
    };
    socket.once('connect', () => done());
    socket.once('error', (error: NodeJS.ErrnoException) => done(error.code ?? error.message));
  });
}

/** Undefined when a GET of `url` answers with `status`, else why not. Redirects are not followed: they are an answer. */
export async function probeHttp(url: string, status: number, signal: AbortSignal): Promise<string | undefined> {
  try {
    // Do not reuse a connection: its server may be gone.
    const answer = await fetch(url, { signal, redirect: 'manual', headers: { connection: 'close' } });
    await answer.body?.cancel();
    return answer.status === status ? undefined : `status ${answer.status}, expected ${status}`;
  } catch (error) {
    const cause = (error as { cause?: { code?: string } }).cause?.code;
    return cause ?? (error as Error).message;
  }
}
