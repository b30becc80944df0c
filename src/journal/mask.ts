// What stays on this machine is masked, too: journal, ledger and console hold no secret. Unlike what is sent, they are
// not withheld when a carried file cannot be read: then only what can be known is masked.

import type { LoopConfig } from '../config/loop-config.ts';
import { type Carry, splitCarry } from '../config/paths.ts';
import { secretsFrom } from '../io/secrets.ts';
import { createRedactor, maskedLeaves, type Redactor } from '../outbound/redact/redactor.ts';
import { ownerPatterns } from '../outbound/redact/rule.ts';
import { RedactionError } from '../outbound/redact/secret.ts';

/** The part of a configuration that defines what is secret. */
type Masked = { map: Carry; loop: Pick<LoopConfig, 'redact'> };

/** Never throws. The same text has the same mask for as long as the process lives. */
export type Mask = (text: string) => string;

/** `paths`: the tracked files, whose words stay. */
export function openMask(
  home: string,
  { map, loop }: Masked,
  env: Readonly<Record<string, string | undefined>>,
  paths: Iterable<string> = [],
): Mask {
  const tracked = [...paths];
  const redactor = attempt(() => {
    const secrets = secretsFrom({ home, ...splitCarry(map), env });
    return createRedactor({ ...secrets, rules: ownerPatterns(loop.redact), paths: tracked });
  });
  const byForm =
    redactor ?? attempt(() => createRedactor({ ...secretsFrom({ home, carry: [], env }), paths: tracked }));
  return (text) => attempt(() => (byForm as Redactor).redact(text)) ?? WITHHELD;
}

/** Where carried values stand that are too short to be looked for; what cannot be read is another's to tell. */
export function shortSecrets(home: string, { map }: Masked): string[] {
  const short = attempt(() => secretsFrom({ home, ...splitCarry(map), env: {} }).short);
  return [...new Set((short ?? []).map(({ from }) => from))];
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

/**
 * Words of logs, files, people and models. Everything else is a name that is looked up, a path or a hash: carried
 * values may well be the name of a stage.
 */
const WORDS: ReadonlySet<string> = new Set(
  // The last three: files that a stage changed, and how the owner calls their branches. Shown, never acted upon.
  'excerpt reason reasons why fix text problems message next gave_up advice cause files base branch'.split(' '),
);

/** An event tells no more of a text: it is masked at once, while others wait. */
const MAX_TOLD = 16 * 1024;

/** `data` with every word in it masked, and texts that are too long for an event cut behind a word. */
export const maskedData = <T extends object>(data: T, mask: Mask): T =>
  withWords(data, (text) => (text.length <= MAX_TOLD ? mask(text) : `${mask(beginningOf(text))} …`)) as T;

/** No part of a word is left: it might be one of a secret. */
const beginningOf = (text: string): string =>
  text
    .slice(0, MAX_TOLD)
    .replace(/(?<!\S)\S{0,4096}$/, '')
    .trimEnd();

function withWords(value: unknown, mask: Mask): unknown {
  if (Array.isArray(value)) return value.map((item) => withWords(item, mask));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key,
      WORDS.has(key) ? maskedLeaves(item, mask) : withWords(item, mask),
    ]),
  );
}
