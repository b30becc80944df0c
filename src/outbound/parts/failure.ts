// What broke, and where: the error lines, the end of the log, and the stage in the owner's words.
import { cleanLine, cleanLines } from '../../failure/clean.ts';
import { commandText } from '../context.ts';
import type { PartLines } from '../document.ts';
import { clipLine, estimateTokens, fenced, fencedWithin, fenceTokens, linesWithin, oneLine } from '../text.ts';

const MAX_LOG_LINES = 100;
const MAX_LOG_CHARS = 400_000;

export const errorLines: PartLines = ({ failure, nonce }) => {
  const lines = failure.error_lines.map((line) => clipLine(cleanLine(line))).filter((line) => line !== '');
  return (room) => fencedWithin(nonce, 'error lines', lines, room);
};

/** The class stands above the lines, and stays when no line fits. */
export const classAndErrorLines: PartLines = (context) => {
  const { class: name, ended } = context.failure;
  const head = `Class: ${name} · ended with ${ended}`;
  const lines = errorLines(context);
  return (room) => {
    const fence = lines(room - estimateTokens(head) - 1);
    return fence.length === 0 ? [head] : [head, '', ...fence];
  };
};

/** As much of the end as fits, in at most `most` lines. */
export const logEnd =
  (most: number = MAX_LOG_LINES): PartLines =>
  ({ log, nonce }) => {
    const newestFirst = lastLines(log).reverse().slice(0, most);
    return (room) => {
      const lines = linesWithin(newestFirst, room - fenceTokens(nonce, `the last ${MAX_LOG_LINES} lines`)).reverse();
      const title = lines.length === 1 ? 'the last line' : `the last ${lines.length} lines`;
      return lines.length === 0 ? [] : fenced(nonce, title, lines);
    };
  };

/** The last lines of the log, cleaned, a line that repeats said once. */
export function lastLines(log: string): string[] {
  const cut = log.length > MAX_LOG_CHARS;
  const lines = cleanLines({ text: cut ? log.slice(-MAX_LOG_CHARS) : log, cut }).filter((line) => line !== '');
  const newestFirst: string[] = [];
  let times = 1;
  for (let i = lines.length - 1; i >= 0 && newestFirst.length < MAX_LOG_LINES; i--) {
    const line = lines[i] as string;
    if (line === lines[i - 1]) {
      times++;
      continue;
    }
    newestFirst.push(times > 1 ? `${clipLine(line)} (${times} times)` : clipLine(line));
    times = 1;
  }
  return newestFirst.reverse();
}

export const successCriteria: PartLines = ({ stage }) => {
  const lines = (stage.success_criteria ?? []).map((line) => `- ${clipLine(line)}`);
  return (room) => linesWithin(lines, room);
};

export const stageLines: PartLines = ({ stage, step }) => {
  const { name, description = '', needs = [], files = [], success_criteria: criteria = [] } = stage;
  const lines = [
    `- Stage: ${name}${description === '' ? '' : `, ${oneLine(description)}`}`,
    ...(step === undefined || step === name ? [] : [`- Step: ${oneLine(step)}`]),
    `- Runs: ${oneLine(commandText(stage))}`,
    ...(needs.length === 0 ? [] : [`- Needs: ${oneLine(needs.join(', '))}`]),
    `- Files it may change: ${files.length === 0 ? 'none' : oneLine(files.join(', '))}`,
    ...criteria.map((line) => `- Succeeds when: ${oneLine(line)}`),
  ];
  return (room) => linesWithin(lines, room);
};
