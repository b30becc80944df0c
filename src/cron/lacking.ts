// What a scheduled run would lack that a run by hand has: a scheduler has its own environment.
import { delimiter, join } from 'node:path';
import type { ContextMap, Stage } from '../config/context-map.ts';
import { commandText, rawWords } from '../config/paths.ts';
import { fileFacts, findTool } from '../io/files.ts';
import { readText } from '../io/store.ts';
import { stagePath } from '../stage/env.ts';
import { required } from '../stage/requires.ts';
import type { Lab } from '../stage/run.ts';
import { scriptOf } from '../stage/script-hint.ts';
import type { Schedule } from './job.ts';

/** Where a run by hand would be started. */
interface Here {
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly lab: Lab;
  readonly labTools: string;
}

const AGAIN = 'where all is found: mendloop cron install';

/** What it lacks, and what to do. Also reads the scripts of stages: each word that is a program here and not there is needed. */
export function lacking(map: Pick<ContextMap, 'stages'>, { argv, env }: Schedule, here: Here) {
  const gone = argv.slice(0, 2).filter((path) => !fileFacts(path)?.isFile);
  const there = stagePath({ ...here, env });
  const onlyHere = stagePath(here)
    .split(delimiter)
    .filter((folder) => !there.split(delimiter).includes(folder))
    .join(delimiter);
  const words = Object.values(map.stages).flatMap((stage) => wordsOf(stage, here.home));
  const unset = required(map, 'env').filter((name) => !env[name]);
  return [
    ...gone.map((path) => ({ what: `the schedule starts ${path}, which is not there`, next: AGAIN })),
    ...[...new Set(['git', 'bash', ...words])].flatMap((tool) => {
      const program = /^[\w.+-]+$/.test(tool) ? findTool(tool, onlyHere) : undefined;
      return program && !findTool(tool, there)
        ? [{ what: `the schedule does not find ${tool}; here it is ${program}`, next: AGAIN }]
        : [];
    }),
    ...unset.map((name) => ({
      what: `${name} is not set where the schedule runs; a secret is never written there`,
      next: 'let the stage read it from a file under carry, such as .env',
    })),
  ];
}

function wordsOf({ command, verify, requires }: Stage, home: string): string[] {
  const commands = [command, ...verify.filter((entry) => typeof entry === 'string')];
  const scripts = commands.flatMap((one) => {
    const path = scriptOf(one);
    return path === undefined || !fileFacts(join(home, path))?.isFile ? [] : [readText(join(home, path)) ?? ''];
  });
  const lines = scripts.join('\n').replaceAll(/^\s*#.*$/gm, '');
  return [...requires.tools, ...commands.flatMap((one) => rawWords(commandText(one))), ...rawWords(lines)];
}
