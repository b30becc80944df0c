// What the filter in front of every model cannot do here: values too short to be looked for, files it did not look into.

import { secretsFrom } from '../io/secrets.ts';
import { findOwn, ownerPatterns } from '../outbound/redact/owner-rules.ts';
import { RedactionError } from '../outbound/redact/redaction-error.ts';
import type { ShortSecret } from '../outbound/redact/secret.ts';
import type { Configuration } from '../stage/configuration.ts';
import type { Finding } from './examine.ts';

/** Names keys and files, never a value. */
export function secretFindings(
  home: string,
  { map, loop }: Configuration,
  env: Readonly<Record<string, string | undefined>>,
): Finding[] {
  try {
    const { short, passedOver } = secretsFrom({ home, carry: map.carry, env });
    const patterns = ownerPatterns(loop.redact);
    const open = short.filter((secret) => !isCovered(secret, patterns)).map(({ from }) => `${from}: too short`);
    const places = [...new Set([...open, ...passedOver.map((path) => `${path}: not looked into`)])];
    if (places.length === 0) return [];
    return [
      {
        level: 'note',
        what: ['secrets that a model might be shown, because nobody can look for them:', ...places].join('\n'),
        next: [
          ...(open.length > 0 ? ['give values 8 characters or more, or a pattern under redact: in ai/loop.yaml'] : []),
          ...(passedOver.length > 0 ? ['carry the file itself, or keep what is not looked into out of logs'] : []),
        ].join('\n'),
      },
    ];
  } catch (error) {
    if (!(error instanceof RedactionError)) throw error;
    return [{ level: 'problem', what: `no model can be asked: ${error.message}`, next: error.next }];
  }
}

/** Whether the owner's patterns mask the value, alone or where it is set. */
function isCovered({ value, from }: ShortSecret, patterns: readonly RegExp[]): boolean {
  const key = from.split(/,? /).at(-1);
  const places = [value, `${key}=${value}`, `${key}: ${value}`];
  return places.some((text) => {
    const start = text.length - value.length;
    return patterns.some((pattern) =>
      findOwn(pattern, text).some((span) => span.start <= start && span.end === text.length),
    );
  });
}
