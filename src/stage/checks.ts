// `verify`: what must hold for a stage to be green. Commands, and checks that need no script.
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { type BuiltInCheck, isBuiltInCheck, type Stage } from '../config/context-map.ts';
import { commandText } from '../config/paths.ts';
import { deepOffset } from '../config/yaml-depth.ts';
import { fileFacts } from '../io/files.ts';
import type { LogFile } from '../io/log.ts';
import { probeHttp, probeTcp } from '../io/probe.ts';
import { readText } from '../io/store.ts';
import { isFilled } from './outputs.ts';

export interface CheckScope {
  /** The tree the stage runs in. */
  root: string;
  /** The stage's own output folder: `out:` paths are below it. */
  out: string;
  log: LogFile;
  signal: AbortSignal;
  /** Runs a command in the stage's surroundings, output to the log; undefined when it succeeded, else how it ended. */
  run(command: string | readonly string[]): Promise<string | undefined>;
}

export const NOTHING_TO_CHECK = 'nothing to check' as const;

/** Whether anything is looked at when the stage has run: where nothing is checked, nothing holds. */
export const hasChecks = ({ verify, outputs }: Pick<Stage, 'verify' | 'outputs'>): boolean =>
  verify.length + Object.keys(outputs).length > 0;

/** Runs every check, also after one failed. Returns what does not hold, a line each; empty when all does. */
export async function verifyStage(stage: Stage, scope: CheckScope): Promise<string[]> {
  const problems: string[] = [];
  const note = (problem: string | undefined) => {
    if (problem === undefined) return;
    problems.push(problem);
    scope.log.say(`verify: ${problem}`);
  };
  for (const entry of stage.verify) {
    if (scope.signal.aborted) break;
    if (isBuiltInCheck(entry)) note(await check(entry, scope));
    else {
      const command = inOneLine(commandText(entry));
      scope.log.say(`verify: ${command}`);
      const ended = await scope.run(entry);
      note(ended && `${command}: ${ended}`);
    }
  }
  for (const [name, path] of Object.entries(stage.outputs)) {
    if (!isFilled(join(scope.out, path))) note(`output ${name}: ${path} is missing or empty`);
  }
  return problems;
}

/** For the log, where further lines would be read as what the check printed. */
const inOneLine = (text: string): string =>
  text
    .trim()
    .replace(/\s*\\\n\s*/g, ' ')
    .replace(/\s*\n\s*/g, '; ');

/** Undefined when the check holds, else what does not. Never throws for what it looks at. */
async function check(entry: BuiltInCheck, scope: CheckScope): Promise<string | undefined> {
  if ('tcp' in entry) return prefixed(`tcp ${entry.tcp}`, await probeTcp(entry.tcp, scope.signal));
  if ('http' in entry) return prefixed(`http ${entry.http}`, await probeHttp(entry.http, entry.status, scope.signal));
  if ('file' in entry) return fileFacts(resolve(entry.file, scope)) ? undefined : `file ${entry.file}: does not exist`;
  if ('nonempty' in entry) {
    const facts = fileFacts(resolve(entry.nonempty, scope));
    if (!facts) return `nonempty ${entry.nonempty}: does not exist`;
    return facts.size > 0 ? undefined : `nonempty ${entry.nonempty}: is empty`;
  }
  if ('contains' in entry) {
    const { file, text } = entry.contains;
    const problem = `does not contain "${inOneLine(text)}"`;
    return inText('contains', file, scope, (content) => (content.includes(text) ? undefined : problem));
  }
  if ('yaml' in entry) {
    return inText('yaml', entry.yaml, scope, (content) => {
      if (deepOffset(content) !== undefined) return 'nests too deep to be read';
      const documents = parseAllDocuments(content);
      const errors = 'empty' in documents ? [] : documents.flatMap((d) => d.errors);
      return errors[0]?.message.split('\n')[0];
    });
  }
  return inText('json', entry.json, scope, (content) => {
    const value = JSON.parse(content) as unknown;
    const { has } = entry;
    return has === undefined || dottedKey(value, has) !== undefined ? undefined : `has no ${has}`;
  });
}

function inText(
  kind: string,
  path: string,
  scope: CheckScope,
  look: (text: string) => string | undefined,
): string | undefined {
  try {
    const text = readText(resolve(path, scope));
    return prefixed(`${kind} ${path}`, text === undefined ? 'does not exist' : look(text));
  } catch (error) {
    return `${kind} ${path}: ${(error as Error).message}`;
  }
}

const prefixed = (what: string, problem: string | undefined) => problem && `${what}: ${problem}`;

function resolve(path: string, scope: CheckScope): string {
  return path.startsWith('out:') ? join(scope.out, path.slice('out:'.length)) : join(scope.root, path);
}

/** What stands at `a.b.0.c` in a value made of objects and lists, or undefined. */
export function dottedKey(value: unknown, key: string): unknown {
  return key.split('.').reduce<unknown>((at, part) => {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, part)) return undefined;
    return (at as Record<string, unknown>)[part];
  }, value);
}
