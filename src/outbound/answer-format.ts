// The last words to a model: the form of its answer, and why the answer before was refused. Small models hold to what stands
// last.

import { ASKS, REFUSALS } from '../fix/edit.ts';
import type { AnswerFormat } from './context.ts';
import { clipLine } from './text.ts';

const HEADING = '# Your answer';

/** A diff as a model is to write it. */
export const SAMPLE_DIFF = `\`\`\`diff
--- a/path/of/the/file
+++ b/path/of/the/file
@@
 a line that stays
-the line that is wrong
+the line as it should be
 a line that stays
\`\`\``;

const NOTE = `Then two lines:

Fix: what the change does, in one sentence
Reason: why that mends this failure, in one sentence`;

const NO_CHANGE =
  'When no change to the files shown can mend it, write no block: say in one line what a person has to do.';

const FORMS: Readonly<Record<AnswerFormat, string>> = {
  diff: `A unified diff with three lines of context, in one fenced block: the path as shown, the lines as they are in the
file, without the line numbers that are shown before them.

${SAMPLE_DIFF}

${NOTE}`,
  'whole-file': `One file, whole: its path as shown on a line of its own, then one fenced block with every line of the new
file, also all lines that stay as they are. Leave nothing out, write no "...", and no line numbers.

path/of/the/file
\`\`\`
first line of the file
…and every other line, to the last
\`\`\`

${NOTE}`,
  'search-replace': `The path as shown on a line of its own, then one block: the lines to be replaced, exactly as they are in the
file and enough of them to be found only once, without line numbers; then what replaces them.

path/of/the/file
<<<<<<< SEARCH
the line that is wrong
=======
the line as it should be
>>>>>>> REPLACE

${NOTE}`,
  json: `One JSON object and nothing else, with these keys in this order:

"fix": what the change does, in one sentence
"reason": why that mends this failure, in one sentence
"path": the file to change, as shown
"start", "end": the numbers of the first and the last line to be replaced, as shown before the lines
"replacement": the text that replaces exactly these lines, with their indentation and without line numbers

Replace as few lines as you can. To add lines, replace the line before them with itself and the new lines.`,
};

/** The last section of a prompt. */
export function formatRule(format: AnswerFormat): string {
  const form = format === 'json' ? FORMS.json : `${FORMS[format]}\n\n${NO_CHANGE}`;
  return `${HEADING}\n\n${form}\n`;
}

/** The same for a diff, to whoever has another way to say that no change will do. */
export const patchRule = (): string => `${HEADING}\n\n${FORMS.diff}\n`;

/** `prompt` asking for another form; one that says nothing about the form gets the rule appended. */
export function withFormat(prompt: string, format: AnswerFormat): string {
  const at = prompt.lastIndexOf(`\n${HEADING}\n`);
  const before = at < 0 ? `${prompt.trimEnd()}\n\n` : prompt.slice(0, at + 1);
  return `${before}${formatRule(format)}`;
}

export interface Refused {
  readonly code: string;
  readonly reasons: readonly string[];
  /** Not refused: the owner would have to be asked. */
  readonly ask?: true;
}

const MAX_REASON_LINES = 40;

/** What whoever proposed something that the owner must be asked about can do. */
const WITHIN = 'Propose something that stays within what this repository does, if there is such a fix.';

/** One answer that was not taken: what its code means, and why. `which` names the answer. */
export function refusalText(which: string, { code, reasons, ask }: Refused): string {
  const meanings: Readonly<Record<string, string>> = ask ? ASKS : REFUSALS;
  const meaning = Object.hasOwn(meanings, code) ? meanings[code] : code;
  const lines = reasons.flatMap((reason) => reason.split('\n')).slice(0, MAX_REASON_LINES);
  const head = ask ? `${which} would need the owner's word` : `${which} was not taken`;
  return [`${head}: ${meaning}.`, ...lines.map((line) => `  ${clipLine(line)}`), ...(ask ? [WITHIN] : [])].join('\n');
}

/** A message for the model whose last answers were `refused`, the latest last. */
export function followUp(refused: readonly Refused[], format: AnswerFormat): string {
  const which = (i: number): string => (refused.length === 1 ? 'Your answer' : `Answer ${i + 1}`);
  const refusals = refused.map((one, i) => refusalText(which(i), one)).join('\n\n');
  return `${refusals}\n\nAnswer once more, in full. Do not repeat what was not taken.\n\n${formatRule(format)}`;
}
