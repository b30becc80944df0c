// Asking a busy host again: whether, when, and the wait until then.
import { setTimeout as sleep } from 'node:timers/promises';
import { ModelFault } from '../io/egress/model-fault.ts';

/** Whether a later request may be answered though this one got `status`. */
export const isPassingStatus = (status: number): boolean =>
  status === 408 || status === 425 || status === 429 || status >= 500;

/** Milliseconds from `now` (as Date.now gives it) that a Retry-After header asks for: seconds or a date. undefined: it says nothing. */
export function retryAfterMs(header: string | undefined, now: number): number | undefined {
  const text = header?.trim() ?? '';
  if (/^\d{1,9}(?:\.\d{1,3})?$/.test(text)) return Math.ceil(Number(text) * 1000);
  // Date.parse would read any number as a year.
  if (!/^[A-Z][a-z]{2,8},? .*\bGMT$/.test(text)) return undefined;
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}

/** Throws ModelFault when `signal` is given meanwhile. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await sleep(ms, undefined, { signal });
  } catch {
    throw signal.reason instanceof ModelFault ? signal.reason : new ModelFault('it was stopped');
  }
}
