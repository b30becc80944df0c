// What nobody's fix may touch, whatever a stage's files are: the scripts that judge stages, and what is carried.
import { type ContextMap, isBuiltInCheck } from '../../config/context-map.ts';
import { commandWords } from '../../config/paths.ts';
import type { Tree } from './rules.ts';

/** Every command that judges or looks at a stage. */
export const checkCommands = ({ stages }: Pick<ContextMap, 'stages'>): (string | readonly string[])[] =>
  Object.values(stages).flatMap(({ verify, diagnostics }) =>
    [...verify, ...diagnostics].flatMap((entry) => (isBuiltInCheck(entry) ? [] : [entry])),
  );

const SCRIPT = /\.(?:sh|bash|zsh|py|rb|pl|js|mjs|cjs|ts|mts)$/;

/** The scripts and executables of `tree` that are words of these commands; data files that they check are not among them. */
export function judgingScripts(commands: readonly (string | readonly string[])[], tree: Tree): string[] {
  const words = new Set(commands.flatMap((command) => commandWords(command)));
  return [...words].filter(
    (path) => tree.exists(path) && !tree.isFolder(path) && (SCRIPT.test(path) || tree.isExecutable?.(path) === true),
  );
}

/** Carried paths as such and as the trees below them. */
export const carriedPaths = (carry: readonly string[]): string[] =>
  carry.map((path) => path.replace(/\/+$/, '')).flatMap((path) => [path, `${path}/`]);
