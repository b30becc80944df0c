// The inputs of a green stage as hashes, and whether they are still the same. Pure.
import { createHash } from 'node:crypto';
import { normalize } from 'node:path/posix';
import { isBuiltInCheck, type Stage } from '../config/context-map.ts';
import { commandWords, pathMatcher } from '../config/paths.ts';
import type { Inputs } from '../events.ts';
import type { Cell } from './matrix.ts';

/** Path → content id (and mode) of every file at a commit. */
export type Tree = ReadonlyMap<string, { readonly mode: string; readonly id: string }>;

/** The inputs of one step as far as commits and outputs tell: what it runs, the files it is made of, the outputs it needs. */
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
  const named = namedPaths(stage);
  const isStageFile = pathMatcher(stage.files);
  return [...tree.keys()]
    .filter((path) => isStageFile(path) || named.has(path) || foldersOf(path).some((f) => named.has(f)))
    .sort();
}

/** Whether a stage is made from one of these paths, also where `tree` does not have it any more, or not yet. */
export function isMadeFrom(stage: Stage, paths: readonly string[], tree: Tree): boolean {
  const all = new Map([...paths.map((path) => [path, { mode: '', id: '' }] as const), ...tree]);
  return inputFiles(stage, all).some((path) => paths.includes(path));
}

/** What a stage names of the carried files and folders: below them what it names there, else they themselves. */
export function carriedInputs(stage: Stage, carry: readonly string[]): string[] {
  if (carry.length === 0) return [];
  const named = [...namedPaths(stage)];
  const isStageFile = pathMatcher(stage.files);
  const inputs = carry.flatMap((path) => {
    const below = named.filter((name) => foldersOf(name).includes(path));
    const isNamed = named.includes(path) || foldersOf(path).some((folder) => named.includes(folder));
    // A pattern of files may mean the carried path itself, or what lies below it.
    const isMatched =
      isStageFile(path) || isStageFile(`${path}/x`) || stage.files.some((g) => g.startsWith(`${path}/`));
    return isNamed || isMatched ? [path] : below;
  });
  return [...new Set(inputs)].sort();
}

/** Every path that its command, checks and requirements name. */
export function namedPaths(stage: Stage): Set<string> {
  const commands = [stage.command, ...stage.verify.filter((v) => !isBuiltInCheck(v))] as (string | readonly string[])[];
  const paths = [...checkedPaths(stage), ...stage.requires.files].map((path) => normalize(path).replace(/\/$/, ''));
  return new Set([...commands.flatMap((command) => commandWords(withoutComments(command))), ...paths]);
}

/** What is quoted or escaped, else a comment. */
const QUOTED_OR_COMMENT =
  /\$'(?:\\[\s\S]|[^'\\])*'|'[^']*'|"(?:\\[\s\S]|\$\([^()]*\)|\$(?!\([^()]*\))|[^"\\$])*"|\\[\s\S]#*|(?<![^\s;&|()])(#).*/g;
/** Its lines may begin with anything. */
const HERE_DOCUMENT = /<<(?!<)/;

function withoutComments(command: string | readonly string[]): string | readonly string[] {
  if (typeof command !== 'string' || HERE_DOCUMENT.test(command)) return command;
  return command.replace(QUOTED_OR_COMMENT, (text, hash) => (hash ? '' : text));
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

const WORDS = {
  command: 'its command changed',
  verify: 'its checks changed',
  files: 'its files changed',
  outputs: 'an output it needs changed',
  worktree: 'the worktree is a new one, and nothing could tell whether it holds there',
} as const;

/**
 * Whether what was recorded is what is there now, and if not, what changed. A kind of input, or a carried path, that only
 * one side knows is not compared.
 */
export function compareInputs(recorded: Inputs | undefined, now: Inputs) {
  if (!recorded) return { fresh: false as const, why: 'its inputs were not recorded' };
  const differs = (before: string | undefined, after: string | undefined) =>
    before !== undefined && after !== undefined && before !== after;
  const kinds = (Object.keys(WORDS) as (keyof typeof WORDS)[]).filter((kind) => differs(recorded[kind], now[kind]));
  const { carried = {} } = now;
  const paths = Object.keys(carried).filter((path) => differs(recorded.carried?.[path], carried[path]));
  const changes = [...kinds.map((kind): string => WORDS[kind]), ...paths.map((path) => `${path}, carried, changed`)];
  return changes.length === 0 ? { fresh: true as const } : { fresh: false as const, why: changes.join(', ') };
}

const hash = (value: unknown): string => createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 32);
