// Faults planted into a copy of the sources, to see that the campaign finds them. One is a change of a text that must be there
// exactly once: when the sources have moved on, planting throws, and the row has to be brought up to date.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Case } from './hit.ts';
import { gitKill, powerCut } from './kills.ts';

export interface Planted {
  name: string;
  /** Absent where the sources have the fault today. */
  change?: { file: string; find: string; put: string };
  /** What finds it. Without the fault nothing is broken there. */
  by: Case;
  /** What that says of it. */
  says: RegExp;
}

const COMMIT = '/home/ai/worktree: commit -q --cleanup=verbatim --allow-empty --no-verify --no-gpg-sign -F -';

export const PLANTED: readonly Planted[] = [
  {
    name: 'lines of a journal are not synced',
    change: { file: 'src/io/lines.ts', find: 'if (sync) fsyncSync(fd);', put: '' },
    by: powerCut('plain', 'written:step.done:1'),
    says: /^lie: attempt 1 of a ran in \S+, and no journal knows/m,
  },
  {
    name: 'an earlier commit closes a later intent',
    change: {
      file: 'src/mend/recover.ts',
      find: ' && (run !== intent?.run || seq > intent.seq)',
      put: '',
    },
    by: gitKill('accepting', { side: 'before', words: COMMIT, nth: 2 }, 'whole'),
    says: /^lie: the worktree holds what no commit knows: /m,
  },
  {
    name: 'a landing without its intent',
    change: { file: 'src/promote/promote.ts', find: "record({ type: 'landing.intended', data });", put: '' },
    by: gitKill('promoting', { side: 'moved', words: 'refs/heads/main', nth: 1 }, 'whole'),
    says: /^lie: main went from \w+ to \w+, and no journal said so before$/m,
  },
];

/** Plants it into the copy of the sources in `folder`; what takes it out again. Throws where the text is not there once. */
export function plant(folder: string, { change }: Planted): () => void {
  if (!change) return () => {};
  const { file, find, put } = change;
  const path = join(folder, file);
  const text = readFileSync(path, 'utf8');
  const found = text.split(find).length - 1;
  if (found !== 1) throw new Error(`${file} has ${found} times what is to be changed there, not once: ${find}`);
  writeFileSync(
    path,
    text.replace(find, () => put),
  );
  return () => writeFileSync(path, text);
}
