// Masking that never holds the thread for long: whatever else the loop does gets its turn between the steps of a mask.
import { setImmediate as others } from 'node:timers/promises';
import type { Redactor } from '../outbound/redact/redactor.ts';
import type { Steps } from '../outbound/redact/steps.ts';

/** How long the steps of one turn may take in all; the last one may begin just before that. */
const TURN_MS = 8;
const LATER = Symbol('a mask that takes more than this turn');

/**
 * What `build` makes with a mask. It is called again each time a mask took more than its turn, with what is masked by then at
 * hand: it must do the same each time, and let through what the mask throws. Rejects with RedactionError.
 */
export async function maskInTurns<T>(redactor: Redactor, build: (mask: (text: string) => string) => T): Promise<T> {
  for (;;) {
    let left = TURN_MS;
    let open: Steps<string> | undefined;
    const mask = (text: string): string => {
      open = redactor.redactInSteps(text);
      const began = performance.now();
      const masked = stepsFor(left, open);
      left -= performance.now() - began;
      if (masked === undefined) throw LATER;
      return masked;
    };
    try {
      return build(mask);
    } catch (error) {
      if (error !== LATER || open === undefined) throw error;
      do await others();
      while (stepsFor(TURN_MS, open) === undefined);
    }
  }
}

/** The result; undefined when there is more to do after `ms`. */
function stepsFor(ms: number, steps: Steps<string>): string | undefined {
  for (const until = performance.now() + ms; ; ) {
    const { done, value } = steps.next();
    if (done) return value;
    if (performance.now() >= until) return undefined;
  }
}
