// A command or a variable whose name is mistyped, at the line that the shell names.
import { errorLines, lastComplaintInFile, sourceFile } from './complaints.ts';
import { isSlip, oneNear, slips, sortedLetters } from './near.ts';
import { BUILT_IN, DESTRUCTIVE, programsOnPath, WELL_KNOWN } from './programs.ts';
import { onlyOne, type Repair, type RepairFacts, rewritten, splice, textsOf, withLine } from './repair.ts';
import { commandPlace, functionsIn, sourcedIn, stopsAtFailure, usesOf, variablesIn } from './script-words.ts';

const NOT_FOUND = /^([\w.+@-]+): (?:command )?not found$/;
const DATA = /\.(?:ya?ml|json|toml|md|txt|tsv|csv)$/;
/** From this length on, a command with one slip is mistyped, even when the stage uses the right one nowhere else. */
const MIN_COMMAND_LENGTH = 5;

/** The line with the command renamed; undefined when it is not the only command of that name there. */
export function withCommand(line: string, word: string, name: string): string | undefined {
  const at = commandPlace(line, word);
  return at === undefined ? undefined : splice(line, at, word.length, name);
}

export const misspeltCommand: Repair = async (facts) => {
  const last = await lastComplaintInFile(facts, NOT_FOUND);
  if (!last || DATA.test(last.path)) return undefined;
  const { path, text, line, source, words } = last;
  const word = last.match[1] as string;
  // A name that is used again is no slip.
  if (WELL_KNOWN.has(word) || usesOf(word, text) !== 1) return undefined;
  // Without set -e the script may have failed by something else.
  if (!stopsAtFailure(text) && !errorLines(facts).every((error) => error.endsWith(words))) return undefined;
  const texts = await textsOf(facts, (file) => !DATA.test(file));
  const name = await meantCommand(word, facts, [...texts.values()]);
  const mended = name && withCommand(source, word, name);
  return rewritten(last, mended && withLine(text, line, mended), {
    fix: `Run ${name} instead of ${word} in line ${line} of ${path}`,
    reason: `There is no command ${word}, and ${name} is the only one with nearly that name`,
  });
};

/** `texts` are those of all scripts; none when there are too many to be certain. */
async function meantCommand(word: string, { stage, surroundings }: RepairFacts, texts: readonly string[]) {
  const functions = texts.flatMap(functionsIn);
  const programs = await programsOnPath(surroundings.path);
  // Also tools that the stage requires and that are not installed.
  const name = oneNear(word, [...programs, ...BUILT_IN, ...functions, ...stage.requires.tools]);
  if (name === undefined || texts.length === 0 || DESTRUCTIVE.has(name) || name.startsWith('mkfs')) return undefined;
  if ([...WELL_KNOWN].some((other) => other !== name && isSlip(word, other))) return undefined;
  const isRun = (line: string) => commandPlace(line, name) !== undefined;
  const swapped = slips(word, name) === 1 && sortedLetters(word) === sortedLetters(name);
  const witnessed = [...functions, ...stage.requires.tools].includes(name) || texts.join('\n').split('\n').some(isRun);
  return swapped || witnessed || (word.length >= MIN_COMMAND_LENGTH && slips(word, name) === 1) ? name : undefined;
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
