// Checks and diagnostics that begin with an unknown word: no file of the repository, and no program that is there for stages.
import { type ContextMap, isBuiltInCheck } from '../../config/context-map.ts';
import { readPlain } from '../shell/read-commands.ts';
import type { Sources } from './check-files.ts';

export interface UnknownProgram {
  /** `stages.a.verify[0]` */
  readonly where: string;
  /** Undefined when the check could not be read in time. */
  readonly program: string | undefined;
}

const BUILTINS = new Set(
  (
    '. : [ alias bg bind break builtin caller cd command compgen continue coproc declare dirs disown echo enable eval exec exit export ' +
    'false fc fg getopts hash help history jobs kill let local logout mapfile popd printf pushd pwd read readarray readonly return set ' +
    'shift shopt source suspend test time times trap true type typeset ulimit umask unalias unset wait'
  ).split(' '),
);

/** `isInstalled`: whether a program is there for the stages. Never throws unless `read` does. */
export async function unknownPrograms(
  { stages }: Pick<ContextMap, 'stages'>,
  { read }: Pick<Sources, 'read'>,
  isInstalled: (program: string) => boolean,
): Promise<UnknownProgram[]> {
  const all: UnknownProgram[] = [];
  for (const [name, stage] of Object.entries(stages))
    for (const role of ['verify', 'diagnostics'] as const)
      for (const [index, entry] of stage[role].entries()) {
        if (isBuiltInCheck(entry)) continue;
        const where = `stages.${name}.${role}[${index}]`;
        const reading = readPlain(entry) ?? (await read(entry));
        const isKnown = (word: string) =>
          !/^[\w.+-]+$/.test(word) || BUILTINS.has(word) || reading?.functions.includes(word) || isInstalled(word);
        const words = reading?.commands.flatMap(({ words, via }) => (via === undefined ? words.slice(0, 1) : [])) ?? [];
        const unknown = words.map(({ text }) => text).filter((word) => !isKnown(word));
        all.push(...(reading ? [...new Set(unknown)] : [undefined]).map((program) => ({ where, program })));
      }
  return all;
}
