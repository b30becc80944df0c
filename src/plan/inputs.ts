// What a green stage was made from, boiled down to hashes; and whether that is still what is there. Pure.
import { createHash } from 'node:crypto';
import { normalize } from 'node:path/posix';
import { isBuiltInCheck, type Stage } from '../config/context-map.ts';
import { commandWords, pathMatcher } from '../config/paths.ts';
import type { Inputs } from '../events.ts';
import type { Cell } from './matrix.ts';

/** Path → content id (and mode) of every file at a commit. */
export type Tree = ReadonlyMap<string, { readonly mode: string; readonly id: string }>;

/** The inputs of one step: what it runs, the files it is made of at the tree's commit, the outputs it needs. */
export function stageInputs(stage: Stage, cell: Cell, tree: Tree, neededOutputs: ReadonlyMap<string, string>): Inputs {
  return {
    command: hash([stage.command, cell, stage.spec]),
    verify: hash(stage.verify),
    files: hash(inputFiles(stage, tree).map((path) => [path, tree.get(path)?.mode, tree.get(path)?.id])),
    outputs: hash([...neededOutputs].sort(([a], [b]) => (a < b ? -1 : 1))),
  };
}

/** The files of `tree` a stage is made of: its own, those it requires, and those its command and checks name. */
export function inputFiles(stage: Stage, tree: Tree): string[] {
  const commands = [stage.command, ...stage.verify.filter((v) => !isBuiltInCheck(v))] as (string | readonly string[])[];
  const paths = [...checkedPaths(stage), ...stage.requires.files].map((path) => normalize(path).replace(/\/$/, ''));
  const named = new Set([...commands.flatMap(commandWords), ...paths]);
  const isStageFile = pathMatcher(stage.files);
  return [...tree.keys()]
    .filter((path) => isStageFile(path) || named.has(path) || foldersOf(path).some((f) => named.has(f)))
    .sort();
}

function checkedPaths(stage: Stage): string[] {
  return stage.verify.filter(isBuiltInCheck).flatMap((check) => {
    const values = Object.values(check).flatMap((v) => (typeof v === 'object' ? Object.values(v) : [v]));
    return values.filter((v): v is string => typeof v === 'string');
  });
}

function foldersOf(path: string): string[] {
  const parts = path.split('/');
  return parts.slice(1).map((_, i) => parts.slice(0, i + 1).join('/'));
}

const WORDS: Record<keyof Inputs, string> = {
  command: 'its command changed',
  verify: 'its checks changed',
  files: 'its files changed',
  outputs: 'an output it needs changed',
};

/** Whether what was recorded is what is there now, and if not, what changed. */
export function compareInputs(recorded: Inputs | undefined, now: Inputs) {
  if (!recorded) return { fresh: false as const, why: 'its inputs were not recorded' };
  const changed = (Object.keys(WORDS) as (keyof Inputs)[]).filter((key) => recorded[key] !== now[key]);
  if (changed.length === 0) return { fresh: true as const };
  return { fresh: false as const, why: changed.map((key) => WORDS[key]).join(', ') };
}

const hash = (value: unknown): string => createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 32);
