// What a model said, before it is passed on: not when it was cut off, lost lines, or is only a word to a person.
import { diffArrays } from 'diff';
import { spellings } from '../../../src/fix/apply-changes.ts';
import { readAnswer } from '../../../src/fix/read-answer.ts';
import { withoutLineNumbers } from '../../../src/outbound/prompt/line-numbers.ts';
import type { SeenFile } from './seen-files.ts';

/** `wrong` is told to the model; `says` is what it says instead of a change. */
export type Guarded = { readonly answer: string } | { readonly wrong: string } | { readonly says: string };

/** More lines that just vanish are no fix: the file was not written to its end, or parts were left out. */
const VANISHED_AT_MOST = 8;
const SHORT_ANSWER = 600;

export function guardAnswer(said: string, doneReason: string, files: readonly SeenFile[]): Guarded {
  if (doneReason === 'length') return { wrong: 'the answer was cut off before its end; answer in fewer words' };
  const answer = withoutLineNumbers(said);
  if (answer.trim() === '') return { wrong: 'the answer is empty' };
  const read = readAnswer(answer);
  if (!read.ok) return isProse(answer) && read.code === 'unreadable' ? { says: oneLine(answer) } : { answer };
  for (const change of read.changes) {
    if (change.form !== 'whole-file' || change.path === undefined) continue;
    const names = spellings(change.path);
    const file = files.find(({ path }) => names.includes(path));
    if (!file) continue;
    if (!file.whole) return { wrong: `${file.path} is not shown whole, so it cannot be written whole` };
    const lost = vanished(file.text, change.text);
    if (lost > Math.min(VANISHED_AT_MOST, Math.ceil(file.lines.size / 2))) {
      return { wrong: `${lost} lines of ${file.path} are missing from the answer` };
    }
  }
  return { answer };
}

/** Lines that are gone without others in their place. */
function vanished(before: string, after: string): number {
  const lines = (text: string): string[] => text.split(/\r?\n/).map((line) => line.trimEnd());
  const parts = diffArrays(lines(before), lines(after), { maxEditLength: 2000 });
  if (!parts) return lines(before).length;
  let lost = 0;
  parts.forEach(({ removed, value }, i) => {
    const beside = [parts[i - 1], parts[i + 1]].find((part) => part?.added)?.value.length ?? 0;
    if (removed) lost += Math.max(0, value.length - beside);
  });
  return lost;
}

/** A sentence or two, and nothing that could be meant as a change. */
const isProse = (answer: string): boolean =>
  answer.trim().length <= SHORT_ANSWER && !/^\s*(?:`{3}|~{3}|[+-]{1,3} ?\S|@@|<{5})/m.test(answer);

const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();
