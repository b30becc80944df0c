// What a power cut takes: of each file of the loop's state, all that was written since its last fsync. A file that was never
// synced is left, empty. Git's own files are left as they are: nothing tells from outside what git synced (`learn` sees to it that
// whatever moves a branch is told to), and neither are names in folders taken: on the usual file systems a synced file has its name.
import { existsSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Slot } from './slot.ts';

/** Where the loop keeps what it must know again. What stages and stand-ins write there is theirs. */
const STATE = ['ai/state', 'ai/patches', 'ai/escalations'];
const THEIRS = /^ai\/state\/(?:out|lab)\//;

/** Call it before the command starts: what is there now is on disk. `env` is for the command, `powerOff` for when it is dead. */
export function readyPowerCut({ home, root }: Slot) {
  const note = join(root, 'synced');
  writeFileSync(note, '');
  const atFirst = new Map(filesOf(home).map(({ inode, size }) => [inode, size]));
  return {
    env: { FAULT_SYNCED: note },
    powerOff(): void {
      const synced = new Map(atFirst);
      for (const line of readFileSync(note, 'utf8').split('\n').filter(Boolean)) {
        const [inode = '', size = ''] = line.split(' ');
        synced.set(inode, Number(size));
      }
      rmSync(note);
      for (const { path, inode, size } of filesOf(home)) {
        const left = synced.get(inode) ?? 0;
        if (left < size) truncateSync(path, left);
      }
    },
  };
}

function filesOf(home: string): { path: string; inode: string; size: number }[] {
  return STATE.filter((folder) => existsSync(join(home, folder))).flatMap((folder) =>
    readdirSync(join(home, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((path) => !THEIRS.test(path.slice(home.length + 1)))
      .map((path) => ({ path, inode: String(statSync(path).ino), size: statSync(path).size })),
  );
}
