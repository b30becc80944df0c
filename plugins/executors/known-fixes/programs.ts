// The program that a mistyped command means: on the PATH, a function of the script, or a tool that the stage requires.
import { readdir } from 'node:fs/promises';
import { delimiter, isAbsolute } from 'node:path';
import { isSlip, namesNear, slips, sortedLetters } from './near.ts';
import type { Place, World } from './places.ts';
import { BUILT_IN, DESTRUCTIVE, PROGRAMS } from './words.ts';

/** The names in all folders of `path`; a folder that cannot be read has none. */
export async function programsOnPath(path: string): Promise<Set<string>> {
  const folders = [...new Set(path.split(delimiter))].filter(isAbsolute);
  const names = await Promise.all(folders.map((folder) => readdir(folder).catch(() => [])));
  return new Set(names.flat());
}

/** From this length on, a command with one slip is mistyped, even when the repository uses the right one nowhere else. */
const MIN_LENGTH = 5;

/** `isKnown`: it is a program or a function, only not here. `isUsed`: whether some other place runs a program. */
export function programMeant({ word, path }: Place, world: World, isUsed: (name: string) => boolean) {
  const { repository, vocabulary, programs, tools } = world;
  const functions = repository.visible('shell-function', path);
  const known = [...vocabulary.words('programs', 'program'), ...PROGRAMS, ...BUILT_IN];
  const runnable = [...programs, ...BUILT_IN, ...functions, ...tools];
  const isKnown = known.includes(word) || functions.has(word);
  const near = namesNear(word, runnable);
  const [name = ''] = near;
  if (near.length !== 1) return { isKnown, near };
  const isDestructive = DESTRUCTIVE.includes(name) || name.startsWith('mkfs');
  const isOther = known.some((one) => one !== name && isSlip(word, one));
  if (isDestructive || isOther || !isSlip(word, name)) return { isKnown, near: [] };
  const isSwapped = slips(word, name) === 1 && sortedLetters(word) === sortedLetters(name);
  const isWitnessed = functions.has(name) || tools.includes(name) || isUsed(name);
  const isCertain = isSwapped || isWitnessed || (word.length >= MIN_LENGTH && slips(word, name) === 1);
  return { isKnown, near: isCertain ? near : [] };
}
