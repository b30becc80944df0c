// Where a name that speaks of secrets stands in a text.
import { kindOfName, strengthOf } from './names.ts';
import type { Span } from './spans.ts';

/** A name, with the words before it that say what it is. */
export interface Name {
  text: string;
  start: number;
  end: number;
  word: string;
  strength: number;
}

const MAX_NAME = 64;
/** How much of a line before a name is looked at. */
const MAX_LEAD = 120;

/** A letter of any script, a digit, `_`, `.` or `-`; NaN, before the text, is none. */
export const isNameChar = (code: number): boolean =>
  (code >= 97 && code <= 122) ||
  (code >= 65 && code <= 90) ||
  (code >= 48 && code <= 57) ||
  code === 95 ||
  code === 45 ||
  code === 46 ||
  (code > 127 && code < 0xffff);

const isJoint = (code: number): boolean => code === 45 || code === 46;

/** `api key`, `seed phrase`, `mot de passe`: the words before say what it is. */
const NEEDS_MORE = /^(?:keys?|phrase|words|passe)$/i;
const BEFORE = /(?:^|[^\p{L}\d])((?:[\p{L}\d]{1,24} ){1,2})$/u;
/** `Secret ID = `, `Unseal Key 1: `. */
const REST_OF_NAME = /[ \t](?:id|key|value|string|phrase|words|hash|\d{1,3})(?=["'`\])]{0,2}[ \t]{0,8}[:=])/iy;

/** The whole name that a part of one at `index` belongs to. */
export function nameAround(text: string, index: number): Name {
  let [start, end] = [index, index];
  while (index - start < MAX_NAME && isNameChar(text.charCodeAt(start - 1))) start--;
  while (end - index < MAX_NAME && isNameChar(text.charCodeAt(end)) && !text.startsWith('..', end)) end++;
  while (isJoint(text.charCodeAt(start))) start++;
  while (isJoint(text.charCodeAt(end - 1))) end--;
  REST_OF_NAME.lastIndex = end;
  if (REST_OF_NAME.test(text)) end = REST_OF_NAME.lastIndex;
  const word = text.slice(start, end);
  const strength = strengthOf(word);
  const isShort = word.length < 7 && text.charCodeAt(start - 1) === 32 && NEEDS_MORE.test(word);
  const more = isShort ? (BEFORE.exec(text.slice(Math.max(0, start - 52), start))?.[1] ?? '') : '';
  const whole = more === '' ? strength : strengthOf(more + word);
  return whole === strength
    ? { text, start, end, word, strength }
    : { text, start: start - more.length, end, word: more + word, strength: whole };
}

/** What stands before a place on its line, or the end of it. */
export function lineBefore(text: string, at: number): string {
  const lead = text.slice(Math.max(0, at - MAX_LEAD), at);
  return lead.slice(lead.lastIndexOf('\n') + 1);
}

/** What stands from a place to the end of its line, or to `most` characters behind it. */
export function lineFrom(text: string, at: number, most: number): string {
  // The part first: a search in the whole text would read all of it for each name.
  const part = text.slice(at, at + most);
  const end = part.indexOf('\n');
  return end === -1 ? part : part.slice(0, end);
}

/** The same of the line below it; '' when that begins farther away. */
export const lineBelow = (text: string, at: number, most: number): string => {
  const { length } = lineFrom(text, at, most);
  return length === most ? '' : lineFrom(text, at + length + 1, most - length - 1);
};

export const isLineStart = (text: string, at: number): boolean => at === 0 || text.charCodeAt(at - 1) === 10;

// Of a listing with line numbers, a diff, a list, a trace, a Dockerfile; a quote may open the key or the whole setting.
export const LINE_START =
  /^[ \t]*(?:[\w./-]{1,100}:\d{1,6}[:-]|\d{1,6}[ \t]*[|:]?[ \t]+)?[ \t]*(?:[-+>*|~#][ \t]*){0,4}(?:(?:export|set|ENV|ARG|declare|local|readonly|env|-[exf])[ \t]+){0,2}(?:-x[ \t]+)?(?:[\w-]{1,32}:)?["'`\\[]{0,2}$/;

export const spanOf = (name: string, start: number, end: number): Span => ({ start, end, kind: kindOfName(name) });
