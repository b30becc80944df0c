// Commands, checks and diagnostics that run a protected file or a wipe script: by their own words under any spelling, or through
// another file.
import type { ContextMap } from '../../config/context-map.ts';
import { isWipeScript, pathMatcher, rawWords } from '../../config/paths.ts';
import { formatPath, type Path } from '../../config/problem.ts';
import type { CommandText } from '../shell/read-commands.ts';
import { checksOf, runBy, type Sources } from './check-files.ts';

export interface ForbiddenRun {
  /** Where in the context map. */
  readonly path: Path;
  /** The file, and what it is: `ops/wipe.sh, a wipe script`. */
  readonly what: string;
  /** What runs it, when it is not the command's own words. */
  readonly through?: string;
}

type Stages = Pick<ContextMap, 'stages' | 'protected_files'>;

/** By their own words; only what could mean such a file is read closely. Never throws unless `read` does. */
export function forbiddenByWords(map: Stages, { listing, read }: Omit<Sources, 'text'>): Promise<ForbiddenRun[]> {
  const describe = describer(map);
  const names = [...listing.keys()].filter((path) => describe(path) !== undefined).flatMap((path) => path.split('/'));
  const own = { listing, read, text: async () => undefined };
  return forbiddenIn(map, own, (command) => mayMean(command, [...new Set(names)]));
}

/** Through other files. Never throws unless its sources do. */
export async function forbiddenThroughFiles(map: Stages, sources: Sources): Promise<Required<ForbiddenRun>[]> {
  const runs = await forbiddenIn(map, sources, () => true);
  return runs.flatMap(({ through, ...run }) => (through === undefined ? [] : [{ ...run, through }]));
}

async function forbiddenIn(
  map: Stages,
  sources: Sources,
  isWorth: (command: CommandText) => boolean,
): Promise<ForbiddenRun[]> {
  const describe = describer(map);
  const all: ForbiddenRun[] = [];
  const commands = Object.entries(map.stages).map(([name, { command: entry }]) => {
    return { path: ['stages', name, 'command'], entry };
  });
  for (const { path, entry } of [...commands, ...checksOf(map)].filter((one) => isWorth(one.entry))) {
    const where = formatPath(path);
    for (const [file, { by }] of await runBy(entry, where, sources)) {
      const what = describe(file);
      if (what !== undefined) all.push({ path, what: `${file}, ${what}`, ...(by !== where && { through: by }) });
    }
  }
  return all;
}

function describer({ protected_files }: Stages): (path: string) => string | undefined {
  const isProtected = pathMatcher(protected_files, { ignoreCase: true });
  return (path) => (isWipeScript(path) ? 'a wipe script' : isProtected(path) ? 'a protected file' : undefined);
}

/** Escapes and braces, in which a name need not stand as it is. */
const DISGUISED = /\$'|\{[\w./-]*,[\w./,-]*\}/;
const SETS_VALUES = /\w=|\sin\s|\bset --|\bread\b/;
const RUN_TIME = /\$\{[^}]*\}|\$[\w@*#?]*|\[[^\]]*\]|[*?]/g;

/**
 * Whether a word of the command, with all that is only known at run time as a pattern, could mean one of `names`: better one
 * too many. Reads no shell, so that a start that finds all green needs no grammar.
 */
function mayMean(command: CommandText, names: readonly string[]): boolean {
  const text = [command].flat().join(' ');
  const isMeant = (word: string) => {
    const named = word.split('/').findLast((part) => /\w/.test(part.replace(RUN_TIME, '')));
    if (named !== undefined) return names.some(pathMatcher([named.replace(RUN_TIME, '*')]));
    // Of variables alone: the value of one is a word of its own, two may be joined.
    return word.includes('*') || ((word.match(/\$/g)?.length ?? 0) > 1 && SETS_VALUES.test(text));
  };
  return DISGUISED.test(text) || (names.length > 0 && rawWords(command).some(isMeant));
}
