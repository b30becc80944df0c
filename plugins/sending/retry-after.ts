// When a host that is busy wants to be asked again.

/** Milliseconds from `now` on (a time as Date.now gives it), as the header says: seconds or a date. undefined: it says nothing. */
export function retryAfterMs(header: string | undefined, now: number): number | undefined {
  const text = header?.trim() ?? '';
  if (/^\d{1,9}(?:\.\d{1,3})?$/.test(text)) return Math.ceil(Number(text) * 1000);
  // Only the form of HTTP: Date.parse alone would take any number for a year.
  if (!/^[A-Z][a-z]{2,8},? .*\bGMT$/.test(text)) return undefined;
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}

/** Whether a later request may be answered though this one was not. */
export const mayPass = (status: number): boolean => status === 408 || status === 425 || status === 429 || status >= 500;
