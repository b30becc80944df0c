// What a change touches of a language that has no tree here: HCL, Jinja, Python, Dockerfile, Makefile, ini, and whatever does not
// parse; by the words of its lines.
import { gaps } from './gaps.ts';
import { isDirective } from './never.ts';
import type { Place, Role } from './place.ts';
import { type Directive, decision, directivePlaces, wordPlaces } from './texts.ts';

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

/** The places at which the lines of two texts differ. */
export function tokenPlaces(path: string, old: string, now: string): Place[] {
  const language = LINE_LANGUAGES.find(([pattern]) => pattern.test(path))?.[1] ?? FALLBACK;
  const [a, b] = [linesOf(old, language), linesOf(now, language)];
  const [gone, come] = [a, b].map((lines) => lines.filter(({ isComment }) => !isComment)) as [Line[], Line[]];
  const places = gaps(gone, come, ({ text }) => text).flatMap(({ gone: x, come: y }) => {
    if (x.length === y.length) return x.flatMap((line, i) => linePlaces(path, language, line, y[i] as Line));
    const [before, after] = [x, y].map((lines) => lines.map(({ text }) => text).join('\n')) as [string, string];
    const kind = x.length > y.length ? 'removed' : language.isRun ? 'command' : 'text';
    return [decision({ path, line: (x[0] ?? y[0])?.line ?? 1 }, kind, before, after)];
  });
  return [...directivePlaces(path, directivesOf(a), directivesOf(b)), ...places];
}

interface Line {
  readonly text: string;
  readonly line: number;
  /** It is part of a text or goes on from the line before: every sign and blank of it counts. */
  readonly isInside: boolean;
  readonly isComment: boolean;
}

const TEXT_BEGINS = /<<[-~]?\s*["']?(\w+)["']?|("""|'''|\/\*)/;

/** The lines that are not empty, and which of them lie in a here-document, a long string, a block comment, or behind a line that goes on. */
function linesOf(text: string, { comment, isIndented }: LineLanguage): Line[] {
  let end: string | undefined;
  let goesOn = false;
  const all = text.split(/\r?\n/).map((line, i) => {
    const wasInside = end !== undefined || goesOn;
    if (end !== undefined) end = line.includes(end) ? undefined : end;
    else {
      const [begin = '', name, sign] = TEXT_BEGINS.exec(line) ?? [];
      const closing = name ?? (sign === '/*' ? '*/' : sign);
      const rest = line.slice(line.indexOf(begin) + begin.length);
      if (closing !== undefined && !(sign !== undefined && rest.includes(closing))) end = closing;
    }
    goesOn = /\\\s*$/.test(line);
    const isInside = wasInside || goesOn;
    const essence = squeezed(isIndented ? line.trimEnd() : line.trim());
    return { text: isInside ? line : essence, line: i + 1, isInside, isComment: !isInside && comment.test(line) };
  });
  return all.filter(({ text: line, isInside }) => isInside || line !== '');
}

function directivesOf(lines: readonly Line[]): Directive[] {
  let above = 0;
  return lines.flatMap(({ text, line, isComment }) => {
    if (!isComment) above++;
    return isComment && isDirective(text) ? [{ text: text.trim(), line, above }] : [];
  });
}

/** White space between tokens is none of them: never inside of quotes. */
const squeezed = (line: string): string =>
  line.replace(QUOTED_OR_BLANKS, (all, quoted: string | undefined, at: number) =>
    quoted !== undefined || at === 0 ? all : ' ',
  );
const QUOTED_OR_BLANKS = /("(?:[^"\\]|\\.)*"|'[^']*'|`[^`]*`|["'`].*$)|[ \t]+/g;

function linePlaces(path: string, { isRun }: LineLanguage, { text, line }: Line, now: Line): Place[] {
  const at = { path, line, keys: [keyOf(text)], role: 'token' } as const;
  // Of what is run, other signs decide otherwise.
  const places = wordPlaces(at, text, now.text, isRun ? 'condition' : 'text');
  return places.map((place) => (place.what === 'word' ? { ...place, role: roleOf(place) } : place));
}

const ASSIGNED = /^\s*(?:-\s+)?["']?([\w.-]+)["']?\s*(?:[:?+]?=|:(?=\s))/;
/** The name that a line gives a value to. */
const keyOf = (line: string): string => ASSIGNED.exec(line)?.[1] ?? '';

/** A word at a line's start with `=` or `:` behind it is a name. */
const roleOf = ({ path, left, right }: { path: string; left: string; right: string }): Role =>
  (/(?:^|\/)Caddyfile/.test(path) && left.trim() === '') ||
  (/^\s*(?:-\s+|export\s+)?["']?$/.test(left) && /^["']?\s*(?:[:?+]?=(?!=)|:(?:\s|$))/.test(right))
    ? 'key'
    : 'token';
