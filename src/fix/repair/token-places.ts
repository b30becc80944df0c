// What a change touches of a language that has no tree here: HCL, Jinja, Python, Dockerfile, Makefile, ini, and whatever does not
// parse; by the words of its lines.

import { gaps } from './gaps.ts';
import { isDirective } from './never.ts';
import type { Place, Role } from './place.ts';
import { changedWords } from './split-words.ts';

/** How a language writes comments, whether the blanks before a line mean something, and whether it is run, not only read. */
interface LineLanguage {
  readonly comment: RegExp;
  readonly isIndented?: true;
  readonly isRun?: true;
}

const HASH: LineLanguage = { comment: /^\s*#(?!!).*$/ };
const LINE_LANGUAGES: readonly (readonly [path: RegExp, language: LineLanguage])[] = [
  [/\.(?:tf|tofu|tfvars|hcl)$/i, { comment: /^\s*(?:#|\/\/).*$/, isRun: true }],
  [/\.(?:py|nix)$/i, { ...HASH, isIndented: true, isRun: true }],
  [/\.(?:md|ya?ml|j2|jinja2?|tmpl|gotmpl|tpl)$/i, { ...HASH, isIndented: true }],
  [/(?:^|\/)(?:GNU)?[Mm]akefile[^/]*$|\.mk$|(?:^|\/)\.?justfile$|\.just$/i, { ...HASH, isIndented: true, isRun: true }],
  [/\.(?:ini|cfg|conf|cnf|service|timer|socket|mount|container|network)$/i, { comment: /^\s*[#;].*$/, isRun: true }],
  [/\.(?:json|jsonc|json5)$/i, { comment: /^\s*\/\/.*$/ }],
  [/\.toml$|(?:^|\/)Caddyfile|\.env$/i, HASH],
  [/(?:^|\/)(?:Docker|Container)file[^/]*$|\.(?:sh|bash)$/i, { ...HASH, isRun: true }],
];

const FALLBACK: LineLanguage = { comment: /^(?!)/, isIndented: true };

const lineLanguageOf = (path: string): LineLanguage =>
  LINE_LANGUAGES.find(([pattern]) => pattern.test(path))?.[1] ?? FALLBACK;

/** The places at which the lines of two texts differ. */
export function tokenPlaces(path: string, old: string, now: string): Place[] {
  const language = lineLanguageOf(path);
  const essence = (line: string) => line.replace(/\s+$/, '').replace(/^\s+/, language.isIndented ? '$&' : '');
  const a = linesOf(old, language, essence);
  const b = linesOf(now, language, essence);
  const places = comments(path, old, now, language);
  for (const [gone, come] of gaps(
    a.map(({ text }) => text),
    b.map(({ text }) => text),
  )) {
    const [x, y] = [a.slice(...gone), b.slice(...come)];
    if (x.length !== y.length) {
      const line = x[0]?.line ?? y[0]?.line ?? 1;
      const [before, after] = [x, y].map((lines) => lines.map(({ text }) => text).join('\n')) as [string, string];
      places.push({
        what: 'other',
        path,
        line,
        old: before,
        new: after,
        kind: x.length > y.length ? 'removed' : language.isRun ? 'command' : 'text',
      });
      continue;
    }
    for (const [i, { text, line }] of x.entries())
      places.push(...lineplaces(path, language, line, text, y[i]?.text ?? ''));
  }
  return places;
}

const linesOf = (text: string, { comment }: LineLanguage, essence: (line: string) => string) =>
  text
    .split(/\r?\n/)
    .map((line, i) => ({ text: essence(line), line: i + 1 }))
    .filter(({ text: line }) => line !== '' && !comment.test(line));

function comments(path: string, old: string, now: string, { comment }: LineLanguage): Place[] {
  const all = (text: string) =>
    text
      .split(/\r?\n/)
      .map((text, i) => ({ text, line: i + 1 }))
      .filter(({ text }) => comment.test(text));
  const [a, b] = [all(old), all(now)];
  const only = (some: typeof a, others: typeof a) =>
    some.filter(({ text }) => !others.some((other) => other.text.trim() === text.trim()));
  return [...only(a, b).map((one) => [one, true] as const), ...only(b, a).map((one) => [one, false] as const)]
    .filter(([{ text }]) => isDirective(text))
    .map(([{ text, line }, isOld]) => ({
      what: 'other',
      path,
      line,
      old: isOld ? text : '',
      new: isOld ? '' : text,
      kind: 'tolerance',
    }));
}

/** White space between tokens is none of them: never inside of quotes. */
const squeezed = (line: string): string =>
  line.replace(QUOTED_OR_BLANKS, (all, quoted: string | undefined, at: number) =>
    quoted !== undefined || at === 0 ? all : ' ',
  );
const QUOTED_OR_BLANKS = /("(?:[^"\\]|\\.)*"|'[^']*'|`[^`]*`|["'`].*$)|[ \t]+/g;

function lineplaces(path: string, language: LineLanguage, line: number, old: string, now: string): Place[] {
  if (squeezed(old) === squeezed(now) && !/\\\s*$/.test(old)) return [];
  const words = changedWords(squeezed(old), squeezed(now));
  // Of what is run, other signs decide otherwise.
  if (!words) return [{ what: 'other', path, line, old, new: now, kind: language.isRun ? 'condition' : 'text' }];
  return words.map((word) => ({
    what: 'word',
    path,
    line,
    keys: [keyOf(old)],
    role: roleOf(path, word.left, word.right),
    ...word,
  }));
}

const ASSIGNED = /^\s*(?:-\s+)?["']?([\w.-]+)["']?\s*(?:[:?+]?=|:(?=\s))/;
/** The name that a line gives a value to. */
const keyOf = (line: string): string => ASSIGNED.exec(line)?.[1] ?? '';

/** A word at a line's start with `=` or `:` behind it is a name. */
const roleOf = (path: string, left: string, right: string): Role =>
  (/(?:^|\/)Caddyfile/.test(path) && left.trim() === '') ||
  (/^\s*(?:-\s+|export\s+)?["']?$/.test(left) && /^["']?\s*(?:[:?+]?=(?!=)|:(?:\s|$))/.test(right))
    ? 'key'
    : 'token';
