// What a stage left at a tracked path that git cannot store: a pipe, a socket or a device. git can tell nothing of a tree with one in it,
// so it is moved aside.
import { join } from 'node:path';
import { kindOf } from '../io/regular-file.ts';
import { entryStat, moveAway } from '../io/store.ts';

/** Moves such things away from the changed `paths` and the folders above them; a line each, for people. Throws MendError. */
export function moveUnstorable(root: string, paths: readonly string[]): string[] {
  const places = new Set(
    paths.flatMap((path) => path.split('/').map((_, i, parts) => parts.slice(0, i + 1).join('/'))),
  );
  return [...places].flatMap((path) => {
    const what = unstorableAt(join(root, path));
    if (what === undefined) return [];
    const to = freeName(root, `${path}.aside`);
    moveAway(join(root, path), join(root, to));
    return [`${path} was ${what}, which git cannot store; it is ${to} in ai/worktree now`];
  });
}

function unstorableAt(path: string): string | undefined {
  const stat = entryStat(path);
  return !stat || stat.isFile() || stat.isDirectory() || stat.isSymbolicLink() ? undefined : kindOf(stat);
}

/** Where nothing stands, or what was moved aside before: nothing is lost with that. */
function freeName(root: string, name: string): string {
  const path = join(root, name);
  return entryStat(path) && unstorableAt(path) === undefined ? freeName(root, `${name}.aside`) : name;
}
