// One-time values for forms: each is bound to an action and to what was shown beside its button, works once, and for an hour.
import { createHmac, randomBytes } from 'node:crypto';
import { isSame } from './access.ts';

const HOUR_MS = 3_600_000;

/** Why a value does not count: it is none of ours, too old, used before, or something else is there now. */
export type OnceFault = 'unknown' | 'old' | 'used' | 'changed';

export type OneTimeValues = ReturnType<typeof oneTimeValues>;

/** Values of this process: another one knows none of them. */
export function oneTimeValues(now: () => number = Date.now) {
  const secret = randomBytes(32);
  const used = new Map<string, number>();
  const sign = (...parts: readonly string[]) =>
    createHmac('sha256', secret).update(JSON.stringify(parts)).digest('base64url');

  return {
    /** For the form of `action`, beside which `shown` is seen. */
    issue(action: string, shown: string): string {
      const [expires, nonce] = [String(now() + HOUR_MS), randomBytes(12).toString('base64url')];
      const state = sign('state', shown);
      return [expires, nonce, state, sign(action, expires, nonce, state)].join('.');
    },
    /** Uses a value up; `shown`: what would be shown now. */
    take(value: string, action: string, shown: string): OnceFault | undefined {
      const [expires = '', nonce = '', state = '', mac = ''] = value.split('.');
      if (!isSame(mac, sign(action, expires, nonce, state))) return 'unknown';
      for (const [before, until] of used) if (until < now()) used.delete(before);
      if (Number(expires) < now()) return 'old';
      if (used.has(nonce)) return 'used';
      if (!isSame(state, sign('state', shown))) return 'changed';
      used.set(nonce, Number(expires));
      return undefined;
    },
  };
}
