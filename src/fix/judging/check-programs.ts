// Checks and diagnostics that begin with an unknown word: no file of the repository, and no known program.
import { type ContextMap, isBuiltInCheck } from '../../config/context-map.ts';
import type { Sources } from './judging-set.ts';
import { placeOf } from './place.ts';
import { isUnderstood } from './ran-words.ts';
import { readPlain } from './read-shell.ts';

export interface UnknownProgram {
  /** `stages.a.verify[0]` */
  readonly where: string;
  /** Undefined when the check could not be read in time. */
  readonly program: string | undefined;
}

const BUILTINS = new Set(
  (
    'alias bg bind break builtin caller command compgen continue declare dirs disown enable exec export fc fg getopts help ' +
    'history jobs let local logout mapfile popd printf pwd read readarray readonly shopt suspend times trap type ulimit umask wait'
  ).split(' '),
);
const PLAIN_NAME = /^[\w.+-]+$/;

/** `isInstalled`: whether a program is there for the stages. Never throws unless `read` does. */
export async function unknownPrograms(
  { stages }: Pick<ContextMap, 'stages'>,
  { listing, read }: Omit<Sources, 'text'>,
  isInstalled: (program: string) => boolean,
): Promise<UnknownProgram[]> {
  const place = placeOf({ listing, dir: '' });
  const isKnown = (name: string) =>
    !PLAIN_NAME.test(name) ||
    BUILTINS.has(name) ||
    isUnderstood(name) ||
    place.find(name).length > 0 ||
    isInstalled(name);
  const all: UnknownProgram[] = [];
  for (const [name, stage] of Object.entries(stages)) {
    for (const role of ['verify', 'diagnostics'] as const) {
      for (const [index, entry] of stage[role].entries()) {
        if (isBuiltInCheck(entry)) continue;
        const where = `stages.${name}.${role}[${index}]`;
        const reading = readPlain(entry) ?? (await read(entry));
        const begins = reading?.commands.flatMap(({ words, inner }) => (inner ? [] : words.slice(0, 1))) ?? [];
        const unknown = begins.filter((word) => !reading?.functions.includes(word) && !isKnown(word));
        const programs = reading ? [...new Set(unknown)] : [undefined];
        all.push(...programs.map((program) => ({ where, program })));
      }
    }
  }
  return all;
}
