// Answers that come from outside, by the topic that a notifier reads: each message is one word and a one-time token. A run reads them at
// its start; the page with hands as they come.
import type { Layout } from '../io/layout.ts';
import { hasTokens, isNew, TOKEN_MS, takeToken } from '../mend/answer-tokens.ts';
import { leaveAnswer, leaveRefusal } from '../mend/answers.ts';
import { callHook, faultLine } from '../plugin/call.ts';
import type { HeardAnswer } from '../plugin/contract.ts';
import type { LoadedPlugin } from '../plugin/examine.ts';
import type { Run } from '../stage/run.ts';

/** A person's word on the change of a case. */
export interface Heard {
  readonly what: 'accept' | 'decline';
  readonly case: string;
  readonly patch: string;
}

const MESSAGE = /^(accept|decline) ([\w-]{20,64})$/;

/** What a message means; undefined for one that was read before, and for one that is refused, which is put on record. */
export function heardAnswer(
  layout: Layout,
  message: HeardAnswer,
  now: number,
): Heard | { refused: string } | undefined {
  if (!isNew(layout, message)) return undefined;
  const [, what, token = ''] = MESSAGE.exec(message.text.trim()) ?? [];
  const used = what === undefined ? { refused: 'what came is no answer' } : takeToken(layout, token, now);
  if (!('refused' in used)) return { what: what as Heard['what'], ...used };
  leaveRefusal(layout, { at: 'ntfy', reason: used.refused }, now);
  return used;
}

/** Messages are asked for as far back as a token works. */
export const since = (now: number): number => Math.floor((now - TOKEN_MS) / 1000);

/** Notifiers that read answers: their settings name where, under `answers`. */
export const readers = (notifiers: readonly LoadedPlugin[]): readonly LoadedPlugin[] =>
  notifiers.filter(({ hooks, options }) => {
    const settings = options as { answers?: unknown } | undefined;
    return hooks.answers !== undefined && settings?.answers !== undefined;
  });

const READ_MS = 5000;

/** Leaves what came since the last run for this one to take. Nothing is asked for while no token could come back. */
export async function hearAnswers({ layout, plugins, clock, journal, signal }: Run): Promise<void> {
  const now = clock.now();
  if (!hasTokens(layout, now)) return;
  const heard = (message: HeardAnswer) => {
    const answer = heardAnswer(layout, message, now);
    if (answer && !('refused' in answer)) leaveAnswer(layout, { ...answer, at: 'ntfy' }, now);
  };
  for (const plugin of readers(plugins.notifiers)) {
    const given = { follow: false, since: since(now) };
    const called = await callHook(plugin, 'answers', given, { signal, timeoutMs: READ_MS, reporting: { heard } });
    if ('answer' in called) continue;
    journal.append({ type: 'notice', data: { text: `no answers were read: ${faultLine(called)}` } });
  }
}
