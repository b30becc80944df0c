// What was tried on the failure before, and why it did not help: the latest first when there is no room for all.
import { MAP_FILE } from '../../config/files.ts';
import { authorOf } from '../../triage/words.ts';
import { type FailureContext, TRY_OUTCOMES, type Try } from '../context.ts';
import type { PartLines } from '../document.ts';
import { clipLine, estimateTokens, fenced } from '../text.ts';

const INTRO =
  'Do not propose any of these again, nor the same with other comments, messages or white space; they show what does not help.';
const MAX_DIFF_LINES = 40;
/** For "(12 earlier not shown)". */
const REMARK_ROOM = 10;

/** `detailed` says of each attempt which tier made it, and of a refused one what it was to do. */
export const earlierTries =
  (detailed: boolean): PartLines =>
  (context) =>
  (room) => {
    const { tries = [] } = context;
    const blocks: string[] = [];
    let left = room - estimateTokens(INTRO) - 1 - REMARK_ROOM;
    for (let i = tries.length - 1; i >= 0; i--) {
      const block = tryBlock(tries[i] as Try, i + 1, context, detailed, left);
      if (block === undefined) break;
      left -= estimateTokens(block) + 1;
      blocks.unshift(block);
    }
    if (blocks.length === 0) return [];
    const hidden = tries.length - blocks.length;
    const all = hidden === 0 ? blocks : [...blocks, `(${hidden} earlier not shown)`];
    const intro = tries.every(({ outcome }) => outcome === 'passed') ? [] : [INTRO, ''];
    return [...intro, all.join('\n\n')];
  };

/** Without its diff where that does not fit; undefined when nothing of it does. */
function tryBlock(
  one: Try,
  number: number,
  context: FailureContext,
  detailed: boolean,
  room: number,
): string | undefined {
  const by = authorOf(one, detailed && one.tier ? `${one.tier} tier` : undefined);
  const often = one.times ? ` (proposed ${one.times} times)` : '';
  const head = `Attempt ${number}, by ${by}: ${TRY_OUTCOMES[one.outcome] ?? one.outcome}${often}`;
  const note = detailed || one.code === undefined ? one.note : undefined;
  const shapes = detailed ? (one.shapes ?? []).map((shape) => `Repair: ${shape}`) : [];
  const opening = detailed && one.opens ? [howOpened(one.opens, context)] : [];
  const reasons = [
    whyOf(one, detailed),
    note && `Fix: ${note.fix}`,
    note && `Reason: ${note.reason}`,
    ...shapes,
    ...opening,
  ];
  const words = reasons.flatMap((line) => (line ? [clipLine(line.replaceAll('\n', ' '))] : []));
  const diff = (one.diff ?? '').trimEnd().split('\n').slice(0, MAX_DIFF_LINES);
  const change = one.diff === undefined ? [] : diff.map((line) => clipLine(line));
  const block = (lines: readonly string[]): string =>
    lines.length === 0 ? head : [head, ...fenced(context.nonce, `attempt ${number}`, lines)].join('\n');
  return [block([...words, ...change]), block(words)].find((text) => estimateTokens(text) <= room);
}

/** What its owner does to let in a change outside of the files that the stage may change. */
function howOpened(
  { files, patch }: NonNullable<Try['opens']>,
  { stage, case: name = '<case>' }: FailureContext,
): string {
  const lines = files.map((path) => JSON.stringify(path)).join(', ');
  return `To let it in: add ${lines} to files of ${stage.name} in ${MAP_FILE}, commit, then: mendloop cases answer ${name} ${patch}`;
}

function whyOf({ code, why }: Try, detailed: boolean): string | undefined {
  if (why === undefined) return undefined;
  if (code === undefined) return `Why: ${why}`;
  return detailed ? `Why: refused (${code}): ${why}` : `Why: ${code}: ${why}`;
}
