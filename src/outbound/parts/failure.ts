// What broke, and where: the error lines, the end of the log, and the stage in the owner's words.
import { cleanLine, cleanLinesFromEnd } from '../../failure/clean.ts';
import { isChatter, isFrame } from '../../failure/grade.ts';
import { commandText, type FailureContext } from '../context.ts';
import type { PartLines } from '../document.ts';
import { clipLine, estimateTokens, fenced, fencedWithin, fenceTokens, linesWithin, oneLine } from '../text.ts';

const MAX_LOG_LINES = 100;
const MAX_LOG_CHARS = 400_000;

export const errorLines: PartLines = ({ failure, nonce }) => {
  const lines = failure.error_lines.map((line) => clipLine(cleanLine(line))).filter((line) => line !== '');
  return (room) => fencedWithin(nonce, 'error lines', lines, room);
};

/** The class, how it ended, and on which cells; of a failed check the error lines say that the command succeeded. */
export const howItFailed = ({ class: name, ended, cells, error_lines }: FailureContext['failure']): string => {
  const isCheck = error_lines.some((line) => /^\(?the command succeeded; /.test(line));
  const end = isCheck ? 'a check failed' : `ended with ${oneLine(ended)}`;
  return [`Class: ${name}`, end, ...(cells ? [`alike on ${oneLine(cells)}`] : [])].join(' · ');
};

/** The class stands above the lines, and stays when no line fits. */
export const classAndErrorLines: PartLines = (context) => {
  const head = howItFailed(context.failure);
  const lines = errorLines(context);
  return (room) => {
    const fence = lines(room - estimateTokens(head) - 1);
    return fence.length === 0 ? [head] : [head, '', ...fence];
  };
};

/** As much of the end as fits. */
export const logEnd: PartLines = ({ log, nonce }) => endOf(lastLines(log), nonce, '');

/** As much as fits of the end, in at most `most` lines, without what says nothing of the failure. */
export const tellingLogEnd =
  (most: number): PartLines =>
  ({ log, nonce, tree = [] }) => {
    const all = lastLines(log);
    const telling = withoutFiller(all, tree);
    return endOf(
      telling.slice(-most),
      nonce,
      telling.length < all.length ? ', without progress and stack frames of libraries' : '',
    );
  };

function endOf(all: readonly string[], nonce: string, remark: string): ReturnType<PartLines> {
  return (room) => {
    const title = (count: number) => `${count === 1 ? 'the last line' : `the last ${count} lines`}${remark}`;
    const lines = linesWithin(all.toReversed(), room - fenceTokens(nonce, title(MAX_LOG_LINES))).reverse();
    return lines.length === 0 ? [] : fenced(nonce, title(lines.length), lines);
  };
}

const PYTHON_FRAME = /^\s*File "/;
const CARETS = /^\s*[\^~]+\s*$/;
const LIBRARY = /(?:site|dist)-packages\/|\bnode_modules\/|\bnode:|"\/usr\//;
/** A result of Ansible over several lines, which went well. */
const RESULT = /^(?:ok|changed): \[.*=> \{$/;
const ALL_WELL = /^\S+ +: ok=\d+ .*\bunreachable=0 +failed=0\b/;
const OF_HOST = /^(?:fatal|failed): \[([^\]]+)\]/;
/** So much of what a host says tells whether another says the same. */
const MAX_COMPARED = 200;

/** Without progress, foreign stack frames, tasks of Ansible that went well, and what further hosts say alike. */
function withoutFiller(lines: readonly string[], tree: readonly string[]): string[] {
  const names = new Set(tree.map((path) => path.slice(path.lastIndexOf('/') + 1)));
  const isOurs = (line: string) =>
    !LIBRARY.test(line) && (line.match(/[\w.-]+/g) ?? []).some((word) => names.has(word));
  const ofHosts = new Set<string>();
  let below = '';
  const telling = lines.filter((line) => {
    // Source and carets go with the frame or line that they stand below.
    if (CARETS.test(line) || (below !== '' && /^ {4}/.test(line) && !PYTHON_FRAME.test(line))) return below === '';
    const isForeign = (isFrame(line) && !isOurs(line)) || (line === '}' && RESULT.test(below));
    below = (isForeign && PYTHON_FRAME.test(line)) || RESULT.test(line) ? line : '';
    if (isForeign || isChatter(line) || ALL_WELL.test(line)) return false;
    const host = OF_HOST.exec(line)?.[1];
    if (host === undefined) return true;
    const alike = line.replaceAll(host, '').replaceAll(/\d+/g, '#').slice(0, MAX_COMPARED);
    const isNew = !ofHosts.has(alike);
    ofHosts.add(alike);
    return isNew;
  });
  const failed = withoutDone(
    withoutDone(telling, /^(?:TASK|RUNNING HANDLER) \[/, /^(?:PLAY|TASK|RUNNING HANDLER)\b/),
    /^PLAY \[/,
    /^PLAY\b/,
  );
  return failed.map((line) => line.replace(/ \*{3,}$/, ''));
}

/** Without headings that nothing stands below. */
const withoutDone = (lines: readonly string[], heading: RegExp, next: RegExp): string[] =>
  lines.filter((line, i) => !(heading.test(line) && next.test(lines[i + 1] ?? '')));

/** The last lines of the log, cleaned, a line that repeats said once. */
export function lastLines(log: string): string[] {
  const cut = log.length > MAX_LOG_CHARS;
  const newestFirst: { line: string; times: number }[] = [];
  for (const line of cleanLinesFromEnd({ text: cut ? log.slice(-MAX_LOG_CHARS) : log, cut })) {
    const last = newestFirst.at(-1);
    if (line === '') continue;
    if (line === last?.line) last.times++;
    else if (newestFirst.length === MAX_LOG_LINES) break;
    else newestFirst.push({ line, times: 1 });
  }
  return newestFirst
    .reverse()
    .map(({ line, times }) => (times > 1 ? `${clipLine(line)} (${times} times)` : clipLine(line)));
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
