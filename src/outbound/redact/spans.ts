// Parts of a text that are to be masked: merged where they overlap, cut at line ends, so that a masked text has the lines of
// the original.

export interface Range {
  start: number;
  end: number;
}

export interface Span extends Range {
  kind: string;
}

/** A span of a part of a text that begins at `offset`. */
export const movedBy = ({ start, end, kind }: Span, offset: number): Span => ({
  start: start + offset,
  end: end + offset,
  kind,
});

/** `text` with each of `places`, which are in order and apart, replaced. */
export function replaceEach<P extends Range>(text: string, places: readonly P[], by: (place: P) => string): string {
  const parts: string[] = [];
  let from = 0;
  for (const place of places) {
    parts.push(text.slice(from, place.start), by(place));
    from = place.end;
  }
  return parts.join('') + text.slice(from);
}

/** In order and apart; where two overlap the kind of the first one given wins. */
export function merge(spans: readonly Span[]): Span[] {
  const sorted = spans
    .map(({ start, end, kind }, given) => ({ start, end, kind, given }))
    .sort((a, b) => a.start - b.start || a.given - b.given);
  const merged: (Span & { given: number })[] = [];
  for (const span of sorted) {
    const last = merged.at(-1);
    if (last === undefined || span.start >= last.end) merged.push(span);
    else {
      last.end = Math.max(last.end, span.end);
      if (span.given < last.given) [last.kind, last.given] = [span.kind, span.given];
    }
  }
  return merged;
}

/** `spans` without what `holes` cover; both in order and apart. */
export function without(spans: readonly Span[], holes: readonly Range[]): Span[] {
  const left: Span[] = [];
  let next = 0;
  for (const { start, end, kind } of spans) {
    let at = start;
    while (next < holes.length && (holes[next] as Span).end <= at) next++;
    for (let i = next; i < holes.length && (holes[i] as Span).start < end; i++) {
      const { start: from, end: to } = holes[i] as Span;
      if (from > at) left.push({ start: at, end: from, kind });
      at = Math.max(at, to);
    }
    if (at < end) left.push({ start: at, end, kind });
  }
  return left;
}

const TRIMMED = /\S(?:[^\r\n]*\S)?/g;

/** Each span line by line, trimmed; blank lines are dropped. */
export function cutAtLines(text: string, spans: readonly Span[]): Span[] {
  const lines: Span[] = [];
  for (const { start, end, kind } of spans) {
    const part = text.slice(start, end);
    TRIMMED.lastIndex = 0;
    for (let line = TRIMMED.exec(part); line !== null; line = TRIMMED.exec(part))
      lines.push({ start: start + line.index, end: start + TRIMMED.lastIndex, kind });
  }
  return lines;
}

const CROWD = 200;

/**
 * Of so many on one line nobody reads what is between them: they become one, from the first to the last. Keeps `spans`,
 * which are in order and each on one line, and what `walls` hold apart.
 */
export function mergeCrowds(text: string, spans: readonly Span[], walls: readonly Range[]): Span[] {
  if (spans.length < CROWD) return [...spans];
  const lines: Span[][] = [];
  let end = -1;
  for (const span of spans) {
    if (span.start >= end) {
      lines.push([]);
      end = text.indexOf('\n', span.start);
      if (end === -1) end = text.length + 1;
    }
    lines.at(-1)?.push(span);
  }
  return lines.flatMap((line) => {
    const [first, last] = [line[0] as Span, line.at(-1) as Span];
    return line.length < CROWD ? line : without([{ ...first, end: last.end }], walls);
  });
}
