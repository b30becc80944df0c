// The file's lines that a refused hunk comes closest to, with their numbers, for a model to copy from.
import { similarity } from './indentation.ts';
import type { Pattern } from './pattern.ts';
import type { Placing } from './place-hunk.ts';
import type { Source } from './source.ts';

const AROUND = 3;
/** Lines compared when nothing of the hunk is in the file. */
const COMPARED = 3000;
/** Places shown of an ambiguous hunk. */
const PLACES = 6;

/** At most a dozen lines. Never throws. */
export function nearestLines(
  pattern: Pattern,
  { code, near }: Extract<Placing, { kind: 'refused' }>,
  source: Source,
): string[] {
  const numbered = (at: number): string => `  line ${at + 1}: ${(source.lines[at] ?? '').slice(0, 200)}`;
  if (code === 'ambiguous') {
    return near.slice(0, PLACES).map((start) => numbered(Math.min(start, source.lines.length - 1)));
  }
  const at = near[0] ?? mostAlike(pattern, source);
  if (at === undefined) return [];
  const from = Math.max(0, at - AROUND);
  const to = Math.min(source.lines.length, at + Math.min(pattern.old.length, 6) + AROUND);
  return ['nearest lines:', ...Array.from({ length: Math.max(0, to - from) }, (_, i) => numbered(from + i))];
}

function mostAlike({ old }: Pattern, source: Source): number | undefined {
  const telling = old.filter(({ removed }) => removed);
  const wanted = (telling.length > 0 ? telling : old).reduce((a, b) => (b.trimmed.length > a.trimmed.length ? b : a), {
    trimmed: '',
  }).trimmed;
  let best = { at: -1, alike: 0.4 };
  for (let at = 0; at < Math.min(source.lines.length, COMPARED); at++) {
    const alike = similarity(source.trimmed[at] as string, wanted);
    if (alike > best.alike) best = { at, alike };
  }
  return best.at < 0 ? undefined : best.at;
}
