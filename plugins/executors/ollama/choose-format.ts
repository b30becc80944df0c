// In which form the model is asked for its answer: whole files come out well-formed from the smallest models, a diff costs
// the least, and an edit by line numbers can always be placed.
import type { AnswerFormat } from '../../../src/outbound/prompt/facts.ts';
import { estimateTokens } from '../../../src/outbound/prompt/tokens.ts';
import type { RefusedRound } from '../../../src/plugin/contract.ts';
import type { SeenFile } from './seen-files.ts';

const MISPLACED: ReadonlySet<string> = new Set(['not_found', 'ambiguous']);
const MISPLACED_AT_MOST = 2;
/** Refused whole files that a smaller form would not have been. */
const TOO_MUCH: ReadonlySet<string> = new Set(['unreadable', 'too_large', 'removes_much', 'too_many_lines']);

/** `room` is how many tokens the answer may have. */
export function chooseFormat(
  wanted: AnswerFormat | 'auto',
  refused: readonly Pick<RefusedRound, 'code'>[],
  files: readonly SeenFile[],
  room: number,
): AnswerFormat {
  const small = files.filter(({ whole, text }) => whole && estimateTokens(text) * 1.3 + 200 <= room);
  const lines = files.some((file) => file.lines.size > 0);
  if (wanted === 'whole-file') return small.length > 0 ? 'whole-file' : 'diff';
  if (wanted === 'json') return lines ? 'json' : 'diff';
  if (wanted !== 'auto') return wanted;
  if (refused.filter(({ code }) => MISPLACED.has(code)).length >= MISPLACED_AT_MOST) {
    if (small.length > 0) return 'whole-file';
    return lines ? 'json' : 'diff';
  }
  const likely = files[0];
  const whole = likely !== undefined && small.includes(likely) && !refused.some(({ code }) => TOO_MUCH.has(code));
  return whole ? 'whole-file' : 'diff';
}
