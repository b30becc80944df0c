// What diagnostics printed, and the notes of whoever wrote the case, all of it as data.
import { type Diagnostic, type DiagnosticRun, isBlocked } from '../context.ts';
import type { PartLines } from '../document.ts';
import { clipLine, estimateTokens, fenced, fencedWithin, fenceTokens, linesWithin, plainLine } from '../text.ts';

/** Of an output that is cut, this part of the room goes to its beginning. */
const HEAD_SHARE = 0.35;

export const noteLines: PartLines = ({ notes = [], nonce }) => {
  const lines = notes.flatMap((note) => note.split('\n').map((line) => clipLine(plainLine(line))));
  return (room) => fencedWithin(nonce, 'notes', lines, room);
};

/** The room is shared: who needs less leaves it to the others. */
export const diagnosticLines: PartLines =
  ({ diagnostics = [], nonce }) =>
  (room) => {
    const blocks = new Map<number, string[]>();
    let left = room;
    // The short ones first: what they do not need is there for the long ones.
    const bySize = [...diagnostics.entries()].sort(([, a], [, b]) => size(a) - size(b));
    bySize.forEach(([i, one], done) => {
      const lines = block(one, i + 1, nonce, Math.floor(left / (bySize.length - done)) - 1);
      if (lines === undefined) return;
      blocks.set(i, lines);
      left -= estimateTokens(lines.join('\n')) + 1;
    });
    return diagnostics.flatMap((_, i) => blocks.get(i) ?? []);
  };

const size = (one: Diagnostic): number => (isBlocked(one) ? 0 : one.output.length);

function block(one: Diagnostic, number: number, nonce: string, room: number): string[] | undefined {
  const title = `diagnostic ${number}${isBlocked(one) ? ', blocked' : ''}`;
  const lines = isBlocked(one)
    ? [`$ ${plainLine(one.command)}`, `not run: ${plainLine(one.blocked)}`].map((line) => clipLine(line))
    : outputLines(one, room - fenceTokens(nonce, title));
  const all = fenced(nonce, title, lines);
  return estimateTokens(all.join('\n')) <= room ? all : undefined;
}

function outputLines({ command, ended, output, ms }: DiagnosticRun, room: number): string[] {
  const head = [clipLine(`$ ${plainLine(command)}`), `${plainLine(ended)}, ${Math.round(ms / 100) / 10} s`];
  const lines = output.split('\n').map((line) => clipLine(plainLine(line)));
  if (lines.at(-1) === '') lines.pop();
  return [...head, ...ends(lines, room - estimateTokens(head.join('\n')) - 1)];
}

/** The first and the last lines that fit, and between them how many are missing. */
function ends(lines: readonly string[], room: number): string[] {
  const whole = linesWithin(lines, room);
  if (whole.length === lines.length) return whole;
  const first = linesWithin(lines, room * HEAD_SHARE);
  const rest = lines.slice(first.length).reverse();
  const last = linesWithin(rest, room * (1 - HEAD_SHARE) - 15).reverse();
  return [...first, `(${lines.length - first.length - last.length} lines not shown)`, ...last];
}
