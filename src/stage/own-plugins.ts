// The owner's plugins as committed on the base, in a folder of their own for each commit: what runs is what was reviewed.
import { join } from 'node:path';
import { type LoopConfig, SHIPPED } from '../config/loop-config.ts';
import { fileFacts } from '../io/files.ts';
import { realPath } from '../io/git-dir.ts';
import { type GitObjects, withObjects } from '../io/git-objects.ts';
import type { Layout } from '../io/layout.ts';
import { PACKAGE_ROOT } from '../io/package.ts';
import { unpack } from '../io/store.ts';
import { loadPlugins, type OwnPlugins, type Plugins } from '../plugin/load.ts';

/** Every plugin that ai/loop.yaml names, loaded. Throws E_PLUGIN with all that is wrong. */
export async function pluginsAt(
  layout: Layout,
  commit: string,
  loop: LoopConfig,
  given?: GitObjects,
): Promise<Plugins> {
  if (!namesOwn(loop)) return loadPlugins({ loop, own: undefined });
  const own = await withObjects(given ?? layout.home, (objects) => unpacked(layout, commit, objects));
  return loadPlugins({ loop, own });
}

/** The same for the working tree, to check it. Throws E_PLUGIN. */
export async function pluginsOnDisk(home: string, loop: LoopConfig): Promise<Plugins> {
  const folder = join(home, 'plugins');
  const isThere = namesOwn(loop) && fileFacts(folder)?.isFolder === true;
  const ownPlugins = isThere ? { folder: await realPath(folder), isPackage: await isPackage(home) } : undefined;
  return loadPlugins({ loop, own: ownPlugins });
}

const SHIPPED_NAMES = new Set(Object.values(SHIPPED).flat());

function namesOwn({ executors, escalations, notifiers, backend, plugins }: LoopConfig): boolean {
  const names = [...executors, ...escalations, ...notifiers, backend, ...Object.keys(plugins)];
  return names.some((name) => !SHIPPED_NAMES.has(name));
}

async function unpacked(layout: Layout, commit: string, objects: GitObjects): Promise<OwnPlugins | undefined> {
  const entries = [...(await objects.files(commit))].filter(
    ([path, { mode }]) => path.startsWith('plugins/') && mode.startsWith('100'),
  );
  if (entries.length === 0) return undefined;
  const root = join(layout.state, 'plugins', commit);
  // Read again each time: what is imported is what the commit holds, whatever became of the folder.
  const files = await Promise.all(entries.map(async ([path, { id }]) => ({ path, bytes: await objects.read(id) })));
  unpack(root, files);
  return { folder: await realPath(join(root, 'plugins')), isPackage: await isPackage(layout.home) };
}

/** Parts of the running package: no fix may touch them when the repository is that package. */
const PACKAGE_PATHS = ['src/', 'scripts/', 'plugins/', 'stages/lab/', 'package.json', 'package-lock.json'];

export const isPackage = async (home: string): Promise<boolean> =>
  (await realPath(home)) === (await realPath(PACKAGE_ROOT));

export const packagePaths = async (home: string): Promise<readonly string[]> =>
  (await isPackage(home)) ? PACKAGE_PATHS : [];
