// The configuration in the working tree: valid or not, what looks wrong, and where it differs from what a run reads.

import { join } from 'node:path';
import { reachScheduler } from '../backend/open.ts';
import { itemStageName } from '../backlog/stage-of-item.ts';
import { type ContextMap, LATER_COMMANDS, type Stage } from '../config/context-map.ts';
import { LOOP_FILE, MAP_FILE } from '../config/files.ts';
import { pathMatcher } from '../config/paths.ts';
import { failConfig, formatPath } from '../config/problem.ts';
import { unattendedLines } from '../config/unattended.ts';
import { MendError } from '../errors.ts';
import { type CheckFiles, checksOf, findCheckFiles, runBy, type Sources } from '../fix/check-files/check-files.ts';
import { forbiddenThroughFiles } from '../fix/check-files/forbidden-runs.ts';
import { readPlain } from '../fix/shell/read-commands.ts';
import { fileFacts, isExecutable } from '../io/files.ts';
import { type GitObjects, withObjects } from '../io/git-objects.ts';
import { layout as layoutOf } from '../io/layout.ts';
import { runProgram } from '../io/program.ts';
import { readText } from '../io/store.ts';
import { checkBacklog } from '../run/backlog-files.ts';
import { sourcesOf } from '../stage/check-sources.ts';
import { hasChecks } from '../stage/checks.ts';
import {
  baseOf,
  type Configuration,
  configurationOnDisk,
  forbiddenText,
  loopDifference,
} from '../stage/configuration.ts';
import { stagePath } from '../stage/env.ts';
import { pluginsOnDisk } from '../stage/own-plugins.ts';
import { required } from '../stage/requires.ts';
import type { RunPorts } from '../stage/run.ts';
import { scriptOf } from '../stage/script-hint.ts';
import { uncarriedIgnored, uncarriedNotice } from '../stage/uncarried.ts';
import { carryPaths, overlap, refuseOverlap } from '../worktree/carry.ts';
import { checkoutFiles, readAt } from '../worktree/read.ts';

/** A file that a check or diagnostic of a stage runs. */
interface StageCheckFile {
  stage: string;
  path: string;
  /** The word that makes it one. */
  word: string;
  /** Where that word stands: in the map, or in another check file. */
  by: string;
}

interface Validation {
  stages: string[];
  checkFiles: StageCheckFile[];
  warnings: string[];
  /** Where every change is asked about. */
  asked: string[];
  /** Where a run would read something else than the working tree. */
  differs: string[];
}

/** Throws E_CONFIG, E_PLUGIN or E_CARRY_TRACKED with every problem, and MendError when the backend cannot be reached. */
export async function validateHome(
  home: string,
  ports: Pick<RunPorts, 'env' | 'labTools'>,
  backend?: string,
): Promise<Validation> {
  const checkout = await checkoutFiles(home);
  const config = await configurationOnDisk(home, checkout?.files, backend);
  await pluginsOnDisk(home, config.loop);
  await reachScheduler(config, layoutOf(home), ports.env);
  const carry = carryPaths(config.map.carry);
  const tracked = [...(checkout?.files.keys() ?? [])];
  refuseOverlap(tracked, carry);
  const { items = [], problems = [] } = (await checkBacklog(home)) ?? {};
  if (problems.length > 0) failConfig(problems);
  const stages = Object.entries(config.map.stages);
  const unattended = unattendedLines(config.map.stages, config.loop);
  const sources = checkout && sourcesOf(checkout);
  const ignored = checkout ? await uncarriedIgnored(home, Object.values(config.map.stages), { carry, tracked }) : [];
  return {
    stages: stages.map(([name]) => name),
    checkFiles: sources ? (await Promise.all(stages.map((stage) => checkFilesOf(stage, sources)))).flat() : [],
    warnings: [
      ...(sources ? await checkWarnings(home, config, sources, ports) : []),
      ...scriptWarnings(home, config),
      ...ignored.map(uncarriedNotice),
      ...stages
        .filter(([name]) => LATER_COMMANDS.includes(name))
        .map(([name]) => `stages.${name}: ${namesCommand(name)}`),
      ...items
        .filter(({ number }) => Object.hasOwn(config.map.stages, itemStageName(number)))
        .map(({ number }) => `stages.${itemStageName(number)}: ${hidesItem(number)}`),
      ...stages.filter(([, stage]) => !hasChecks(stage)).map(([name]) => `stages.${name}: ${UNCHECKED}`),
      ...unattended.filter((one) => one.unattended === 'all').map(({ text }) => `${text}: ${OWN_RISK}`),
    ],
    asked: unattended.filter((one) => one.unattended === 'none').map(({ text }) => text),
    differs: await withObjects(home, (objects) => differences(home, objects, carry)),
  };
}

async function checkFilesOf([name, stage]: [string, Stage], sources: Sources): Promise<StageCheckFile[]> {
  const files = await findCheckFiles({ stages: { [name]: stage } }, sources);
  return [...files].map(([path, { word, by }]) => ({ stage: name, path, word, by }));
}

const namesCommand = (name: string): string =>
  `${name} is a command as well: the stage alone runs as mendloop -- ${name}`;
const hidesItem = (number: string): string =>
  `mendloop backlog run ${number} would run this stage, and never work on item ${number}: rename the stage`;
const UNCHECKED = 'it has nothing to check, so nothing can tell whether it still holds; give it verify';
const OWN_RISK = 'with your rights, and at your own risk';

async function checkWarnings(
  home: string,
  { map, loop }: Configuration,
  sources: Sources,
  ports: Pick<RunPorts, 'env' | 'labTools'>,
): Promise<string[]> {
  const checkFiles = await findCheckFiles(map, sources);
  const forbidden = await forbiddenThroughFiles(map, sources);
  return [
    ...(await checkFileWarnings(home, map.stages, checkFiles, sources)),
    ...(await unknownPrograms(map, sources, stagePath({ ...ports, lab: loop.lab }))),
    ...forbidden.map(forbiddenText),
  ];
}

const UNREAD = 'it could not be read in time, so every file whose name stands in it counts as run by it';
const UNKNOWN = 'is neither a file of this repository nor a program that is known here (PATH, requires.tools)';

/** What bash says of a word that is no builtin, keyword or program. */
const NOTHING = 'for word; do type -t -- "$word" >/dev/null || echo "$word"; done';

/** Checks and diagnostics that begin with a word by which nothing is known where stages run. */
async function unknownPrograms(map: ContextMap, { read }: Sources, path: string): Promise<string[]> {
  const tools = required(map, 'tools');
  const unknown = checksOf(map).map(async ({ path: at, entry }) => {
    const reading = readPlain(entry) ?? (await read(entry));
    if (!reading) return [`${formatPath(at)}: ${UNREAD}`];
    const own = reading.commands.filter(({ via }) => via === undefined).map(({ words }) => words[0]?.text ?? '');
    const names = new Set(own.filter((word) => /^[\w.+-]+$/.test(word)));
    for (const name of [...reading.functions, ...tools]) names.delete(name);
    const answer = await runProgram('bash', ['-c', NOTHING, 'bash', ...names], { env: { PATH: path } });
    const lines = answer?.stdout.split('\n').filter(Boolean) ?? [];
    return lines.map((program) => `${formatPath(at)}: ${program} ${UNKNOWN}`);
  });
  return (await Promise.all(unknown)).flat();
}

/** Editable files that no fix may touch because checks run them, and check files that git cannot restore. */
async function checkFileWarnings(
  home: string,
  all: Configuration['map']['stages'],
  checkFiles: CheckFiles,
  sources: Sources,
): Promise<string[]> {
  const stages = await Promise.all(
    Object.entries(all).map(async ([name, { files, command }]) => {
      const covers = pathMatcher(files);
      const ran = await runBy(command, '', sources);
      return [...checkFiles].flatMap(([path, { word, by }]) => [
        ...(covers(path) ? [`stages.${name}.files: no fix may touch ${path}: ${by} runs it (${word})`] : []),
        ...(ran.get(path)?.by === ''
          ? [`stages.${name}.command: ${path} is a check too (${by}), so no fix may touch it`]
          : []),
      ]);
    }),
  );
  const unread = [...checkFiles.values()].filter((file) => file.unread && checkFiles.has(file.by)).map(({ by }) => by);
  return [
    ...stages.flat(),
    ...[...new Set(unread)].map((by) => `${by}: ${UNREAD}`),
    ...[...checkFiles].flatMap(([path, { by, tracked }]) => {
      const is = fileFacts(join(home, path)) ? 'git does not track it' : 'it does not exist here';
      return tracked ? [] : [`${by}: runs ${path}, but ${is}: nobody can see to it that it judges as you wrote it`];
    }),
  ];
}

function scriptWarnings(home: string, { map }: Configuration): string[] {
  return Object.entries(map.stages).flatMap(([name, stage]) => {
    const script = scriptOf(stage.command);
    if (!script) return [];
    if (!fileFacts(join(home, script))) return [`stage ${name}: ${script} does not exist`];
    return isExecutable(join(home, script)) ? [] : [`stage ${name}: ${script} is not executable: chmod +x ${script}`];
  });
}

async function differences(home: string, objects: GitObjects, carry: readonly string[]): Promise<string[]> {
  try {
    const base = await baseOf(home, objects);
    const looks = [MAP_FILE, LOOP_FILE].map(async (path) => {
      const onBase = await readAt(objects, base.commit, path, Number.MAX_SAFE_INTEGER);
      const here = readText(join(home, path));
      if (onBase === here) return [];
      if (onBase === undefined)
        return [`${path} is not committed on ${base.name}, and a run reads it from there: git add ${path}`];
      return [`${path} differs from ${base.name}: a run reads the committed one (git diff ${base.name} -- ${path})`];
    });
    const tracked = carry.length > 0 ? overlap((await objects.files(base.commit)).keys(), carry) : [];
    const still = `is carried and still tracked on ${base.name}: a run reads the committed tree (git commit)`;
    const { notices, unasked } = await loopDifference(home, base, {}, objects);
    const settings = unasked ? whyNoRun(unasked) : notices;
    return [...(await Promise.all(looks)).flat(), ...settings, ...tracked.map((path) => `${path} ${still}`)];
  } catch (error) {
    return whyNoRun(error);
  }
}

/** Reports that no run could start; the files were checked all the same. */
function whyNoRun(error: unknown): string[] {
  if (error instanceof MendError) return [`a run could not start here: ${error.code} ${error.message}`];
  throw error;
}
