// The prompt for a model: a table of parts, what helps most the first to get room, and the form of the answer last.
import { formatRule } from './answer-format.ts';
import { type AnswerFormat, commandOf, type FailureContext, type MaskText } from './context.ts';
import { buildDocument, type Document, type Part } from './document.ts';
import { classAndErrorLines, logEnd, successCriteria } from './parts/failure.ts';
import { fileLines } from './parts/files.ts';
import { instructionLines, memoLines } from './parts/memo.ts';
import { earlierTries } from './parts/tries.ts';
import { fenceNote } from './text.ts';

/** Leaves a model of 16k room for its answer, and for two more rounds. */
const DEFAULT_BUDGET = 9000;

const FILES_INTRO = 'You may change these files and no others. The numbers before the lines are not part of them.';

export interface PromptOptions {
  /** The text of ai/executor_instructions.md. Its section "The answer" is left out: the rule on the form stands for it. */
  readonly instructions: string;
  readonly format: AnswerFormat;
  /** Tokens that the whole prompt may have. */
  readonly budget?: number;
}

/** Masked, and ends with the form of the answer. Throws only what `mask` throws. */
export function buildPrompt(context: FailureContext, options: PromptOptions, mask: MaskText): Document {
  const { instructions, format, budget = DEFAULT_BUDGET } = options;
  const layout = { opening: openingOf, parts: promptParts(instructions), closing: formatRule(format), budget };
  return buildDocument(layout, context, mask);
}

const promptParts = (instructions: string): readonly Part[] => [
  { name: 'instructions', rank: 2, share: 0.25, lines: instructionLines(instructions) },
  { name: 'success criteria', title: 'The stage succeeds when', rank: 6, share: 0.05, lines: successCriteria },
  { name: 'memo', title: 'What is known about this homelab', rank: 7, share: 0.15, lines: memoLines },
  { name: 'earlier attempts', title: 'Earlier attempts', rank: 5, share: 0.15, lines: earlierTries(false) },
  { name: 'log', title: 'The end of the log', rank: 4, share: 0.25, lines: logEnd },
  { name: 'files', title: 'The files', rank: 3, share: 0.45, lines: fileLines(FILES_INTRO) },
  { name: 'error lines', title: 'The failure', rank: 1, share: 0.2, lines: classAndErrorLines },
];

function openingOf({ stage, limits, nonce }: FailureContext): string {
  const what = stage.description ? ` (${stage.description})` : '';
  const files = limits.files === 1 ? 'one file' : `${limits.files} files`;
  return (
    `The stage ${stage.name}${what} failed. It runs: ${commandOf(stage)}\n` +
    `Mend it with the smallest change: at most ${files} and ${limits.changed_lines} lines, usually one to ten.\n\n` +
    `${fenceNote(nonce)}\n`
  );
}
