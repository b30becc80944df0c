// Where a word stands, and what it is there in the language of its file. Pure.
import type { Definitions } from '../../../src/model.ts';
import { BEFORE_COMMAND } from './scripts.ts';

/** All that is known of the repository: its texts by their paths, what it defines, and the variables of the environment. */
export interface World extends Definitions {
  readonly texts: ReadonlyMap<string, string>;
  readonly variables: readonly string[];
  /** On the PATH. */
  readonly programs: ReadonlySet<string>;
  /** What the stage says that it requires. */
  readonly tools: readonly string[];
  readonly required: readonly string[];
}

export interface Place {
  readonly path: string;
  readonly text: string;
  readonly offset: number;
  readonly word: string;
  /** The line before the word and behind it. */
  readonly before: string;
  readonly after: string;
  readonly role: Role;
}

/** What a word is in the language of its file. */
export type Role = 'program' | 'variable' | 'attribute' | 'filter' | 'key' | 'value' | 'code';

const EXPRESSION = /(?:\{\{|\{%)(?:(?!\}\}|%\}).)*$/;
const CONDITION = /^\s*(?:- )?(?:when|until|that|\w+_when|loop|var|with_\w+):/;
const AS_KEY = [/^[\s\-"'{,]*$/, /^["']?\s*(?:[:={]|"[\w-]+" |[^\s:=]*$)/] as const;

function roleOf(path: string, before: string, after: string): Role | undefined {
  if (/\.py$/.test(path)) return 'code';
  if (isRun(path, before, after)) return 'program';
  if (/\.(?:tf|tofu)$/.test(path) && /[\w\]]\.$/.test(before)) return 'attribute';
  if (/\$[{(]?[!#]?$/.test(before)) return 'variable';
  if (EXPRESSION.test(before) || CONDITION.test(before)) {
    if (/\|\s*$/.test(before)) return 'filter';
    return /(?:[\w\])]\.|\[["'])$/.test(before) ? 'attribute' : 'variable';
  }
  if (AS_KEY[0].test(before) && AS_KEY[1].test(after) && !/^\s*- ["']?$/.test(before)) return 'key';
  if (/^\s*- ["']?$/.test(before) && /^["']?:/.test(after)) return 'key';
  return /(?:[:=,[@({-]\s*|^\s+|\s)["']?$/.test(before) ? 'value' : undefined;
}

export const SCRIPT = /\.(?:sh|bash)$|(?:^|\/)[^/.]+$/;
const MAKEFILE = /(?:^|\/)(?:GNUm|m)akefile(?:\.[\w-]+)?$|\.mk$/i;
const JUSTFILE = /(?:^|\/)\.?justfile$|\.just$/i;
const TASKFILE = /(?:^|\/)taskfile(?:\.\w+)*\.ya?ml$|(?:^|\/)\.?taskfiles?\/.*\.ya?ml$/i;

/** Whether a command begins here, in a script or in a recipe. */
function isRun(path: string, before: string, after: string): boolean {
  if (!/^(?=$|[\s;&|)"'`])(?!\s*\(\))/.test(after)) return false;
  if (MAKEFILE.test(path)) return before.startsWith('\t') && BEFORE_COMMAND.test(before.replace(/^\t[@+\s-]*/, ''));
  if (JUSTFILE.test(path)) return /^[ \t]/.test(before) && BEFORE_COMMAND.test(before.replace(/^\s+@?/, ''));
  if (TASKFILE.test(path))
    return (
      /^\s*(?:- |cmd: |- cmd: |sh: |$)["']?/.test(before) &&
      BEFORE_COMMAND.test(before.replace(/^\s*(?:- )?(?:cmd: |sh: )?/, ''))
    );
  return SCRIPT.test(path) && BEFORE_COMMAND.test(before);
}

/** No text of people. */
const NO_SOURCE = /\.(?:md|rst|txt|adoc)$/i;

/** What stands before a place on its line; what a backslash joins is one line. */
function lineBefore(text: string, offset: number): string {
  let start = text.lastIndexOf('\n', offset - 1) + 1;
  while (start > 1 && text[start - 2] === '\\') start = text.lastIndexOf('\n', start - 2) + 1;
  return text.slice(start, offset).replaceAll('\\\n', ' ');
}

/** Every place where the word stands as a whole, but for comments. */
export function placesOf(word: string, texts: ReadonlyMap<string, string>): Place[] {
  return [...texts].flatMap(([path, text]) => {
    const places: Place[] = [];
    if (NO_SOURCE.test(path)) return places;
    for (let offset = text.indexOf(word); offset !== -1; offset = text.indexOf(word, offset + 1)) {
      const [left, right] = [text[offset - 1] ?? ' ', text[offset + word.length] ?? ' '];
      const before = lineBefore(text, offset);
      const after = text.slice(offset + word.length, `${text}\n`.indexOf('\n', offset + word.length));
      if (/\w/.test(left + right) || /^\s*(?:#|\/\/)/.test(before)) continue;
      const role = roleOf(path, before, after);
      // A name with blanks is a whole value.
      if (/\s/.test(word) && !(/(?:[:-]\s+|[[,]\s*)["']?$/.test(before) && /^["']?\s*(?:$|[\],#])/.test(after)))
        continue;
      // Outside of expressions a hyphen is a part of a name.
      if (role === undefined || (/[-]/.test(left + right) && /key|value/.test(role) && !/--$|\s-$/.test(before)))
        continue;
      places.push({ path, text, offset, word, before, after, role });
    }
    return places;
  });
}
