// The configuration of a run: context map and loop settings as committed on the base.
import type { ContextMap } from '../config/context-map.ts';
import { LOOP_FILE, MAP_FILE, MAX_BYTES } from '../config/files.ts';
import type { LoopConfig } from '../config/loop-config.ts';
import { type Parsed, parseBranches, parseContextMap, parseLoopConfig } from '../config/parse.ts';
import { failConfig } from '../config/problem.ts';
import { fail } from '../errors.ts';
import { type GitObjects, withObjects } from '../io/git-objects.ts';
import { readText } from '../io/store.ts';
import { type Base, findBase } from '../worktree/base.ts';
import { readAt } from '../worktree/read.ts';

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

/** Both files at `commit`. Throws one MendError with every problem of both. */
export async function configurationAt(
  home: string,
  commit: string,
  base: string,
  given?: GitObjects,
): Promise<Configuration> {
  const [mapText, loopText] = await withObjects(given ?? home, (objects) =>
    Promise.all([committed(objects, commit, MAP_FILE), committed(objects, commit, LOOP_FILE)]),
  );
  if (mapText === undefined) {
    if (readText(`${home}/${MAP_FILE}`) === undefined) fail('E_MAP_MISSING', { where: `on ${base}` });
    fail('E_MAP_NOT_COMMITTED', { base });
  }
  return checked(parseContextMap(mapText, MAP_FILE), parseLoopConfig(loopText, LOOP_FILE));
}

/** The base as it is now, and both files there. Throws MendError as a run would. */
export async function configurationNow(
  home: string,
  given?: GitObjects,
): Promise<{ base: Base; config: Configuration }> {
  return withObjects(given ?? home, async (objects) => {
    const base = await baseOf(home, objects);
    return { base, config: await configurationAt(home, base.commit, base.name, objects) };
  });
}

/** Both files as they are in the working tree. Throws like `configurationAt`. */
export function configurationOnDisk(home: string): Configuration {
  const mapText = readText(`${home}/${MAP_FILE}`);
  if (mapText === undefined) fail('E_MAP_MISSING', { where: 'in the working tree' });
  return checked(parseContextMap(mapText, MAP_FILE), parseLoopConfig(readText(`${home}/${LOOP_FILE}`), LOOP_FILE));
}

function checked(map: Parsed<ContextMap>, loop: Parsed<LoopConfig>): Configuration {
  if (map.ok && loop.ok) return { map: map.value, loop: loop.value };
  return failConfig([map, loop].flatMap((parsed) => (parsed.ok ? [] : parsed.problems)));
}

async function committed(objects: GitObjects, commit: string, path: string): Promise<string | undefined> {
  const found = await readAt(objects, commit, path, MAX_BYTES);
  if (found === undefined || typeof found === 'string') return found;
  fail('E_CONFIG', { files: path, count: 1 }, [`${path}:1:1: ${found.tooBig} bytes, at most ${MAX_BYTES} are read`]);
}
