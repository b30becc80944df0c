// The conversation of one try: in which form an answer is asked for, and the prompt, the answers and their refusals as turns.
// Answers are remembered between the rounds of a try; without them the turns are made from the refusals alone.
import { followUp, type Refused, withFormat } from '../outbound/answer-format.ts';
import type { AnswerFormat } from '../outbound/context.ts';
import { estimateTokens } from '../outbound/text.ts';
import type { Speed } from '../plugin/contract.ts';
import { estimateTurns } from './ask-model.ts';
import type { Turn } from './consult.ts';
import type { SeenFile } from './guard-answer.ts';
import { isLongToWrite, MAX_ANSWER_TOKENS } from './speed.ts';

const MISPLACED: ReadonlySet<string> = new Set(['not_found', 'ambiguous']);
const MAX_MISPLACED = 2;
/** Refused whole files that a smaller form would not have been. */
const TOO_MUCH: ReadonlySet<string> = new Set(['unreadable', 'too_large', 'removes_much', 'too_many_lines']);

/** Tokens that an answer takes besides what it changes. */
const AROUND_TOKENS = 200;

const wholeFileTokens = ({ text }: SeenFile): number => Math.ceil(estimateTokens(text) * 1.3) + AROUND_TOKENS;

/** What an answer may have in each form; a whole file as much as the largest that may be meant, or what a model writes instead. */
const FORM_TOKENS = { diff: 1000, 'search-replace': 1000, 'whole-file': 1000, json: 800, choice: 200 };

export function answerTokens(format: AnswerFormat, files: readonly SeenFile[]): number {
  const whole = format === 'whole-file' ? files.filter((file) => file.whole).map(wholeFileTokens) : [];
  return Math.min(MAX_ANSWER_TOKENS, Math.max(FORM_TOKENS[format], ...whole));
}

/**
 * Whole files come out well-formed from the smallest models, a diff costs the least, and an edit by line numbers can always
 * be placed. `room` is how many tokens the answer may have; a file that the model would write for long is not asked for whole.
 */
export function chooseFormat(
  wanted: AnswerFormat | 'auto',
  refused: readonly Pick<Refused, 'code'>[],
  files: readonly SeenFile[],
  { room, speeds }: { room: number; speeds: readonly Speed[] },
): AnswerFormat {
  const most = Math.min(room, MAX_ANSWER_TOKENS);
  const small = files.filter((file) => file.whole && wholeFileTokens(file) <= most);
  const byLines = files.some((file) => file.lines.size > 0) ? 'json' : 'diff';
  if (wanted === 'whole-file') return small.length > 0 ? 'whole-file' : 'diff';
  if (wanted === 'json') return byLines;
  if (wanted !== 'auto') return wanted;
  if (refused.filter(({ code }) => MISPLACED.has(code)).length >= MAX_MISPLACED) {
    return small.length > 0 ? 'whole-file' : byLines;
  }
  const [likely] = files;
  const isQuick = likely !== undefined && small.includes(likely) && !isLongToWrite(wholeFileTokens(likely), speeds);
  const whole = isQuick && !refused.some(({ code }) => TOO_MUCH.has(code));
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
