// Why the other side did not do its part: one line for a person, and never more of an address than its host.
import { limited } from '../signals.ts';

export class ModelFault extends Error {
  /** The HTTP status, when the host said one. */
  readonly status: number | undefined;

  constructor(message: string, status?: number) {
    super(message);
    this.name = 'ModelFault';
    this.status = status;
  }
}

const CERTIFICATES = 'name the certificate of its authority in NODE_EXTRA_CA_CERTS';

const TLS: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'its certificate has expired',
  CERT_NOT_YET_VALID: 'its certificate is not valid yet, or this clock is wrong',
  DEPTH_ZERO_SELF_SIGNED_CERT: `its certificate is signed by itself; ${CERTIFICATES}`,
  SELF_SIGNED_CERT_IN_CHAIN: `its certificate comes from an authority that is not known here; ${CERTIFICATES}`,
  UNABLE_TO_GET_ISSUER_CERT: `its certificate comes from an authority that is not known here; ${CERTIFICATES}`,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: `its certificate comes from an authority that is not known here; ${CERTIFICATES}`,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: `its certificate comes from an authority that is not known here; ${CERTIFICATES}`,
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another name',
  EPROTO: 'it does not speak TLS there',
  ERR_SSL_WRONG_VERSION_NUMBER: 'it does not speak TLS there',
};

/** What a failed connection to `host` means; undefined when it is not one. */
export function connectionFault(error: unknown, host: string): ModelFault | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code, cause } = error as { code?: string; cause?: { code?: string; message?: string } };
  const why = cause?.code ?? code ?? cause?.message;
  if (why === undefined) return undefined;
  if (why === 'ECONNRESET') return new ModelFault(`${host} broke off in the middle of its answer`);
  const untrusted = TLS[why] ?? (/CERT|^ERR_(?:TLS|SSL)/.test(why) ? 'the secure connection failed' : undefined);
  return new ModelFault(
    untrusted === undefined ? `${host} cannot be reached: ${why}` : `${host} cannot be trusted: ${untrusted} (${why})`,
  );
}

export interface Deadline {
  readonly signal: AbortSignal;
  /** From the look-up of the name to the last byte of the answer; absent where `signal` keeps the time. */
  readonly timeoutMs?: number | undefined;
}

/**
 * What `ask` gets from the host; its signal ends whatever is under way. Throws ModelFault when it is stopped, late or cut off: the
 * one that `signal` was aborted with, if it was.
 */
export async function inTime<T>(
  host: string,
  deadline: Deadline,
  ask: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const { signal, timeoutMs = Number.POSITIVE_INFINITY } = deadline;
  const limit = limited(timeoutMs, signal);
  try {
    signal.throwIfAborted();
    return await ask(limit.signal);
  } catch (error) {
    if (signal.aborted) throw signal.reason instanceof ModelFault ? signal.reason : new ModelFault('it was stopped');
    if (limit.isLate()) throw new ModelFault(`${host} did not answer within ${timeoutMs / 1000} s`);
    throw connectionFault(error, host) ?? error;
  } finally {
    limit.end();
  }
}
