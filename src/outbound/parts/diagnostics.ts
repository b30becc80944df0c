// What diagnostics said, each as data, the room shared among them: who needs less leaves it to the others.
import { type Diagnostic, type DiagnosticRun, isBlocked } from '../context.ts';
import { clipLine, estimateTokens, fenced, linesWithin, plainLine } from '../text.ts';

const FENCE_ROOM = 40;
/** Of an output that is cut, this part of the room goes to its beginning. */
const HEAD_SHARE = 0.35;

/** In at most `room` tokens; nothing when nothing of use fits. */
export function diagnosticLines(all: readonly Diagnostic[], nonce: string, room: number): string[] {
  const blocks = new Map<number, string[]>();
  let left = room;
  const give = (i: number, lines: string[]): void => {
    blocks.set(i, lines);
    left -= estimateTokens(lines.join('\n')) + 1;
  };
  const numbered = all.map((one, i) => ({ one, i }));
  // The short ones first: what they do not need is there for the long ones.
  const bySize = [...numbered].sort((a, b) => size(a.one) - size(b.one));
  bySize.forEach(({ one, i }, done) => {
    const share = Math.floor(left / (bySize.length - done)) - 1;
    const lines = block(one, i + 1, nonce, share);
    if (lines !== undefined) give(i, lines);
  });
  return numbered.flatMap(({ i }) => blocks.get(i) ?? []);
}

const size = (one: Diagnostic): number => (isBlocked(one) ? 0 : one.output.length);

function block(one: Diagnostic, number: number, nonce: string, room: number): string[] | undefined {
  const lines = isBlocked(one)
    ? [`$ ${plainLine(one.command)}`, `not run: ${plainLine(one.blocked)}`].map((line) => clipLine(line))
    : ranLines(one, room - FENCE_ROOM);
  const all = fenced(nonce, `diagnostic ${number}${isBlocked(one) ? ', blocked' : ''}`, lines);
  return estimateTokens(all.join('\n')) <= room ? all : undefined;
}

function ranLines({ command, ended, output, ms }: DiagnosticRun, room: number): string[] {
  const head = [clipLine(`$ ${plainLine(command)}`), `${plainLine(ended)}, ${Math.round(ms / 100) / 10} s`];
  const lines = output.split('\n').map((line) => clipLine(plainLine(line)));
  if (lines.at(-1) === '') lines.pop();
  return [...head, ...ends(lines, room - estimateTokens(head.join('\n')) - 1)];
}

/** The first and the last lines that fit, with what is missing between them said. */
function ends(lines: readonly string[], room: number): string[] {
  const whole = linesWithin(lines, room);
  if (whole.length === lines.length) return whole;
  const first = linesWithin(lines, room * HEAD_SHARE);
  const rest = lines.slice(first.length).reverse();
  const last = linesWithin(rest, room * (1 - HEAD_SHARE) - 15).reverse();
  return [...first, `(${lines.length - first.length - last.length} lines not shown)`, ...last];
}
