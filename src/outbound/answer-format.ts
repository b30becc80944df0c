// The last words to a model: the form of its answer, and why the answer before was refused. Small models hold to what stands
// last.

import { REFUSALS, type ShownPlace } from '../fix/edit.ts';
import type { AnswerFormat } from './context.ts';
import { SMALL_FILE_LINES } from './parts/excerpt.ts';
import { type ShownFile, shownFiles } from './shown-files.ts';
import { clipLine } from './text.ts';

const HEADING = '# Your answer';

/** What an example is made of when no file is known: lines of nowhere. */
const NOWHERE: ShownPlace = {
  path: 'path/of/the/file',
  start: 1,
  lines: [
    ...['the third line above it', 'the second line above it', 'the line above it'],
    'the line that is wrong',
    ...['the line below it', 'the second line below it', 'the third line below it'],
  ],
  at: 3,
};

const RIGHT = 'the line as it should be';
const indentOf = (line: string): string => /^\s*/.exec(line)?.[0] ?? '';

/** The new line of an example, where the old one stands. */
const rightLine = ({ lines, at }: ShownPlace): string => `${indentOf(lines[at] ?? '')}${RIGHT}`;

/** How an answer looks in each form, for the lines of one place. */
const EXAMPLES: Readonly<Record<AnswerFormat, (place: ShownPlace) => string>> = {
  diff: (place) => {
    const { path, lines, at } = place;
    const body = lines.flatMap((line, i) => (i === at ? [`-${line}`, `+${rightLine(place)}`] : [` ${line}`]));
    return ['```diff', `--- a/${path}`, `+++ b/${path}`, '@@', ...body, '```'].join('\n');
  },
  'whole-file': (place) => {
    const { path, lines, start } = place;
    const first = start === 1 && place !== NOWHERE ? (lines[0] as string) : 'first line of the file';
    return [path, '```', first, '…and every other line, to the last', '```'].join('\n');
  },
  'search-replace': (place) => {
    const { path, at } = place;
    const lines = place === NOWHERE ? place.lines.slice(at, at + 1) : place.lines;
    const now = lines.map((line) => (line === place.lines[at] ? rightLine(place) : line));
    return [path, '<<<<<<< SEARCH', ...lines, '=======', ...now, '>>>>>>> REPLACE'].join('\n');
  },
  json: (place) => {
    const line = place.start + place.at;
    const edit = { fix: '…', reason: '…', path: place.path, start: line, end: line, replacement: rightLine(place) };
    return JSON.stringify(edit);
  },
  choice: () => JSON.stringify({ reason: '…', choice: 1 }),
};

/** A diff as a model is to write it. */
export const SAMPLE_DIFF = EXAMPLES.diff(NOWHERE);

const ONE = 'The lines are as they are in the file; change the ones that are wrong:';

/** The asked form with the lines of each place, one of which is meant; a choice is made of none. */
export function filledForms(format: AnswerFormat, places: readonly ShownPlace[]): string[] {
  if (format === 'choice') return [];
  const head = ({ path, start, at }: ShownPlace): string =>
    places.length > 1 ? `If line ${start + at} of ${path} is meant:` : `For ${path}. ${ONE}`;
  return places.map((place) => `${head(place)}\n${EXAMPLES[format](place)}`);
}

const NOTE = `Then two lines:

Fix: what the change does, in one sentence
Reason: why that mends this failure, in one sentence`;

const NO_CHANGE =
  'When the right value is not shown here, or the fault is elsewhere, write only one line: what a person has to do.';

/** Where the example goes in. */
const EXAMPLE = '{{example}}';

const FORMS: Readonly<Record<AnswerFormat, string>> = {
  diff: `A unified diff with three lines of context (fewer at the start or end of the file), in one fenced block: the path as
shown, the lines as they are in the file, without the line numbers that are shown before them. A bare @@ is enough.

${EXAMPLE}

${NOTE}`,
  'whole-file': `One file, whole: its path as shown on a line of its own, then one fenced block with every line of the new
file, also all lines that stay as they are. Leave nothing out, write no "...", and no line numbers.

${EXAMPLE}

${NOTE}`,
  'search-replace': `The path as shown on a line of its own, then one block: the lines to be replaced, exactly as they are in the
file and enough of them to be found only once, without line numbers; then what replaces them.

${EXAMPLE}

${NOTE}`,
  json: `One JSON object and nothing else, with these keys in this order:

"fix": what the change does, in one sentence
"reason": why that mends this failure, in one sentence
"path": the file to change, as shown
"start", "end": the numbers of the first and the last line to be replaced, as shown before the lines
"replacement": the text that replaces exactly these lines, with their indentation and without line numbers

Replace as few lines as you can. To add lines, replace the line before them with itself and the new lines.`,
  choice: `One JSON object and nothing else, with these keys in this order:

"reason": which of the offered changes mends this failure, and why, in one sentence
"choice": its number; 0 when none of them does, and you are asked for a change of your own`,
};

const ruleOf = (format: AnswerFormat, places: readonly ShownPlace[]): string => {
  const filled = filledForms(format, places).join('\n\n');
  const example = filled === '' ? EXAMPLES[format](NOWHERE) : filled;
  const rule = FORMS[format].includes(EXAMPLE) || filled === '' ? FORMS[format] : `${FORMS[format]}\n\n${filled}`;
  return rule.replace(EXAMPLE, () => example);
};

/** The last section of a prompt; `places` are lines of files to show the form with. */
export function formatRule(format: AnswerFormat, places: readonly ShownPlace[] = []): string {
  const rule = ruleOf(format, places);
  return `${HEADING}\n\n${format === 'json' || format === 'choice' ? rule : `${rule}\n\n${NO_CHANGE}`}\n`;
}

/** The same for a diff, to whoever has another way to say that no change will do. */
export const patchRule = (): string => `${HEADING}\n\n${ruleOf('diff', [])}\n`;

/** `prompt` asking for another form; one that says nothing about the form gets the rule appended. */
export function withFormat(prompt: string, format: AnswerFormat): string {
  const at = prompt.lastIndexOf(`\n${HEADING}\n`);
  const before = at < 0 ? `${prompt.trimEnd()}\n\n` : prompt.slice(0, at + 1);
  return `${before}${formatRule(format)}`;
}

export interface Refused {
  readonly code: string;
  readonly reasons: readonly string[];
  /** Where in the files it comes closest. */
  readonly places?: readonly ShownPlace[];
}

const MAX_REASON_LINES = 40;

/** One answer that was not taken: what its code means, and why. `which` names the answer. */
export function refusalText(which: string, { code, reasons }: Refused): string {
  const meanings: Readonly<Record<string, string>> = REFUSALS;
  const meaning = Object.hasOwn(meanings, code) ? meanings[code] : code;
  const lines = reasons.flatMap((reason) => reason.split('\n')).slice(0, MAX_REASON_LINES);
  return [`${which} was not taken: ${meaning}.`, ...lines.map((line) => `  ${clipLine(line)}`)].join('\n');
}

const DIFFERENT =
  'Do not repeat what was not taken: other comments, messages, white space or another order do not make it a different change.';

/** A message for the model whose last answers to `prompt` were `refused`, the latest last. */
export function followUp(refused: readonly Refused[], format: AnswerFormat, prompt = ''): string {
  const which = (i: number): string => (refused.length === 1 ? 'Your answer' : `Answer ${i + 1}`);
  const last = refused.at(-1);
  const near = format === 'whole-file' ? [] : (last?.places ?? []);
  const places = near.length > 0 || !last ? near : shownPlaces(last, format, shownFiles(prompt));
  const refusals = refused.map((one, i) => refusalText(which(i), one)).join('\n\n');
  return `${refusals}\n\nAnswer once more, in full. ${DIFFERENT}\n\n${formatRule(format, places)}`;
}

const AROUND = 2;

/** The file that the refusal is about, as the prompt shows it: around the line that it names, or whole where that is asked for. */
function shownPlaces(
  { reasons, places = [] }: Refused,
  format: AnswerFormat,
  files: readonly ShownFile[],
): ShownPlace[] {
  const named = [...places.map(({ path }) => `${path}:`), ...reasons];
  const file = files.find(({ path }) => named.some((text) => text.startsWith(`${path}:`)));
  if (!file) return [];
  const { path, lines, count } = file;
  // The file may be too long to be written whole.
  const isSmall = lines.size === count && count < SMALL_FILE_LINES;
  if (format === 'whole-file') return isSmall ? [{ path, start: 1, lines: [...lines.values()], at: 0 }] : [];
  const number = Number(reasons.map((text) => /: line (\d+)\b/.exec(text)?.[1]).find((one) => one !== undefined));
  if (!lines.has(number)) return [];
  let [start, end] = [number, number];
  while (start > number - AROUND && lines.has(start - 1)) start--;
  while (end < number + AROUND && lines.has(end + 1)) end++;
  const shown = Array.from({ length: end - start + 1 }, (_, i) => lines.get(start + i) as string);
  return [{ path, start, lines: shown, at: number - start }];
}
