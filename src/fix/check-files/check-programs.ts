// Checks and diagnostics that begin with an unknown word: no file of the repository, and no program that is there for stages.
import type { ContextMap } from '../../config/context-map.ts';
import { formatPath } from '../../config/problem.ts';
import { readPlain } from '../shell/read-commands.ts';
import { checksOf, type Sources } from './check-files.ts';

export interface UnknownProgram {
  /** `stages.a.verify[0]` */
  readonly where: string;
  /** Undefined when the check could not be read in time. */
  readonly program: string | undefined;
}

const BUILTINS = new Set(
  `. : [ alias bg bind break builtin caller cd command compgen continue coproc declare dirs disown echo enable eval exec exit export
  false fc fg getopts hash help history jobs kill let local logout mapfile popd printf pushd pwd read readarray readonly return set
  shift shopt source suspend test time times trap true type typeset ulimit umask unalias unset wait`.split(/\s+/),
);

/** `isInstalled`: whether a program is there for the stages. Never throws unless `read` does. */
export async function unknownPrograms(
  map: Pick<ContextMap, 'stages'>,
  { read }: Pick<Sources, 'read'>,
  isInstalled: (program: string) => boolean,
): Promise<UnknownProgram[]> {
  const all: UnknownProgram[] = [];
  for (const { path, entry } of checksOf(map)) {
    const where = formatPath(path);
    const reading = readPlain(entry) ?? (await read(entry));
    if (!reading) all.push({ where, program: undefined });
    const isKnown = (word: string) =>
      !/^[\w.+-]+$/.test(word) || BUILTINS.has(word) || reading?.functions.includes(word) || isInstalled(word);
    const first = reading?.commands.filter(({ via }) => via === undefined).map(({ words }) => words[0]?.text ?? '');
    const unknown = new Set(first?.filter((word) => !isKnown(word)));
    all.push(...[...unknown].map((program) => ({ where, program })));
  }
  return all;
}
