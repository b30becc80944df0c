// A command whose name is mistyped, at the line that the shell names.
import { type Complaint, fileNamed, isOnlyComplaint, lastComplaint } from './complaints.ts';
import { isSlip, oneNear, slips, sortedLetters } from './near.ts';
import { BUILT_IN, DESTRUCTIVE, programsOnPath, WELL_KNOWN } from './programs.ts';
import { type Repair, type RepairFacts, rewritten } from './repair.ts';
import { commandPlace, functionsIn, stopsAtFailure, usesOf } from './script-words.ts';
import { lineAt, splice, textsOf, withLine } from './source-text.ts';

const NOT_FOUND = /^([\w.+@-]+): (?:command )?not found$/;
const DATA = /\.(?:ya?ml|json|toml|md|txt|tsv|csv)$/;
/** A name this long is mistyped rather than another name, even when nothing else in the stage says so. */
const MIN_LENGTH = 5;

/** The line with the command renamed; undefined when it is not the only command of that name there. */
export function withCommand(line: string, word: string, name: string): string | undefined {
  const at = commandPlace(line, word);
  return at === undefined ? undefined : splice(line, at, word.length, name);
}

export const misspeltCommand: Repair = {
  name: 'misspelt-command',
  async find(facts) {
    const { complaint, match } = lastComplaint(facts, NOT_FOUND) ?? {};
    const word = match?.[1];
    const path = fileNamed(complaint?.file, facts);
    if (!complaint || word === undefined || path === undefined || WELL_KNOWN.has(word)) return undefined;
    const texts = await textsOf(facts, (file) => !DATA.test(file));
    const text = texts?.get(path);
    const line = lineAt(text, complaint.line);
    if (!texts || text === undefined || line === undefined || !endsScript(facts, complaint, text)) return undefined;
    // A name that comes again is meant, or the next line would fail as this one did.
    if (usesOf(word, text) !== 1) return undefined;
    const name = await meant(word, facts, [...texts.values()], facts.surroundings.path);
    const mended = name === undefined ? undefined : withCommand(line, word, name);
    if (name === undefined || mended === undefined) return undefined;
    return rewritten(path, text, withLine(text, complaint.line, mended), {
      fix: `Run ${name} instead of ${word} in line ${complaint.line} of ${path}`,
      reason: `There is no command ${word}, and ${name} is the only one with nearly that name`,
    });
  },
};

/** A script that goes on after a failure may have failed by something else. */
const endsScript = (facts: RepairFacts, complaint: Complaint, text: string): boolean =>
  stopsAtFailure(text) || isOnlyComplaint(facts, complaint);

async function meant(word: string, { stage }: RepairFacts, texts: readonly string[], path: string) {
  const functions = texts.flatMap(functionsIn);
  const programs = await programsOnPath(path);
  // Installed or not: a tool that the stage asks for by nearly this name is meant.
  const name = oneNear(word, [...programs, ...BUILT_IN, ...functions, ...stage.requires.tools]);
  if (name === undefined || DESTRUCTIVE.has(name) || name.startsWith('mkfs')) return undefined;
  if ([...WELL_KNOWN].some((other) => other !== name && isSlip(word, other))) return undefined;
  const swapped = slips(word, name) === 1 && word.length === name.length && sortedLetters(word) === sortedLetters(name);
  const witnessed = functions.includes(name) || stage.requires.tools.includes(name) || texts.some(runs(name));
  return swapped || witnessed || (word.length >= MIN_LENGTH && slips(word, name) === 1) ? name : undefined;
}

const runs = (name: string) => (text: string) =>
  text.split('\n').some((line) => commandPlace(line, name) !== undefined);
