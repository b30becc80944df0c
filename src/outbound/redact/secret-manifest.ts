// The values of a Kubernetes Secret, whatever their keys are called: as a file, or as kubectl prints it.
import { NO_VALUE } from './looks.ts';
import type { Span } from './spans.ts';

const KIND = /^([ \t]{0,80}(?:- )?)["']?kind["']?:[ \t]{0,4}["']?(\w{1,64})["']?,?[ \t]*\r?$/;
const DATA = /^([ \t]{0,80}(?:- )?)["']?(?:stringData|data)["']?:[ \t]*\{?[ \t]*\r?$/;
const KEY = /^[ \t]{0,80}["']?[\w.-]{1,253}["']?:(?:[ \t]{1,4}|$)/;
const BLOCK = /^[|>][+-]?\d?$/;
/** Its data is no farther from the word than that, or than twice that: lines are looked up by the hundred. */
const NEAR_LINES = 200;

/** What to mask; keys stay. */
export function findManifests(text: string): Span[] {
  if (!/kind["']?:[ \t]{0,4}["']?Secret|stringData/.test(text)) return [];
  const spans: Span[] = [];
  let start = 0;
  for (const document of text.split(/^(?=---|[ \t]*```)/m)) {
    spans.push(...values(document, start));
    start += document.length;
  }
  return spans;
}

/** The entries below every `data` that belongs to a Secret. */
function values(document: string, from: number): Span[] {
  const lines = document.split('\n');
  const owned = dataOfSecrets(lines);
  const spans: Span[] = [];
  let start = from;
  let inside: number | undefined;
  for (const [i, line] of lines.entries()) {
    const depth = line.length - line.trimStart().length;
    if (owned.has(i)) inside = owned.get(i);
    else if (inside !== undefined && line.trim() !== '' && depth <= inside) inside = undefined;
    else if (inside !== undefined) spans.push(...entry(line, start));
    start += line.length + 1;
  }
  return spans;
}

/**
 * The lines `data:` of Secrets, and how deep they are: those whose nearest `kind` of the same depth says so, of two that
 * are as near either. Only a Secret, or the template of one, has stringData; what lists its data is none.
 */
function dataOfSecrets(lines: readonly string[]): Map<number, number> {
  const owned = new Map<number, number>();
  const distances = [nearestKinds(lines, lines.keys()), nearestKinds(lines, [...lines.keys()].reverse())];
  for (const [i, line] of lines.entries()) {
    const depth = DATA.exec(line)?.[1]?.length;
    if (depth === undefined || /^[ \t]*- /.test(lines[i + 1] ?? '')) continue;
    const near = distances.flatMap((side) => side.get(i) ?? []);
    const nearest = Math.min(...near.map(({ distance }) => distance));
    const isSecret = near.some((kind) => kind.isSecret && kind.distance === nearest && nearest <= NEAR_LINES);
    if (isSecret || line.includes('stringData')) owned.set(i, depth);
  }
  return owned;
}

/** For each `data`, the last `kind` of its depth that comes before it in an order of lines. */
function nearestKinds(lines: readonly string[], order: Iterable<number>) {
  const latest = new Map<number, { at: number; isSecret: boolean }>();
  const nearest = new Map<number, { distance: number; isSecret: boolean }>();
  for (const i of order) {
    const [, lead = '', kind] = KIND.exec(lines[i] as string) ?? [];
    if (kind !== undefined) latest.set(lead.length, { at: i, isSecret: kind === 'Secret' });
    const depth = DATA.exec(lines[i] as string)?.[1]?.length;
    const last = depth === undefined ? undefined : latest.get(depth);
    if (last !== undefined) nearest.set(i, { distance: Math.abs(i - last.at), isSecret: last.isSecret });
  }
  return nearest;
}

/** The value of a line `key: value`, its quotes left out, or a line of a longer value. */
function entry(line: string, start: number): Span[] {
  const lead = KEY.exec(line)?.[0].length ?? line.length - line.trimStart().length;
  const value = line.slice(lead).trimEnd();
  const quoted = /^(["'])/.exec(value)?.[1];
  const end = quoted === undefined ? value.length : value.lastIndexOf(quoted);
  const from = quoted === undefined || end <= 0 ? 0 : 1;
  const inner = value.slice(from, end <= 0 ? value.length : end);
  if (!/\w/.test(inner) || BLOCK.test(inner) || NO_VALUE.test(inner)) return [];
  return [{ start: start + lead + from, end: start + lead + from + inner.length, kind: 'kubernetes' }];
}
