// A command or a variable whose name is mistyped: at the line that the shell names, or in the one recipe that runs the command.
import { capturedBy, errorLines, lastComplaintInFile, sourceFile } from './complaints.ts';
import { isSlip, namesNear, oneNear, slips, sortedLetters } from './near.ts';
import { BUILT_IN, DESTRUCTIVE, programsOnPath, WELL_KNOWN } from './programs.ts';
import { isRecipeFile, recipePlaces } from './recipes.ts';
import {
  everyText,
  lineOf,
  offsetOf,
  onlyOne,
  type Repair,
  type RepairFacts,
  rewritten,
  type SourceFile,
  splice,
  textOf,
  textsOf,
  type Unsure,
  withLine,
} from './repair.ts';
import { commandPlace, functionsIn, sourcedIn, stopsAtFailure, usesOf, variablesIn } from './script-words.ts';

const NOT_FOUND = /^([\w.+@-]+): (?:command )?not found$/;
/** What make says that starts a recipe's program itself, the shell of a recipe, and task. */
const NOT_STARTED = [
  /^g?make(?:\[\d+\])?: ([\w.+@-]+): No such file or directory$/,
  /^(?:\/\S*\/)?(?:ba|da|z|k|a)?sh: (?:(?:line )?\d+: )?([\w.+@-]+): (?:command )?not found$/,
  /^"([\w.+@-]+)": executable file not found in \$PATH$/,
];
const DATA = /\.(?:ya?ml|json|toml|md|txt|tsv|csv)$/;
/** From this length on, a command with one slip is mistyped, even when the stage uses the right one nowhere else. */
const MIN_COMMAND_LENGTH = 5;
/** Shorter words are near to too many others to tell which. */
const MIN_TOLD_LENGTH = 4;

/** A command that does not exist, and where it stands. */
interface Misspelt extends SourceFile {
  readonly word: string;
  readonly at: number;
}

export const misspeltCommand: Repair = async (facts) => {
  const misspelt = (await inScript(facts)) ?? (await inRecipe(facts));
  if (!misspelt || 'unsure' in misspelt) return misspelt;
  const { path, text, word, at } = misspelt;
  const texts = await textsOf(facts, (file) => !DATA.test(file) || isRecipeFile(file));
  const name = await meantCommand(word, facts, [...texts.values()]);
  if (typeof name !== 'string') return name;
  return rewritten(misspelt, splice(text, at, word.length, name), {
    fix: `Run ${name} instead of ${word} in line ${lineOf(text, at)} of ${path}`,
    reason: `There is no command ${word}, and ${name} is the only one with nearly that name`,
  });
};

/** Where the shell names the script and its line. */
async function inScript(facts: RepairFacts): Promise<Misspelt | Unsure | undefined> {
  const last = await lastComplaintInFile(facts, NOT_FOUND);
  if (!last || DATA.test(last.path)) return undefined;
  const { path, text, line, source, words } = last;
  const word = last.match[1] as string;
  if (WELL_KNOWN.has(word)) return undefined;
  const uses = usesOf(word, text);
  if (uses > 1) return { unsure: `${word} is used ${uses} times in ${path}, so that it may be right` };
  if (!stopsAtFailure(text) && !errorLines(facts).every((error) => error.endsWith(words)))
    return { unsure: `${path} goes on after ${word}, and may have failed by something else` };
  const at = commandPlace(source, word);
  return at === undefined ? undefined : { path, text, word, at: offsetOf(text, line) + at };
}

/** Where nobody names the place: the one recipe of the repository that runs the command, when nothing else has its name. */
async function inRecipe(facts: RepairFacts): Promise<Misspelt | Unsure | undefined> {
  const errors = errorLines(facts);
  const word = capturedBy(NOT_STARTED, errors.at(-1) ?? '');
  if (word === undefined || WELL_KNOWN.has(word)) return undefined;
  const texts = await everyText(facts);
  const places = [...texts].flatMap(([path, text]) => recipePlaces(path, text, word).map((place) => ({ path, place })));
  const [first] = places;
  if (!first) return undefined;
  const uses = [...texts.values()].reduce((sum, text) => sum + usesOf(word, text), 0);
  if (uses > 1) return { unsure: `${word} stands in ${uses} places` };
  const { path, place } = first;
  const text = await textOf(facts, path);
  if (text === undefined) return { unsure: `${word} stands in ${path}, which this stage may not change` };
  if (place.isForgiven && !errors.every((error) => capturedBy(NOT_STARTED, error) === word))
    return { unsure: `${path} goes on after ${word}, and may have failed by something else` };
  return { path, text, word, at: place.at };
}

/** `texts` are those of all scripts and recipes; none when there are too many to be certain. */
async function meantCommand(
  word: string,
  { stage, surroundings }: RepairFacts,
  texts: readonly string[],
): Promise<string | Unsure | undefined> {
  const functions = texts.flatMap(functionsIn);
  const programs = await programsOnPath(surroundings.path);
  // Also tools that the stage requires and that are not installed.
  const near = namesNear(word, [...programs, ...BUILT_IN, ...functions, ...stage.requires.tools]);
  const [name] = near;
  if (name === undefined || (word.length < MIN_TOLD_LENGTH && near.length > 1)) return undefined;
  if (near.length > 1) return { unsure: `${near.length} commands are equally near to ${word}: ${near.join(', ')}` };
  if (!isSlip(word, name)) return { unsure: `${word} may be a program that is not installed, and not ${name}` };
  if (texts.length === 0) return { unsure: `there are too many files to be certain that ${word} is no command` };
  if (DESTRUCTIVE.has(name) || name.startsWith('mkfs'))
    return { unsure: `${name} may be meant by ${word}, and a known fix runs nothing that destroys` };
  const other = [...WELL_KNOWN].find((known) => known !== name && isSlip(word, known));
  if (other !== undefined) return { unsure: `both ${name} and ${other} may be meant by ${word}` };
  const isRun = (line: string) => commandPlace(line, name) !== undefined;
  const swapped = slips(word, name) === 1 && sortedLetters(word) === sortedLetters(name);
  const witnessed = [...functions, ...stage.requires.tools].includes(name) || texts.join('\n').split('\n').some(isRun);
  return swapped || witnessed || (word.length >= MIN_COMMAND_LENGTH && slips(word, name) === 1)
    ? name
    : { unsure: `${word} is too short to be certain that ${name} is meant, which nothing here runs` };
}

const UNBOUND = /^([A-Za-z_]\w*)(?:\[[^\]]*\])?: (?:unbound variable|parameter (?:null or )?not set)$/;

/** Shorter names of the environment are too likely to be unrelated. */
const MIN_VARIABLE_LENGTH = 5;

/** The line with its one use of `$name` renamed; undefined when it uses it twice, or only names it. */
export function withVariable(line: string, name: string, meant: string): string | undefined {
  const uses = [...line.matchAll(new RegExp(`\\$\\{?[#!]?${name}(?!\\w)`, 'g'))];
  const arithmetic = uses.length > 0 ? [] : [...line.matchAll(new RegExp(`(?<=\\(\\(.*)(?<!\\w)${name}(?!\\w)`, 'g'))];
  const use = onlyOne([...uses, ...arithmetic]);
  return use && splice(line, use.index + use[0].length - name.length, name.length, meant);
}

export const misspeltVariable: Repair = async (facts) => {
  const last = await lastComplaintInFile(facts, UNBOUND);
  if (!last) return undefined;
  const { path, text, line, source } = last;
  const name = last.match[1] as string;
  if (facts.stage.requires.env.includes(name) || usesOf(name, text) !== 1) return undefined;
  const sourced = sourcedIn(text).map((written) => sourceFile(facts, written.replace(/^\$\{?\w+\}?\//, '')));
  const texts = [text, ...(await Promise.all(sourced)).map((file) => file?.text ?? '')];
  const set = new Set(texts.flatMap((one) => [...variablesIn(one)]));
  const meant = oneNear(name, [...set, ...facts.surroundings.variables]);
  if (meant === undefined || (!set.has(meant) && meant.length < MIN_VARIABLE_LENGTH)) return undefined;
  const mended = withVariable(source, name, meant);
  return rewritten(last, mended && withLine(text, line, mended), {
    fix: `Use ${meant} instead of ${name} in line ${line} of ${path}`,
    reason: `Nothing sets ${name}, and ${meant} is the only variable that is set with nearly that name`,
  });
};
