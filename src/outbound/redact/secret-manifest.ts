// The values of a Kubernetes Secret, whatever their keys are called: as a file, or as kubectl prints it.
import { NO_VALUE } from './no-secret.ts';
import type { Span } from './spans.ts';

const KIND = /^([ \t]{0,80}(?:- )?)["']?kind["']?:[ \t]{0,4}["']?Secret["']?,?[ \t]*\r?$/;
const DATA = /^([ \t]{0,80}(?:- )?)["']?(?:stringData|data)["']?:[ \t]*\{?[ \t]*\r?$/;
const KEY = /^[ \t]{0,80}["']?[\w.-]{1,253}["']?:(?:[ \t]{1,4}|$)/;
const BLOCK = /^[|>][+-]?\d?$/;
/** Its data is no farther from the word than that, or than twice that: lines are looked up by the hundred. */
const NEAR_LINES = 200;

/** What to mask; keys stay. */
export function findManifests(text: string): Span[] {
  if (!/kind["']?:[ \t]{0,4}["']?Secret/.test(text)) return [];
  const spans: Span[] = [];
  let start = 0;
  for (const document of text.split(/^(?=---)/m)) {
    spans.push(...values(document, start));
    start += document.length;
  }
  return spans;
}

/** The entries below every `data` that has the indentation of a `kind: Secret` near it. */
function values(document: string, from: number): Span[] {
  const lines = document.split('\n');
  const kinds = new Set(
    lines.flatMap((line, i) => {
      const indent = KIND.exec(line)?.[1]?.length;
      const at = Math.floor(i / NEAR_LINES);
      return indent === undefined ? [] : [at - 1, at, at + 1].map((near) => `${indent} ${near}`);
    }),
  );
  if (kinds.size === 0) return [];
  const spans: Span[] = [];
  let start = from;
  let inside: number | undefined;
  for (const [i, line] of lines.entries()) {
    const data = DATA.exec(line)?.[1]?.length;
    const depth = line.length - line.trimStart().length;
    if (data !== undefined && kinds.has(`${data} ${Math.floor(i / NEAR_LINES)}`)) inside = data;
    else if (inside !== undefined && line.trim() !== '' && depth <= inside) inside = undefined;
    else if (inside !== undefined) spans.push(...entry(line, start));
    start += line.length + 1;
  }
  return spans;
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
