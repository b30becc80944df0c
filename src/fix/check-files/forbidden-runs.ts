// Commands, checks and diagnostics that run a protected file or a wipe script: by their own words under any spelling, or through
// another file.
import { basename } from 'node:path/posix';
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
  const names = new Set([...listing.keys()].filter(describe).flatMap((path) => path.split('/')));
  return forbiddenIn(map, { listing, read, text: async () => undefined }, (command) => mayMean(command, names));
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
  const commands = Object.entries(map.stages).map(([name, { command }]) => ({
    path: ['stages', name, 'command'],
    entry: command,
  }));
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

/** Variables, substitutions and patterns, but for what holds no file of the repository: a name need not stand in it as it is. */
const FILLED_IN = /\$(?!\{?MENDLOOP_OUT)|[`*?]|\[[^\s[]|\{\S*,/;

/** Whether it could mean one of these: better one too many. Without the grammar, which most starts that find all green do not need. */
function mayMean(command: CommandText, names: ReadonlySet<string>): boolean {
  const text = [command].flat().join(' ').replace(/["']/g, '');
  return names.size > 0 && (FILLED_IN.test(text) || rawWords(command).some((word) => names.has(basename(word))));
}
