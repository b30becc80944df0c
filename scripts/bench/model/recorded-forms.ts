// One change, said as models say it: in the form that is asked for, with more or less talk around it, and not always tidy.
import { structuredPatch } from 'diff';
import type { AnswerFormat } from '../../../src/outbound/context.ts';
import { numbered } from '../../../src/outbound/shown-files.ts';

/** A form in which a change is written out. */
export type WrittenForm = Exclude<AnswerFormat, 'choice'>;

/** A file's text and what should stand there instead, with the words that go with it. */
export interface Said {
  readonly path: string;
  readonly before: string;
  readonly after: string;
  readonly fix: string;
  readonly reason: string;
}

/** `voice` is any number: each says it in another manner. `changes` has one change, or more than was asked for. */
export function say(format: WrittenForm, changes: readonly Said[], voice: number): string {
  const manners = MANNERS[format];
  return (manners[voice % manners.length] as Manner)(changes);
}

type Manner = (changes: readonly Said[]) => string;

const note = (changes: readonly Said[]): string => `Fix: ${changes[0]?.fix}\nReason: ${changes[0]?.reason}\n`;
const each = (changes: readonly Said[], one: (change: Said) => string): string => changes.map(one).join('\n');
const block = (text: string, info = ''): string => `\`\`\`${info}\n${text.replace(/\n*$/, '\n')}\`\`\`\n`;

function hunks({ path, before, after }: Said, heading: (start: number, lines: number) => string): string {
  const { hunks: all } = structuredPatch(path, path, before, after, '', '', { context: 3 });
  const said = all.map(({ oldStart, lines }) => [heading(oldStart, lines.length), ...lines].join('\n'));
  return `--- a/${path}\n+++ b/${path}\n${said.join('\n')}\n`;
}

const DIFF: readonly Manner[] = [
  (all) =>
    `${block(
      each(all, (one) => hunks(one, () => '@@')),
      'diff',
    )}\n${note(all)}`,
  (all) =>
    `Looking at the log, the stage stops at the first error. Here is the smallest change:\n\n${block(
      each(all, (one) => hunks(one, (at, n) => `@@ -${at},${n} +${at},${n} @@`)),
      'diff',
    )}\n${note(all)}\nLet me know if you need anything else!\n`,
  // Line numbers that are simply wrong.
  (all) =>
    `${block(
      each(all, (one) => hunks(one, () => '@@ -42,7 +42,7 @@')),
      'diff',
    )}${note(all)}`,
  (all) => `${each(all, (one) => hunks(one, (at) => `@@ -${at} +${at} @@`))}\n${note(all)}`,
  (all) =>
    `${block(
      each(
        all,
        (one) =>
          `diff --git a/${one.path} b/${one.path}\nindex 83db48f..bf269f4 100644\n${hunks(one, (at, n) => `@@ -${at},${n} +${at},${n} @@`)}`,
      ),
      'patch',
    )}\n**Fix:** ${all[0]?.fix}\n**Reason:** ${all[0]?.reason}\n`,
  // An explanation as a list, which is not part of the diff.
  (all) =>
    `${block(
      each(all, (one) => hunks(one, () => '@@')),
      'diff',
    )}\nWhat I did:\n\n- I read the error lines\n- I changed only ${all[0]?.path}\n\n${note(all)}`,
];

const WHOLE: readonly Manner[] = [
  (all) => `${each(all, ({ path, after }) => `${path}\n${block(after)}`)}\n${note(all)}`,
  (all) =>
    `${each(all, ({ path, after }) => `Here is the corrected \`${path}\`:\n\n${block(after, 'bash')}`)}\n${note(all)}`,
  (all) => `${each(all, ({ path, after }) => `### ${path}\n\n${block(after, 'text')}`)}\n${note(all)}`,
  (all) =>
    `${each(all, ({ path, after }) => `File: ${path}\n${block(after)}`)}${note(all)}\nThis should resolve the issue.\n`,
  // The numbers before the lines, copied.
  (all) => `${each(all, ({ path, after }) => `${path}\n${block(withNumbers(after))}`)}\n${note(all)}`,
];

const SEARCH: readonly Manner[] = [
  (all) => `${each(all, (one) => `${one.path}\n${searched(one)}`)}\n${note(all)}`,
  (all) => `Sure, here is the fix.\n\n${each(all, (one) => `\`${one.path}\`\n${block(searched(one))}`)}\n${note(all)}`,
  (all) => `${each(all, (one) => block(`${one.path}\n${searched(one)}`))}\n${note(all)}`,
];

const JSON_EDIT: readonly Manner[] = [
  ([one]) => JSON.stringify(edited(one as Said)),
  ([one]) => JSON.stringify(edited(one as Said), null, 2),
  ([one]) => `${JSON.stringify(edited(one as Said))}\n\n`,
];

const MANNERS: Readonly<Record<WrittenForm, readonly Manner[]>> = {
  diff: DIFF,
  'whole-file': WHOLE,
  'search-replace': SEARCH,
  json: JSON_EDIT,
};

function withNumbers(text: string): string {
  const lines = linesOf(text);
  return lines.map((line, i) => numbered(line, i + 1, String(lines.length).length)).join('\n');
}

interface Replaced {
  /** Counted from 1, both included. */
  readonly start: number;
  readonly end: number;
  readonly gone: readonly string[];
  readonly come: readonly string[];
}

/** The lines that differ, and around them as many as make them be found only once. There is always one that goes. */
function replaced({ before, after }: Said): Replaced {
  const [old, now] = [linesOf(before), linesOf(after)];
  let start = 0;
  while (start < Math.min(old.length, now.length) && old[start] === now[start]) start++;
  let end = 0;
  while (end < Math.min(old.length, now.length) - start && old.at(-1 - end) === now.at(-1 - end)) end++;
  const part = () => old.slice(start, old.length - end);
  const times = () => before.split(part().join('\n')).length - 1;
  while (part().length === 0 || times() > 1) {
    if (start > 0) start--;
    else if (end > 0) end--;
    else break;
  }
  return { start: start + 1, end: old.length - end, gone: part(), come: now.slice(start, now.length - end) };
}

function linesOf(text: string): string[] {
  const lines = text.split(/\r?\n/);
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

function searched(one: Said): string {
  const { gone, come } = replaced(one);
  return ['<<<<<<< SEARCH', ...gone, '=======', ...come, '>>>>>>> REPLACE', ''].join('\n');
}

function edited(one: Said): object {
  const { start, end, come } = replaced(one);
  return { fix: one.fix, reason: one.reason, path: one.path, start, end, replacement: come.join('\n') };
}
