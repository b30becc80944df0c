// What may be told to a model about a failure: the prompt, every secret in it masked, and the way back for its answers.
import { randomBytes } from 'node:crypto';
import type { ContextMap } from '../config/context-map.ts';
import { readLogEnd } from '../io/log.ts';
import { secretsFrom } from '../io/secrets.ts';
import type { FailureContext } from '../outbound/context.ts';
import { buildPrompt } from '../outbound/prompt.ts';
import { createRedactor, type Redactor } from '../outbound/redact/redactor.ts';
import { ownerPatterns } from '../outbound/redact/rule.ts';
import type { FixFacts } from '../plugin/contract.ts';

export interface Outgoing {
  /** Masked; nothing else of the failure is sent. */
  prompt: string;
  redactor: Redactor;
}

export interface OutgoingScope {
  home: string;
  map: ContextMap;
  /** ai/executor_instructions.md and ai/master_memo.md as committed on the base. */
  instructions: string;
  memo: string | undefined;
  /** The owner's patterns of what never leaves. */
  patterns: readonly string[];
  env: Readonly<Record<string, string | undefined>>;
}

/** Knows every secret of this repository and environment. Throws RedactionError when it is not sure of that. */
export function redactorFor({ home, map, env, patterns }: OutgoingScope): Redactor {
  const { secrets } = secretsFrom({ home, carry: map.carry, env });
  return createRedactor({ secrets, rules: ownerPatterns(patterns) });
}

/** Of a log, for whoever is asked. */
export const LOG_BYTES = 64 * 1024;
/** Files beyond this much text are left to the ones before them: no model reads more. */
const FILES_CHARS = 400_000;
const FILES_AT_ONCE = 50;

/** Throws RedactionError when it is not sure that every secret is known: then nothing may be sent. */
export async function outgoing(facts: FixFacts, ended: string, scope: OutgoingScope): Promise<Outgoing> {
  const redactor = redactorFor(scope);
  const options = { instructions: scope.instructions, format: 'diff' as const };
  return { prompt: buildPrompt(await contextOf(facts, ended, scope), options, redactor.redact).text, redactor };
}

/** What prompt and case tell of a failure. Not masked yet. */
export async function contextOf(
  facts: FixFacts,
  ended: string,
  { home, map, memo }: OutgoingScope,
): Promise<FailureContext> {
  const { stage, failure, tries, limits } = facts;
  return {
    stage,
    failure: { class: failure.class, error_lines: failure.error_lines, ended },
    log: logEnd(`${home}/${failure.log}`),
    files: await texts(facts),
    ...(memo === undefined ? {} : { memo, keywords: map.architecture_section_keywords }),
    tries,
    limits,
    nonce: randomBytes(8).toString('hex'),
  };
}

/** The end of a log, from the beginning of a line on. */
function logEnd(path: string): string {
  const end = readLogEnd(path, LOG_BYTES);
  if (!end) return '';
  return end.cut ? end.text.slice(end.text.indexOf('\n') + 1) : end.text;
}

/** The texts of the files that may be changed, as many as anyone reads. */
async function texts({ files, read }: Pick<FixFacts, 'files' | 'read'>): Promise<{ path: string; text: string }[]> {
  const found: { path: string; text: string }[] = [];
  let room = FILES_CHARS;
  for (let from = 0; from < files.length && room > 0; from += FILES_AT_ONCE) {
    const some = files.slice(from, from + FILES_AT_ONCE);
    for (const file of await Promise.all(some.map(async (path) => ({ path, text: await read(path) })))) {
      if (room > 0) found.push(file);
      room -= file.text.length;
    }
  }
  return found;
}
