// A whole file in one fenced block. A diff is never taken for a file's text.
import { type Change, type Refusal, refuse } from '../edit.ts';
import type { Stretch } from './fences.ts';
import { pathOfInfo, pathOfLine } from './path-line.ts';

/** The block that is a file: the only one with a path, or the only one at all, which is then for `hint`. */
export function readWholeFile(
  blocks: readonly Stretch[],
  hint: string | undefined,
): { ok: true; changes: Change[] } | Refusal {
  const named = blocks.flatMap((block) => {
    const path = pathOfInfo(block.info) ?? pathOfLine(block.above);
    return path === undefined ? [] : [{ block, path }];
  });
  const only = blocks.length === 1 ? (blocks[0] as Stretch) : undefined;
  const picked = named.length === 1 ? named[0] : only ? { block: only, path: hint } : undefined;
  if (!picked) {
    return refuse('unreadable', `the answer has ${blocks.length} fenced blocks and does not say which one is the file`);
  }
  const { block, path } = picked;
  if (path === undefined) return refuse('no_path', 'write the path of the file on the line above the block');
  if (!block.closed) return refuse('unreadable', `the block of ${path} does not end: the answer was cut off`);
  if (block.lines.every((line) => line.trim() === '')) return refuse('no_change', `the block of ${path} is empty`);
  return { ok: true, changes: [{ form: 'whole-file', path, text: block.lines.map((line) => `${line}\n`).join('') }] };
}
