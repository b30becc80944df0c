// The configuration of a run: context map and loop settings as committed on the base.
import type { ContextMap } from '../config/context-map.ts';
import { LOOP_FILE, MAP_FILE, MAX_BYTES, OWNED_PATHS } from '../config/files.ts';
import type { LoopConfig } from '../config/loop-config.ts';
import { located, parseBranches, parseContextMap, parseLoopConfig, parseSettings } from '../config/parse.ts';
import { failConfig, formatPath, type Problem } from '../config/problem.ts';
import { didYouMean } from '../config/suggest.ts';
import { fail, type MendError, mendError } from '../errors.ts';
import type { Listing } from '../fix/check-files/find-files.ts';
import { type ForbiddenRun, forbiddenByWords } from '../fix/check-files/forbidden-runs.ts';
import { fileFacts } from '../io/files.ts';
import { readCommands } from '../io/gate/gate.ts';
import { type GitObjects, withObjects } from '../io/git-objects.ts';
import { readText } from '../io/store.ts';
import { optionFaults } from '../slurm/job.ts';
import { type Base, findBase } from '../worktree/base.ts';
import { isBelow } from '../worktree/carry.ts';
import { addCommand, readAt } from '../worktree/read.ts';

export interface Configuration {
  readonly map: ContextMap;
  readonly loop: LoopConfig;
}

/** The base a run of `home` starts from; only `branch` and `base` count as they are at the owner's HEAD. */
export async function baseOf(home: string, given?: GitObjects): Promise<Base> {
  const asked = async (objects: GitObjects) => {
    const branches = parseBranches(await committed(objects, 'HEAD', LOOP_FILE), LOOP_FILE);
    return branches.ok ? branches.value : failConfig(branches.problems);
  };
  return findBase(home, asked, given);
}

/** Both files at the base, with another `backend` where one is given. Throws one MendError with every problem of both. */
export async function configurationAt(
  home: string,
  { name, commit }: Pick<Base, 'name' | 'commit'>,
  { objects: given, backend }: { objects?: GitObjects; backend?: string | undefined } = {},
): Promise<Configuration> {
  const [mapText, loopText, files] = await withObjects(given ?? home, (objects) =>
    Promise.all([committed(objects, commit, MAP_FILE), committed(objects, commit, LOOP_FILE), objects.files(commit)]),
  );
  if (mapText === undefined) {
    if (readText(`${home}/${MAP_FILE}`) === undefined) fail('E_MAP_MISSING', { where: `on ${name}` });
    fail('E_MAP_NOT_COMMITTED', { base: name, add: await addUncommitted(home, files) });
  }
  return parsed(mapText, loopText, backend, files);
}

/** The base as it is now, and both files there. Throws MendError as a run would. */
export async function configurationNow(
  home: string,
  given?: GitObjects,
): Promise<{ base: Base; config: Configuration }> {
  return withObjects(given ?? home, async (objects) => {
    const base = await baseOf(home, objects);
    return { base, config: await configurationAt(home, base, { objects }) };
  });
}

/** Both files as they are in the working tree, in which git tracks `files`. Throws like `configurationAt`. */
export async function configurationOnDisk(
  home: string,
  files: Listing = new Map(),
  backend?: string,
): Promise<Configuration> {
  const mapText = readText(`${home}/${MAP_FILE}`);
  if (mapText === undefined) fail('E_MAP_MISSING', { where: 'in the working tree' });
  return parsed(mapText, readText(`${home}/${LOOP_FILE}`), backend, files);
}

/** Words of commands that run what is protected, spelled so that only a reader of shell finds it. */
async function refuseForbidden(map: ContextMap, text: string, listing: Listing): Promise<void> {
  const runs = await forbiddenByWords(map, { listing, read: readCommands });
  const findings = runs.map(({ path, what }) => ({
    path,
    at: 'value' as const,
    message: `runs ${what}; what may not be edited may not be run`,
  }));
  if (findings.length > 0) failConfig(located(text, MAP_FILE, findings));
}

/** One that is run through another file, for people. */
export const forbiddenText = ({ path, what, through }: Required<ForbiddenRun>): string =>
  `${formatPath(path)}: would run ${what}, through ${through}; what may not be edited should not be run`;

async function parsed(
  mapText: string,
  loopText: string | undefined,
  backend: string | undefined,
  files: Listing,
): Promise<Configuration> {
  const map = parseContextMap(mapText, MAP_FILE);
  const read = parseLoopConfig(loopText, LOOP_FILE);
  if (!map.ok || !read.ok) return failConfig([map, read].flatMap((one) => (one.ok ? [] : one.problems)));
  const loop = backend === undefined ? read.value : { ...read.value, backend };
  const problems = [
    ...located(mapText, MAP_FILE, cellFindings(map.value, loop)),
    ...(loop.backend.startsWith('slurm-') ? slurmProblems(map.value, loop, mapText, loopText ?? '') : []),
  ];
  if (problems.length > 0) failConfig(problems);
  await refuseForbidden(map.value, mapText, files);
  return { map: map.value, loop };
}

/** Stages with more cells than a plan may have steps: a mistake, or a limit to be raised. */
function cellFindings({ stages }: ContextMap, { limits: { max_steps } }: LoopConfig) {
  return Object.entries(stages).flatMap(([name, { matrix = {} }]) => {
    const cells = Object.values(matrix).reduce((product, values) => product * values.length, 1);
    const message = `the axes multiply to ${cells} steps; the limit is ${max_steps} (limits.max_steps in ${LOOP_FILE})`;
    return cells > max_steps ? [{ path: ['stages', name, 'matrix'], at: 'value' as const, message }] : [];
  });
}

/** What two files say of jobs: each `spec` means something, and no option makes another thing of a job than a step. */
function slurmProblems({ stages }: ContextMap, { slurm }: LoopConfig, mapText: string, loopText: string): Problem[] {
  const specs = [...new Set(['default', ...Object.keys(slurm.specs)])];
  const unknown = Object.entries(stages).filter(([, { spec }]) => !specs.includes(spec));
  const inMap = unknown.map(([name, { spec }]) => {
    const hint = didYouMean(spec, specs, 'it has');
    const message = `slurm.specs in ${LOOP_FILE} has no ${JSON.stringify(spec)}, so nobody knows what its jobs need${hint}`;
    return { path: ['stages', name, 'spec'], at: 'value' as const, message };
  });
  const inLoop = Object.entries(slurm.specs).flatMap(([spec, { options }]) =>
    optionFaults(options).map((message) => ({
      path: ['slurm', 'specs', spec, 'options'],
      at: 'value' as const,
      message,
    })),
  );
  return [...located(mapText, MAP_FILE, inMap), ...located(loopText, LOOP_FILE, inLoop)];
}

/** The command that adds what people own below ai/, is in the working tree and is not among the `files` of a commit. */
function addUncommitted(home: string, files: Listing): Promise<string> {
  const isCommitted = (path: string) => [...files.keys()].some((file) => isBelow(file, path));
  const paths = OWNED_PATHS.filter((path) => fileFacts(`${home}/${path}`) !== undefined && !isCommitted(path));
  return addCommand(home, paths);
}

export interface LoopDifference {
  /** Which value counts, where ai/loop.yaml of the working tree, which does not count, has another that people rely on. */
  readonly notices: readonly string[];
  /** Why nothing may be fixed: an owner who wants to be asked would not be. */
  readonly unasked?: MendError;
}

/** What the command line says counts anyway. */
export const loopDifference = (
  home: string,
  base: Pick<Base, 'name' | 'commit'>,
  commandLine: { readonly lab?: string | undefined; readonly backend?: string | undefined },
  given?: GitObjects,
): Promise<LoopDifference> =>
  withObjects(given ?? home, async (objects) => {
    const onBase = await committed(objects, base.commit, LOOP_FILE);
    const differing = differingSettings(readText(`${home}/${LOOP_FILE}`), onBase);
    const notices = differing
      .filter(({ key }) => key === 'unattended' || commandLine[key] === undefined)
      .map(
        ({ key, counts, says }) =>
          `${key} is ${counts}: ${LOOP_FILE}, which says ${says}, is not committed on ${base.name}`,
      );
    if (onBase !== undefined || !differing.some(({ key, says }) => key === 'unattended' && says === 'none'))
      return { notices };
    const add = await addUncommitted(home, await objects.files(base.commit));
    return { notices, unasked: mendError('E_LOOP_NOT_COMMITTED', { base: base.name, add }) };
  });

/** None where one of the texts cannot be read. */
function differingSettings(here: string | undefined, onBase: string | undefined) {
  if (here === undefined || here === onBase) return [];
  const [written, counting] = [parseSettings(here, LOOP_FILE), parseSettings(onBase, LOOP_FILE)];
  if (!written.ok || !counting.ok) return [];
  const rows = (['unattended', 'lab', 'backend'] as const).map((key) => {
    return { key, counts: counting.value[key], says: written.value[key] };
  });
  return rows.filter(({ counts, says }) => counts !== says);
}

async function committed(objects: GitObjects, commit: string, path: string): Promise<string | undefined> {
  const text = await readAt(objects, commit, path, MAX_BYTES);
  if (text === undefined || typeof text === 'string') return text;
  fail('E_CONFIG', { files: path, count: 1 }, [`${path}:1:1: ${text.tooBig} bytes, at most ${MAX_BYTES} are read`]);
}
