// The changes that are offered, numbered, with the line as it is and as it would be.
import { withChoice } from '../choices.ts';
import type { Choice } from '../context.ts';
import type { PartLines } from '../document.ts';
import { clipLine, estimateTokens, fencedWithin } from '../text.ts';

const INTRO = 'Each of these fits into its file. One may be what is needed; or none.';

export const offeredLines =
  (choices: readonly Choice[]): PartLines =>
  ({ files, nonce }) => {
    const lines = choices.flatMap((choice, i) => {
      const text = files.find(({ path }) => path === choice.path)?.text ?? '';
      // With its indentation, for it may be copied.
      const at = (whole: string) => clipLine((whole.split('\n')[choice.line - 1] ?? '').trimEnd(), 160);
      return [
        `${i + 1}. ${choice.path}, line ${choice.line}:`,
        ...[at(text), 'becomes', at(withChoice(text, choice) ?? text)],
      ];
    });
    return (room) => {
      const shown = fencedWithin(nonce, 'offered changes', lines, room - estimateTokens(INTRO) - 2);
      return shown.length === 0 ? [] : [INTRO, '', ...shown];
    };
  };
