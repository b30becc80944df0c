// The prompt for a model: rules that are the same in every prompt, a table of parts, what helps most the first to get room, and the
// form of the answer last.
import { formatRule } from './answer-format.ts';
import { type AnswerFormat, type Choice, commandText, type FailureContext, type MaskText } from './context.ts';
import { buildDocument, type Document, type Part } from './document.ts';
import { classAndErrorLines, successCriteria, tellingLogEnd } from './parts/failure.ts';
import { fileLines } from './parts/files.ts';
import { memoLines, withoutAnswerRule } from './parts/memo.ts';
import { offeredLines } from './parts/offered.ts';
import { readingLines } from './parts/reading.ts';
import { PROMPT_FILES } from './parts/suspicion-of.ts';
import { earlierTries } from './parts/tries.ts';
import { estimateTokens, fenceNote, linesWithin } from './text.ts';

/** What a small model on a slow machine reads in two minutes; more only where the rules and the command take so much of it. */
const USUAL_BUDGET = 2500;
const MAX_BUDGET = 5000;
/** For what is told of the failure. */
const MIN_ROOM = 1500;

/** The error lines are told apart from it; this is what was before and after them. */
const PROMPT_LOG_LINES = 40;

/** Of the instructions, which are their owner's, so much is said; the same in every prompt, and more than any small model holds to. */
const MAX_INSTRUCTIONS = 1000;

/** How a prompt is to be read. Nothing of the failure is in it: a host that has read it once has read it for every failure. */
const HOW_TO_READ = `# How to read this

- The answer changes one file of the section "The files"; the likeliest stands last there. If another file has the same fault, leave
  it: you will be asked about it in a prompt of its own.
- The numbers before the lines of a file are not part of them. Lines that are not shown are there all the same.
- What stands in "What may help" is only for reading; none of it is yours to change. "… here: a, b" names all that is defined.
`;

export interface PromptOptions {
  /** The text of ai/executor_instructions.md. Its section "The answer" is left out: the rule on the form stands for it. */
  readonly instructions: string;
  readonly format: AnswerFormat;
  /** Changes to choose from. */
  readonly choices?: readonly Choice[];
  /** Tokens that the whole prompt may have. */
  readonly budget?: number;
}

/** Masked, and ends with the form of the answer. Throws only what `mask` throws. */
export function buildPrompt(context: FailureContext, options: PromptOptions, mask: MaskText): Document {
  const { instructions, format, choices = [] } = options;
  const opening = (masked: FailureContext) => `${rulesFrom(instructions)}\n\n${HOW_TO_READ}\n${questionOf(masked)}`;
  const fixed = estimateTokens(opening(context)) + estimateTokens(formatRule(format));
  const { budget = Math.min(MAX_BUDGET, Math.max(USUAL_BUDGET, fixed + MIN_ROOM)) } = options;
  const layout = { opening, parts: promptParts(choices), closing: formatRule(format), budget };
  return buildDocument(layout, context, mask);
}

const promptParts = (choices: readonly Choice[]): readonly Part[] => [
  { name: 'success criteria', title: 'The stage succeeds when', rank: 7, share: 0.05, lines: successCriteria },
  { name: 'memo', title: 'What is known about this homelab', rank: 8, share: 0.12, lines: memoLines },
  { name: 'earlier attempts', title: 'Earlier attempts', rank: 4, share: 0.15, lines: earlierTries(false) },
  { name: 'log', title: 'The end of the log', rank: 6, share: 0.2, lines: tellingLogEnd(PROMPT_LOG_LINES) },
  { name: 'reading', title: 'What may help', rank: 5, share: 0.12, lines: readingLines },
  { name: 'files', title: 'The files', rank: 3, share: 0.45, lines: fileLines(PROMPT_FILES) },
  { name: 'error lines', title: 'The failure', rank: 1, share: 0.2, lines: classAndErrorLines },
  { name: 'choices', title: 'Offered changes', rank: 2, share: 0.1, lines: offeredLines(choices) },
];

const rulesFrom = (instructions: string): string =>
  linesWithin(withoutAnswerRule(instructions), MAX_INSTRUCTIONS).join('\n').trim();

function questionOf({ stage, limits, nonce }: FailureContext): string {
  const what = stage.description ? ` (${stage.description})` : '';
  const files = limits.files === 1 ? 'one file' : `${limits.files} files`;
  return (
    `${fenceNote(nonce)}\n\n` +
    `The stage ${stage.name}${what} failed. It runs:${commandLines(stage)}\n` +
    `Mend it with the smallest change: at most ${files} and ${limits.changed_lines} lines, usually one to ten.\n`
  );
}

/** Behind the colon; more than one line keep their lines. */
function commandLines(stage: FailureContext['stage']): string {
  const text = commandText(stage).trim();
  return text.includes('\n') ? `\n\n${text.replace(/^/gm, '    ')}\n` : ` ${text}`;
}
