// In YAML and Markdown a list entry `- x` of the context that lost its marker reads as a removed line ` x`.
import type { Hunk, HunkLine } from '../edit.ts';
import { similarity } from './indentation.ts';
import { indentOf, type Source } from './source.ts';

/**
 * The hunk with such lines read as context. Undefined when there are none; 'unclear' when nothing else shows that
 * markers were lost, or when the line could be meant to go.
 */
export function withDashesBack(hunk: Hunk, source: Source): Hunk | 'unclear' | undefined {
  const lost = hunk.lines.map((line) => line.op === '-' && isEntry(line, source));
  if (!lost.includes(true)) return undefined;
  const lines = hunk.lines.map(
    (line, i): HunkLine => (lost[i] ? { op: ' ', text: `-${line.text}`, bare: true } : line),
  );
  const evident = hunk.lines.some((line) => line.op === ' ' && (line.bare || lacksSpace(line, source)));
  const replaced = lost.some((is, i) => is && isReplaced(hunk.lines, i));
  return evident && !replaced && lines.some(({ op }) => op !== ' ') ? { ...hunk, lines } : 'unclear';
}

const isEntry = ({ text }: HunkLine, source: Source): boolean => {
  const whole = `-${text}`.trimEnd();
  return (
    !source.at.has(text.trim()) && (source.at.get(whole) ?? []).some((at) => source.lines[at]?.trimEnd() === whole)
  );
};

const lacksSpace = ({ text }: HunkLine, source: Source): boolean => {
  const places = source.at.get(text.trim());
  return places?.length === 1 && indentOf(source.lines[places[0] as number] as string) === ` ${indentOf(text)}`;
};

/** An added line just after it that looks like it and is written the same way: then it may be meant to go. */
function isReplaced(lines: readonly HunkLine[], i: number): boolean {
  const { text } = lines[i] as HunkLine;
  for (let n = i + 1; lines[n]?.op === '+'; n++) {
    const added = (lines[n] as HunkLine).text;
    if (added.startsWith('-') || indentOf(added) !== indentOf(text)) continue;
    if (similarity(added.trim(), text.trim()) >= 0.5) return true;
  }
  return false;
}
