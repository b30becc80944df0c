// What stays on this machine is masked, too: journal, ledger and console hold no secret. Unlike what is sent, they are not
// withheld when a carried file cannot be read: then only what can be known is masked.
import { ownerPatterns } from '../case/redact/owner-rules.ts';
import { RedactionError } from '../case/redact/redaction-error.ts';
import { createRedactor, type Redactor } from '../case/redact/redactor.ts';
import { secretsFrom } from '../io/secrets.ts';
import type { Configuration } from './configuration.ts';

/** Never throws. The same text has the same mask for as long as the process lives. */
export type Mask = (text: string) => string;

export function openMask(
  home: string,
  { map, loop }: Configuration,
  env: Readonly<Record<string, string | undefined>>,
): Mask {
  const redactor = attempt(() =>
    createRedactor({
      secrets: secretsFrom({ home, carry: map.carry, env }).secrets,
      rules: ownerPatterns(loop.redact),
    }),
  );
  const byForm = redactor ?? attempt(() => createRedactor({ secrets: secretsFrom({ home, carry: [], env }).secrets }));
  return (text) => attempt(() => (byForm as Redactor).redact(text)) ?? WITHHELD;
}

const WITHHELD = '(not told: it could not be masked)';

function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (error instanceof RedactionError) return undefined;
    throw error;
  }
}

/** What must stay as it is, because a later process acts on it; none of it is text of a log, a file or a model. */
const EXACT: ReadonlySet<string> = new Set(['paths', 'created', 'hash', 'commit', 'reverts', 'leader', 'inputs']);

/** `data` with every text in it masked; the same object when there is nothing to mask. */
export function maskedData<T extends object>(data: T, mask: Mask): T {
  const text = JSON.stringify(data);
  return mask(text) === text ? data : (leaves(data, mask) as T);
}

function leaves(value: unknown, mask: Mask): unknown {
  if (typeof value === 'string') return mask(value);
  if (Array.isArray(value)) return value.map((one) => leaves(one, mask));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, EXACT.has(key) ? one : leaves(one, mask)]));
}
