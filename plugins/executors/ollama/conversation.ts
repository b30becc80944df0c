// What was said in one try: the prompt, the answers, why they were refused. Kept between the rounds of a try; one that was
// lost is made anew from the refusals alone.
import type { AnswerFormat } from '../../../src/outbound/prompt/facts.ts';
import { followUp, type Refused } from '../../../src/outbound/prompt/follow-up.ts';
import { withFormat } from '../../../src/outbound/prompt/format-rule.ts';
import { estimateTokens } from '../../../src/outbound/prompt/tokens.ts';

export interface Message {
  readonly role: 'user' | 'assistant';
  readonly content: string;
}

const KEPT_AT_MOST = 16;

/** Answers by prompt, which is another one in every try: in each a nonce. */
const answers = new Map<string, string[]>();

/** Answer number `round` (from 0) of the try with this prompt. */
export function remember(prompt: string, round: number, answer: string): void {
  const known = (answers.get(prompt) ?? []).slice(0, round);
  answers.delete(prompt);
  answers.set(prompt, [...known, answer]);
  const oldest = answers.size > KEPT_AT_MOST ? answers.keys().next().value : undefined;
  if (oldest !== undefined) answers.delete(oldest);
}

/** The messages to send, within `room` tokens when leaving out earlier answers achieves that. */
export function messages(prompt: string, refused: readonly Refused[], format: AnswerFormat, room: number): Message[] {
  const opening: Message = { role: 'user', content: withFormat(prompt, format) };
  if (refused.length === 0) return [opening];
  const known = answers.get(prompt) ?? [];
  for (let from = 0; from < refused.length; from++) {
    // Each answer that is told must be there, with its refusal behind it.
    if (known.slice(from, refused.length).length < refused.length - from) break;
    const told = refused.slice(from).flatMap((round, i): Message[] => [
      { role: 'assistant', content: known[from + i] as string },
      { role: 'user', content: followUp([round], format) },
    ]);
    if (tokens([opening, ...told]) <= room) return [opening, ...told];
  }
  return [{ role: 'user', content: `${opening.content}\n${followUp(refused, format)}` }];
}

/** Their estimated tokens. */
export const tokens = (all: readonly Message[]): number =>
  all.reduce((sum, { content }) => sum + estimateTokens(content), 0);
