// The conversation of one try: in which form an answer is asked for, and the prompt, the answers and their refusals as turns.
// Answers are remembered between the rounds of a try; without them the turns are made from the refusals alone.
import type { AnswerFormat, Refused, SeenFile, Turn } from '../../../src/model.ts';
import { estimateTokens, followUp, withFormat } from '../../../src/model.ts';

const MISPLACED: ReadonlySet<string> = new Set(['not_found', 'ambiguous']);
const MAX_MISPLACED = 2;
/** Refused whole files that a smaller form would not have been. */
const TOO_MUCH: ReadonlySet<string> = new Set(['unreadable', 'too_large', 'removes_much', 'too_many_lines']);

/**
 * Whole files come out well-formed from the smallest models, a diff costs the least, and an edit by line numbers can always
 * be placed. `room` is how many tokens the answer may have.
 */
export function chooseFormat(
  wanted: AnswerFormat | 'auto',
  refused: readonly Pick<Refused, 'code'>[],
  files: readonly SeenFile[],
  room: number,
): AnswerFormat {
  const small = files.filter(({ whole, text }) => whole && estimateTokens(text) * 1.3 + 200 <= room);
  const byLines = files.some((file) => file.lines.size > 0) ? 'json' : 'diff';
  if (wanted === 'whole-file') return small.length > 0 ? 'whole-file' : 'diff';
  if (wanted === 'json') return byLines;
  if (wanted !== 'auto') return wanted;
  if (refused.filter(({ code }) => MISPLACED.has(code)).length >= MAX_MISPLACED) {
    return small.length > 0 ? 'whole-file' : byLines;
  }
  const [likely] = files;
  const whole = likely !== undefined && small.includes(likely) && !refused.some(({ code }) => TOO_MUCH.has(code));
  return whole ? 'whole-file' : 'diff';
}

const MAX_REMEMBERED = 16;

/** Answers by prompt, which differs in every try: each holds a nonce. */
const answersByPrompt = new Map<string, string[]>();

/** Answer number `round` (from 0) of the try with this prompt. */
export function rememberAnswer(prompt: string, round: number, answer: string): void {
  const before = (answersByPrompt.get(prompt) ?? []).slice(0, round);
  answersByPrompt.delete(prompt);
  answersByPrompt.set(prompt, [...before, answer]);
  const oldest = answersByPrompt.size > MAX_REMEMBERED ? answersByPrompt.keys().next().value : undefined;
  if (oldest !== undefined) answersByPrompt.delete(oldest);
}

/** What to send, within `room` tokens when leaving out earlier answers achieves that. */
export function turnsOf(prompt: string, refused: readonly Refused[], format: AnswerFormat, room: number): Turn[] {
  const opening: Turn = { role: 'user', content: withFormat(prompt, format) };
  if (refused.length === 0) return [opening];
  const answers = answersByPrompt.get(prompt) ?? [];
  for (let from = 0; from < refused.length; from++) {
    // Each answer that is shown must be there, with its refusal behind it.
    if (answers.slice(from, refused.length).length < refused.length - from) break;
    const rounds = refused.slice(from).flatMap((round, i): Turn[] => [
      { role: 'assistant', content: answers[from + i] as string },
      { role: 'user', content: followUp([round], format, prompt) },
    ]);
    if (estimateTurns([opening, ...rounds]) <= room) return [opening, ...rounds];
  }
  return [{ role: 'user', content: `${opening.content}\n${followUp(refused, format, prompt)}` }];
}

/** Their tokens, estimated. */
export const estimateTurns = (turns: readonly Turn[]): number =>
  turns.reduce((sum, { content }) => sum + estimateTokens(content), 0);
