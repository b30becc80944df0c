// Recipes of makefiles, justfiles and Taskfiles: where a word is run by one. Pure.
import { commandPlace } from './script-words.ts';
import { entriesOf, type YamlEntry } from './yaml-tree.ts';

const MAKEFILE = /(?:^|\/)(?:GNUm|m)akefile(?:\.[\w-]+)?$|\.mk$/i;
const JUSTFILE = /(?:^|\/)\.?justfile$|\.just$/i;
const TASKFILE = /(?:^|\/)taskfile(?:\.\w+)*\.ya?ml$|(?:^|\/)\.?taskfiles?\/.*\.ya?ml$/i;

export const isRecipeFile = (path: string): boolean =>
  MAKEFILE.test(path) || JUSTFILE.test(path) || TASKFILE.test(path);

interface RecipePlace {
  /** As an offset into the text. */
  readonly at: number;
  /** The tool goes on when it fails there. */
  readonly isForgiven: boolean;
}

/** Where recipes of the file run `word`; none when it is no file of recipes. */
export function recipePlaces(path: string, text: string, word: string): RecipePlace[] {
  if (!text.includes(word)) return [];
  if (MAKEFILE.test(path)) return inLines(text, word, /^\t/);
  if (JUSTFILE.test(path)) return inLines(text, word, /^[ \t]/);
  return TASKFILE.test(path) ? inTasks(text, word) : [];
}

/** Signs before a command that make and just take away: quiet, forgiven, always. */
const SIGNS = /^\s*([@+-]*)\s*/;

/** Lines with the offsets at which they begin. */
function linesAt(text: string, from = 0): { line: string; start: number }[] {
  let next = from;
  return text.split('\n').map((line) => {
    const start = next;
    next += line.length + 1;
    return { line, start };
  });
}

const inLines = (text: string, word: string, recipe: RegExp): RecipePlace[] =>
  // What a backslash joins is one line; two blanks keep the offsets.
  linesAt(text.replace(/\\\n/g, '  ')).flatMap(({ line, start }) => {
    const [before = '', signs = ''] = SIGNS.exec(line) ?? [];
    const place = recipe.test(line) ? commandPlace(line.slice(before.length), word) : undefined;
    return place === undefined ? [] : [{ at: start + before.length + place, isForgiven: signs.includes('-') }];
  });

const isCommand = ({ is, path, key }: YamlEntry): boolean =>
  is === 'scalar' && path.includes('tasks') && (/^(?:cmds?|sh)$/.test(key) || path.length === 2);

const inTasks = (text: string, word: string): RecipePlace[] =>
  entriesOf(text)
    .filter(isCommand)
    .flatMap(({ valueAt: [from, to], siblings }) => {
      const isForgiven = siblings.some(({ key, value }) => key === 'ignore_error' && value === true);
      return linesAt(text.slice(from, to), from).flatMap(({ line, start }) => {
        const place = commandPlace(line, word);
        return place === undefined ? [] : [{ at: start + place, isForgiven }];
      });
    });
