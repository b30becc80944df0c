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
  [
    /\.(?:ini|cfg|conf|cnf|service|timer|socket|mount|container|network)$/i,
    { comment: /^\s*[#;].*$/, isIndented: true, isRun: true },
  ],
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
  for (const { gone: x, come: y } of gaps(a, b, ({ text }) => text)) {
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
    for (const [i, { text, line, isInside }] of x.entries())
      places.push(...linePlaces(path, language, { text, line, isInside }, y[i]?.text ?? ''));
  }
  return places;
}

interface Line {
  readonly text: string;
  readonly line: number;
  /** It is part of a text or goes on from the line before: every sign and blank of it counts. */
  readonly isInside: boolean;
}

const TEXT_BEGINS = /<<[-~]?\s*["']?(\w+)["']?|("""|'''|\/\*)/;

/** The lines of a text, and which of them lie in a here-document, a long string, a block comment, or behind a line that goes on. */
function scanned(text: string): Line[] {
  let end: string | undefined;
  let goesOn = false;
  return text.split(/\r?\n/).map((line, i) => {
    const isInside = end !== undefined || goesOn;
    if (end !== undefined) end = line.includes(end) ? undefined : end;
    else {
      const [found = '', name, sign] = TEXT_BEGINS.exec(line) ?? [];
      const closing = name ?? (sign === '/*' ? '*/' : sign);
      const rest = line.slice(line.indexOf(found) + found.length);
      if (closing !== undefined && !(sign !== undefined && rest.includes(closing))) end = closing;
    }
    goesOn = /\\\s*$/.test(line);
    return { text: line, line: i + 1, isInside: isInside || goesOn };
  });
}

const linesOf = (text: string, { comment }: LineLanguage, essence: (line: string) => string): Line[] =>
  scanned(text)
    .map((line) => (line.isInside ? line : { ...line, text: essence(line.text) }))
    .filter(({ text: line, isInside }) => isInside || (line !== '' && !comment.test(line)));

/** Comments that speak to a tool, each with how much stands before it. */
function comments(path: string, old: string, now: string, { comment }: LineLanguage): Place[] {
  const all = (text: string) => {
    const lines = scanned(text);
    return lines.flatMap((one, i) => {
      if (one.isInside || !comment.test(one.text) || !isDirective(one.text)) return [];
      const above = lines.slice(0, i).filter((other) => other.text.trim() !== '' && !comment.test(other.text));
      return [{ ...one, key: `${one.text.trim()}\u0001${above.length}` }];
    });
  };
  const [a, b] = [all(old), all(now)];
  const only = (some: typeof a, others: typeof a) =>
    some.filter(({ key }) => !others.some((other) => other.key === key));
  const place = (text: string, line: number, isOld: boolean): Place => {
    const texts = { old: isOld ? text : '', new: isOld ? '' : text };
    return { what: 'other', path, line, ...texts, kind: 'tolerance' };
  };
  return [
    ...only(a, b).map(({ text, line }) => place(text, line, true)),
    ...only(b, a).map(({ text, line }) => place(text, line, false)),
  ];
}

/** White space between tokens is none of them: never inside of quotes. */
const squeezed = (line: string): string =>
  line.replace(QUOTED_OR_BLANKS, (all, quoted: string | undefined, at: number) =>
    quoted !== undefined || at === 0 ? all : ' ',
  );
const QUOTED_OR_BLANKS = /("(?:[^"\\]|\\.)*"|'[^']*'|`[^`]*`|["'`].*$)|[ \t]+/g;

function linePlaces(path: string, language: LineLanguage, { text: old, line, isInside }: Line, now: string): Place[] {
  const plain = isInside ? (text: string) => text : squeezed;
  if (plain(old) === plain(now)) return [];
  const words = changedWords(plain(old), plain(now));
  // Of what is run, other signs decide otherwise.
  if (!words) return [{ what: 'other', path, line, old, new: now, kind: language.isRun ? 'condition' : 'text' }];
  return words.map((word) => ({
    what: 'word',
    ...{ path, line, keys: [keyOf(old)], role: roleOf(path, word.left, word.right) },
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
