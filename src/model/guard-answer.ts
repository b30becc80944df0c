// What a model answered, checked before it is passed on: cut off, lines lost, or only a sentence to a person. Pure.
import { diffArrays } from 'diff';
import { spellings } from '../fix/apply-changes.ts';
import type { Change } from '../fix/edit.ts';
import { readAnswer } from '../fix/read-answer.ts';
import { isWhole } from '../fix/whole-file.ts';
import { shownAsIs, shownFiles, shownWhole, withoutLineNumbers } from '../outbound/shown-files.ts';
import type { FixFacts } from '../plugin/contract.ts';

/** A file as the prompt showed it: what is masked or left out there, the model cannot write. */
export interface SeenFile {
  readonly path: string;
  /** The file itself. Never sent. */
  readonly text: string;
  /** Numbers of the lines that were shown exactly as they are. */
  readonly lines: ReadonlySet<number>;
  /** All of it was shown. */
  readonly whole: boolean;
}

/** The files of a prompt, the most likely culprit first. */
export function seenFiles(prompt: string, { files, read }: Pick<FixFacts, 'files' | 'read'>): Promise<SeenFile[]> {
  const shown = shownFiles(prompt).filter(({ path }) => files.includes(path));
  return Promise.all(
    shown.map(async (file) => {
      const text = await read(file.path);
      const lines = shownAsIs(file, text);
      return { path: file.path, text, lines, whole: shownWhole(file, text) };
    }),
  );
}

/** `answer` may be passed on; `wrong` is for the model, to answer again; `says` is what it says instead of a change. */
export type GuardedAnswer = { readonly answer: string } | { readonly wrong: string } | { readonly says: string };

/** Whether a change can be read out of it. */
export const isAnswer = (text: string): boolean => readAnswer(text).ok;

/** A whole file that loses more lines was cut off, or has parts left out. */
const MAX_VANISHED_LINES = 8;
const MAX_PROSE_LENGTH = 600;

/** `doneReason` is `length` when the answer was cut off; `files` are those that the model was shown. Never throws. */
export function guardAnswer(text: string, doneReason: string, files: readonly SeenFile[]): GuardedAnswer {
  if (doneReason === 'length') return { wrong: 'the answer was cut off before its end; answer in fewer words' };
  const answer = withoutLineNumbers(text);
  if (answer.trim() === '') return { wrong: 'the answer is empty' };
  const read = readAnswer(answer);
  if (!read.ok) return read.code === 'no_change' ? { says: oneLine(answer) } : { answer };
  if (isProse(answer) && !read.changes.some((change) => isAbout(change, files))) return { says: oneLine(answer) };
  for (const change of read.changes) {
    if (change.form !== 'whole-file' || change.path === undefined) continue;
    const names = spellings(change.path);
    const file = files.find(({ path }) => names.includes(path));
    // Lines that an excerpt leaves out stay as they are.
    if (!file || !isWhole(change.text, file.text)) continue;
    if (!file.whole) return { wrong: `${file.path} is not shown whole, so it cannot be written whole` };
    const lost = vanishedLines(file.text, change.text);
    if (lost > Math.min(MAX_VANISHED_LINES, Math.ceil(file.lines.size / 2))) {
      return { wrong: `${lost} lines of ${file.path} are missing from the answer` };
    }
  }
  return { answer };
}

const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();

/** Whether an old text that a sentence names, or a line of what may be an excerpt, stands in one of the files. */
function isAbout(change: Change, files: readonly SeenFile[]): boolean {
  if (change.form === 'diff') return true;
  const texts =
    change.form === 'search-replace'
      ? change.blocks.flatMap(({ search, pattern }) => (pattern ? [] : [search]))
      : change.text.split('\n');
  const telling = texts.map((text) => text.trim()).filter((text) => text.length > 2);
  return (
    telling.length === 0 || files.length === 0 || files.some(({ text }) => telling.some((one) => text.includes(one)))
  );
}

/** Lines that are gone without others in their place. */
function vanishedLines(before: string, after: string): number {
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
  answer.trim().length <= MAX_PROSE_LENGTH && !/^\s*(?:`{3}|~{3}|[+-]{1,3} ?\S|@@|<{5})/m.test(answer);
