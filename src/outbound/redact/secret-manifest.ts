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
  const kinds = new Map<number, { at: number; isSecret: boolean }[]>();
  for (const [at, line] of lines.entries()) {
    const [, lead = '', kind] = line.includes('kind') ? (KIND.exec(line) ?? []) : [];
    if (kind === undefined) continue;
    const all = kinds.get(lead.length) ?? [];
    kinds.set(lead.length, all);
    all.push({ at, isSecret: kind === 'Secret' });
  }
  const owned = new Map<number, number>();
  /** By depth, which of the kinds is the first that does not stand before the line. */
  const next = new Map<number, number>();
  for (const [i, line] of lines.entries()) {
    const depth = line.includes('ata') ? DATA.exec(line)?.[1]?.length : undefined;
    if (depth === undefined || /^[ \t]*- /.test(lines[i + 1] ?? '')) continue;
    const all = kinds.get(depth) ?? [];
    let n = next.get(depth) ?? 0;
    while (n < all.length && (all[n] as { at: number }).at < i) n++;
    next.set(depth, n);
    const near = all
      .slice(Math.max(0, n - 1), n + 1)
      .map(({ at, isSecret }) => ({ distance: Math.abs(at - i), isSecret }));
    const nearest = Math.min(NEAR_LINES, ...near.map(({ distance }) => distance));
    const isSecret = near.some((kind) => kind.isSecret && kind.distance === nearest);
    if (isSecret || line.includes('stringData')) owned.set(i, depth);
  }
  return owned;
}

/** The value of a line `key: value`, its quotes left out, or a line of a longer value. */
function entry(line: string, start: number): Span[] {
  const lead = KEY.exec(line)?.[0].length ?? line.length - line.trimStart().length;
  const value = line.slice(lead).trimEnd();
  const inner = /^(["'])(.*)\1/.exec(value)?.[2] ?? value;
  if (!/\w/.test(inner) || BLOCK.test(inner) || NO_VALUE.test(inner)) return [];
  const from = start + lead + value.indexOf(inner);
  return [{ start: from, end: from + inner.length, kind: 'kubernetes' }];
}
